"""What is kept beside a session: full outputs of cut results, files as they were before, images.

The folder is the session's path with `.d` in place of `.jsonl`. Nothing in it is needed to resume:
a missing output is said to be gone, a missing pre-image cannot be restored, and a text takes the
place of a missing image.
"""

from __future__ import annotations

import hashlib
import os

from clinkai.core.errors import SessionError, ToolError
from clinkai.harness.session import Session, read_log, sync_folder


class Store:
    """The side folder of one session, created with the first thing kept."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.folder = session.path.removesuffix(".jsonl") + ".d"

    def keep_output(self, number: int, text: str) -> bool:
        """Keep the full output of the `number`-th tool call; False where the disk refuses."""
        try:
            self._write(f"out-{number}.txt", text.encode("utf-8", "surrogatepass"), sync=False)
        except OSError:
            return False
        return True

    def output_path(self, number: int) -> str | None:
        """The file with that output (UTF-8), or None."""
        path = os.path.join(self.folder, f"out-{number}.txt")
        return path if os.path.isfile(path) else None

    def records(self) -> tuple[dict, ...]:
        """What the log has, oldest first. Raises SessionError."""
        return read_log(self._session.path).records

    def sync(self) -> None:
        """Have every record of the session on the disk. Raises SessionError."""
        self._session.sync()

    def keep_before(self, path: str, data: bytes | None) -> None:
        """Keep the content of `path` (relative to the workspace) before it changes, on the disk
        when this returns; None: it did not exist, which is noted. Raises ToolError: then it must
        not be changed."""
        digest = None
        if data is not None:
            digest = hashlib.sha256(data).hexdigest()
            try:
                self._write(digest, data, sync=True)
            except OSError as error:
                raise ToolError("tool.write.no_copy", path=path, why=error.strerror) from error
        self._session.append({"type": "meta", "kind": "before", "path": path, "sha": digest})

    def before(self, digest: str) -> bytes | None:
        """A kept content by its SHA-256, or None."""
        try:
            with open(os.path.join(self.folder, digest), "rb") as file:
                return file.read()
        except OSError:
            return None

    def keep_image(self, data: bytes) -> str:
        """Keep an image; on the disk before this returns its SHA-256. Raises SessionError."""
        digest = hashlib.sha256(data).hexdigest()
        path = os.path.join(self.folder, digest)
        try:
            if self.before(digest) not in (None, data):
                os.unlink(path)  # somebody changed it
            self._write(digest, data, sync=True)
        except OSError as error:
            raise SessionError("error.session.write", path=path, why=error.strerror) from error
        return digest

    def image(self, digest: str) -> bytes:
        """A kept image by its SHA-256. Raises SessionError where it is gone or changed."""
        data = self.before(digest)
        if data is None or hashlib.sha256(data).hexdigest() != digest:
            path = os.path.join(self.folder, digest)
            raise SessionError("error.image.lost", path=path)
        return data

    def _write(self, name: str, data: bytes, *, sync: bool) -> None:
        target = os.path.join(self.folder, name)
        if not os.path.isdir(self.folder):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            if sync:
                sync_folder(os.path.dirname(self.folder))
        if sync and os.path.exists(target):
            return
        temporary = f"{target}.{os.urandom(4).hex()}"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(fd, "wb") as file:
                file.write(data)
                file.flush()
                if sync:
                    os.fsync(fd)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
        if sync:
            sync_folder(self.folder)

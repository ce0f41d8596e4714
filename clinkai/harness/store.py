"""What is kept beside a session: full outputs of cut results, files as they were before, images.

The folder is the session's path with `.d` in place of `.jsonl`. Nothing in it is needed to resume:
a missing output is said to be gone, a missing pre-image cannot be restored, and a text takes the
place of a missing image. A content is kept once, under its SHA-256, as a file or in the pack.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress

from clinkai.core.errors import MachineError, SessionError, ToolError
from clinkai.core.value import Value
from clinkai.harness.pack import Pack
from clinkai.harness.session import Session, read_log, sync_folder

MOST = 512_000_000
"""Bytes of contents kept for undo, of one session: the sources of nearly every project many times
over, and what a disk of today can spare unasked for each of many sessions."""

PACK = "files.pack"


class Kept(Value):
    """A file as it was or is going to be. data: None where there is none; mode: as in `st_mode`,
    None where it is not known; a link's data is where it leads."""

    data: bytes | None
    mode: int | None = None


class Store:
    """The side folder of one session, created with the first thing kept."""

    def __init__(self, session: Session | None, path: str = "") -> None:
        """path: of a session that is only looked at, for which there is no `session`."""
        self._session = session
        self._path = session.path if session else path
        self.folder = self._path.removesuffix(".jsonl") + ".d"
        self._pack = Pack(os.path.join(self.folder, PACK))
        self._held: int | None = None
        """Bytes in the folder, once they were counted."""
        self._new = False
        """The folder was made, which may not be on the disk yet."""
        self.watch = None
        """What commands change is seen by (`manifest.Watch`)."""

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
        return read_log(self._path).records

    def sync(self) -> None:
        """Have every record of the session on the disk. Raises SessionError."""
        self._session.sync()

    def append(self, record: dict) -> None:
        """Add a record to the log of the session. Raises SessionError."""
        self._session.append(record)

    def keep_before(self, path: str, was: Kept, to: Kept) -> bool:
        """Keep what is at `path` (relative to the workspace) before it becomes `to`, on the disk
        when this returns; False where there is no room for it. Raises ToolError: then it must not
        be changed."""
        try:
            if was.data is not None:
                self.keep(was.data)
                self.settle()
            if to.data is not None:  # for redo, and to show what somebody else did to it
                self.keep(to.data)
        except (OSError, MachineError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise ToolError("tool.write.no_copy", path=path, why=why) from error
        said = change(path, was, to)
        self.append({"type": "meta", "kind": "before", **said})
        return said["sha"] is None or self.holds(said["sha"])

    def unmade(self, files: list[dict]) -> None:
        """Record that changes which the log has were not made after all: what `change` says of the
        way back."""
        self.append({"type": "meta", "kind": "changed", "files": files, "unmade": True})

    def keep(self, data: bytes) -> str:
        """Keep a content where there is room for it (`holds` says so then); its SHA-256. On the
        disk after `settle`. Raises OSError, MachineError."""
        digest = digest_of(data)
        if not self.holds(digest) and self._fits(len(data)):
            self._make()
            self._pack.add(digest, data)
        return digest

    def settle(self) -> None:
        """Have on the disk what was kept. Raises OSError, MachineError."""
        if self._pack.sync():
            sync_folder(self.folder)
            if self._new:
                sync_folder(os.path.dirname(self.folder))
                self._new = False

    def _fits(self, size: int) -> bool:
        """True where there is room for so many bytes; then they count."""
        if self._held is None:
            self._held = 0
            with suppress(OSError), os.scandir(self.folder) as entries:
                self._held = sum(entry.stat().st_size for entry in entries)
        if self._held + size > MOST:
            return False
        self._held += size
        return True

    def before(self, digest: str) -> bytes | None:
        """A kept content by its SHA-256, or None where it is gone or damaged."""
        try:
            with open(os.path.join(self.folder, digest), "rb") as file:
                data = file.read()
        except OSError:
            return self._pack.get(digest)
        return data if digest_of(data) == digest else None

    def holds(self, digest: str) -> bool:
        """True where that content was kept."""
        kept = os.path.exists(os.path.join(self.folder, digest))
        return bool(digest) and (kept or digest in self._pack)

    def put_note(self, name: str, data: bytes) -> None:
        """Keep a note under a name, in place of one there is; on the disk when this returns. Raises
        OSError, MachineError."""
        self.drop_note(name)
        self._write(name, data, sync=True)

    def note(self, name: str) -> bytes | None:
        """The note under a name, or None."""
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                return file.read()
        except OSError:
            return None

    def drop_note(self, name: str) -> None:
        """Remove a note, if there is one. Raises OSError."""
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self.folder, name))

    def keep_image(self, data: bytes) -> str:
        """Keep an image; on the disk before this returns its SHA-256. Raises SessionError."""
        digest = digest_of(data)
        path = os.path.join(self.folder, digest)
        try:
            self._write(digest, data, sync=True)
        except OSError as error:
            raise SessionError("error.session.write", path=path, why=error.strerror) from error
        return digest

    def image(self, digest: str) -> bytes:
        """A kept image by its SHA-256. Raises SessionError where it is gone or changed."""
        data = self.before(digest)
        if data is None:
            path = os.path.join(self.folder, digest)
            raise SessionError("error.image.lost", path=path)
        return data

    def _write(self, name: str, data: bytes, *, sync: bool) -> None:
        target = os.path.join(self.folder, name)
        self._make()
        if sync and self._new:
            sync_folder(os.path.dirname(self.folder))
            self._new = False
        if _is(target, data):
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

    def _make(self) -> None:
        if not os.path.isdir(self.folder):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            self._new = True


def digest_of(data: bytes) -> str:
    """The SHA-256 under which a content is kept."""
    return hashlib.sha256(data).hexdigest()


def change(path: str, was: Kept, to: Kept) -> dict:
    """What a record says of a change to a file."""
    said: dict = {"path": path}
    for names, file in ((("sha", "mode"), was), (("to", "to_mode"), to)):
        said[names[0]] = None if file.data is None else digest_of(file.data)
        if file.data is not None and file.mode is not None:
            said[names[1]] = file.mode
    return said


def _is(path: str, data: bytes) -> bool:
    """True where the file holds `data`."""
    try:
        if os.path.getsize(path) != len(data):
            return False
        with open(path, "rb") as file:
            return file.read() == data
    except OSError:
        return False

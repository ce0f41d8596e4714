"""Files of the workspace, opened so that nothing can be put in the way.

A path that the fence has judged is opened again part by part, relative to an open folder and
without following links: what was swapped for a link in between is refused, not followed. Only
regular files are read or replaced, and opening never waits for a pipe.

Replacing writes a new file of a random name into the same open folder and renames it over the
old one: a reader sees the old content or the new, a hard link elsewhere keeps the old.

Covered: modes, owner where we may set it, parents made and, on failure, removed again. Not
covered: access lists and extended attributes; and where the platform cannot open relative to a
folder (Windows) a swap between two looks at the same path can only be noticed, not excluded.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Callable
from hashlib import sha256
from itertools import islice

from clinkai.core.errors import PathError, ToolError
from clinkai.core.text import size
from clinkai.core.value import Value
from clinkai.harness.workspace import Place, Workspace

HASHED = 1_000_000
"""Bytes up to which a version is the content's hash; above, it is what the file system says."""

LOADED = 16_000_000
"""Bytes of the largest file that is changed: it is held in memory, and kept for undo."""

PIECE = 4096
"""Bytes asked for beyond the size a file had: usually there are none."""

AT = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
"""True where the platform opens relative to a folder."""

NAME_SURROGATE = 0x2000_0000
"""Bit of a Windows reparse tag that makes it a link under another name (a junction, say), and not
a file that is kept elsewhere. Source: [MS-FSCC] 2.1.2.1."""

_SAFE = os.O_CLOEXEC if hasattr(os, "O_CLOEXEC") else os.O_BINARY | os.O_NOINHERIT
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW | _SAFE
_READ = os.O_RDONLY | _NOFOLLOW | _NONBLOCK | _SAFE
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _SAFE

REASONS = {
    errno.ENOENT: "tool.file.missing", errno.EACCES: "tool.file.permission",
    errno.EPERM: "tool.file.permission", errno.EROFS: "tool.file.readonly",
    errno.ENOSPC: "tool.file.full", errno.EDQUOT: "tool.file.full",
    errno.EFBIG: "tool.file.full", errno.ENAMETOOLONG: "tool.file.name",
    errno.EILSEQ: "tool.file.name", errno.EINVAL: "tool.file.name",
    errno.ENOTDIR: "tool.file.not_folder", errno.EISDIR: "tool.file.folder",
    errno.ENXIO: "tool.file.device",
}
"""What went wrong, by errno; anything else is `tool.file.other` with the system's words."""

KINDS = {
    stat.S_IFDIR: "folder", stat.S_IFLNK: "link", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device", stat.S_IFBLK: "device", stat.S_IFREG: "file",
}


def kind_of(mode: int) -> str:
    """file, folder, link, pipe, socket or device: the last part of a `tool.kind.` key."""
    return KINDS.get(stat.S_IFMT(mode), "device")


def no_file(mode: int, path: str) -> PathError:
    """The error for something that is no regular file. A link is one put there meanwhile: those
    that were there before are resolved by then."""
    kind = kind_of(mode)
    return PathError(f"tool.file.{'moved' if kind == 'link' else kind}", path=path)


class Folder:
    """An open folder of the workspace; a context manager.

    With `at` (the default where the platform has it) every access is relative to a descriptor;
    otherwise to the path, each look being checked against what was then opened.
    """

    def __init__(self, path: str, fd: int | None) -> None:
        self.path = path
        self.fd = fd

    @classmethod
    def root(cls, workspace: Workspace, at: bool = AT) -> Folder:
        """Open the workspace itself. Raises OSError."""
        fd = os.open(workspace.path, _FOLDER) if at else None
        return cls(workspace.path, fd)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptor back; closing twice does nothing."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None

    def _at(self, name: str) -> str:
        return name if self.fd is not None else os.path.join(self.path, name)

    def enter(self, name: str) -> Folder:
        """Open a folder in this one; a link to a folder is none. Raises OSError."""
        path = os.path.join(self.path, name)
        if self.fd is not None:
            return Folder(path, os.open(name, _FOLDER, dir_fd=self.fd))
        if not stat.S_ISDIR(self.look(name).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return Folder(path, None)

    def look(self, name: str) -> os.stat_result:
        """What lies under `name`, links not followed. Raises OSError."""
        status = os.stat(self._at(name), dir_fd=self.fd, follow_symlinks=False)
        if getattr(status, "st_reparse_tag", 0) & NAME_SURROGATE:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        return status

    def open(self, name: str) -> tuple[int, os.stat_result]:
        """Open a regular file for reading: descriptor and status. Raises OSError, PathError."""
        before = None if self.fd is not None else self.look(name)
        if before is not None and not stat.S_ISREG(before.st_mode):
            raise no_file(before.st_mode, name)
        fd = os.open(self._at(name), _READ, dir_fd=self.fd)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise no_file(status.st_mode, name)
            if before is not None and not os.path.samestat(before, status):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        except BaseException:
            os.close(fd)
            raise
        return fd, status

    def link_of(self, name: str) -> str:
        """Where a link leads. Raises OSError."""
        return os.readlink(self._at(name), dir_fd=self.fd)

    def link(self, target: str, name: str) -> None:
        """Make a link that must not exist. Raises OSError."""
        os.symlink(target, self._at(name), dir_fd=self.fd)

    def scan(self, most: int) -> list[os.DirEntry]:
        """At most so many entries of the folder, unsorted. Raises OSError."""
        with os.scandir(self.path if self.fd is None else self.fd) as entries:
            return list(islice(entries, most))

    def create(self, name: str, mode: int) -> int:
        """Create a file that must not exist; its descriptor. Raises OSError."""
        return os.open(self._at(name), _CREATE, mode, dir_fd=self.fd)

    def make(self, name: str) -> bool:
        """Make a folder; False where the name is taken. Raises OSError."""
        try:
            os.mkdir(self._at(name), dir_fd=self.fd)
        except FileExistsError:
            return False
        return True

    def drop(self, name: str, folder: bool = False) -> None:
        """Remove a file or an empty folder; what cannot be removed stays."""
        try:
            if folder:
                os.rmdir(self._at(name), dir_fd=self.fd)
            else:
                self.remove(name)
        except OSError:
            pass

    def also(self, name: str, folder: Folder, other: str) -> None:
        """Give the file a second name in `folder`, which nothing has. Raises OSError."""
        os.link(self._at(name), folder._at(other), src_dir_fd=self.fd, dst_dir_fd=folder.fd,
                follow_symlinks=False)

    def remove(self, name: str) -> None:
        """Remove a file or a link. Raises OSError."""
        os.unlink(self._at(name), dir_fd=self.fd)

    def rename(self, name: str, other: str) -> None:
        """Put the file `name` in the place of `other`. Raises OSError."""
        os.replace(self._at(name), self._at(other), src_dir_fd=self.fd, dst_dir_fd=self.fd)


def content(folder: Folder, name: str, mode: int) -> bytes:
    """What a regular file holds, or where a link leads. Raises OSError, PathError."""
    if stat.S_ISLNK(mode):
        return os.fsencode(folder.link_of(name))
    fd, status = folder.open(name)
    with open(fd, "rb", 0) as file:
        data = file.read(status.st_size + 1)
        while data and len(data) <= LOADED and (more := file.read(LOADED)):
            data += more
    return data


class Found(Value):
    """A file's content and version, as of one moment."""

    data: bytes
    version: str
    status: os.stat_result


def explain(error: OSError, path: str) -> ToolError:
    """The error tree's form of an OSError about `path`."""
    key = REASONS.get(error.errno or 0, "tool.file.other")
    return ToolError(key, path=path, reason=error.strerror or type(error).__name__)


def open_folder(workspace: Workspace, rel: str, at: bool = AT) -> Folder:
    """Open the folder `rel` ("" is the root). Raises OSError, PathError."""
    folder = Folder.root(workspace, at)
    for part in rel.split("/") if rel else ():
        folder = _next(folder, part)
    return folder


def _next(folder: Folder, part: str) -> Folder:
    with folder:
        try:
            return folder.enter(part)
        except OSError as error:
            raise _blocked(folder, part, error) from error


def _blocked(folder: Folder, part: str, error: OSError) -> Exception:
    """Why a part of a path is no folder: a link put there meanwhile, or a file."""
    if error.errno not in (errno.ENOTDIR, errno.ELOOP):
        return error
    try:
        kind = kind_of(folder.look(part).st_mode)
    except OSError:
        kind = "link"
    key = "tool.file.moved" if kind in ("link", "folder") else "tool.file.not_folder"
    return PathError(key, path=part)


def open_regular(workspace: Workspace, place: Place, at: bool = AT) -> io.FileIO:
    """Open the regular file at `place` (inside the workspace) for reading, unbuffered.

    Raises ToolError: missing, a folder, a pipe, a device, a link put in its place.
    """
    parent, _, name = place.rel.rpartition("/")
    if not name:
        raise PathError("tool.file.folder", path=place.text)
    try:
        with open_folder(workspace, parent, at) as folder:
            try:
                return io.FileIO(folder.open(name)[0], "rb")
            except OSError as error:
                if error.errno == errno.ELOOP:
                    raise PathError("tool.file.moved", path=place.text) from error
                if error.errno == errno.ENXIO:  # a socket cannot be opened
                    raise no_file(folder.look(name).st_mode, place.text) from error
                raise
    except PathError as error:
        raise PathError(error.key, path=place.text) from error
    except OSError as error:
        raise explain(error, place.text) from error


def version_of(data: bytes | None, status: os.stat_result) -> str:
    """The version of a file: the SHA-256 of `data`, its whole content, else (None: it is larger
    than HASHED bytes) time, size and inode."""
    if data is not None and len(data) <= HASHED:
        return sha256(data).hexdigest()
    return f"{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"


def load(workspace: Workspace, place: Place, limit: int = LOADED) -> Found | None:
    """The whole content of the file at `place`; None where there is none.

    Raises ToolError: not a regular file, or larger than `limit` bytes.
    """
    try:
        file = open_regular(workspace, place)
    except ToolError as error:
        if error.key == "tool.file.missing":
            return None
        raise
    with file:
        status = os.fstat(file.fileno())
        # No more than that is reserved: millions of bytes for each file would cost time.
        data = file.read(status.st_size + 1) if status.st_size <= limit else b""
        while data and len(data) <= limit and (more := file.read(PIECE)):
            data += more
        if status.st_size > limit or len(data) > limit:
            raise ToolError("tool.file.large", path=place.text, limit=size(limit))
        return Found(data, version_of(data, status), status)


def replace_file(workspace: Workspace, place: Place, data: bytes,
                 was: os.stat_result | None, ready: Callable[[], None], at: bool = AT) -> str:
    """Put `data` at `place`, making its folders; return the new version.

    was: the status of the file that is replaced, whose mode and owner are kept; None: there must
    be none. ready: called when everything is written and only the renaming is left; it may raise
    to stop. Raises ToolError (changed meanwhile, full disk, no permission ...); then nothing has
    changed and nothing is left over.
    """
    *parents, name = place.rel.split("/")
    made: list[tuple[Folder, str]] = []
    opened: list[Folder] = []
    done = False
    try:
        opened.append(Folder.root(workspace, at))
        for part in parents:
            opened.append(_made(opened[-1], part, made))
        version = _swap(opened[-1], name, data, was, ready)
        done = True
        return version
    except PathError as error:
        raise PathError(error.key, path=place.text) from error
    except OSError as error:
        raise explain(error, place.text) from error
    finally:
        for folder, part in () if done else reversed(made):
            folder.drop(part, folder=True)
        for folder in opened:
            folder.close()


def _made(folder: Folder, part: str, made: list[tuple[Folder, str]]) -> Folder:
    try:
        return folder.enter(part)
    except FileNotFoundError:
        if folder.make(part):
            made.append((folder, part))
        return folder.enter(part)
    except OSError as error:
        raise _blocked(folder, part, error) from error


def _swap(folder: Folder, name: str, data: bytes, was: os.stat_result | None,
          ready: Callable[[], None]) -> str:
    _unchanged(folder, name, was)
    spare = f".{os.urandom(8).hex()}.tmp"
    fd = folder.create(spare, 0o666 if was is None else 0o600)
    try:
        try:
            _fill(fd, data, was)
            status = os.fstat(fd)
        finally:
            os.close(fd)
        ready()
        _unchanged(folder, name, was)
        folder.rename(spare, name)
    except BaseException:
        folder.drop(spare)
        raise
    return version_of(data, status)


def _fill(fd: int, data: bytes, was: os.stat_result | None) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest):]
    if was is not None and hasattr(os, "fchmod"):
        mine = os.fstat(fd)
        if (mine.st_uid, mine.st_gid) != (was.st_uid, was.st_gid):
            try:
                os.fchown(fd, was.st_uid, was.st_gid)
            except OSError:
                pass  # only the owner of the machine may give a file away
        os.fchmod(fd, stat.S_IMODE(was.st_mode))
    os.fsync(fd)


def _unchanged(folder: Folder, name: str, was: os.stat_result | None) -> None:
    """Raise PathError unless `name` still is the file `was`, or still does not exist."""
    try:
        now = folder.look(name)
    except FileNotFoundError:
        if was is None:
            return
        raise PathError("tool.file.changed", path=name) from None
    if not stat.S_ISREG(now.st_mode):
        raise no_file(now.st_mode, name)
    if was is None or (now.st_ino, now.st_mtime_ns, now.st_size) != (
            was.st_ino, was.st_mtime_ns, was.st_size):
        raise PathError("tool.file.changed", path=name)

"""What makes programs run later, as it was before a command: git's settings, and those of editors
and agents.

Looked at: `.git` of the workspace and, in it, the settings, the hooks, and the file that would have
git read the settings elsewhere; and the protected names (`names.is_protected`) at the top of the
workspace, with all that is in them. What is different after a command is put back, or taken away.
Where there was no repository, a new one keeps those settings that start nothing, and the sample
hooks. What a mount kept from the command is left alone: somebody else changed it.

All is opened below a descriptor of the workspace and no link is followed: the command had its way
with the names. Not covered: names further down, submodules, what a protected link leads to; without
mounts, a change that somebody else made at the same time is put back too.
"""

from __future__ import annotations

import os
import re
import stat
import time

from clinkai.core.value import Value, replace
from clinkai.harness.names import PROTECTED_PAIRS, is_protected

GIT = ".git"
FILES = ("config", "config.worktree", "commondir")
HOOKS = "hooks"
LIMIT = 1_000_000
"""Bytes of one file that are kept; a longer one is only compared by its time stamps and size."""

MOST, MOST_BYTES = 1000, 8_000_000
"""What is kept of one protected folder; a larger one is only looked at as a whole."""

LARGE, CLOSED = b"large", b"closed"
"""The data of such a folder, and of one that cannot be looked into."""

HOLDERS = tuple(sorted({first for first, _ in PROTECTED_PAIRS}))
"""Folders in which something is protected, and which are not so themselves."""

LIVELY = frozenset((".idea/workspace.xml",))
"""What its editor writes all the time, so that a change of it says nothing."""

OLD_NS = 2_000_000_000
"""Nanoseconds: no file system here counts time in longer steps."""

FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
FILE_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)

SECTION = re.compile(r'\[(core|user|init|extensions|remote "[^"\\]*"|branch "[^"\\]*")\]')
SETTING = re.compile(r"\s*(\w+) = ([^\\\"#;]*)")
HARMLESS = {
    "core": "repositoryformatversion filemode bare logallrefupdates ignorecase symlinks "
            "precomposeunicode autocrlf eol",
    "user": "name email", "init": "defaultbranch", "extensions": "objectformat refstorage",
    "remote": "url fetch", "branch": "remote merge rebase",
}
"""The settings that a new repository may have."""


class Entry(Value):
    """What stands under one name. kind: file, folder, link or other; data: of a file or link, None
    for a file too long to keep; stamp: what changes when it is written; old: it was written so long
    before it was read that the next write gives it another stamp; shared: a file with other names,
    by which it can be written."""

    kind: str
    mode: int
    data: bytes | None
    stamp: tuple
    old: bool = False
    shared: bool = False


class Guard:
    """Made before a command; `put_back` after it. root: real path of the workspace; last: the guard
    of an earlier command, which spares reading again. Both do what they can and never raise."""

    def __init__(self, root: str, last: Guard | None = None) -> None:
        self._root = root
        self._before = look(root, last._before if last else {})

    @property
    def identity(self) -> tuple:
        """What a mount on these names stays good for."""
        return tuple((name, self._before[name].stamp[:2]) for name in (*self.pinned, *self.frozen))

    @property
    def pinned(self) -> tuple[str, ...]:
        """The folders that must not be moved, relative to the workspace."""
        return tuple(name for name, entry in self._before.items()
                     if entry.kind == "folder" and name in (GIT, *HOLDERS))

    @property
    def frozen(self) -> tuple[str, ...]:
        """What must not be written, relative to the workspace."""
        return tuple(name for name, entry in self._before.items()
                     if entry.kind in ("file", "folder") and name not in self.pinned and _is_top(name))

    def put_back(self, mounted: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The paths, relative to the workspace, that had to be put back or taken away. mounted:
        those of `frozen` that no command could write."""
        after = look(self._root, self._before)
        found: list[str] = []
        for name in _changed(self._before, after):
            entry = self._before.get(name)
            if name in HOLDERS or GIT not in self._before and _is_of_git(name):
                continue
            held = any(name == one or name.startswith(one + "/") for one in mounted)
            if name in LIVELY or held and not (entry and entry.shared):
                continue
            if not any(name.startswith(one + "/") and one not in self._before for one in found):
                found.append(name)
                self._mend(name, entry, after.get(name))
        return (*(() if GIT in self._before else self._tame(after)), *found)

    def _mend(self, name: str, entry: Entry | None, now: Entry | None) -> None:
        if entry and now and entry.kind == now.kind == "folder" and now.data is None:
            return
        if entry and entry.data == LARGE:
            return  # there is nothing to put back: it is reported
        try:
            _put(self._root, name, entry)
        except OSError:
            pass  # it is reported all the same

    def _tame(self, after: dict[str, Entry]) -> tuple[str, ...]:
        """What a new repository, or what poses as one, must not keep."""
        found = []
        for name, entry in after.items():
            if not _is_of_git(name):
                continue
            wanted = _new(name, entry)
            if wanted != entry:
                found.append(name)
                try:
                    _put(self._root, name, wanted)
                except OSError:
                    pass
        return tuple(found)


def look(root: str, known: dict[str, Entry]) -> dict[str, Entry]:
    """What there is, by path relative to the workspace. known: what an earlier look found."""
    found: dict[str, Entry] = {}
    try:
        top = os.open(root, FOLDER_FLAGS)
    except OSError:
        return found
    try:
        _add(found, top, GIT, known)
        for look_at in (_look_inside, _look_at_protected):
            try:
                look_at(found, top, known)
            except OSError:
                pass  # changed under our hands: what was seen so far
    finally:
        os.close(top)
    return found


def harmless(text: str) -> str:
    """The lines of git's settings that start no program and read no other file."""
    kept, section = [], ""
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if SECTION.fullmatch(bare):
            section = bare[1:-1].split(" ")[0]
            kept.append(line)
            continue
        if bare.startswith("["):
            section = ""
        found = SETTING.fullmatch(bare)
        if found and found[1].lower() in HARMLESS.get(section, "").split():
            kept.append(line)
    return "".join(kept)


def _look_inside(found: dict[str, Entry], top: int, known: dict[str, Entry]) -> None:
    if GIT not in found or found[GIT].kind != "folder":
        return
    git = os.open(GIT, FOLDER_FLAGS, dir_fd=top)
    try:
        for name in (*FILES, HOOKS):
            _add(found, git, f"{GIT}/{name}", known)
        hooks = found.get(f"{GIT}/{HOOKS}")
        if hooks and hooks.kind == "folder":
            folder = os.open(HOOKS, FOLDER_FLAGS, dir_fd=git)
            try:
                for name in sorted(os.listdir(folder)):
                    _add(found, folder, f"{GIT}/{HOOKS}/{name}", known)
            finally:
                os.close(folder)
    finally:
        os.close(git)


def _look_at_protected(found: dict[str, Entry], top: int, known: dict[str, Entry]) -> None:
    for name in sorted(os.listdir(top)):
        if name != GIT and (name[0] == "." or not name.isascii()) and is_protected((name,)):
            _add_all(found, top, name, known)
    for first, second in sorted(PROTECTED_PAIRS):
        try:
            folder = os.open(first, FOLDER_FLAGS, dir_fd=top)
        except OSError:
            continue
        try:
            _add_all(found, folder, f"{first}/{second}", known)
            if f"{first}/{second}" in found:
                _add(found, top, first, known)
        finally:
            os.close(folder)


def _add_all(found: dict[str, Entry], folder: int, path: str, known: dict[str, Entry]) -> None:
    """Add what stands under the last name of `path` in the folder, and all that is in it."""
    tree: dict[str, Entry] = {}
    if _grow(tree, folder, path, known, MOST_BYTES) < 0:
        tree = {path: replace(tree[path], data=LARGE)}
    found.update(tree)


def _grow(tree: dict[str, Entry], folder: int, path: str, known: dict[str, Entry],
          room: int) -> int:
    """The bytes that are left of `room`; below zero where it has become more than is kept."""
    _add(tree, folder, path, known)
    if path not in tree:
        return room
    room -= len(tree[path].data or b"")
    if len(tree) > MOST or tree[path].kind != "folder":
        return -1 if len(tree) > MOST else room
    try:
        below = os.open(path.rpartition("/")[2], FOLDER_FLAGS, dir_fd=folder)
    except OSError:
        tree[path] = replace(tree[path], data=CLOSED)
        return room
    try:
        for name in sorted(os.listdir(below)):
            if room >= 0:
                room = _grow(tree, below, f"{path}/{name}", known, room)
        return room
    finally:
        os.close(below)


def _is_of_git(name: str) -> bool:
    return name == GIT or name.startswith(GIT + "/")


def _is_top(name: str) -> bool:
    """True for what gets a mount of its own: not what lies in another such thing."""
    if _is_of_git(name):
        return name in (GIT, *(f"{GIT}/{one}" for one in (*FILES, HOOKS)))
    return "/" not in name or tuple(name.split("/")) in PROTECTED_PAIRS


def _add(found: dict[str, Entry], folder: int, path: str, known: dict[str, Entry]) -> None:
    name = path.rpartition("/")[2]
    try:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return
    stamp = (seen.st_dev, seen.st_ino, seen.st_ctime_ns, seen.st_size, seen.st_mode)
    last = known.get(path)
    if last and last.old and last.stamp == stamp:
        found[path] = last
        return
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    kind = kinds.get(stat.S_IFMT(seen.st_mode), "other")
    data = None
    if kind == "link":
        data = os.fsencode(os.readlink(name, dir_fd=folder))
    elif kind == "file" and seen.st_size <= LIMIT:
        try:
            with open(os.open(name, FILE_FLAGS, dir_fd=folder), "rb") as file:
                data = file.read(LIMIT + 1)
        except OSError:
            pass  # it is compared by its stamp
    age = time.time_ns() - seen.st_ctime_ns
    found[path] = Entry(kind, stat.S_IMODE(seen.st_mode), data, stamp, age > OLD_NS,
                        kind == "file" and seen.st_nlink > 1)


def _changed(before: dict[str, Entry], after: dict[str, Entry]) -> list[str]:
    """Names that say something else than before, a folder before what is in it."""
    found = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old and new and (old.kind, old.data) == (new.kind, new.data):
            if old.kind in ("folder", "link") or old.mode == new.mode and old.data is not None:
                continue
            if old.stamp == new.stamp:
                continue
        found.append(name)
    return found


def _new(name: str, entry: Entry) -> Entry | None:
    """What of a repository that was not there before may stay under this name."""
    if entry.kind == "folder" and name in (GIT, f"{GIT}/{HOOKS}"):
        return entry
    if entry.kind != "file" or entry.data is None:
        return None
    if name.startswith(f"{GIT}/{HOOKS}/"):
        return entry if name.endswith(".sample") else None
    if name != f"{GIT}/config":
        return None
    text = entry.data.decode("utf-8", "replace")
    kept = harmless(text)
    return entry if kept == text else Entry("file", 0o644, kept.encode(), ())


def _put(root: str, path: str, entry: Entry | None) -> None:
    """Make `path` what the entry says, None: nothing. Raises OSError."""
    *folders, name = path.split("/")
    opened = [os.open(root, FOLDER_FLAGS)]
    try:
        for folder in folders:
            if entry and folder in HOLDERS and len(opened) == 1:
                _make(folder, opened[0])
            opened.append(os.open(folder, FOLDER_FLAGS, dir_fd=opened[-1]))
        _clear(name, opened[-1])
        if entry is None:
            return
        if entry.kind == "folder":
            os.mkdir(name, entry.mode | 0o700, dir_fd=opened[-1])
        elif entry.kind == "link":
            os.symlink(os.fsdecode(entry.data or b""), name, dir_fd=opened[-1])
        elif entry.kind == "file" and entry.data is not None:
            with open(os.open(name, NEW_FLAGS, 0o600, dir_fd=opened[-1]), "wb") as file:
                file.write(entry.data)
                os.fchmod(file.fileno(), entry.mode)
    finally:
        for fd in opened:
            os.close(fd)


def _make(name: str, folder: int) -> None:
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        pass


def _clear(name: str, folder: int) -> None:
    """Take away whatever stands there; a link, not what it leads to."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
    except (IsADirectoryError, PermissionError):
        import shutil

        _open_up(name, folder)
        shutil.rmtree(name, dir_fd=folder)


def _open_up(name: str, folder: int) -> None:
    """Make folders that were closed ones that can be removed."""
    os.chmod(name, 0o700, dir_fd=folder)
    for _, names, _, fd in os.fwalk(name, dir_fd=folder):
        for one in names:
            if stat.S_ISDIR(os.stat(one, dir_fd=fd, follow_symlinks=False).st_mode):
                os.chmod(one, 0o700, dir_fd=fd)

"""The settings of the repository, as they were before a command: they name programs that run later.

Looked at: `.git` of the workspace and, in it, the settings, the hooks, and the file that would have
git read the settings elsewhere. What is different after a command is put back. Where there was no
repository, a new one keeps those settings that start nothing, and the sample hooks.

All is opened below a descriptor of the workspace and no link is followed: the command had its way
with the names. Not covered: repositories in folders of the workspace, and submodules.
"""

from __future__ import annotations

import os
import re
import stat
import time

from clinkai.core.value import Value

GIT = ".git"
FILES = ("config", "config.worktree", "commondir")
HOOKS = "hooks"
LIMIT = 1_000_000
"""Bytes of one file that are kept; a longer one is only compared by its time stamps and size."""

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
    before it was read that the next write gives it another stamp."""

    kind: str
    mode: int
    data: bytes | None
    stamp: tuple
    old: bool = False


class Guard:
    """Made before a command; `put_back` after it. root: real path of the workspace; last: the guard
    of an earlier command, which spares reading again. Both do what they can and never raise."""

    def __init__(self, root: str, last: Guard | None = None) -> None:
        self._root = root
        self._before = look(root, last._before if last else {})

    @property
    def identity(self) -> tuple:
        """What a mount on these names stays good for."""
        return tuple((name, entry.stamp[:2]) for name, entry in self._before.items()
                     if entry.kind in ("file", "folder"))

    def put_back(self) -> tuple[str, ...]:
        """The paths, relative to the workspace, that had to be put back or taken away."""
        after = look(self._root, self._before)
        if GIT not in self._before:
            return self._tame(after)
        return tuple(self._mend(name, after) for name in _changed(self._before, after))

    def _mend(self, name: str, after: dict[str, Entry]) -> str:
        entry = self._before.get(name)
        if entry and name in after and entry.kind == after[name].kind == "folder":
            return name
        try:
            _put(self._root, name, entry)
        except OSError:
            pass  # it is reported all the same
        return name

    def _tame(self, after: dict[str, Entry]) -> tuple[str, ...]:
        """What a new repository, or what poses as one, must not keep."""
        found = []
        for name, entry in after.items():
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
        if GIT in found and found[GIT].kind == "folder":
            _look_inside(found, top, known)
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
        with open(os.open(name, FILE_FLAGS, dir_fd=folder), "rb") as file:
            data = file.read(LIMIT + 1)
    age = time.time_ns() - seen.st_ctime_ns
    found[path] = Entry(kind, stat.S_IMODE(seen.st_mode), data, stamp, age > OLD_NS)


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


def _clear(name: str, folder: int) -> None:
    """Take away whatever stands there; a link, not what it leads to."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
    except (IsADirectoryError, PermissionError):
        import shutil

        shutil.rmtree(name, dir_fd=folder)

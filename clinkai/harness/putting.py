"""Putting a file in the place of another, whatever it was: regular file, link, nothing; and moving
one where nothing is.

As in `files`: part by part, no link on the way followed, and a reader sees the old or the new.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from clinkai.core.errors import PathError
from clinkai.core.text import printable
from clinkai.harness import files
from clinkai.harness.changes import Version
from clinkai.harness.files import Folder, content, explain, no_file
from clinkai.harness.store import Kept, digest_of
from clinkai.harness.workspace import PLAIN, Workspace

NOTHING = Kept(None)


def look(workspace: Workspace, rel: str) -> Kept:
    """What there is at `rel`, without following a link. Raises ToolError."""
    _fenced(workspace, rel)
    parent, _, name = rel.rpartition("/")
    with _named(rel):
        try:
            with files.open_folder(workspace, parent) as folder:
                mode = folder.look(name).st_mode
                if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
                    raise no_file(mode, name)
                return Kept(content(folder, name, mode), mode)
        except (FileNotFoundError, NotADirectoryError):
            return NOTHING


def version(kept: Kept) -> Version:
    """What there is, in short."""
    return Version(None if kept.data is None else digest_of(kept.data), kept.mode)


def put(workspace: Workspace, rel: str, was: Kept, to: Kept, prune: bool = True) -> None:
    """Have `to` at `rel`, where `was` is now. prune: folders that are empty then go too. Raises
    ToolError: then nothing changed."""
    if version(look(workspace, rel)) != version(was):
        raise PathError("tool.file.changed", path=printable(rel))
    *parents, name = rel.split("/")
    with _named(rel), _way(workspace, parents, make=to.data is not None) as opened:
        if to.data is None:
            opened[-1].remove(name)
            for folder, part in zip(opened[-2::-1], parents[::-1]) if prune else ():
                folder.drop(part, folder=True)
        else:
            _replace(opened[-1], name, to, was.mode)


@contextmanager
def _named(rel: str) -> Iterator[None]:
    """What goes wrong within is said of `rel`."""
    try:
        yield
    except PathError as error:
        raise PathError(error.key, path=printable(rel)) from error
    except OSError as error:
        raise explain(error, printable(rel)) from error


@contextmanager
def _way(workspace: Workspace, parents: list[str], make: bool) -> Iterator[list[Folder]]:
    """The folders from the workspace down, open. make: those that are missing are made."""
    opened: list[Folder] = []
    try:
        opened.append(Folder.root(workspace))
        for part in parents:
            opened.append(_entered(opened[-1], part, make))
        yield opened
    finally:
        for folder in opened:
            folder.close()


def _entered(folder: Folder, part: str, make: bool) -> Folder:
    try:
        return folder.enter(part)
    except FileNotFoundError:
        if not make:
            raise
        folder.make(part)
        return folder.enter(part)


def _replace(folder: Folder, name: str, to: Kept, before: int | None) -> None:
    spare = f".{os.urandom(8).hex()}.tmp"
    mode = before if to.mode is None else to.mode
    try:
        if mode is not None and stat.S_ISLNK(mode):
            folder.link(os.fsdecode(to.data), spare)
        else:
            _write(folder.create(spare, 0o666 if mode is None else 0o600), to.data, mode)
        folder.rename(spare, name)
    except BaseException:
        folder.drop(spare)
        raise


def _write(fd: int, data: bytes, mode: int | None) -> None:
    with open(fd, "wb") as file:
        file.write(data)
        file.flush()
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(fd, stat.S_IMODE(mode))
        os.fsync(fd)


def _fenced(workspace: Workspace, rel: str) -> None:
    """A log is not to be believed: what it names must lie in the workspace, outside `.git` and
    what is private. Raises PathError."""
    parent, _, name = rel.rpartition("/")
    above, own = workspace.place(parent or ".", writes=True), workspace.place(rel, writes=True)
    free = above.zone in ("inside", "secret", "protected") and above.rel == parent
    if not free or own.zone in ("private", "bad") or name in PLAIN:
        raise PathError(own.problem or "tool.path.elsewhere", path=printable(rel))


def move(workspace: Workspace, source: str, target: str, data: bytes) -> None:
    """Give the regular file `source`, which holds `data`, the name `target`, which nothing may have,
    making its folders. Raises ToolError."""
    (*parents, old), (*others, new) = source.split("/"), target.split("/")
    with ExitStack() as stack:
        with _named(source):
            here = stack.enter_context(_way(workspace, parents, make=False))[-1]
            status = here.look(old)
            if not stat.S_ISREG(status.st_mode):
                raise no_file(status.st_mode, old)
        with _named(target):
            there = stack.enter_context(_way(workspace, others, make=True))[-1]
            try:
                try:
                    here.also(old, there, new)
                except FileExistsError:
                    raise
                except OSError:  # not all file systems have links
                    _write(there.create(new, 0o600), data, status.st_mode)
            except FileExistsError as error:
                raise PathError("tool.move.exists", path=target) from error
            here.remove(old)

"""Going through the tree of a workspace, for listing and for searching.

Folders are opened one below the other without following links, entries come sorted by name, what
Git ignores, the repository's own folder and private folders are left out.

Not covered: what is in the files; secrets are among the entries, it is the caller who skips them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from clinkai.core.errors import PathError
from clinkai.core.value import Value
from clinkai.harness.files import Folder, open_folder
from clinkai.harness.ignore import Ignore
from clinkai.harness.names import is_git
from clinkai.harness.workspace import Workspace

DEEPEST = 40
"""Folders held open at once; below that depth they are opened from the root again."""

MOST = 200_000
"""Entries of one folder that are looked at."""


class Visit(Value):
    """One folder, open until the next is asked for: its path in the workspace, its entries
    without what is hidden, and how many Git ignores."""

    folder: Folder
    rel: str
    entries: list
    ignored: int


def visits(workspace: Workspace, rel: str, levels: int = -1) -> Iterator[Visit]:
    """Visit the folder `rel` and so many levels below it (-1: all), each before its sub-folders.

    Where `rel` itself is ignored nothing below it is: it was asked for by name. Raises OSError
    and PathError for `rel`; a folder below that cannot be opened is left out.
    """
    ignore = Ignore(workspace)
    if rel and ignore.ignored(rel, True):
        ignore = None
    yield from _Walk(workspace, ignore, levels).visit(rel, open_folder(workspace, rel), 0)


class _Walk:
    def __init__(self, workspace: Workspace, ignore: Ignore | None, levels: int) -> None:
        self._workspace = workspace
        self._ignore = ignore
        self._levels = levels

    def visit(self, rel: str, folder: Folder, depth: int) -> Iterator[Visit]:
        with folder:
            visit = self._look(rel, folder)
            yield visit
            if depth == self._levels:
                return
            below = [one.name for one in visit.entries if one.is_dir(follow_symlinks=False)]
            if depth >= DEEPEST:
                folder.close()
            for name in below:
                path = f"{rel}/{name}" if rel else name
                try:
                    inner = (open_folder(self._workspace, path) if depth >= DEEPEST
                             else folder.enter(name))
                    yield from self.visit(path, inner, depth + 1)
                except (OSError, PathError, RecursionError):
                    continue

    def _look(self, rel: str, folder: Folder) -> Visit:
        level = self._ignore.level(rel, folder) if self._ignore else None
        hides = self._workspace.hides
        start = rel + "/" if rel else ""
        entries = []
        ignored = 0
        for entry in folder.scan(MOST):
            name = entry.name
            if is_git(name) or (hides and self._workspace.hidden(start + name)):
                continue
            if level is not None and level.ignores(
                    start + name, name, entry.is_dir(follow_symlinks=False)):
                ignored += 1
            else:
                entries.append(entry)
        entries.sort(key=_name)
        return Visit(folder, rel, entries, ignored)


def _name(entry: os.DirEntry) -> str:
    return entry.name

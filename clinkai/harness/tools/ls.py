"""The tool `ls`: one level of a folder, or the paths that fit a pattern.

What Git ignores and `.git` are left out and counted. Secrets and special files are named, not
opened; of a link the target is named where it lies in the workspace.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import closing

from clinkai.core.errors import PathError
from clinkai.core.text import size
from clinkai.core.value import Value
from clinkai.harness import files
from clinkai.harness.files import kind_of
from clinkai.harness.globs import MAGIC, Glob, expand
from clinkai.harness.tools.paths import judged, missing, printable, usable
from clinkai.harness.walk import Visit, visits
from clinkai.harness.workspace import Workspace
from clinkai.loop.tool import Reads, Tool, ToolResult, arg

SHOWN = 1000
"""Entries that are shown; more are counted."""

LOOKED_AT = 200_000
"""Entries that are looked at for a pattern."""


class LsArgs(Value):
    path: str = arg(".")


def effects(context, args: LsArgs) -> tuple:
    """It looks at the folder, or at the one where the pattern begins."""
    return (Reads(judged(context.workspace, _split(context.workspace, args.path)[0])),)


def run(context, args: LsArgs) -> ToolResult:
    """List. Raises ToolError: no such folder."""
    base, pattern = _split(context.workspace, args.path)
    place = usable(context, base)
    listing = _Listing(context, place.rel)
    try:
        if pattern:
            if ".." in pattern.split("/"):
                raise PathError("tool.path.pattern", path=printable(args.path))
            listing.matching(pattern)
        elif place.rel and not stat.S_ISDIR(os.lstat(place.path).st_mode):
            listing.single()
        else:
            listing.level()
    except FileNotFoundError as error:
        raise missing(context, place) from error
    except OSError as error:
        raise files.explain(error, printable(base)) from error
    return listing.result()


def _split(workspace: Workspace, path: str) -> tuple[str, str]:
    """The folder where a pattern begins and the pattern below it; a plain path has no pattern, nor
    has one that names something: brackets are legal in names."""
    if not MAGIC.search(path):
        return path, ""
    parts = path.replace("\\", "/").split("/") if os.sep == "\\" else path.split("/")
    place = workspace.place(path)
    if place.zone not in ("bad", "outside") and ".." not in parts and os.path.lexists(place.path):
        return path, ""
    first = next((n for n, part in enumerate(parts) if MAGIC.search(part)), len(parts) - 1)
    base = "/".join(parts[:first])
    return base or ("/" if path.startswith("/") else "."), "/".join(parts[first:])


class _Listing:
    """The lines of one answer."""

    def __init__(self, context, rel: str) -> None:
        self._workspace = context.workspace
        self._say = context.say
        self._cancel = context.cancel
        self._rel = rel
        self._lines: list[str] = []
        self._count = 0
        self._ignored = 0
        self._looked = 0

    def level(self) -> None:
        """The entries of the folder itself."""
        with closing(visits(self._workspace, self._rel, 0)) as tree:
            for visit in tree:
                self._ignored = visit.ignored
                self._add((entry, entry.name, visit.rel) for entry in visit.entries)

    def single(self) -> None:
        """The one file that was asked for."""
        parent, _, name = self._rel.rpartition("/")
        with files.open_folder(self._workspace, parent) as folder:
            entry = next((one for one in folder.scan(LOOKED_AT) if one.name == name), None)
            if entry is None:
                raise FileNotFoundError(2, os.strerror(2), name)
            self._add([(entry, self._rel, parent)])

    def matching(self, pattern: str) -> None:
        """All paths below the folder that fit, by their path in the workspace."""
        globs = [Glob(one) for one in expand(pattern.rstrip("/"))]
        levels = -1 if "**" in pattern else pattern.rstrip("/").count("/")
        folders = True if pattern.endswith("/") else False if pattern.endswith("**") else None
        with closing(visits(self._workspace, self._rel, levels)) as tree:
            for visit in tree:
                self._cancel.check()
                self._add(self._fitting(visit, globs, folders))
                self._looked += len(visit.entries)
                if self._looked > LOOKED_AT:
                    break

    def _fitting(self, visit: Visit, globs: list[Glob], folders: bool | None) -> Iterator[tuple]:
        """The entries that fit; only folders, no folders, or (None) both."""
        start = visit.rel + "/" if visit.rel else ""
        skip = len(self._rel) + 1 if self._rel else 0
        for entry in visit.entries:
            path = start + entry.name
            parts = path[skip:].split("/")
            if folders is not None and entry.is_dir(follow_symlinks=False) is not folders:
                continue
            if any(glob.matches(parts) for glob in globs):
                yield entry, path, visit.rel

    def _add(self, entries) -> None:
        for entry, shown, folder in entries:
            self._count += 1
            if len(self._lines) < SHOWN:
                self._lines.append(self._line(entry, printable(shown), folder))

    def _line(self, entry: os.DirEntry, shown: str, folder: str) -> str:
        rel = f"{folder}/{entry.name}" if folder else entry.name
        if entry.is_dir(follow_symlinks=False):
            return shown + "/"
        if entry.is_symlink():
            place = self._workspace.place(rel)
            target = place.rel or "." if place.zone == "inside" else self._say("tool.ls.hidden")
            return f"{shown} -> {printable(target)}"
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return shown
        if not stat.S_ISREG(status.st_mode):
            return f"{shown}\t{self._say('tool.kind.' + kind_of(status.st_mode))}"
        if self._workspace.is_secret(rel):
            return f"{shown}\t{self._say('tool.kind.secret')}"
        return f"{shown}\t{size(status.st_size)}"

    def result(self) -> ToolResult:
        """The answer to the model."""
        say = self._say
        notes = []
        if self._count > SHOWN:
            notes.append(say("tool.ls.cut", shown=SHOWN, count=self._count))
        if self._looked > LOOKED_AT:
            notes.append(say("tool.ls.stopped", looked=LOOKED_AT))
        if self._ignored:
            notes.append(say("tool.ls.ignored", n=self._ignored))
        if not self._count:
            notes.insert(0, say("tool.ls.empty"))
        lines = self._lines + ([f"[{'; '.join(notes)}]"] if notes else [])
        return ToolResult(True, "\n".join(lines), cut=self._count > SHOWN)


LS = Tool("ls", LsArgs, run, effects, title=lambda args: printable(args.path), repeat=True)

"""What commands did to the files of the workspace, so that it can be undone.

    with watched(context):
        ...the command runs...

Before a command that may write, all files that Git does not ignore are listed and what is new of
them is kept; after it they are compared, by what the file system says first and by content where
that differs. The list lies beside the session meanwhile: after a crash the next start compares
(`crashed.py`). Everything that changed while a command ran counts as its doing.

Not covered: what Git ignores, `.git` itself, empty folders, owners, and a workspace larger than
the limits: there what commands do cannot be undone, and that is said.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from clinkai.core.errors import ClinkError, PathError
from clinkai.core.text import printable
from clinkai.core.value import Value
from clinkai.harness.files import LOADED, Folder, content
from clinkai.harness.store import Store
from clinkai.harness.walk import visits
from clinkai.harness.workspace import Workspace

FILES = 20_000
"""Files that are looked at, twice for each command: less than half a second on a usual disk."""

SECONDS = 5.0
"""How long a look may take: the first one reads all files, of FILES small ones within 2 s."""

READ = 128_000_000
"""Bytes that one look reads and keeps, a second or so: of files beyond it no content is known."""

RACY_NS = 50_000_000
"""A file may change again, unseen, within the tick of the clock that its time came from; ticks of
kernels are 10 ms at most. What is younger when it is looked at is read again the next time."""

NOTE = "manifest.json"
NAMED = 5


class Entry(Value):
    """A file as of one look. stamp: what the file system says, None where it proves nothing; sha:
    of its content, empty where that was not read; mode: as in `st_mode`."""

    stamp: tuple | None
    sha: str
    mode: int


@contextmanager
def watched(context) -> Iterator[None]:
    """What changes within the block becomes a record of the session. context: a ToolContext."""
    watch = context.store.watch or Watch(context.store, context.workspace)
    context.store.watch = watch
    watch.begin(context.tell)
    try:
        yield
    finally:
        watch.end(context.tell)


class Watch:
    """The files of a workspace from command to command. before: as they were when the one that
    runs began, None where that is not known."""

    def __init__(self, store: Store, workspace: Workspace) -> None:
        self.before: dict[str, Entry] | None = None
        self._store = store
        self._workspace = workspace
        self._known: dict[str, Entry] = {}
        self._wide = False
        self._left = 0

    def begin(self, tell) -> None:
        """Know all files, and have on the disk what they hold."""
        if self._wide:
            return
        try:
            found, whole = self._look()
            if not whole:
                self._give_up(tell)
                return
            self._store.settle()
            rows = [(path, one.sha, one.mode) for path, one in found.items()]
            self._store.put_note(NOTE, json.dumps(rows, separators=(",", ":")).encode())
            self.before = self._known = found
        except (OSError, ClinkError) as error:
            why = getattr(error, "strerror", None) or getattr(error, "params", {}).get("why")
            tell("notice.undo.unkept", why=why or str(error))

    def end(self, tell) -> None:
        """Record what is different. Raises SessionError."""
        before, self.before = self.before, None
        if before is None:
            return
        try:
            after, whole = self._look()
        except (OSError, ClinkError):
            after, whole = {}, False
        changes = list(self._changes(before, after, whole))
        if changes:
            self._store.append({"type": "meta", "kind": "changed", "files": changes})
        self._store.drop_note(NOTE)
        self._known = after
        lost = [one["path"] for one in changes if one["sha"] is not None
                and not self._store.holds(one["sha"])]
        if lost and tell:
            more = " ..." if len(lost) > NAMED else ""
            tell("notice.undo.lost", n=len(lost),
                 files=", ".join(map(printable, lost[:NAMED])) + more)
        if not whole:
            self._give_up(tell)

    def _give_up(self, tell) -> None:
        self._wide = True
        self._known = {}
        if tell:
            tell("notice.undo.wide", n=FILES, seconds=round(SECONDS))

    def _changes(self, before: dict, after: dict, whole: bool) -> Iterator[dict]:
        for path in sorted(before.keys() | after.keys()):
            was, now = before.get(path), after.get(path)
            if now is None and not whole and os.path.lexists(
                    os.path.join(self._workspace.path, path)):
                continue
            if was and now and (was.sha, was.mode) == (now.sha, now.mode) and (
                    was.sha or was.stamp == now.stamp or was.stamp is None):
                continue
            said: dict = {"path": path, "sha": was and was.sha, "to": now and now.sha}
            if was:
                said["mode"] = was.mode
            if now:
                said["to_mode"] = now.mode
            yield said

    def _look(self) -> tuple[dict[str, Entry], bool]:
        """The files there are, and whether these are all. Raises OSError, PathError."""
        found: dict[str, Entry] = {}
        stop = time.monotonic() + SECONDS
        self._left = READ
        with closing(visits(self._workspace, "")) as tree:
            for visit in tree:
                start = visit.rel + "/" if visit.rel else ""
                for entry in visit.entries:
                    path = start + entry.name
                    one = self._entry(visit.folder, entry, self._known.get(path))
                    if one is not None:
                        found[path] = one
                if len(found) > FILES or time.monotonic() > stop:
                    return found, False
        return found, True

    def _entry(self, folder: Folder, entry: os.DirEntry, known: Entry | None) -> Entry | None:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return None
        mode = status.st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            return None
        stamp = (status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns)
        if known and known.stamp == stamp:
            return known
        racy = max(status.st_mtime_ns, status.st_ctime_ns) > time.time_ns() - RACY_NS
        data = self._content(folder, entry.name, status)
        if data is None:
            return Entry(stamp, "", mode)
        return Entry(None if racy else stamp, self._store.keep(data), mode)

    def _content(self, folder: Folder, name: str, status: os.stat_result) -> bytes | None:
        if status.st_size > min(LOADED, self._left):
            return None
        self._left -= status.st_size
        try:
            return content(folder, name, status.st_mode)
        except (OSError, PathError):
            return None

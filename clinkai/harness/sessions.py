"""Where sessions lie, and which one is meant: a new one, the latest here, an id, a path.

Layout: FOLDER/<slug>/<YYYYMMDD-HHMMSS UTC>-<id>.jsonl; the slug is the workspace's last folder name
and 8 hex digits of the SHA-256 of its real path.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterable

from clinkai.core.errors import SessionError
from clinkai.core.text import one_line
from clinkai.harness.glance import Entry, describe, id_of
from clinkai.harness.home import absolute
from clinkai.harness.session import Session

ID = re.compile(r"[0-9a-f]{1,8}")

NAMED = 10
"""Sessions that are named where an id is ambiguous."""


class Sessions:
    """The folder of all sessions. Reading never creates it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def create(self, init: dict, more: Iterable[dict] = (),
               fill: Callable[[str, object], None] | None = None) -> Session:
        """Start a new session in its workspace's folder, with what follows its first record: see
        `Session.create`. Raises SessionError."""
        place = os.path.join(self.folder, slug(init["workspace"]))
        while True:
            stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
            path = os.path.join(place, f"{stamp}-{os.urandom(4).hex()}.jsonl")
            try:
                return Session.create(path, init, more, fill)
            except FileExistsError:
                continue

    def list(self, workspace: str = "") -> list[Entry]:
        """All sessions that can be read, or those of a workspace (a real path), newest first."""
        entries = [entry for path in self.paths(workspace) if (entry := describe(path))]
        mine = [e for e in entries if not workspace or e.workspace == workspace]
        return sorted(mine, key=lambda entry: entry.last, reverse=True)

    def find(self, wanted: str, workspace: str) -> str:
        """The path of the session meant by `auto`, an id or its prefix, or a path.

        auto: the newest last record among those of `workspace` (a real path). Raises SessionError.
        """
        if wanted == "auto":
            return self._latest(workspace)
        if os.sep in wanted or wanted.endswith(".jsonl"):
            return absolute(os.path.expanduser(wanted))
        if not ID.fullmatch(wanted):
            raise SessionError("error.session.name", wanted=wanted)
        found = [path for path in self.paths() if id_of(path).startswith(wanted)]
        if not found:
            raise SessionError("error.session.none", wanted=wanted)
        if len(found) > 1:
            raise SessionError("error.session.many", wanted=wanted, ids=_named(found))
        return found[0]

    def _latest(self, workspace: str) -> str:
        here = self.list(workspace)
        if not here:
            raise SessionError("error.session.none_here", workspace=workspace)
        return here[0].path

    def paths(self, workspace: str = "") -> list[str]:
        """The files of all sessions, or of those of a workspace, as they are named."""
        try:
            places = [slug(workspace)] if workspace else sorted(os.listdir(self.folder))
        except OSError:
            return []
        found = []
        for name in places:
            folder = os.path.join(self.folder, name)
            try:
                names = os.listdir(folder)
            except OSError:
                continue
            found += [os.path.join(folder, n) for n in sorted(names) if n.endswith(".jsonl")]
        return found


def slug(workspace: str) -> str:
    """The folder name for the sessions of a workspace (a real path)."""
    last = os.path.basename(workspace)
    name = re.sub(r"[^\w.-]+", "_", last, flags=re.ASCII).strip(".") or "root"
    digest = hashlib.sha256(workspace.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{name[:40]}-{digest[:8]}"


def _named(paths: list[str]) -> str:
    """The ids of sessions with their titles, a line each; not all of many."""
    lines = []
    for path in sorted(paths, key=id_of)[:NAMED]:
        entry = describe(path)
        lines.append(f"{id_of(path)}  {one_line(entry.title, 60) if entry else ''}".rstrip())
    return "\n  ".join(["", *lines, *(["…"] if len(paths) > NAMED else [])])

"""The logs of one workspace as the page asks for them: a list, and pages of events.

Nothing here writes. Looking at a log takes its lock for a moment, to see whether somebody writes
it; whoever opens one in this process holds `looking` meanwhile.
"""

from __future__ import annotations

import os
import threading

from clinkai.core.catalogue import Strings
from clinkai.core.errors import ClinkError
from clinkai.harness.glance import Entry, describe
from clinkai.harness.sessions import slug
from clinkai.harness.tools import TOOLS
from clinkai.loop.tool import parse
from clinkai.ui.web import replay
from clinkai.ui.web.request import Refused


class Logs:
    """folder: of all sessions; workspace: a real path."""

    def __init__(self, folder: str, workspace: str, say: Strings) -> None:
        self.looking = threading.Lock()
        self._folder = os.path.join(folder, slug(workspace))
        self._say = say
        self._seen: dict[str, tuple[tuple, Entry | None]] = {}

    def path(self, sid: str) -> str:
        """The log of a session. Raises Refused where there is none in this workspace."""
        path = self._paths().get(sid)
        if path is None:
            raise Refused(404, "web.http.session", id=sid)
        return path

    def entries(self, ours: set[str]) -> list[Entry]:
        """All sessions, newest first. Only logs that changed since the last time are read. ours:
        those that are open in this process; what an entry says of their state is worth nothing."""
        seen = {}
        for sid, path in self._paths().items():
            try:
                stat = os.stat(path)
            except OSError:
                continue
            stamp = (stat.st_mtime_ns, stat.st_size)
            old = self._seen.get(sid)
            # A log that somebody else has open may come to rest without a change.
            foreign = sid not in ours and old and old[1] and old[1].state == "running"
            if old and old[0] == stamp and not foreign:
                seen[sid] = old
                continue
            with self.looking:
                seen[sid] = (stamp, describe(path))
        self._seen = seen
        found = [entry for _, entry in seen.values() if entry]
        return sorted(found, key=lambda entry: entry.last, reverse=True)

    def items(self, sid: str, before: int | None, limit: int, *, unanswered: bool) -> dict:
        """At least `limit` records before record `before` (None: the newest) as events: {items,
        first, more}; `first` is the number to go on with. Raises Refused."""
        path = self.path(sid)
        try:
            found = replay.page(path, before, limit)
        except OSError as error:
            raise Refused(404, "web.http.session", id=sid) from error
        items = replay.events(found.records, sid, self._title, unanswered=unanswered)
        if found.bad:
            items.insert(0, replay.unreadable(sid, found.bad))
        first = found.records[0].get("seq", 0) if found.records else 0
        return {"items": items, "first": first, "more": found.more}

    def _title(self, name: str, args: dict) -> str:
        for tool in TOOLS:
            if tool.name == name:
                try:
                    return tool.title(parse(tool.args, args, self._say))
                except ClinkError:
                    break
        return name

    def _paths(self) -> dict[str, str]:
        try:
            names = os.listdir(self._folder)
        except OSError:
            return {}
        return {
            name.removesuffix(".jsonl").rpartition("-")[2]: os.path.join(self._folder, name)
            for name in names if name.endswith(".jsonl")
        }

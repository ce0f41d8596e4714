"""`sessions search TEXT`: where something was said or done, newest session first."""

from __future__ import annotations

import re
from itertools import islice

from clinkai.core.errors import SessionError
from clinkai.harness.glance import Entry
from clinkai.harness.search import Found, query, search
from clinkai.harness.sessions import Sessions
from clinkai.ui.call import Call
from clinkai.ui.clean import clean, exact_line
from clinkai.ui.commands_sessions import place, row
from clinkai.ui.json_lines import ascii_json

OF_ONE, OF_ALL = 20, 200
"""Records that are shown of one session, and of all."""


def find(call: Call, text: str) -> int:
    """Print the records that hold `text`, as they are found; 0. Raises UsageError for nothing, and
    for a bad regular expression."""
    wanted = query(text, regex="regex" in call.options, case="case" in call.options)
    tell = _Json(call) if call.json else _Words(call)
    left = OF_ALL
    for entry in Sessions(call.settings.sessions).list(place(call)):
        room = min(OF_ONE, left)
        try:
            found = list(islice(search(entry.path, wanted), room + 1))
        except SessionError:
            tell.closed(entry)
            continue
        if found:
            tell.session(entry, found[:room], more=len(found) > room)
        left -= len(found[:room])
        if left <= 0 or call.screen.broken:
            break
    tell.end(cut=left <= 0)
    return 0


class _Words:
    def __init__(self, call: Call) -> None:
        self._call = call
        self._any = False

    def session(self, entry: Entry, found: list[Found], *, more: bool) -> None:
        screen, say = self._call.screen, self._call.say
        self._any = True
        screen.line(row(self._call, entry), style="bold")
        for hit in found:
            who = say(f"cli.sessions.who.{hit.type}")
            screen.line(say("cli.sessions.hit", seq=hit.seq, who=who, text=_snippet(hit)))
        if more:
            screen.line(say("cli.sessions.more_hits"), style="dim")

    def closed(self, entry: Entry) -> None:
        words = self._call.say("cli.sessions.closed", n=1, path=exact_line(entry.path))
        self._call.screen.line(words, "err", "yellow")

    def end(self, *, cut: bool) -> None:
        if cut:
            self._call.screen.line(self._call.say("cli.sessions.cut", n=OF_ALL))
        elif not self._any:
            self._call.screen.line(self._call.say("cli.sessions.not_found"))


class _Json:
    """`{"found": [{the session, "records": [...], "more"}, ...], "more"}`, as it is found."""

    def __init__(self, call: Call) -> None:
        self._screen = call.screen
        self._comma = ""
        self._screen.stream('{"found": [')

    def session(self, entry: Entry, found: list[Found], *, more: bool) -> None:
        records = [hit.__dict__ for hit in found]
        body = {**entry.__dict__, "records": records, "more": more}
        self._screen.stream(self._comma + ascii_json(body))
        self._comma = ", "

    def closed(self, entry: Entry) -> None:
        pass  # in no list either

    def end(self, *, cut: bool) -> None:
        self._screen.write(f'], "more": {ascii_json(cut)}}}\n')


def _snippet(hit: Found) -> str:
    """What stands around the place, on one line, the place itself between marks."""
    before, match, after = (re.sub(r"\s+", " ", clean(part))
                            for part in (hit.before, hit.match, hit.after))
    return f"{before}«{match}»{after}"

"""`sessions rename|pin|unpin|rm|prune`: which sessions are kept, and under what name.

Whatever deletes asks first; with --yes it does not, and with nobody to ask it does nothing without.
"""

from __future__ import annotations

import time

from clinkai.core.errors import ClinkError, UsageError
from clinkai.core.text import first_line, size
from clinkai.harness import curate
from clinkai.harness.glance import describe, id_of
from clinkai.harness.sessions import Sessions
from clinkai.ui.call import Call
from clinkai.ui.clean import clean, exact_line, one_line
from clinkai.ui.commands_sessions import path_of, place, row
from clinkai.ui.json_lines import print_json
from clinkai.ui.lines import read_line
from clinkai.ui.terminal import is_terminal

MEGABYTE = 1_000_000
MOST = 1_000_000
"""The highest number that --age, --count and --size take."""


def rename(call: Call, wanted: str, title: str) -> int:
    """Give a session another title; 0. Raises UsageError, SessionError."""
    title = first_line(title)
    if not title:
        raise UsageError("cli.sessions.no_title")
    path = path_of(call, wanted)
    curate.note(path, curate.title_record(title))
    return _done(call, path, "cli.sessions.renamed", title=title)


def pin(call: Call, wanted: str) -> int:
    """Have `prune` leave a session alone; 0. Raises SessionError."""
    return _pin(call, wanted, True)


def unpin(call: Call, wanted: str) -> int:
    """The opposite."""
    return _pin(call, wanted, False)


def _pin(call: Call, wanted: str, pinned: bool) -> int:
    path = path_of(call, wanted)
    entry = describe(path)
    if not entry or entry.pinned != pinned:
        curate.note(path, curate.pin_record(pinned))
    return _done(call, path, "cli.sessions.pin" if pinned else "cli.sessions.unpin", pinned=pinned)


def _done(call: Call, path: str, key: str, **changed: object) -> int:
    if call.json:
        print_json(call.screen, {"id": id_of(path), "path": path, **changed})
    else:
        words = {name: one_line(str(value)) for name, value in changed.items()}
        call.screen.line(call.say(key, id=id_of(path), **words))
    return 0


def remove(call: Call, wanted: str) -> int:
    """Delete a session; 0, also where the person says no. Raises UsageError, SessionError,
    MachineError."""
    path = path_of(call, wanted)
    entry, held = describe(path), curate.weight(path)
    if not call.json:
        call.screen.line(row(call, entry) if entry else exact_line(path), "err")
    gone = []
    if confirmed(call, "rm", 1, held):
        curate.remove(path)
        gone.append({"id": id_of(path), "path": path, "bytes": held})
    return _gone(call, gone)


def prune(call: Call) -> int:
    """Delete the sessions beyond a limit; 0, or 2 where some could not be. Raises UsageError."""
    limit = curate.Limit(_number(call, "age"), _number(call, "count"), _number(call, "size"))
    if limit == curate.Limit():
        raise UsageError("cli.sessions.no_limit")
    if limit.size is not None:
        limit = curate.Limit(limit.age, limit.count, limit.size * MEGABYTE)
    entries = Sessions(call.settings.sessions).list(place(call))
    found = curate.surplus(entries, limit, time.time())
    if not call.json:
        for item in found:
            call.screen.line(row(call, item.entry), "err")
    gone: list[dict] = []
    if "dry_run" in call.options:
        return _planned(call, found)
    code = 0
    if found and confirmed(call, "prune", len(found), sum(item.bytes for item in found)):
        for item in found:
            try:
                curate.remove(item.entry.path)
            except ClinkError as error:  # somebody began to use it, or the disk says no
                call.screen.line(clean(error.text(call.say)), "err", "red")
                code = error.exit_code
            else:
                gone.append({"id": item.entry.id, "path": item.entry.path, "bytes": item.bytes})
    _gone(call, gone)
    return code


def confirmed(call: Call, verb: str, n: int, held: int) -> bool:
    """True where the person wants `n` sessions deleted. Raises UsageError for nobody to ask."""
    if "yes" in call.options:
        return True
    screen = call.screen
    if call.json or not is_terminal(call.stdin) or not screen.err_is_terminal:
        raise UsageError("cli.sessions.ask", command=f"sessions {verb}")
    screen.write(call.say("cli.sessions.confirm", n=n, size=size(held)) + " ", "err", "bold")
    return (read_line(call.stdin) or "").strip().lower() in ("y", "yes")


def _planned(call: Call, found: list) -> int:
    held = sum(item.bytes for item in found)
    if call.json:
        print_json(call.screen, {"removed": [], "would": [
            {"id": i.entry.id, "path": i.entry.path, "bytes": i.bytes} for i in found]})
    else:
        call.screen.line(call.say("cli.sessions.would", n=len(found), size=size(held)))
    return 0


def _gone(call: Call, gone: list[dict]) -> int:
    if call.json:
        print_json(call.screen, {"removed": gone})
    else:
        held = sum(item["bytes"] for item in gone)
        call.screen.line(call.say("cli.sessions.gone", n=len(gone), size=size(held)))
    return 0


def _number(call: Call, name: str) -> int | None:
    """The whole number of an option. Raises UsageError."""
    value = call.options.get(name)
    if value is None:
        return None
    if not (value.isascii() and value.isdecimal() and len(value) < 8 and int(value) <= MOST):
        raise UsageError("setting.error.int", where=f"--{name}", value=value, low=0, high=MOST)
    return int(value)

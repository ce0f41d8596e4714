"""`sessions [list]` and `sessions show ID [--cache]`: what is kept of former work. Nothing is changed."""

from __future__ import annotations

import time

from clinkai.core.errors import UsageError
from clinkai.core.text import size
from clinkai.harness.session import read_log
from clinkai.harness.sessions import Sessions
from clinkai.ui import contact
from clinkai.ui.call import Call
from clinkai.ui.clean import clean, exact_line, one_line
from clinkai.ui.json_lines import print_json


CACHE_COLUMNS = ("round", "prompt", "cached", "read", "again", "why")
CACHE_ROW = "{:>5} {:>8} {:>8} {:>8} {:>8}  {}"


def run(call: Call) -> int:
    """Return 0. Raises UsageError for unknown words, SessionError for what cannot be read."""
    match call.words:
        case () | ("list",):
            return list_sessions(call)
        case ("show", wanted):
            return show(call, wanted)
        case ("show",):
            raise UsageError("cli.error.too_few", command="sessions", wanted="show ID")
    unknown = call.words[1 if call.words[0] == "list" else 0]
    raise UsageError("cli.error.too_many", command="sessions", word=unknown)


def list_sessions(call: Call) -> int:
    """Print all sessions, newest first."""
    entries = Sessions(call.settings.sessions).list()
    if call.json:
        print_json(call.screen, [entry.__dict__ for entry in entries])
        return 0
    say = call.say
    for entry in entries:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.last))
        state = say(f"cli.sessions.state.{entry.state}")
        title = one_line(entry.title)
        call.screen.line(say("cli.sessions.row", id=entry.id, time=when, state=state, title=title))
        call.screen.line("    " + exact_line(entry.workspace), style="dim")
    if not entries:
        call.screen.line(say("cli.sessions.none"))
    return 0


def show(call: Call, wanted: str) -> int:
    """Print one session: its records as JSON, or what was said as text. Damaged lines are named on
    standard error, the rest is shown."""
    here = contact.folder(call.options.get("workspace")) if wanted == "auto" else ""
    path = Sessions(call.settings.sessions).find(wanted, here)
    log = read_log(path)
    for number, why in log.bad:
        words = call.say("cli.sessions.damaged", path=path, line=number, why=why)
        call.screen.line(clean(words), "err", "yellow")
    if call.json:
        first = log.records[:1]
        init = first[0] if first and first[0]["type"] == "init" else None
        rest = log.records[1:] if init else log.records
        print_json(call.screen, {"init": init, "records": list(rest)})
        return 0
    if call.options.get("cache"):
        return show_cache(call, log.records)
    for record in log.records:
        _print(call, record)
    return 0


def show_cache(call: Call, records: tuple) -> int:
    """Print what each round cost and how much of it the server had: a row a round, and the sum."""
    rounds = [r for r in records if r.get("kind") == "usage" and r.get("prompt") is not None]
    call.screen.line(CACHE_ROW.format(*(call.say(f"cli.cache.{name}") for name in CACHE_COLUMNS)))
    for number, row in enumerate(rounds, 1):
        cached, lost = row.get("cached"), row.get("lost")
        fresh = None if cached is None else row["prompt"] - cached
        cause = row.get("cause") or ""
        call.screen.line(CACHE_ROW.format(
            number, row["prompt"], *("?" if n is None else n for n in (cached, fresh, lost)),
            call.say(f"cli.cache.cause.{cause}") if cause else
            call.say("cli.usage.archive") if row.get("of") else "").rstrip())
    known = [row for row in rounds if row.get("cached") is not None]
    read = sum(row["prompt"] - row["cached"] for row in known)
    lost = sum(row.get("lost") or 0 for row in known)
    context = rounds[-1]["prompt"] + (rounds[-1].get("out") or 0) if rounds else 0
    call.screen.line(call.say("cli.cache.sum", rounds=len(rounds), read=read, lost=lost,
                              context=context, ratio=f"{read / context:.2f}" if context else "-"))
    return 0


def _print(call: Call, record: dict) -> None:
    screen = call.screen
    match record["type"]:
        case "user":
            screen.line("› " + clean(str(record.get("content"))), style="bold")
            for image in record.get("images", ()):
                words = call.say("web.image", mime=image["mime"], size=size(image.get("size", 0)))
                screen.line("  " + one_line(words), style="bold")
        case "assistant":
            if record.get("reasoning"):
                screen.line(f"  {call.say('cli.thinking')} {clean(str(record['reasoning']))}",
                            style="dim")
            if record.get("content"):
                screen.line(clean(str(record["content"])))
            for asked in record.get("tool_calls", ()):
                screen.line(f"* {one_line(str(asked.get('name')))}  "
                            f"{one_line(str(asked.get('arguments')))}", style="cyan")
        case "meta" if record.get("kind") in ("archived", "window") and not record.get("failed"):
            screen.line(call.say(f"cli.sessions.{record['kind']}", n=record.get("stays")), style="yellow")
            for line in clean(str(record.get("text"))).splitlines():
                screen.line("  | " + line, style="dim")
        case "tool":
            for line in clean(str(record.get("content"))).splitlines():
                screen.line("    " + line, style="dim")

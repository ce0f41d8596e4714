"""`sessions show ID`: what was said and done in a session, as text or JSON; what its rounds cost;
which files it read and changed. Nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator

from clinkai.core.text import first_line, size
from clinkai.harness.branching import number, way_to
from clinkai.harness.facts import by_turn, told
from clinkai.harness.session_file import Reader, reading
from clinkai.harness.sessions import Sessions
from clinkai.ui import contact
from clinkai.ui.call import Call
from clinkai.ui.clean import clean, one_line
from clinkai.ui.json_lines import ascii_json, print_json

CACHE_COLUMNS = ("round", "prompt", "cached", "read", "again", "why")
CACHE_ROW = "{:>5} {:>8} {:>8} {:>8} {:>8}  {}"

UNBOUNDED = 1 << 30
"""Tokens for the facts of a turn: a person is shown all of them."""


def show(call: Call, wanted: str) -> int:
    """Print one session as it is read. Damaged lines are named on standard error, the rest is
    shown. Raises SessionError."""
    here = contact.folder(call.options.get("workspace")) if wanted == "auto" else ""
    records = _records(call, Sessions(call.settings.sessions).find(wanted, here))
    if "files" in call.options:
        return show_files(call, records)
    if "cache" in call.options and not call.json:
        return show_cache(call, tuple(records))
    if call.json:
        _print_json(call, records)
    else:
        for record in records:
            try:
                _print(call, record)
            except (KeyError, TypeError, AttributeError):  # well-formed, but not written here
                words = call.say("cli.sessions.odd", seq=record.get("seq"))
                call.screen.line(clean(words), "err", "yellow")
    return 0


def show_files(call: Call, records: Iterator[dict]) -> int:
    """Print what each turn read, created and changed, and its commands with their exit codes."""
    turns = by_turn(records)
    if call.json:
        print_json(call.screen, {"turns": [
            {"seq": user.get("seq"), "prompt": first_line(str(user.get("content"))), **found}
            for user, found in turns]})
        return 0
    for user, found in turns:
        call.screen.line("› " + one_line(first_line(str(user.get("content")))), style="bold")
        words = told(found, call.say, UNBOUNDED) or call.say("cli.sessions.nothing")
        for line in words.splitlines():
            call.screen.line("  " + clean(line))
    return 0


def _records(call: Call, path: str) -> Iterator[dict]:
    """The records that are in force, or all, as they are read."""
    named, everything = 0, "all" in call.options
    with reading(path) as file:
        way, reader, inside = way_to(file), Reader(file), True
        for record in reader:
            was, inside = inside, way.has(number(record))
            if everything and was and not inside and not call.json:
                call.screen.line(call.say("cli.sessions.left"), style="yellow")
            if inside or everything:
                yield record
            if call.screen.broken:
                return
            named = _tell(call, path, reader, named)
        _tell(call, path, reader, named)


def _tell(call: Call, path: str, reader: Reader, named: int) -> int:
    """Name the damaged lines that were met; how many that makes."""
    for number, why in reader.bad[named:]:
        words = call.say("cli.sessions.damaged", path=path, line=number, why=why)
        call.screen.line(clean(words), "err", "yellow")
    return len(reader.bad)


def _print_json(call: Call, records: Iterator[dict]) -> None:
    """Print `{"init", "records"}` on a line, record by record: a session may be larger than the
    memory."""
    first = next(records, None)
    init = first if first and first["type"] == "init" else None
    call.screen.stream('{"init": ' + ascii_json(init) + ', "records": [')
    comma = ""
    if first and not init:
        call.screen.stream(ascii_json(first))
        comma = ", "
    for record in records:
        call.screen.stream(comma + ascii_json(record))
        comma = ", "
    call.screen.write("]}\n")


def show_cache(call: Call, records: tuple) -> int:
    """Print what each round cost and how much of it the server had: a row a round, and the sum."""
    rounds = [r for r in records if r.get("kind") == "usage" and _has_figures(r)]
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
    ahead = sum(row.get("ahead") or 0 for row in rounds)
    if ahead:
        call.screen.line(call.say("cli.cache.ahead", tokens=ahead))
    return 0


def _has_figures(record: dict) -> bool:
    """True for a usage record with a number of prompt tokens, and numbers or nothing beside it."""
    figures = [record.get(name) for name in ("prompt", "cached", "lost", "out", "ahead")]
    return figures[0] is not None and all(n is None or isinstance(n, int) for n in figures)


def _print(call: Call, record: dict) -> None:
    screen = call.screen
    match record["type"]:
        case "init" if record.get("parent"):
            screen.line(call.say("cli.sessions.parent", **record["parent"]), style="yellow")
        case "meta" if record.get("kind") == "rewind" and record["to"] != number(record) - 1:
            screen.line(call.say("cli.sessions.rewind", to=record["to"]), style="yellow")
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
            words = call.say(f"cli.sessions.{record['kind']}", n=record.get("stays"))
            screen.line(words, style="yellow")
            for line in clean(str(record.get("text"))).splitlines():
                screen.line("  | " + line, style="dim")
        case "tool":
            for line in clean(str(record.get("content"))).splitlines():
                screen.line("    " + line, style="dim")

"""`sessions [list]` and `sessions show ID`: what is kept of former work. Nothing is changed."""

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
    for record in log.records:
        _print(call, record)
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
        case "tool":
            for line in clean(str(record.get("content"))).splitlines():
                screen.line("    " + line, style="dim")

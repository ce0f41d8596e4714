"""`sessions`: what is kept of former work. Here: which sub-command does what, and the list of
sessions; each other sub-command has its module."""

from __future__ import annotations

import os
import time
from importlib import import_module

from clinkai.core.errors import SessionError, UsageError
from clinkai.core.text import size
from clinkai.core.value import Value
from clinkai.harness.glance import Entry, describe
from clinkai.harness.sessions import Sessions
from clinkai.ui import contact
from clinkai.ui.call import Call
from clinkai.ui.clean import exact_line, one_line
from clinkai.ui.json_lines import print_json

SHOWN = 50
"""Sessions in a list for people; the rest with --all."""


class Verb(Value):
    """A sub-command. does: module in `clinkai.ui` and function, which gets the call and its words;
    words: what these are; options: those of its own."""

    does: str
    words: tuple = ()
    options: frozenset = frozenset()


def run(call: Call) -> int:
    """Return the exit code. Raises UsageError for unknown words, SessionError, MachineError."""
    name, *words = call.words or ("list",)
    verb = VERBS.get(name)
    if verb is None:
        raise UsageError("cli.sessions.unknown", word=name, known=", ".join(VERBS))
    if len(words) > len(verb.words):
        raise UsageError("cli.error.too_many", command="sessions", word=words[len(verb.words)])
    if len(words) < len(verb.words):
        wanted = " ".join((name, *verb.words))
        raise UsageError("cli.error.too_few", command="sessions", wanted=wanted)
    for option in OWN & call.options.keys() - verb.options:
        flag = "--" + option.replace("_", "-")
        raise UsageError("cli.error.foreign", option=flag, command=f"sessions {name}")
    module, function = verb.does.split(":")
    return getattr(import_module("clinkai.ui." + module), function)(call, *words)


VERBS = {
    "list": Verb("commands_sessions:list_sessions", (), frozenset({"all"})),
    "show": Verb("commands_sessions_show:show", ("ID",), frozenset({"all", "cache", "files"})),
    "search": Verb("commands_sessions_search:find", ("TEXT",),
                   frozenset({"all", "regex", "case"})),
    "rename": Verb("commands_sessions_keep:rename", ("ID", "TITLE")),
    "pin": Verb("commands_sessions_keep:pin", ("ID",)),
    "unpin": Verb("commands_sessions_keep:unpin", ("ID",)),
    "rm": Verb("commands_sessions_keep:remove", ("ID",), frozenset({"yes"})),
    "prune": Verb("commands_sessions_keep:prune", (), frozenset(
        {"all", "age", "count", "size", "yes", "dry_run"})),
    "fork": Verb("commands_sessions_fork:fork_session", ("ID",), frozenset({"at"})),
    "export": Verb("commands_sessions_export:export_session", ("ID",),
                   frozenset({"format", "output", "no_redact", "force"})),
    "import": Verb("commands_sessions_export:import_session", ("FILE",)),
    "undo": Verb("commands_sessions_undo:undo", ("ID",), frozenset({"turn"})),
    "redo": Verb("commands_sessions_undo:redo", ("ID",), frozenset({"turn"})),
    "diff": Verb("commands_sessions_undo:diff", ("ID",), frozenset({"output", "force"})),
}

OWN = frozenset().union(*(verb.options for verb in VERBS.values()))


def list_sessions(call: Call) -> int:
    """Print the sessions, newest first, those of a workspace together."""
    sessions = Sessions(call.settings.sessions)
    entries = sessions.list(place(call))
    if call.json:
        print_json(call.screen, [entry.__dict__ for entry in entries])
        return 0
    shown = entries if "all" in call.options else entries[:SHOWN]
    for workspace in dict.fromkeys(entry.workspace for entry in shown):
        call.screen.line(exact_line(workspace), style="dim")
        for entry in shown:
            if entry.workspace == workspace:
                call.screen.line("  " + row(call, entry))
    if not entries:
        call.screen.line(call.say("cli.sessions.none"))
    if len(shown) < len(entries):
        call.screen.line(call.say("cli.sessions.more", n=len(entries) - len(shown)))
    closed = [path for path in sessions.paths(place(call)) if not os.access(path, os.R_OK)]
    if closed:
        call.screen.line(call.say("cli.sessions.closed", n=len(closed), path=exact_line(closed[0])),
                         "err", "yellow")
    return 0


def row(call: Call, entry: Entry) -> str:
    """A session on one line."""
    words = call.say(
        "cli.sessions.row", id=entry.id, rounds=entry.rounds, size=size(entry.bytes),
        time=time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.last)),
        state=call.say(f"cli.sessions.state.{entry.state}"), title=one_line(entry.title),
    )
    return words + (call.say("cli.sessions.pinned") if entry.pinned else "")


def place(call: Call) -> str:
    """The workspace that is asked for, a real path; nothing for all."""
    wanted = None if "all" in call.options else call.options.get("workspace")
    return os.path.realpath(wanted) if wanted else ""


def path_of(call: Call, wanted: str) -> str:
    """The session meant by an id, its beginning, a path or `auto`. Raises SessionError for none,
    several, and for a file that is no session."""
    here = contact.folder(call.options.get("workspace")) if wanted == "auto" else ""
    sessions = Sessions(call.settings.sessions)
    path = sessions.find(wanted, here)
    if path not in sessions.paths() and os.path.exists(path) and not describe(path):
        raise SessionError("error.session.init", path=path)
    return path

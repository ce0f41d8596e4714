"""`sessions undo|redo ID [--turn N]` and `sessions diff ID`: what a session did to files, taken back,
put back, or as a patch."""

from __future__ import annotations

from clinkai.core.errors import UsageError
from clinkai.harness import opening
from clinkai.harness import undo as undoing
from clinkai.harness.glance import describe, id_of
from clinkai.harness.session import Session
from clinkai.harness.store import Store
from clinkai.ui.call import Call
from clinkai.ui.clean import clean, exact
from clinkai.ui.commands_sessions import path_of
from clinkai.ui.json_lines import print_json
from clinkai.ui.terminal import is_terminal

MOST = 1_000_000


def undo(call: Call, wanted: str) -> int:
    """Take a turn back; 0, or 1 where a file was left alone. Raises UsageError, SessionError,
    WorkspaceError."""
    return _take(call, wanted, redo=False)


def redo(call: Call, wanted: str) -> int:
    """Put it back."""
    return _take(call, wanted, redo=True)


def _take(call: Call, wanted: str, redo: bool) -> int:
    turn = call.options.get("turn", "0")
    if not (turn.isascii() and turn.isdecimal() and len(turn) < 8):
        raise UsageError("setting.error.int", where="--turn", value=turn, low=1, high=MOST)
    path = path_of(call, wanted)
    session = Session.open(path)
    try:
        workspace, _ = opening.workspace_of(call.options.get("workspace"), session, call.settings)
        report = undoing.undo(session, workspace, int(turn), redo)
    finally:
        session.close()
    if call.json:
        print_json(call.screen, {
            "id": id_of(path), "turn": report.turn, "prompt": report.prompt, "redo": redo,
            "files": [{"path": file.path, "done": file.done,
                       "why": call.say(file.why, **file.params or {}) if file.why else "",
                       "since": file.since, "wanted": file.wanted} for file in report.files]})
    else:
        for line in report.lines(call.say):
            call.screen.line(exact(line))
    return 0 if report.whole else 1


def diff(call: Call, wanted: str) -> int:
    """Print the patch, or write it to the file that is named; 0. Raises UsageError, SessionError,
    WorkspaceError, MachineError."""
    path = path_of(call, wanted)
    text, missing = _patch(call, path)
    for name in missing:
        call.screen.line(clean(call.say("undo.missing", path=name)), "err", "yellow")
    target = call.options.get("output", "-")
    if target != "-":
        from clinkai.ui.commands_sessions_export import write

        write(target, text.encode("utf-8", "surrogateescape"), "force" in call.options)
        call.screen.line(clean(call.say("export.written", path=target)), "err")
    elif call.json:
        print_json(call.screen, {"id": id_of(path), "patch": text, "missing": missing})
    elif text:
        call.screen.write(exact(text) if is_terminal(call.screen.out) else text)
    elif not missing:
        call.screen.line(call.say("undo.no_diff"), "err")
    return 0


def _patch(call: Call, path: str) -> tuple[str, list[str]]:
    """Of a session that somebody may have open: it is only read."""
    entry = describe(path)
    own = call.options.get("workspace") or (entry.workspace if entry else None)
    workspace, _ = opening.workspace_of(own, None, call.settings)
    return undoing.diff(Store(None, path), workspace)

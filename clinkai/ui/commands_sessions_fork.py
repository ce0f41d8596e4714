"""`sessions fork ID [--at N]`: a new session that goes on from a point of another one, which stays as
it is."""

from __future__ import annotations

from clinkai.core.errors import UsageError
from clinkai.harness.fork import fork
from clinkai.harness.sessions import Sessions
from clinkai.ui.call import Call
from clinkai.ui.commands_sessions import path_of
from clinkai.ui.json_lines import print_json


def fork_session(call: Call, wanted: str) -> int:
    """Make the fork and print how to go on with it; 0. Raises UsageError, SessionError."""
    made = fork(path_of(call, wanted), Sessions(call.settings.sessions), _point(call))
    if call.json:
        print_json(call.screen, made.__dict__)
    else:
        call.screen.line(call.say("cli.sessions.forked", id=made.id, seq=made.seq))
    return 0


def _point(call: Call) -> int | None:
    value = call.options.get("at")
    if value is None:
        return None
    if not (value.isascii() and value.isdecimal() and len(value) < 10 and int(value)):
        raise UsageError("setting.error.int", where="--at", value=value, low=1, high=10**9 - 1)
    return int(value)

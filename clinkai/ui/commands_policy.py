"""`policy check`: would a command run without asking? Nothing is run.

One command as the last argument, or JSON lines `{"id"?, "dialect"?, "command"}` on standard input.
"""

from __future__ import annotations

import os

from clinkai.core.errors import UsageError
from clinkai.core.value import Value
from clinkai.harness import confine, policy
from clinkai.harness.shell.judge import judge
from clinkai.harness.workspace import Workspace
from clinkai.loop.tool import Runs
from clinkai.ui import contact
from clinkai.ui.call import Call
from clinkai.ui.json_lines import answer_lines, print_json
from clinkai.ui.terminal import is_terminal

DIALECTS = ("posix", "powershell")


class Judge(Value):
    """What a verdict depends on beside the command."""

    workspace: Workspace
    policy: policy.Policy
    compound: str
    dialect: str


def run(call: Call) -> int:
    """Return 0 when verdicts were printed. Raises UsageError."""
    if call.words[:1] != ("check",):
        wrong = call.words[0] if call.words else ""
        key = "cli.error.too_many" if wrong else "cli.error.too_few"
        raise UsageError(key, command="policy", word=wrong, wanted="check")
    own = "powershell" if os.name == "nt" else "posix"
    dialect = call.options.get("dialect", own)
    if dialect not in DIALECTS:
        raise UsageError("setting.error.choice", where="--dialect", value=dialect,
                         choices=", ".join(DIALECTS))
    judge_of = rules(call, dialect)
    if len(call.words) == 2:
        print_json(call.screen, verdict(call, judge_of, None, call.words[1]))
    elif is_terminal(call.stdin):
        raise UsageError("cli.error.too_few", command="policy", wanted="check -- 'COMMAND'")
    else:
        answer_lines(call, lambda body: answer(call, judge_of, body))
    return 0


def rules(call: Call, dialect: str) -> Judge:
    """The policy of a headless run in this workspace. Raises WorkspaceError, UsageError."""
    settings = call.settings
    path = contact.folder(call.options.get("workspace"))
    workspace = Workspace(path, (settings.home, settings.sessions), settings.secrets_ok)
    loaded = policy.load(call.options.get("allow", ()), settings.home, settings.mode)
    applied, _ = confine.applied(loaded, workspace)
    return Judge(workspace, applied, settings.compound, dialect)


def answer(call: Call, judge_of: Judge, body: dict) -> dict:
    """The verdict on one line of input; a line that makes no sense is asked about."""
    dialect, command = body.get("dialect", judge_of.dialect), body.get("command")
    why = body.get("bad", "")
    if not why and not isinstance(command, str):
        why = call.say("cli.lines.field", name="command")
    if not why and dialect not in DIALECTS:
        why = call.say("cli.lines.field", name="dialect")
    if why:
        return {"id": body.get("id"), "command": command if isinstance(command, str) else "",
                "decision": "ask", "reason": why}
    other = Judge(judge_of.workspace, judge_of.policy, judge_of.compound, dialect)
    return verdict(call, other, body.get("id"), command)


def verdict(call: Call, judge_of: Judge, number: object, command: str) -> dict:
    """One verdict as it is printed."""
    script = judge(command, judge_of.dialect, judge_of.workspace, judge_of.compound)
    decision = policy.decide((Runs(command, script),), judge_of.policy)
    reason = call.say(decision.key, **decision.params or {}) if decision.key else ""
    return {"id": number, "command": command, "decision": decision.name, "reason": reason}

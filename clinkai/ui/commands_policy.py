"""`policy`: what runs without a question, and what never does.

`check` judges a command, the last argument, or JSON lines `{"id"?, "dialect"?, "command"}` on
standard input; nothing is run. `list`, `allow`, `deny` and `remove` are about the lasting rules in
CLINKAI_HOME, which hold in every workspace.
"""

from __future__ import annotations

import os

from clinkai.core.errors import UsageError
from clinkai.core.value import Value
from clinkai.harness import confine, home, policy, rules
from clinkai.harness.shell.judge import judge
from clinkai.harness.shell.prefix import is_blank
from clinkai.harness.workspace import Workspace
from clinkai.loop.tool import Runs
from clinkai.ui import contact
from clinkai.ui.call import Call
from clinkai.ui.clean import exact
from clinkai.ui.json_lines import answer_lines, print_json
from clinkai.ui.terminal import is_terminal

DIALECTS = ("posix", "powershell")

NEVER_MATCH = {"*", "...", "|", "||", "&&", ";", "&"}
"""Words that people write in a rule for more than one command, or for any; a rule has neither."""


class Judge(Value):
    """What a verdict depends on beside the command."""

    workspace: Workspace
    policy: policy.Policy
    compound: str
    dialect: str


def run(call: Call) -> int:
    """Return 0 when it was done. Raises UsageError, MachineError."""
    verb = call.words[0] if call.words else ""
    act, wanted = VERBS.get(verb, (None, 0))
    if act is None:
        key = "cli.error.too_many" if verb else "cli.error.too_few"
        raise UsageError(key, command="policy", word=verb, wanted=", ".join(VERBS))
    if verb != "check":
        for name in ("allow", "dialect"):
            if name in call.options:
                raise UsageError("cli.error.foreign", option=f"--{name}", command=f"policy {verb}")
        if len(call.words) < wanted:
            raise UsageError("cli.error.too_few", command="policy", wanted=f"{verb} 'RULE'")
        if len(call.words) > wanted:
            raise UsageError("cli.error.too_many", command="policy", word=call.words[wanted])
    return act(call)


def check(call: Call) -> int:
    """Print verdicts."""
    own = "powershell" if os.name == "nt" else "posix"
    dialect = call.options.get("dialect", own)
    if dialect not in DIALECTS:
        raise UsageError("setting.error.choice", where="--dialect", value=dialect,
                         choices=", ".join(DIALECTS))
    judge_of = judge_for(call, dialect)
    if len(call.words) == 2:
        print_json(call.screen, verdict(call, judge_of, None, call.words[1]))
    elif is_terminal(call.stdin):
        raise UsageError("cli.error.too_few", command="policy", wanted="check -- 'COMMAND'")
    else:
        answer_lines(call, lambda body: answer(call, judge_of, body))
    return 0


def show(call: Call) -> int:
    """Print the lasting rules and where they stand."""
    path = rules.path_in(call.settings.home)
    stored = rules.read(path)
    exists = os.path.exists(path)
    if call.json:
        print_json(call.screen, {"file": path, "exists": exists, "allow": list(stored.allow),
                                 "deny": list(stored.deny)})
        return 0
    line, say = call.screen.line, call.say
    line(say("rules.file" if exists else "rules.no_file", path=exact(path)))
    for name in rules.LISTS:
        for rule in getattr(stored, name):
            line(say(f"rules.{name}", rule=exact(rule)))
            doubt = _doubt(rule, name)
            if doubt:
                line("    " + say(doubt), style="yellow")
    return 0


def permit(call: Call) -> int:
    """Add a rule that allows."""
    return _add(call, "allow")


def forbid(call: Call) -> int:
    """Add a rule that denies."""
    return _add(call, "deny")


def remove(call: Call) -> int:
    """Take a rule out."""
    from clinkai.harness import rules_file

    rule = call.words[1].strip()
    rules.words(rule, "policy remove")
    path = rules.path_in(call.settings.home)
    # Where there is no file there may be no folder either, and nothing to take out.
    found = rules_file.remove(call.settings.home, rule) if os.path.lexists(path) else ()
    key = "rules.removed" if found else "rules.unknown"
    return _told(call, found, key, rule, lists=", ".join(found))


def _add(call: Call, name: str) -> int:
    from clinkai.harness import rules_file

    rule = call.words[1].strip()
    words = rules.words(rule, f"policy {name}")
    doubt = _doubt(rule, name)
    if doubt:
        path = rules.path_in(call.settings.home)
        raise UsageError("rules.doubtful", rule=rule, why=call.say(doubt), path=path)
    added = rules_file.add(home.prepare(call.settings.home), name, rule)
    key = f"rules.added.{name}" if added else f"rules.there.{name}"
    _told(call, (name,) if added else (), key, rule)
    for other in rules.read(rules.path_in(call.settings.home)).deny if name == "allow" else ():
        held = rules.words(other, "")
        if words[:len(held)] == held and not call.json:
            call.screen.line(call.say("rules.beaten", rule=exact(other)), style="yellow")
    return 0


def _told(call: Call, changed: tuple, key: str, rule: str, **params: object) -> int:
    path = rules.path_in(call.settings.home)
    if call.json:
        print_json(call.screen, {"file": path, "rule": rule, "changed": list(changed)})
    else:
        call.screen.line(call.say(key, rule=exact(rule), path=exact(path), **params))
    return 0


def _doubt(rule: str, name: str) -> str:
    """Why a sound rule is not what it seems, as a catalogue key; empty where it is."""
    words = rules.words(rule, "")
    if not NEVER_MATCH.isdisjoint(words) or not rule.isprintable():
        return "rules.never"
    return "rules.blank" if name == "allow" and is_blank(words) else ""


VERBS = {"list": (show, 1), "check": (check, 2), "allow": (permit, 2), "deny": (forbid, 2),
         "remove": (remove, 2)}
"""What is done for each word, and how many words that takes."""


def judge_for(call: Call, dialect: str) -> Judge:
    """The policy of a headless run in this workspace. Raises WorkspaceError, UsageError."""
    settings = call.settings
    path = contact.folder(call.options.get("workspace"))
    private = home.private(settings.home, settings.sessions)
    workspace = Workspace(path, private, settings.secrets_ok)
    loaded = rules.load(call.options.get("allow", ()), settings.home, settings.mode, workspace.path)
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

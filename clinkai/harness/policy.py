"""What a call may do: a pure function of its effects and the policy in force.

The strictest verdict over all effects wins. Nothing here reads a file, asks a person or starts a
program: paths and commands come already judged (`workspace.Place`, `shell.script.Script`).
The policy is made of flags, CLINKAI_HOME and the grants of the session; never of the workspace.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from clinkai.core.value import Value
from clinkai.harness.shell.prefix import forbids, matches, rule_for
from clinkai.harness.shell.script import Part, gravest
from clinkai.loop.gate import Allow, Ask, Decision, Deny
from clinkai.loop.tool import Reads, Runs, Writes


class Policy(Value):
    """mode: plan, ask, auto or sandbox. allow, deny: argv prefixes; deny wins. grants: records of
    what a person allowed in this session: {"kind": "command" | "write" | "prefix", ...}. confined:
    there is a kernel sandbox for what the mode sandbox runs unasked (`confine.applied`)."""

    mode: str = "auto"
    allow: tuple = ()
    deny: tuple = ()
    grants: tuple = ()
    confined: bool = False


def decide(effects: Iterable[Value], policy: Policy) -> Decision:
    """The strictest verdict over all effects."""
    return max((_one(e, policy) for e in effects), key=lambda d: d.rank, default=Allow())


def _one(effect: Value, policy: Policy) -> Decision:
    match effect:
        case Reads(place):
            return _fenced(place) or Allow()
        case Writes(place):
            return _fenced(place, policy) or _write(place, policy)
        case Runs():
            return _run(effect, policy)
    raise TypeError(f"no rule for {type(effect).__name__}")


def _fenced(place: Value, policy: Policy | None = None) -> Decision | None:
    """The verdict of the fence on a path, or None where it is free."""
    params = {"path": place.text}
    match place.zone:
        case "bad":
            return Deny(place.problem, params)
        case "outside" | "private":
            return Deny(f"gate.path.{place.zone}", params)
        case "secret" | "protected":
            if policy and policy.mode == "plan":
                return Deny("gate.plan.write", params)
            grant = {"kind": "write", "path": place.path}
            if policy and grant in policy.grants:
                return Allow(granted="session")
            return Ask(f"gate.path.{place.zone}", params, "high", grant=grant if policy else None)
    return None


def _write(place: Value, policy: Policy) -> Decision:
    params = {"path": place.text}
    grant = {"kind": "write", "path": place.path}
    match policy.mode:
        case "plan":
            return Deny("gate.plan.write", params)
        case "ask":
            if grant in policy.grants:
                return Allow(granted="session")
            return Ask("gate.mode.ask", params, grant=grant)
    return Allow()


def _run(run: Runs, policy: Policy) -> Decision:
    command, script = run.command, run.script
    for part in script.parts:
        denied = next((rule for rule in policy.deny if forbids(part, rule)), None)
        if denied:
            return Deny("gate.rule.deny", {"word": part.word, "rule": shlex.join(denied)})
    grant = {"kind": "command", "command": command}
    if run.leads:  # the same words may lead elsewhere another time
        grant["leads"] = dict(run.leads)
    if script.listed:
        return Allow()
    if policy.mode == "plan":
        return Deny("gate.plan.run", {"command": command})
    if grant in policy.grants:
        return Allow(granted="session")
    if script.key:
        if policy.confined and not policy.deny:  # a rule could be hidden in what is not understood
            return Allow(granted="sandbox")
        return Ask(script.key, script.params, script.risk, grant=grant)
    missing = [part for part in script.parts if not part.listed and not _permitted(part, policy)]
    if not missing:
        return Allow(granted="prefix")
    if policy.confined and not any(part.key.startswith("gate.operand.") for part in missing):
        return Allow(granted="sandbox")
    rule = rule_for(missing[0]) if len(missing) == 1 and script.risk == "low" else None
    told = gravest(missing)
    return Ask(told.key, told.params, script.risk, grant=grant, rule=rule)


def _permitted(part: Part, policy: Policy) -> bool:
    """True where a standing rule covers the part, or a grant of this session: that one was given to
    a rule and a command that was no high risk, so what is one is asked."""
    if any(matches(part, rule) for rule in policy.allow):
        return True
    granted = [tuple(g["rule"]) for g in policy.grants if g.get("kind") == "prefix"]
    return part.risk != "high" and any(matches(part, rule) for rule in granted)

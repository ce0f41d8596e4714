"""What makes a trial pass: objective checks on files and on the session, declared in task.toml.

    kind            parameters                     holds when
    equals          path, text                     the file has this text (CRLF and a final
                                                   newline do not count)
    matches         path, regex                    the expression is found in the file
    absent          path                           there is no such file
    unchanged       globs                          no file that matches was changed, made, removed
    changed_only    globs                          nothing else was changed, made or removed
    command         argv, exit?, stdout?, seconds? it ends with exit code 0 (or `exit`), its
                                                   output matches; run in a fresh copy with
                                                   hidden/ laid over, so that edited tests do
                                                   not count; "{python}" is this Python
    final_text      regex                          the expression is found in the last answer
    tool_called     name, arguments?               a call ran whose arguments match, each by an
                                                   expression of its own
    not_called      name, arguments?               no such call ran
    denied          at_most                        that many calls were refused, or fewer
    rounds          at_most                        that many model calls, or fewer
    no_breaker                                     neither the round cap nor a breaker ended it

Expressions are Python's, searched with MULTILINE and DOTALL. No judge, no model: the same files
and records give the same verdict.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from clinkai.core.catalogue import Strings
from clinkai.core.errors import UsageError
from clinkai.core.text import first_line
from clinkai.core.value import Value
from eval.files import Changes, matches_any
from eval.trace import Trace

REGEX_FLAGS = re.MULTILINE | re.DOTALL
COMMAND_SECONDS = 60


class Check(Value):
    """One declared check."""

    kind: str
    params: dict


class Verdict(Value):
    """Whether one check holds, and what was seen, in words."""

    kind: str
    ok: bool
    detail: str


class Outcome(Value):
    """What a trial left. workspace: its folder; changes: against the start; trace: its session;
    run: (argv, seconds) -> (exit code or None at the time limit, output) in a fresh copy."""

    workspace: str
    changes: Changes
    trace: Trace
    run: Callable


def read_check(task: str, raw: object) -> Check:
    """The check declared as `raw` in a task. Raises UsageError for unknown kinds and parameters,
    wrong types and expressions that do not compile."""
    kind = raw.get("kind") if isinstance(raw, dict) else None
    if kind not in KINDS:
        raise UsageError("eval.check.kind", task=task, kind=kind)
    params = {name: value for name, value in raw.items() if name != "kind"}
    wanted = KINDS[kind][1]
    missing = [n for n in wanted if not n.endswith("?") and n not in params]
    wrong = [n for n, value in params.items()
             if type(value) is not wanted.get(n, wanted.get(n + "?"))]
    for name in (*missing, *wrong):
        raise UsageError("eval.check.param", task=task, kind=kind, name=name)
    for text in (params.get("regex", ""), params.get("stdout", ""),
                 *params.get("arguments", {}).values()):
        try:
            re.compile(text)
        except (re.error, TypeError) as error:
            raise UsageError("eval.check.regex", task=task, kind=kind, why=error) from None
    return Check(kind, params)


def verify(checks: tuple[Check, ...], outcome: Outcome, say: Strings) -> list[Verdict]:
    """The verdict of each check, in order."""
    verdicts = []
    for check in checks:
        ok, detail = KINDS[check.kind][0](outcome, say, **check.params)
        verdicts.append(Verdict(check.kind, ok, detail))
    return verdicts


def _equals(outcome: Outcome, say: Strings, path: str, text: str) -> tuple[bool, str]:
    found = _text(outcome, path)
    if found is None:
        return False, say("eval.check.no_file", path=path)
    same = _plain(found) == _plain(text)
    return same, path if same else say("eval.check.differs", path=path, start=first_line(found))


def _matches(outcome: Outcome, say: Strings, path: str, regex: str) -> tuple[bool, str]:
    found = _text(outcome, path)
    if found is None:
        return False, say("eval.check.no_file", path=path)
    if re.search(regex, found.replace("\r\n", "\n"), REGEX_FLAGS):
        return True, path
    return False, say("eval.check.no_match", path=path, start=first_line(found))


def _absent(outcome: Outcome, say: Strings, path: str) -> tuple[bool, str]:
    there = os.path.lexists(os.path.join(outcome.workspace, *path.split("/")))
    return not there, say("eval.check.exists", path=path) if there else path


def _unchanged(outcome: Outcome, say: Strings, globs: list) -> tuple[bool, str]:
    return _no_change(say, [p for p in outcome.changes.paths if matches_any(p, globs)])


def _changed_only(outcome: Outcome, say: Strings, globs: list) -> tuple[bool, str]:
    return _no_change(say, [p for p in outcome.changes.paths if not matches_any(p, globs)])


def _no_change(say: Strings, paths: list[str]) -> tuple[bool, str]:
    if not paths:
        return True, ""
    return False, say("eval.check.changed", paths=", ".join(paths[:5]), n=len(paths))


def _command(outcome: Outcome, say: Strings, argv: list, exit: int = 0, stdout: str = "",
             seconds: int = COMMAND_SECONDS) -> tuple[bool, str]:
    code, output = outcome.run(argv, seconds)
    if code is None:
        return False, say("eval.check.time", seconds=seconds)
    last = output.strip().rpartition("\n")[2][:200]
    if code != exit:
        return False, say("eval.check.exit", code=code, last=last)
    if not re.search(stdout, output, REGEX_FLAGS):
        return False, say("eval.check.stdout", last=last)
    return True, last


def _final_text(outcome: Outcome, say: Strings, regex: str) -> tuple[bool, str]:
    text = outcome.trace.final_text
    if re.search(regex, text, REGEX_FLAGS):
        return True, first_line(text)
    return False, say("eval.check.answer", start=first_line(text))


def _tool_called(outcome: Outcome, say: Strings, name: str,
                 arguments: dict | None = None) -> tuple[bool, str]:
    if _calls(outcome.trace, name, arguments or {}):
        return True, name
    ran = ", ".join(sorted({c.name for c in outcome.trace.calls if c.ran})) or "-"
    return False, say("eval.check.not_called", name=name, ran=ran)


def _not_called(outcome: Outcome, say: Strings, name: str,
                arguments: dict | None = None) -> tuple[bool, str]:
    n = _calls(outcome.trace, name, arguments or {})
    return not n, say("eval.check.called", name=name, n=n) if n else name


def _denied(outcome: Outcome, say: Strings, at_most: int) -> tuple[bool, str]:
    return _at_most(outcome.trace.denied, at_most, say)


def _rounds(outcome: Outcome, say: Strings, at_most: int) -> tuple[bool, str]:
    return _at_most(outcome.trace.rounds, at_most, say)


def _at_most(found: int, limit: int, say: Strings) -> tuple[bool, str]:
    return found <= limit, say("eval.check.count", found=found, limit=limit)


def _no_breaker(outcome: Outcome, say: Strings) -> tuple[bool, str]:
    return not outcome.trace.breakers, ", ".join(outcome.trace.breakers)


def _calls(trace: Trace, name: str, arguments: dict) -> int:
    return sum(
        call.ran and call.name == name and all(
            re.search(regex, str(call.arguments.get(key, "")), REGEX_FLAGS)
            for key, regex in arguments.items()
        )
        for call in trace.calls
    )


def _text(outcome: Outcome, path: str) -> str | None:
    try:
        with open(os.path.join(outcome.workspace, *path.split("/")), "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return None


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\n")


KINDS: dict[str, tuple[Callable, dict[str, type]]] = {
    "equals": (_equals, {"path": str, "text": str}),
    "matches": (_matches, {"path": str, "regex": str}),
    "absent": (_absent, {"path": str}),
    "unchanged": (_unchanged, {"globs": list}),
    "changed_only": (_changed_only, {"globs": list}),
    "command": (_command, {"argv": list, "exit?": int, "stdout?": str, "seconds?": int}),
    "final_text": (_final_text, {"regex": str}),
    "tool_called": (_tool_called, {"name": str, "arguments?": dict}),
    "not_called": (_not_called, {"name": str, "arguments?": dict}),
    "denied": (_denied, {"at_most": int}),
    "rounds": (_rounds, {"at_most": int}),
    "no_breaker": (_no_breaker, {}),
}
"""Each kind: what decides it, and its parameters with their types (`?`: may be left out)."""

"""Does everything work here? Each check is a value that says what to do where it does not.

    findings = run(settings, workspace, emit=print_one)
    exit_code(findings)                                # 0, 2: this machine, 3: the model server

Checks, in order: python, settings, then of the server (`doctor_server.py`) server, models,
completion, context, tools, cache, of llama.cpp slots and thinking, then sessions, sandbox, terminal
(`doctor_machine.py`). Where one of the server's fails, those that build on it are not made.
Not covered: printing (the front end does), speed of this machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from clinkai.core.catalogue import Strings
from clinkai.core.errors import SERVER, USAGE, ClinkError
from clinkai.core.value import Value

OK, WARN, FAIL = "ok", "warn", "fail"

OF_THE_SERVER = {"server", "models", "completion", "context", "tools", "cache"}
"""Checks whose failure means that the model server cannot be used (exit code 3)."""

DEADLINE = 55.0
"""Seconds for all checks together: with what starting Python takes, they end within a minute."""

LABEL_WIDTH = 12


class Finding(Value):
    """The outcome of one check. status: ok, warn (works, but) or fail; detail: what was found;
    hint: what to do, empty where nothing is to be done. In the words of the person's language."""

    id: str
    status: str
    detail: str
    hint: str = ""


def run(settings: object, workspace: str, *, deadline_s: float = DEADLINE,
        emit: Callable[[Finding], None] | None = None) -> tuple[Finding, ...]:
    """Make all checks within `deadline_s` seconds; `emit` is told each as it is made.

    settings: `harness.settings.Settings`; workspace: the folder the agent would work in.
    Never raises a member of the error tree.
    """
    found = []
    for finding in _all(settings, workspace, time.monotonic() + deadline_s):
        found.append(finding)
        if emit:
            emit(finding)
    return tuple(found)


def of_bad_settings(error: ClinkError, say: Strings) -> tuple[Finding, ...]:
    """The findings where the settings could not even be read."""
    from clinkai.harness.doctor_machine import python

    return python(say), Finding("settings", FAIL, error.text(say), error.advice(say))


def exit_code(findings: Iterable[Finding]) -> int:
    """0 where nothing failed; 2 where this machine or a setting did; else 3."""
    failed = {finding.id for finding in findings if finding.status == FAIL}
    if not failed:
        return 0
    return SERVER if failed <= OF_THE_SERVER else USAGE


def to_json(findings: Iterable[Finding]) -> dict:
    """What `doctor --json` prints."""
    findings = tuple(findings)
    return {"checks": [dict(finding.__dict__) for finding in findings],
            "exit": exit_code(findings)}


def line(finding: Finding, say: Strings) -> str:
    """One check for people: mark, name, what was found, and what to do on a line of its own."""
    label = say(f"doctor.label.{finding.id}")
    detail, hint = (" ".join(text.splitlines()) for text in (finding.detail, finding.hint))
    head = f"{say('doctor.mark.' + finding.status)}  {_pad(label)}  {detail}"
    return head + (f"\n{' ' * 6}{say('doctor.hint', hint=hint)}" if hint else "")


def summary(findings: Iterable[Finding], say: Strings) -> str:
    """The last line: what the findings mean together."""
    findings = tuple(findings)
    count = {status: sum(f.status == status for f in findings) for status in (OK, WARN, FAIL)}
    code = exit_code(findings)
    key = "fail" if code else "warn" if count[WARN] else "ok"
    return say(f"doctor.summary.{key}", **count, total=len(findings), exit=code)


def lines(findings: Iterable[Finding], say: Strings) -> list[str]:
    """All of it for people: a line (or two) for each check, an empty one, the summary."""
    findings = tuple(findings)
    return [*(line(finding, say) for finding in findings), "", summary(findings, say)]


def _all(settings: object, workspace: str, until: float) -> Iterator[Finding]:
    from clinkai.harness import doctor_machine as machine
    from clinkai.harness import doctor_server as server

    say = settings.say
    yield machine.python(say)
    yield machine.settings(settings, say)
    if settings.provider == "demo":
        yield Finding("server", OK, say("doctor.server.demo"))
    else:
        yield from server.checks(settings, say, until)
    yield machine.sessions(settings, workspace, say)
    yield machine.sandbox(say)
    yield machine.terminal(machine.Terminal.of_this_process(), say)


def _pad(label: str) -> str:
    """The label in a column; a Chinese character takes two places."""
    width = sum(2 if ord(c) > 0x2E80 else 1 for c in label)
    return label + " " * (LABEL_WIDTH - width)

"""What will be started for a command, as values.

`of_script` is for a line that runs without a question: each part as an argv of its own, under a
strict environment. `of_text` is for what a person approved: the text as it is, in a shell.
"""

from __future__ import annotations

import os

from clinkai.core.value import Value
from clinkai.harness.shell import answers, environment, git_run, hardening, powershell, programs
from clinkai.harness.shell.script import Part, Script

PRELUDE = (
    "$ProgressPreference='SilentlyContinue';"
    "try{[Console]::OutputEncoding=[Text.UTF8Encoding]::new($false)}catch{};"
)
"""Makes PowerShell write UTF-8 and no progress bars, whatever the console is set to."""


class Stage(Value):
    """One process. argv: as it gets it; path: the program, None where it was not found; answer:
    output and exit code of a command we answer ourselves. The flags are those of Part."""

    argv: tuple[str, ...]
    path: str | None
    env: dict
    cwd: str
    answer: tuple[bytes, int] | None = None
    merge: bool = False
    null_out: bool = False
    null_err: bool = False


class Step(Value):
    """A pipeline, and the operator in front of it: `;`, `&&` or `||`."""

    join: str
    stages: tuple[Stage, ...]


def of_script(script: Script, root: str) -> tuple[Step, ...]:
    """The steps of a listed script in the workspace `root`. Raises ValueError for any other."""
    if not script.listed:
        raise ValueError("only what is listed runs without a shell")
    env = environment.strict(root)
    steps = []
    for join, parts, text in _pipelines(script):
        if script.dialect == "powershell" and not powershell.is_native(parts[0]):
            stages = (_powershell(text, env, root),)
        else:
            stages = tuple(_stage(part, env, root) for part in parts)
        steps.append(Step(join, stages))
    return tuple(steps)


def of_text(text: str, dialect: str, root: str) -> tuple[Step, ...]:
    """The one step that runs an approved text in a shell, with the user's own environment."""
    env = environment.approved()
    if dialect == "powershell":
        return (Step(";", (_powershell(text, env, root),)),)
    shell = environment.find("bash", root) or environment.find("sh", root) or "/bin/sh"
    if text.startswith(("-", "+")):
        text = " " + text  # or the shell would take it for an option
    name = os.path.basename(shell)
    return (Step(";", (Stage((name, "-c", text), shell, env, root),)),)


def shell_name(dialect: str, root: str) -> str:
    """The shell an approved command runs in, as people know it."""
    return of_text("", dialect, root)[0].stages[0].argv[0]


def _pipelines(script: Script) -> list[tuple[str, list[Part], str]]:
    """Operator, parts and (for PowerShell) rebuilt line of each pipeline."""
    lines = powershell.command_lines(script.text) if script.dialect == "powershell" else []
    found: list[tuple[str, list[Part], str]] = []
    for i, part in enumerate(script.parts):
        join = script.joins[i - 1] if i else ";"
        if join == "|":
            found[-1][1].append(part)
        else:
            found.append((join, [part], lines[len(found)] if lines else ""))
    return found


def _stage(part: Part, env: dict, root: str) -> Stage:
    program = part.argv[0]
    flags = {"merge": part.merge, "null_out": part.null_out, "null_err": part.null_err}
    if program == "git":
        env = {**env, **git_run.VARIABLES}
    answer = answers.answer(part.argv, root)
    argv = part.argv if answer else hardening.harden(part.argv, root)
    cwd = os.path.abspath(os.sep) if programs.is_away(program) else root
    path = None if answer else environment.find(program, root)
    return Stage(argv, path, env, cwd, answer, **flags)


def _powershell(text: str, env: dict, root: str) -> Stage:
    path = environment.find("pwsh", root) or environment.find("powershell", root)
    name = os.path.splitext(os.path.basename(path or "powershell"))[0]
    argv = (name, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", PRELUDE + text)
    return Stage(argv, path, env, root)

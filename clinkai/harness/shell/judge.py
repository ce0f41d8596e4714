"""Judge a command line: what it is made of, and which parts run without a question.

The verdict depends on the text, on where its paths lead, and for git on the settings of the
repository; never on which programs are installed. Nothing the command names is started.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from clinkai.core.value import replace
from clinkai.harness.shell import danger, posix, powershell, programs
from clinkai.harness.shell.fence import Fence
from clinkai.harness.shell.script import Command, Line, Part, Refused, Script, Word

if TYPE_CHECKING:
    from clinkai.harness.workspace import Workspace

DIALECTS = ("posix", "powershell")

LONGEST = 100_000
"""Characters of a command line that are looked at; longer ones are asked as a whole."""

READERS: dict[str, tuple[Callable, Callable]] = {
    "posix": (posix.parse, programs.check),
    "powershell": (powershell.parse, powershell.check),
}


def dialect_of_platform() -> str:
    """The dialect commands are written in on this machine."""
    return "powershell" if os.name == "nt" else "posix"


def judge(command: str, dialect: str, ws: Workspace, compound: str = "parts") -> Script:
    """What is known of `command`. dialect: posix or powershell; compound: parts (each part of a
    compound line counts) or refuse (a compound line is asked as a whole). Never raises."""
    parse, check = READERS[dialect]
    fence = Fence(ws, dialect)
    try:
        if len(command) > LONGEST:
            raise Refused("gate.shell.long", command[:20], limit=LONGEST)
        line = parse(command)
    except Refused as refused:
        risk = refused.risk if refused.risk == "high" else danger.of_text(command[:LONGEST])
        return Script(command, dialect, (), (), refused.key, refused.params, risk)
    parts = tuple(_part(one, check, fence) for one in line.commands)
    parts = _check_joins(line, parts, dialect)
    script = Script(command, dialect, parts, line.joins, "", None, _risk(parts, line))
    if compound == "refuse" and line.compound:
        return _as_a_whole(script, line.compound)
    return script


def _as_a_whole(script: Script, join: str) -> Script:
    """A compound line that is asked as one, whatever rules allow its parts. The reason is what is
    wrong with a part, where something is; else the operator."""
    key, params = script.trouble
    if not key:
        key, params = "gate.shell.compound", {"word": join}
    return replace(script, key=key, params=params)


def _part(command: Command, check: Callable, fence: Fence) -> Part:
    flags = (command.merge, command.null_out, command.null_err, command.words[0].raw)
    try:
        return Part(check(command.words, fence), True, "", None, "low", *flags)
    except Refused as refused:
        argv = tuple(word.text for word in command.words)
        risk = refused.risk if refused.risk == "high" else danger.of_command(argv, fence)
        return Part(argv, False, refused.key, refused.params, risk, *flags)


def _check_joins(line: Line, parts: tuple[Part, ...], dialect: str) -> tuple[Part, ...]:
    """In PowerShell objects flow through a pipe, and some commands take paths from them."""
    if dialect == "posix":
        return parts
    found = list(parts)
    for i, join in enumerate(line.joins):
        one, two = found[i], found[i + 1]
        if join == "|" and two.listed and not (one.listed and powershell.may_flow(one, two)):
            word: Word = line.commands[i + 1].words[0]
            found[i + 1] = replace(two, listed=False, key="gate.powershell.pipe",
                                   params={"word": word.raw})
    return tuple(found)


def _risk(parts: tuple[Part, ...], line: Line) -> str:
    """The highest risk of the parts and of how they are joined."""
    argvs = tuple(part.argv for part in parts)
    if any(part.risk == "high" for part in parts) or danger.of_line(argvs, line.joins) == "high":
        return "high"
    return "low"

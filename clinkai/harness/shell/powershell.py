"""Read and judge a line of PowerShell: literal words only, listed cmdlets only.

Covered: cmdlets of `cmdlets` by name or alias with parameters spelled in full, quoted and bare
literals, comma lists, wild cards in paths, `;`, pipes into cmdlets that only count, sort or show,
and a few native programs. Refused: everything that PowerShell evaluates, redirections, providers,
drives, network paths. PowerShell is not started to find out: its parser loads what the text names.

What runs is `command_lines`, rebuilt from the words that were judged.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinkai.harness.shell import globs, posix, programs
from clinkai.harness.shell.cmdlets import NATIVES, SINKS, TABLE, Cmdlet
from clinkai.harness.shell.kinds import SHAPES
from clinkai.harness.shell.script import Command, Line, Part, Refused, Word

if TYPE_CHECKING:
    from clinkai.harness.shell.fence import Fence

QUOTES = frozenset("‘’‚‛“”„–—―")
"""PowerShell takes these for quotes and dashes, within quotes too."""

EVALUATED = frozenset("`$(){}@&<>")
PARAMETER = re.compile(r"-[A-Za-z]+")
RANGES = re.compile(r"(?:[^,]|(?<=[0-9]),(?=[0-9+]))+")
"""Commas between numbers only: the one list a native program gets as one argument."""


def parse(text: str) -> Line:
    """The commands of `text`. Raises Refused with the first thing that is not understood."""
    posix.check_characters(text)
    for c in text:
        if c in QUOTES:
            raise Refused("gate.shell.char", _around(text, text.index(c)), code=f"U+{ord(c):04X}")
    return _Reader(text).line()


def check(words: tuple[Word, ...], fence: Fence) -> tuple[str, ...]:
    """The argv of a command that runs without a question, under its full name. Raises Refused."""
    name = words[0].text.casefold()
    cmdlet = TABLE.find(name)
    if words[0].raw != words[0].text or not cmdlet and name not in NATIVES:
        raise Refused("gate.program", words[0].raw)
    if cmdlet:
        _bind(cmdlet, words[1:], fence)
        return (cmdlet.name, *(word.text for word in words[1:]))
    for word in words:
        if "," in word.marks and not (word.raw == word.text and RANGES.fullmatch(word.text)):
            raise Refused("gate.powershell.list", word.raw)
    if name == "findstr":
        return _check_findstr(words, fence)
    return programs.check(words, fence)


def may_flow(one: Part, two: Part) -> bool:
    """True where what `one` gives may go into `two`, both listed: nothing takes a path from it."""
    kind = "" if is_native(one) else SINKS.get(two.argv[0])
    return kind == "any" or kind == "text" and one.argv[0] in ("Get-Content", "Write-Output")


def is_native(part: Part) -> bool:
    """True for a program of its own, which runs without PowerShell."""
    return part.argv[0].casefold() in NATIVES


def command_lines(text: str) -> list[str]:
    """For each pipeline of a listed `text`, the line PowerShell gets in its place: full names,
    parameters bare, every value in single quotes. Empty for a native program."""
    line = parse(text)
    built: list[str] = []
    for i, command in enumerate(line.commands):
        one = _rebuilt(command)
        if i and line.joins[i - 1] == "|":
            built[-1] += " | " + one
        else:
            built.append(one)
    return built


def _rebuilt(command: Command) -> str:
    cmdlet = TABLE.find(command.words[0].text.casefold())
    if not cmdlet:
        return ""
    words = [cmdlet.name]
    for word in command.words[1:]:
        bare = PARAMETER.fullmatch(word.text)
        words.append(word.text if bare else ",".join(map(quoted, _items(word))))
    return " ".join(words)


def quoted(text: str) -> str:
    """`text` as a literal of PowerShell."""
    return "'" + text.replace("'", "''") + "'"


def _bind(cmdlet: Cmdlet, words: tuple[Word, ...], fence: Fence) -> None:
    """Give every word to a parameter, as PowerShell does, and check it. Raises Refused."""
    named: set[str] = set()
    loose: list[Word] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.text.startswith("-"):
            loose.append(word)
            continue
        name = word.text[1:].casefold()
        if word.raw != word.text or not PARAMETER.fullmatch(word.text) \
                or name not in cmdlet.parameters:
            raise Refused("gate.option", word.raw, program=cmdlet.name)
        named.add(name)
        kind = cmdlet.parameters[name]
        if kind:
            if not rest or rest[0].text.startswith("-"):
                raise Refused("gate.option.value", word.raw, program=cmdlet.name)
            _check_value(kind, rest.pop(0), fence)
    places = [name for name in cmdlet.positions if name.rstrip("*").casefold() not in named]
    for word in loose:
        if not places:
            raise Refused("gate.operands.many", word.raw, program=cmdlet.name)
        name = places[0] if places[0].endswith("*") else places.pop(0)
        _check_value(cmdlet.parameters[name.rstrip("*").casefold()], word, fence)


def _check_value(kind: str, word: Word, fence: Fence) -> None:
    for item in _items(word):
        if item.startswith("-"):
            raise Refused("gate.value", word.raw)
        if kind in ("WILD", "PATH"):
            if "`" in item:  # still an escape here, though quoted
                raise Refused("gate.powershell.syntax", word.raw)
            if kind == "WILD" and any(c in item for c in "*?[]"):
                globs.check_wild(item, word, fence)
            else:
                fence.path(item, word)
        elif kind != "TEXT" and not re.fullmatch(SHAPES[kind], item, re.ASCII):
            raise Refused("gate.value", word.raw)


def _items(word: Word) -> list[str]:
    """The members of a comma list; the one text of any other word."""
    commas = [i for i, mark in enumerate(word.marks) if mark == ","]
    items = [word.text[i + 1:end] for i, end in zip([-1, *commas], [*commas, len(word.text)])]
    if commas and not all(items):
        raise Refused("gate.powershell.list", word.raw)
    return items


def _check_findstr(words: tuple[Word, ...], fence: Fence) -> tuple[str, ...]:
    """`/s` is left out: it would read secret files below."""
    patterns = 0
    for word in words[1:]:
        if word.text.startswith(("/", "-")):
            if not re.fullmatch(r"/([bBeElLrRiIxXvVnNmMpP]+|[cC]:.+)", word.text):
                raise Refused("gate.option", word.raw, program="findstr")
            patterns += word.text[1] in "cC"
        elif not patterns:
            patterns = 1
        elif any(c in word.text for c in "*?"):
            globs.check_wild(word.text, word, fence)
        else:
            fence.path(word.text, word)
    return tuple(word.text for word in words)


def _around(text: str, i: int) -> str:
    start = text.rfind(" ", 0, i + 1) + 1
    end = text.find(" ", i + 1)
    return text[start:end if end >= 0 else len(text)].strip(" ") or text[i]


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.words: list[Word] = []
        self.commands: list[Command] = []
        self.joins: list[str] = []
        self.clear()

    def clear(self) -> None:
        self.chars: list[str] = []
        self.marks: list[str] = []
        self.start = -1
        self.closed = False

    def line(self) -> Line:
        while self.at < len(self.text):
            self.step(self.text[self.at])
        self.end_word()
        if self.words:
            self.commands.append(Command(tuple(self.words)))
        elif self.joins and self.joins[-1] == ";":
            self.joins.pop()
        else:
            raise Refused("gate.shell.operator", _around(self.text, len(self.text) - 1))
        compound = self.joins[0] if self.joins else ""
        if not compound and len(self.text.rstrip(" ")) and self.text.rstrip(" ")[-1] == ";":
            compound = ";"
        return Line(tuple(self.commands), tuple(self.joins), compound)

    def step(self, c: str) -> None:
        if c == " ":
            if self.marks[-1:] != [","]:  # a list goes on after it
                self.end_word()
            self.at += 1
        elif c in "|;":
            self.join(c)
        elif c in EVALUATED:
            raise Refused("gate.powershell.syntax", _around(self.text, self.at))
        elif self.closed and c != ",":
            raise Refused("gate.shell.quote", _around(self.text, self.at))
        elif c in posix.CHINESE:
            raise Refused("gate.shell.char", _around(self.text, self.at), code=f"U+{ord(c):04X}")
        elif c in "'\"":
            self.quote(c)
        else:
            self.plain(c)

    @property
    def begins(self) -> bool:
        """True where a word or a member of a list begins."""
        return self.start < 0 or self.marks[-1:] == [","] and not self.closed

    def plain(self, c: str) -> None:
        if self.begins and c in "#[~!" or c == ":" and self.text.startswith("::", self.at):
            raise Refused("gate.powershell.syntax", _around(self.text, self.at))
        if self.start < 0:
            self.start = self.at
        self.closed = False
        self.chars.append(c)
        self.marks.append("," if c == "," else ".")
        self.at += 1

    def quote(self, mark: str) -> None:
        """A quoted piece; a word, or member of a list, that begins with one ends with it."""
        begin, i, whole = self.at, self.at + 1, self.begins
        self.start = self.at if self.start < 0 else self.start
        while True:
            if i >= len(self.text):
                raise Refused("gate.shell.quote", _around(self.text, begin))
            c = self.text[i]
            if c == mark:
                if self.text[i + 1:i + 2] != mark:
                    break
                i += 1
            elif mark == '"' and c in "$`":
                raise Refused("gate.powershell.syntax", _around(self.text, i))
            self.chars.append(c)
            self.marks.append(".")
            i += 1
        self.closed = whole
        self.at = i + 1

    def end_word(self) -> None:
        if self.start >= 0:
            raw = self.text[self.start:self.at]
            if raw == "--%":
                raise Refused("gate.powershell.syntax", raw)
            self.words.append(Word("".join(self.chars), raw, "".join(self.marks)))
            self.clear()

    def join(self, c: str) -> None:
        self.end_word()
        if not self.words or self.text.startswith("||", self.at):
            raise Refused("gate.shell.operator", _around(self.text, self.at))
        self.commands.append(Command(tuple(self.words)))
        self.words = []
        self.joins.append(c)
        self.at += 1

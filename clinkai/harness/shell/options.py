"""Options and operands of a program, read as the program itself reads them.

A table line declares what is allowed; whatever is not declared is refused:

    head ; -qvz -n=NUMBER --lines=NUMBER --quiet --color?WHEN ; PATH* ; glob count

Options: `-qvz` letters without a value, `-n=KIND` with one, `-u?KIND` with one that is glued or
left out; the same for long ones; `@NAME` takes over the options of another line. Operands, in
order: `KIND` one, `?` none or one, `*` any number, `+` at least one; `KIND/e/regexp` is not there
when option `e` or `regexp` was given. Tags: see `programs`.

Covered: bundles, glued values, `--name=value`, options after operands, `--`. Shortened long options
are refused: programs disagree about them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinkai.core.value import Value
from clinkai.harness.shell import globs
from clinkai.harness.shell.kinds import check
from clinkai.harness.shell.script import Refused, Word

if TYPE_CHECKING:
    from clinkai.harness.shell.fence import Fence

OPTION = re.compile(r"(--?)([A-Za-z0-9.][A-Za-z0-9.-]*)(?:([=?])([A-Z]+))?")
OPERAND = re.compile(r"([A-Z]+)([?*+]?)((?:/[A-Za-z-]+)*)")


class Spec(Value):
    """One line of a table. short, long: option to None (no value), `=KIND` or `?KIND`.
    operands: (kind, count mark, options that stand in for it)."""

    name: str
    short: dict
    long: dict
    operands: tuple
    tags: frozenset


class Given(Value):
    """What a command line gave. options: (name, value or None) in order."""

    options: tuple
    operands: tuple[Word, ...]

    def has(self, *names: str) -> bool:
        """True where one of these options was given."""
        return any(name in names for name, _ in self.options)


class Table:
    """The lines of a declaration, each read when it is first asked for."""

    def __init__(self, text: str, family: str = "") -> None:
        """family: what stands before the names where they are shown, like `git `."""
        self._text = text
        self._family = family
        self._lines: dict[str, list[str]] = {}
        self._specs: dict[str, Spec] = {}

    def find(self, name: str) -> Spec | None:
        """The line of program `name`, or None."""
        if name not in self._specs:
            if not self._lines:
                self._split()
            if name not in self._lines:
                return None
            self._specs[name] = self._spec(name, *self._lines[name])
        return self._specs[name]

    def names(self) -> tuple[str, ...]:
        """Every name declared."""
        if not self._lines:
            self._split()
        return tuple(self._lines)

    def _split(self) -> None:
        for line in re.sub(r"\n +", " ", self._text).strip().split("\n"):
            names, *rest = re.split(r" *; *", line)
            for name in names.split(", "):
                self._lines[name] = (rest + ["", "", ""])[:3]

    def _spec(self, name: str, options: str, operands: str, tags: str) -> Spec:
        short: dict = {}
        long: dict = {}
        for token in options.split():
            if token.startswith("@"):
                other = self.find(token)
                short.update(other.short)
                long.update(other.long)
                continue
            dashes, word, mark, kind = OPTION.fullmatch(token).groups()
            value = mark + kind if mark else None
            if dashes == "--":
                long[word] = value
            else:
                short.update(dict.fromkeys(word, value))
        wanted = tuple(
            (kind, count, tuple(instead.split("/")[1:]))
            for kind, count, instead in (OPERAND.fullmatch(t).groups() for t in operands.split())
        )
        return Spec(self._family + name, short, long, wanted, frozenset(tags.split()))


def read(spec: Spec, words: tuple[Word, ...], fence: Fence) -> Given:
    """What `words` (without the program) give, every value and operand checked.
    Raises Refused."""
    given, values, _ = scan(spec, words)
    for kind, value, word in values:
        check(kind, value, word, fence)
    _check_operands(spec, given, fence)
    return given


def scan(spec: Spec, words: tuple[Word, ...]) -> tuple[Given, list[tuple], int]:
    """What `words` give, the values to check (kind, value, word), and where the options end: the
    position of `--`, else the number of words. Raises Refused for an option not declared."""
    options: list = []
    operands: list[Word] = []
    values: list[tuple] = []
    rest = list(words)
    end = len(words)
    while rest:
        word = rest.pop(0)
        text = word.text
        if text == "--":
            end = len(words) - len(rest) - 1
            operands += rest
            break
        if text.startswith("--"):
            options.append(_long(spec, word, rest, values))
        elif "count" in spec.tags and re.fullmatch(r"-\d{1,9}", text):
            options.append(("count", text[1:]))
        elif text.startswith("-") and text != "-":
            options += _short(spec, word, rest, values)
        else:
            operands.append(word)
    return Given(tuple(options), tuple(operands)), values, end


def expand(spec: Spec, words: tuple[Word, ...], fence: Fence) -> tuple[Word, ...]:
    """`words` with file names in the place of wild cards, where the program may have them."""
    if not any(word.globbed for word in words):
        return words
    found: list[Word] = []
    for word in words:
        if not word.globbed:
            found.append(word)
        elif "glob" in spec.tags:
            found += globs.expand(word, fence)
        else:
            raise Refused("gate.shell.glob", word.raw)
    return tuple(found)


def _long(spec: Spec, word: Word, rest: list[Word], values: list[tuple]) -> tuple:
    name, glued, value = word.text[2:].partition("=")
    if name not in spec.long:
        raise Refused("gate.option", word.raw, program=spec.name)
    kind = spec.long[name]
    if kind is None:
        if glued:
            raise Refused("gate.option", word.raw, program=spec.name)
        return name, None
    if not glued:
        if kind[0] == "?":
            return name, None
        word, value = _next(spec, word, rest)
    values.append((kind[1:], value, word))
    return name, value


def _short(spec: Spec, word: Word, rest: list[Word], values: list[tuple]) -> list[tuple]:
    found: list[tuple] = []
    letters = word.text[1:]
    for i, letter in enumerate(letters):
        if letter not in spec.short:
            raise Refused("gate.option", word.raw, program=spec.name)
        kind = spec.short[letter]
        if kind is None:
            found.append((letter, None))
            continue
        value = letters[i + 1:]
        if not value and kind[0] == "=":
            word, value = _next(spec, word, rest)
        elif value and "apart" in spec.tags:
            raise Refused("gate.option", word.raw, program=spec.name)
        if value:
            values.append((kind[1:], value, word))
        found.append((letter, value))
        break
    return found


def _next(spec: Spec, word: Word, rest: list[Word]) -> tuple[Word, str]:
    if not rest:
        raise Refused("gate.option.value", word.raw, program=spec.name)
    return rest[0], rest.pop(0).text


def _check_operands(spec: Spec, given: Given, fence: Fence) -> None:
    wanted = [(kind, count) for kind, count, instead in spec.operands if not given.has(*instead)]
    rest = list(given.operands)
    for i, (kind, count) in enumerate(wanted):
        after = sum(1 for _, mark in wanted[i + 1:] if mark in ("", "+"))
        most = len(rest) - after if count in ("*", "+") else min(1, len(rest) - after)
        if most < (1 if count in ("", "+") else 0):
            raise Refused("gate.operands.few", spec.name.split(" ")[-1], program=spec.name)
        for word in rest[:most]:
            check(kind, word.text, word, fence)
        del rest[:max(0, most)]
    if rest:
        raise Refused("gate.operands.many", rest[0].raw, program=spec.name)

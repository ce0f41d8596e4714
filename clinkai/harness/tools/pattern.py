"""What a regular expression may cost, and which texts every match contains.

Python's `re` backtracks and cannot be interrupted, so an expression is run in this process only
where a bound is known: at most `factor * n ** (degree + 1)` steps for a line of n characters. A
repeat is free of guessing where what follows it cannot begin with what it repeats (`\\w+\\(`);
then backing off fails at once and costs no more than the way there. Every other repeat multiplies
the bound by n, every open choice by its branches, and what does so inside a repeat has no bound.

The texts (`literals`: one of them is in every match) let most files pass without being decoded.

Covered: characters, sets, groups, alternatives, repeats, `^ $ \\b \\B`. Everything else (look-around,
back references, atomic groups, inline flags) is not worked out: `Shape.known` is false, and the
search goes to a process that can be killed.
"""

from __future__ import annotations

import re
from math import prod

from clinkai.core.value import Value
from clinkai.harness.tools.charset import ALL, LINE_END, escaped, of_char, of_set

SMALL = 8
"""Repeats up to so many times count as a choice, more as unbounded."""

DEGREE, FACTOR = 4, 64
"""Beyond these a bound is of no use."""

_COUNTS = re.compile(r"\{(\d*)(?:(,)(\d*))?\}", re.ASCII)


class Shape(Value):
    """known: the bound holds. spans: a repeat may run over a line end. whole: the expression is
    nothing but its one literal. leads: it begins with plain characters, which `re` looks for
    much faster than we can."""

    known: bool = False
    degree: int = 0
    factor: int = 1
    literals: tuple = ()
    spans: bool = False
    whole: bool = False
    leads: bool = False


def shape(pattern: str) -> Shape:
    """Work out `pattern`, which `re` has accepted."""
    try:
        reader = _Reader(pattern)
        node = reader.alternatives(inner=False)
        if reader.at < len(pattern):
            raise _Unknown
    except (_Unknown, RecursionError):
        return Shape()
    leads = pattern[:2].isalnum() and pattern[2:3] not in ("*", "+", "?", "{")
    return Shape(True, node.guessed + node.runs, node.factor, _literals(node), node.spans,
                 bool(node.text), leads)


def led(pattern: str) -> str:
    """An expression that means the same and, where `pattern` begins with a repeated set, is found
    in half the time: `re` skips to a first character that fits only where it stands alone."""
    if pattern[:1] == "[":
        end = of_set(pattern, 1)[1]
    elif pattern[:1] == "\\" and escaped(pattern[1:2]):
        end = 2
    else:
        return pattern
    one, rest = pattern[:end], pattern[end:]
    if rest[:1] == "+":
        return f"{one}{one}*{rest[1:]}"
    counts = _COUNTS.match(rest)
    if not counts or int(counts[1] or 0) < 2:
        return pattern
    high = f",{int(counts[3]) - 1}" if counts[3] else counts[2] or ""
    return f"{one}{one}{{{int(counts[1]) - 1}{high}}}{rest[counts.end():]}"


class _Unknown(Exception):
    """The expression has something this module does not work out."""


class _Node(Value):
    """A part of an expression.

    guessed: repeats whose end has to be guessed; runs: 1 where there is one that has not.
    factor: open choices. first: the characters it may begin with; empty: it may match nothing.
    text: the characters it is, where it is only that. times: of a repeat, (low, high) with None
    for no limit. newline: it may hold a line end; spans: it may repeat one.
    """

    guessed: int = 0
    runs: int = 0
    factor: int = 1
    first: int = 0
    empty: bool = False
    text: str | None = None
    literals: tuple = ()
    times: tuple | None = None
    newline: bool = False
    spans: bool = False


_NOTHING = _Node(empty=True)
"""`^`, `$`, `\\b` and their like."""


def _literals(node: _Node) -> tuple[str, ...]:
    return (node.text,) if node.text else node.literals


class _Reader:
    """Recursive descent over the expression; `at` is the next character."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def peek(self, count: int = 1) -> str:
        return self.pattern[self.at:self.at + count]

    def take(self) -> str:
        char = self.peek()
        if not char:
            raise _Unknown
        self.at += 1
        return char

    def alternatives(self, inner: bool) -> _Node:
        """Branches up to the end, or to the parenthesis that closes; `inner`: inside a group."""
        branches = [self.sequence(inner)]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.sequence(inner))
        return branches[0] if len(branches) == 1 else _either(branches)

    def sequence(self, inner: bool) -> _Node:
        parts = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.repeated())
        return _after_each_other(parts, inner)

    def repeated(self) -> _Node:
        node = self.atom()
        times = self.quantifier()
        if times is None:
            return node
        if self.peek() == "?":
            self.at += 1
        if self.peek() in ("+", "*", "{"):
            raise _Unknown  # possessive, or not what it looks like
        low, high = times
        if high != 1 and (node.guessed or node.factor > 1 or node.empty):
            raise _Unknown
        return _Node(
            node.guessed, node.runs, node.factor, node.first, not low or node.empty,
            literals=_literals(node) if low else (), times=times, newline=node.newline,
            spans=node.spans or node.newline and high != 1,
        )

    def quantifier(self) -> tuple[int, int | None] | None:
        char = self.peek()
        if char and char in "*+?":
            self.at += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
        counts = _COUNTS.match(self.pattern, self.at)
        if not counts or counts[0] == "{}":
            return None
        self.at = counts.end()
        low = int(counts[1] or 0)
        if counts[2] is None:
            return low, low
        return low, int(counts[3]) if counts[3] else None

    def atom(self) -> _Node:
        char = self.take()
        if char == "(":
            return self.group()
        if char == "[":
            chars, self.at = of_set(self.pattern, self.at)
            return _one(chars)
        if char == "\\":
            return self.escape()
        if char in "*+?":
            raise _Unknown
        if char in "^$":
            return _NOTHING
        if char == ".":
            return _one(ALL & ~LINE_END)
        return _Node(first=of_char(char), text=char, newline=char == "\n")

    def group(self) -> _Node:
        if self.peek() == "?":
            if self.peek(2) == "?:":
                self.at += 2
            elif self.peek(3) == "?P<":
                self.at = self.pattern.find(">", self.at) + 1
            else:
                raise _Unknown
        node = self.alternatives(inner=True)
        if self.take() != ")":
            raise _Unknown
        return node

    def escape(self) -> _Node:
        char = self.take()
        if char in "bB":
            return _NOTHING
        chars = escaped(char)
        if chars:
            return _one(chars)
        if char.isalnum() or char == "\n":
            raise _Unknown
        return _Node(first=of_char(char), text=char)


def _one(chars: int) -> _Node:
    if not chars:
        raise _Unknown
    return _Node(first=chars, newline=bool(chars & LINE_END))


def _either(branches: list[_Node]) -> _Node:
    """Alternatives: only where two can begin alike is there something to guess."""
    seen = 0
    open_choice = False
    for branch in branches:
        open_choice = open_choice or branch.empty or bool(seen & branch.first)
        seen |= branch.first
    every = [_literals(branch) for branch in branches]
    factors = [branch.factor for branch in branches]
    return _within(_Node(
        max(branch.guessed for branch in branches), max(branch.runs for branch in branches),
        sum(factors) if open_choice else max(factors), seen,
        any(branch.empty for branch in branches),
        literals=tuple(text for texts in every for text in texts) if all(every) else (),
        newline=any(branch.newline for branch in branches),
        spans=any(branch.spans for branch in branches),
    ))


def _after_each_other(parts: list[_Node], inner: bool) -> _Node:
    """A sequence. Seen from its end: what may follow a part says whether that is a guess."""
    follows = ALL if inner else 0  # what comes after a group is not known here
    done: list[_Node] = []
    for part in reversed(parts):
        done.append(_settled(part, bool(part.first & follows)))
        follows = part.first | (follows if part.empty else 0)
    runs: list[tuple[str, ...]] = [("",)]
    for part in parts:
        if part.text is not None:
            runs[-1] = (runs[-1][0] + part.text,)
        else:
            runs += [part.literals, ("",)]
    best = max(runs, key=_worth)
    plain = len(runs) == 1
    return _within(_Node(
        sum(part.guessed for part in done), max((part.runs for part in done), default=0),
        prod(part.factor for part in done), _first(parts), all(part.empty for part in parts),
        text=best[0] if plain else None, literals=best if all(best) and not plain else (),
        newline=any(part.newline for part in parts), spans=any(part.spans for part in parts),
    ))


def _first(parts: list[_Node]) -> int:
    first = 0
    for part in parts:
        first |= part.first
        if not part.empty:
            break
    return first


def _settled(part: _Node, guess: bool) -> _Node:
    """The cost of a part, once it is known whether what follows can begin like it."""
    if part.times is None:
        return part
    low, high = part.times
    if high is None or high > SMALL:
        return _Node(guessed=part.guessed + guess, runs=1 if not guess else part.runs,
                     factor=part.factor)
    choices = high - low + 1 if guess or high > 1 else 1
    return _Node(guessed=part.guessed, runs=part.runs, factor=part.factor * choices)


def _within(node: _Node) -> _Node:
    if node.guessed + node.runs > DEGREE or node.factor > FACTOR:
        raise _Unknown
    return node


def _worth(literals: tuple[str, ...]) -> tuple[int, int]:
    """Texts are the better the longer the shortest is, and the fewer there are."""
    return (min(map(len, literals), default=0), -len(literals))

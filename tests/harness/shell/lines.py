"""Command lines made from the tables of the gate, and those the gate must not let pass.

All that the tables allow, with values and operands that hold and that do not; options the programs
have and the tables leave out; names that look like options; quotes, pipes, redirections. What runs
something if it runs at all runs `sing`; nothing here reaches further than a folder of the test.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Iterator

from clinkai.harness.shell import git, languages, programs
from clinkai.harness.shell.options import Spec
from tests.harness.shell import lines_foreign
from tests.harness.shell.lines_values import INSIDE, ODD, OUTSIDE, GLOBS, VALUES, WORDS

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%^")


class Raw(str):
    """Text for the shell as it stands: a pattern, not a word."""


def specs() -> list[tuple[tuple[str, ...], Spec]]:
    """Every program and every sub-command of git: (first words, line of the table)."""
    found = [((name,), programs.TABLE.find(name)) for name in programs.TABLE.names()]
    found += [(("git", *name.split()), git.TABLE.find(name)) for name in git.TABLE.names()
              if not name.startswith("@")]
    return found


def sweep(chance: random.Random) -> Iterator[str]:
    """Every option of every line of the tables at least once, with what it needs beside it."""
    for first, spec in specs():
        yield _join([*first, *_operands(spec, (), chance, good=True)])
        for name, kind in (*spec.short.items(), *spec.long.items()):
            for given in _option(name, kind, chance):
                yield _join([*first, *given, *_needed(spec, name),
                             *_operands(spec, (name,), chance, good=True)])
    for test in sorted(languages.FIND_PLAIN | languages.FIND_TEXT | languages.FIND_PATH):
        yield _join(["find", ".", *_test(test, chance)])


def mixed(chance: random.Random, count: int) -> Iterator[str]:
    """Lines of several options and operands, good and bad, quoted and joined in every way."""
    every = specs()
    foreign = lines_foreign.OPTIONS
    for _ in range(count):
        line = _command(chance, every, foreign)
        while chance.random() < 0.2:
            line += chance.choice((" | ", " && ", "; ", " || ", "|", ";", "&&"))
            line += _command(chance, every, foreign)
        yield line


def tricks(top: str, port: int) -> Iterator[str]:
    """What is known to get programs to run others, to write, to connect; and each foreign option."""
    for line in lines_foreign.TRICKS:
        yield line.replace("{top}", top).replace("{port}", str(port))
    for name, options in lines_foreign.OPTIONS.items():
        for option in options:
            for operand in ("README.md", "HEAD", "x data.txt"):
                yield f"{name} {option} {operand}"


def _command(chance: random.Random, every: list, foreign: dict) -> str:
    first, spec = chance.choice(every)
    if "expression" in spec.tags:
        words = _find(chance)
    else:
        words, names = [], []
        options = [*spec.short.items(), *spec.long.items()]
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            if options and chance.random() < 0.93:
                name, kind = chance.choice(options)
                words += chance.choice(_option(name, kind, chance, good=chance.random() < 0.8))
                names.append(name)
            else:
                words += [Raw(chance.choice(foreign.get(" ".join(first), foreign["any"])))]
        if chance.random() < 0.15 and len(words) > 1 and _bundles(words[:2]):
            words[:2] = [words[0] + words[1][1:]]
        words += _needed(spec, "") if chance.random() < 0.9 else []
        words += ["--"] if chance.random() < 0.08 else []
        words += _operands(spec, names, chance, good=chance.random() < 0.6)
        if chance.random() < 0.1:
            chance.shuffle(words)
    text = " ".join([*first, *(_quoted(word, chance) for word in words)])
    if chance.random() < 0.15:
        text += chance.choice((" 2>&1", " >/dev/null", " 2>/dev/null", " &>/dev/null", " > x", " 2>x"))
    return text


def _bundles(words: list[str]) -> bool:
    return all(len(word) == 2 and word[0] == "-" and word[1].isalpha() for word in words)


def _option(name: str, kind: str | None, chance: random.Random, good: bool = True) -> list[list[str]]:
    """The ways to spell an option."""
    dashed = ("-" if len(name) == 1 else "--") + name
    if kind is None:
        return [[dashed]]
    value = _value(kind[1:], chance, good, name)
    glued = dashed + ("=" if len(name) > 1 else "") + value
    if kind[0] == "?":
        return [[dashed], [glued]]
    return [[glued], [dashed, value]]


def _needed(spec: Spec, name: str) -> list[str]:
    """What a line must have for other options to count."""
    if "silent" in spec.tags and name != "n":
        return ["-n"]
    if "asked" in spec.tags and name not in ("v", "V"):
        return ["-v"]
    return ["-l"] if spec.name == "git tag" and name != "l" else []


def _operands(spec: Spec, names: tuple | list, chance: random.Random, good: bool) -> list[str]:
    found = []
    for kind, mark, instead in spec.operands:
        if any(name in instead for name in names):
            continue
        least, most = {"": (1, 1), "?": (0, 1), "*": (0, 2), "+": (1, 2)}[mark]
        number = chance.randint(least, most) if mark == "?" or not good else most
        if mark == "*" and good and names and chance.random() < 0.7:
            number = 1
        found += [_value(kind, chance, good, "") for _ in range(number)]
    if not good and chance.random() < 0.1:
        found.append(chance.choice(OUTSIDE))
    return found


def _value(kind: str, chance: random.Random, good: bool, name: str) -> str:
    if kind in ("PATH", "FILE", "OBJECT"):
        pick = chance.random()
        if good or pick < 0.4:
            return chance.choice(INSIDE)
        return chance.choice(OUTSIDE if pick < 0.6 else ODD if pick < 0.75 else tuple(map(Raw, GLOBS)))
    fine, bad = VALUES[kind]
    return chance.choice(WORDS.get(name, fine) if good else bad)


def _test(test: str, chance: random.Random) -> list[str]:
    if test in languages.FIND_PLAIN:
        return {"!": ["!", "-empty"], "(": ["(", "-empty", ")"], ")": ["(", "-print", ")"],
                "-not": ["-not", "-empty"]}.get(test) or (
            ["-print", test, "-ls"] if test in ("-o", "-or", "-a", "-and", ",") else [test])
    if test in languages.FIND_PATH:
        return [test, chance.choice(INSIDE)]
    return [test, chance.choice(lines_foreign.FIND_VALUES.get(test, ("a", "1", "*.md")))]


def _find(chance: random.Random) -> list[str]:
    start = INSIDE if chance.random() < 0.7 else OUTSIDE + ODD
    words: list[str] = [chance.choice(start)] if chance.random() < 0.8 else []
    tests = sorted(languages.FIND_PLAIN | languages.FIND_TEXT | languages.FIND_PATH)
    for _ in range(chance.randint(0, 4)):
        if chance.random() < 0.9:
            words += _test(chance.choice(tests), chance)
        else:
            words += shlex.split(chance.choice(lines_foreign.OPTIONS["find"]))
    return words


def _quoted(word: str, chance: random.Random) -> str:
    """One of the ways to write a word."""
    if isinstance(word, Raw):
        return word
    way = chance.random()
    if word and set(word) <= PLAIN and way < 0.8:
        return word
    if way < 0.9:
        return shlex.quote(word)
    if way < 0.94:
        return '"' + "".join("\\" + c if c in '$`"\\' else c for c in word) + '"'
    if way < 0.97 and word:
        return "".join(c if c in PLAIN or ord(c) > 126 else "\\" + c for c in word)
    half = len(word) // 2
    return shlex.quote(word[:half]) + shlex.quote(word[half:])


def _join(words: list[str]) -> str:
    return " ".join(word if isinstance(word, Raw) else shlex.quote(word) for word in words)

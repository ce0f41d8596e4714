"""Wild cards, matched by us: what runs is the list of names that was fenced, not the pattern.

Covered: `*`, `?` and plain `[...]`, as bash matches them with its default options (names with a
leading dot only when asked for, no match leaves the word as it is), in code point order.
Refused: patterns that could match `..`, that go up, classes and quotes within brackets, more names
than any reader could want.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from clinkai.harness.shell.script import Refused, Word

if TYPE_CHECKING:
    from clinkai.harness.shell.fence import Fence

MOST = 2000
"""Names one word may match, a tenth of what a Linux command line holds."""

BRACKET = re.compile(r"\[(\^?)((?:[A-Za-z0-9](?:-[A-Za-z0-9])?|[_.,])+)\]")

WILD = re.compile(r"[*?\[\]]")
SET = re.compile(r"\[[A-Za-z0-9](?:-?[A-Za-z0-9])*\]")
"""What every shell of Windows takes for the same set of characters: to PowerShell `!` and `^` in
one mean themselves."""


def expand(word: Word, fence: Fence) -> list[Word]:
    """The words a shell would put in the place of `word`, each inside the workspace.
    Raises Refused."""
    found = [""]
    for text, marks, slash in _pieces(word):
        if "*" in marks or text == "..":
            pattern = _pattern(text, marks, word)
            found = [base + name for base in found for name in _names(base, pattern, word, fence)]
        else:
            found = [base + text for base in found]
        if slash:
            found = [base + slash for base in found if base == "" or _is_folder(base, fence)]
        if len(found) > MOST:
            raise Refused("gate.shell.many", word.raw, limit=MOST)
    found = sorted(path for path in found if os.path.lexists(fence.real(path)))
    for path in found:
        fence.path(path, word)
    return [Word(path, word.raw) for path in found] or [Word(word.text, word.raw)]


def check_wild(text: str, word: Word, fence: Fence) -> None:
    """For a shell that matches names itself: refuse `text` unless its folder and every name it
    could match are inside, letters of either case and leading dots included."""
    text = text.replace("\\", "/")
    fence.path(WILD.sub("x", text), word)  # drives, providers, roots
    folder, _, pattern = text.rpartition("/")
    if any(c in folder for c in "*?[]") or pattern.startswith(".") and set(pattern) <= set(".*?"):
        raise Refused("gate.shell.glob", word.raw)
    if "~" in pattern or any(c in "[]" for c in SET.sub("", pattern)):
        raise Refused("gate.shell.glob", word.raw)
    fence.path(folder or ".", word)
    from fnmatch import fnmatchcase

    try:
        names = os.listdir(fence.real(folder))
    except OSError:
        names = []
    for name in names:
        if fnmatchcase(name.casefold(), pattern.casefold()):
            fence.path(f"{folder}/{name}" if folder else name, word)


def _pieces(word: Word) -> list[tuple[str, str, str]]:
    """Text and marks of each part of a path, with the slashes after it."""
    return [
        (found.group(1), word.marks[found.start(1):found.end(1)], found.group(2))
        for found in re.finditer(r"([^/]*)(/*)", word.text)
        if found.group()
    ]


def _pattern(text: str, marks: str, word: Word) -> re.Pattern:
    if text == ".." or text.startswith(".") and marks[1:2] == "*":
        raise Refused("gate.shell.glob", word.raw)
    parts = []
    i = 0
    while i < len(text):
        c = text[i]
        if marks[i] == "." and c != "]":
            parts.append(re.escape(c))
        elif c == "*":
            parts.append(".*")
        elif c == "?":
            parts.append(".")
        else:
            bracket = BRACKET.match(text, i)
            if c == "]" or not bracket or word.raw != word.text or i == 0 and "." in bracket.group():
                raise Refused("gate.shell.glob", word.raw)
            parts.append(bracket.group())
            i = bracket.end() - 1
        i += 1
    try:
        return re.compile(("" if text.startswith(".") else r"(?!\.)") + "".join(parts), re.DOTALL)
    except re.error:
        raise Refused("gate.shell.glob", word.raw) from None


def _names(base: str, pattern: re.Pattern, word: Word, fence: Fence) -> list[str]:
    fence.path(base or ".", word)
    try:
        names = os.listdir(fence.real(base))
    except OSError:
        return []
    return [name for name in names if pattern.fullmatch(name)]


def _is_folder(path: str, fence: Fence) -> bool:
    return os.path.isdir(fence.real(path))

"""Glob patterns as Git reads them, in time that does not explode.

A pattern is cut at its slashes: each segment becomes one regular expression for a single name,
`**` stands for any number of names. Within a segment every star but the last takes the first
place where the rest fits and never gives it back (an atomic group), which is exact for globs;
over segments only the last `**` is ever tried again. So a hostile pattern costs no more than
length of pattern times length of path.

Covered: `*`, `?`, `[...]` with ranges, negation and named classes, `\\`, `**`, and `{a,b}` for
patterns people and models type. Not covered: `**` inside a name (it is `*` there, as in Git).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

NAMED = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
    "space": " \\t\\n\\r\\f\\v", "blank": " \\t", "xdigit": "0-9a-fA-F", "cntrl": "\\x00-\\x1f\\x7f",
    "punct": "!-/:-@\\[-`{-~", "print": "\\x20-\\x7e", "graph": "\\x21-\\x7e",
}
"""The classes of `[[:name:]]`, as the inside of a Python set."""

MAGIC = re.compile(r"[*?\[{]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_EXPANSIONS = 64


class Glob:
    """A pattern for a whole path, given as its parts. `fold` compares without case."""

    def __init__(self, pattern: str, fold: bool = False) -> None:
        segments = pattern.replace("\\/", "/").split("/")
        self._segments: list[Callable[[str], object] | None] = []
        for text in segments:
            deep = len(text) > 1 and not text.strip("*")
            if not deep:
                self._segments.append(segment(text, fold))
            elif not self._segments or self._segments[-1] is not None:
                self._segments.append(None)

    def matches(self, parts: Sequence[str]) -> bool:
        """True where the pattern covers all of `parts`; a last `**` wants at least one."""
        pattern = self._segments
        at = here = 0
        deep = resume = -1
        while here < len(parts):
            if at < len(pattern) and pattern[at] is None:
                if at == len(pattern) - 1:
                    return True
                deep, resume = at, here
                at += 1
            elif at < len(pattern) and pattern[at](parts[here]):
                at, here = at + 1, here + 1
            elif deep >= 0:
                resume += 1
                at, here = deep + 1, resume
            else:
                return False
        return at == len(pattern)


def segment(text: str, fold: bool = False) -> Callable[[str], object]:
    """A test of one name against the pattern `text`; true where it covers the whole name."""
    source = segment_source(text)
    if source is None:
        return lambda name: False
    return re.compile(source, re.DOTALL | (re.IGNORECASE if fold else 0)).fullmatch


def segment_source(text: str) -> str | None:
    """The regular expression for one name, or None where the pattern is broken and matches
    nothing."""
    chunks = [""]
    at = 0
    while at < len(text):
        char = text[at]
        if char == "*":
            if chunks[-1] or len(chunks) == 1:
                chunks.append("")
            at += 1
        elif char == "?":
            chunks[-1] += "."
            at += 1
        elif char == "[":
            end, inside = _set(text, at + 1)
            if not inside:
                return None
            chunks[-1] += inside
            at = end
        else:
            at += char == "\\"
            if at == len(text):
                return None
            chunks[-1] += re.escape(text[at])
            at += 1
    if len(chunks) == 1:
        return chunks[0]
    middle = "".join(f"(?>.*?{chunk})" for chunk in chunks[1:-1])
    return f"{chunks[0]}{middle}.*{chunks[-1]}"


def _set(text: str, at: int) -> tuple[int, str]:
    """The set that opens before `at`: where it ends, and its source (empty: it never ends)."""
    negated = text[at:at + 1] in ("!", "^")
    at += negated
    inside = ""
    first = True
    while at < len(text) and (text[at] != "]" or first):
        first = False
        named = re.compile(r"\[:(\w*):\]").match(text, at)
        if named:
            if named[1] not in NAMED:
                return at, ""
            inside += NAMED[named[1]]
            at = named.end()
            continue
        low, at = _char(text, at)
        if text[at:at + 1] == "-" and text[at + 1:at + 2] not in ("", "]"):
            high, at = _char(text, at + 1)
            if low <= high:
                inside += f"{re.escape(low)}-{re.escape(high)}"
        else:
            inside += re.escape(low) if low not in "&|~[" else "\\" + low
    if at >= len(text):
        return at, ""
    if not inside:  # only empty ranges: nothing fits, or with a negation everything
        return at + 1, "." if negated else "(?!)"
    return at + 1, f"[{'^' if negated else ''}{inside}]"


def _char(text: str, at: int) -> tuple[str, int]:
    if text[at] == "\\" and at + 1 < len(text):
        at += 1
    return text[at], at + 1


def expand(pattern: str) -> list[str]:
    """The patterns that `{a,b}` stands for, at most 64."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        text = waiting.pop()
        braces = _BRACES.search(text)
        if braces is None or len(waiting) + len(done) >= _EXPANSIONS:
            done.append(text)
            continue
        for choice in reversed(braces[1].split(",")):
            waiting.append(text[:braces.start()] + choice + text[braces.end():])
    return done

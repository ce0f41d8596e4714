"""Sets of characters as numbers: one bit for each of ASCII, four for the rest.

Sets are never too small: letters stand for both cases (an expression may ignore case), and a set
that is not worked out is everything.
"""

from __future__ import annotations

DIGITS, SPACES, LETTERS, REST = (1 << bit for bit in range(128, 132))
"""Characters beyond ASCII, by what `\\d`, `\\s` and `\\w` say of them."""

OTHERS = DIGITS | SPACES | LETTERS | REST
ALL = (1 << 132) - 1
LINE_END = 1 << 10

CASED = "iskISK"
"""Letters that letters beyond ASCII match without case: dotless i, long s, the Kelvin sign."""


def _bits(test) -> int:
    return sum(1 << code for code in range(128) if test(chr(code)))


DIGIT = _bits(str.isdecimal) | DIGITS
SPACE = _bits(str.isspace) | SPACES
WORD = _bits(lambda char: char.isalnum() or char == "_") | DIGITS | LETTERS

ESCAPES = {
    "d": DIGIT, "s": SPACE, "w": WORD, "D": ALL & ~DIGIT, "S": ALL & ~SPACE, "W": ALL & ~WORD,
    "t": 1 << 9, "n": LINE_END, "r": 1 << 13, "f": 1 << 12, "v": 1 << 11,
}


def escaped(char: str) -> int:
    """The set that a backslash and `char` stand for; 0 where it is no such escape."""
    return ESCAPES.get(char, 0)


def of_char(char: str) -> int:
    """The set of one character, in both cases."""
    if char >= "\x80":
        return OTHERS | (WORD if char.isalpha() else 0)
    bits = LETTERS if char in CASED else 0
    return bits | 1 << ord(char.lower()) | 1 << ord(char.upper())


def of_set(pattern: str, at: int) -> tuple[int, int]:
    """The set that opens before `at` in an expression, and where it ends."""
    negated = pattern[at] == "^"
    at += negated
    bits = 0
    first = True
    while pattern[at] != "]" or first:
        first = False
        low, more, at = _member(pattern, at)
        bits |= more
        if pattern[at] == "-" and pattern[at + 1] != "]":
            high, more, at = _member(pattern, at + 1)
            bits |= _range(low, high) if low and high else ALL
    if negated:
        # a set is never too small: what a negation takes away must be certain
        bits = ALL if bits == ALL else ALL & ~_sure(bits) | OTHERS
    return bits, at + 1


def _member(pattern: str, at: int) -> tuple[str, int, int]:
    """The character at `at` ("" for a class), its set, and where the next one begins."""
    char = pattern[at]
    if char != "\\":
        return char, of_char(char), at + 1
    char = pattern[at + 1]
    if char in ESCAPES:
        return "", ESCAPES[char], at + 2
    if char.isalnum():
        return "", ALL, at + 2  # \\x41, \\u0041, \\N{...}: what follows only adds to it
    return char, of_char(char), at + 2


def _range(low: str, high: str) -> int:
    bits = OTHERS if high >= "\x80" else 0
    for code in range(ord(low), min(ord(high), 127) + 1):
        bits |= of_char(chr(code))
    return bits


def _sure(bits: int) -> int:
    """What is in a set whatever the case: a letter only where the other case is there too, which
    `of_char` added, may not have been given; so no letter at all."""
    return bits & ~_bits(str.isalpha)

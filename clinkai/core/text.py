"""Text as values: cutting in the middle, estimating tokens, sizes and times for people."""

from __future__ import annotations

import math
from functools import lru_cache

UPPER, LOWER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz"
DIGITS = b"0123456789"
BY_LOWER, BY_UPPER, BY_DIGIT, BY_SIGN, BY_LINE, BY_BYTE = 0.25, 0.4, 1.1, 0.5, 1.5, 0.28
"""Tokens of a character: least squares over tests/cases/tokens.jsonl, counted by llama-server with
five vocabularies, and rounded. Blanks belong to their words. BY_BYTE: of other characters in UTF-8;
a Chinese one comes to 0.84, more than in those of Qwen, Gemma and Llama 3 (0.66 to 0.81), so that
what does not fit is not sent."""


def cut_middle(text: str, limit: int, mark: str) -> str:
    """Return `text` in at most `limit` characters, head and tail kept around `mark`.

    `mark` may hold `{hidden}`, the number of characters left out. Cuts at line ends where one is
    near. Text within the limit comes back as it is; a mark longer than the limit is returned alone.
    """
    if len(text) <= limit:
        return text
    shown = max(0, limit - len(mark) - 12)
    head = shown * 2 // 3
    tail = shown - head
    start = text.rfind("\n", head // 2, head) + 1 or head
    end = text.find("\n", len(text) - tail, len(text) - tail // 2) + 1 or len(text) - tail
    return text[:start] + mark.replace("{hidden}", str(end - start)) + text[end:]


@lru_cache(maxsize=16)  # a round asks several times for what is new in it
def weigh(text: str) -> tuple[float, float]:
    """Estimated tokens of the ASCII in `text`, and of its other characters."""
    plain = text.encode("ascii", "ignore")
    size = len(plain)
    other = len(text.encode("utf-8", "replace")) - size if size < len(text) else 0
    lower, upper, digits = [size - len(plain.translate(None, kind))
                            for kind in (LOWER, UPPER, DIGITS)]
    lines = plain.count(b"\n")
    signs = size - lower - upper - digits - lines - plain.count(b" ")
    return (BY_LOWER * lower + BY_UPPER * upper + BY_DIGIT * digits + BY_SIGN * signs
            + BY_LINE * lines, BY_BYTE * other)


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` is: within a tenth for prose and code in the vocabularies of
    2025; twice too low for base64 and the like."""
    plain, other = weigh(text)
    return math.ceil(plain + other)


def size(count: int) -> str:
    """Bytes for people: `0 B`, `1.2 kB`, `3.4 MB`."""
    if count < 1000:
        return f"{count} B"
    value = float(count)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1000
        if value < 999.5 or unit == "TB":
            break
    return f"{value:.1f} {unit}"


def amount(count: int) -> str:
    """A number of tokens for people: `950`, `18.2k`."""
    return str(count) if count < 1000 else f"{count / 1000:.1f}k"


def duration(ms: float) -> str:
    """Milliseconds for people: `4 ms`, `2.1 s`, `3 min 20 s`."""
    if ms < 1000:
        return f"{ms:.0f} ms"
    if ms < 60_000:
        return f"{ms / 1000:.1f} s"
    minutes, seconds = divmod(round(ms / 1000), 60)
    return f"{minutes} min {seconds} s"


def first_line(text: str, limit: int = 80) -> str:
    """The first line that is not blank, shortened: the title of a session."""
    line = next((part for part in text.splitlines() if part.strip()), "").strip()
    return line if len(line) <= limit else line[: limit - 1] + "…"


def one_line(text: str, limit: int = 400) -> str:
    """The words of somebody else, fit to be shown: on one line, without control characters,
    shortened to `limit` characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: limit * 4]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def printable(text: str) -> str:
    """A name as it can be sent and shown: bytes that are no text, and line ends, escaped."""
    text = text.encode("utf-8", "backslashreplace").decode()
    return "".join(c if c >= " " and c != "\x7f" else f"\\x{ord(c):02x}" for c in text)

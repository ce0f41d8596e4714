"""Text as values: cutting in the middle, estimating tokens, sizes and times for people."""

from __future__ import annotations


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


def estimate_tokens(text: str) -> int:
    """A rough count of the tokens of `text`: 3 bytes of ASCII or 1 other character each.

    Source: the terminal agent this product grows from (one token per 3 ASCII bytes, one per other
    byte) with other characters counted once, since common tokenizers hold CJK in 0.6 to 1.3.
    """
    plain = len(text.encode("ascii", "ignore"))
    return (plain + 2) // 3 + len(text) - plain


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

"""The one filter between foreign text and a terminal.

Everything a model, a tool, a file or a server said passes here before it is shown: control
sequences are dropped, also unfinished ones and those cut by the borders of a stream; characters
that change direction or cannot be seen are shown as `<U+202E>`, but for the two that only choose
between the forms of a sign: those are dropped.
Not covered: the page, which builds its nodes from text only; letters that look like others.
"""

from __future__ import annotations

import re

from clinkai.core.visible import STRING_BODY, UNSEEN, clean, is_harmless

UNFINISHED = (
    rf"(?:\x1b(?:\[[0-?]*[ -/]*|[PX^_\]]{STRING_BODY}\x1b?|[ -/]*)"
    rf"|\x9b[0-?]*[ -/]*|[\x90\x98\x9d-\x9f]{STRING_BODY}\x1b?)\Z"
)
INEXACT = f"[{UNSEEN}\u2800]|[^\\x20-\\x7e\n]"
"""What is looked at in a text that must be shown exactly."""
LONGEST = 4096
"""Characters of an unfinished sequence that are waited for before they are dropped."""


def one_line(text: str, limit: int = 400) -> str:
    """The same on one line of at most `limit` characters."""
    words = " ".join(clean(text[: 4 * limit]).split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


def exact(text: str) -> str:
    """`text` with every character but newline that cannot be seen, or looks like a blank and is
    none, as an escape, nothing dropped: for what a person is asked to approve."""
    return re.sub(INEXACT, _escape, text)


def exact_line(text: str) -> str:
    """The same on one line, which nothing in it can end."""
    return exact(text).replace("\n", "\\x0a")


def _escape(match: re.Match) -> str:
    if match[0].isprintable() and not re.match(f"[{UNSEEN}\u2800]", match[0]):
        return match[0]
    number = ord(match[0])
    if number < 256:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


class Filter:
    """`clean` for a text that comes in pieces."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """What of the text so far can be shown now."""
        if not self._held and is_harmless(text):
            return text
        text = self._held + text
        open_end = re.search(UNFINISHED, text)
        self._held = open_end[0] if open_end and len(open_end[0]) <= LONGEST else ""
        return clean(text[: open_end.start()] if open_end else text)

    def close(self) -> None:
        """The text is over: an unfinished sequence is dropped."""
        self._held = ""

"""The one filter between foreign text and a terminal.

Everything a model, a tool, a file or a server said passes here before it is shown: control
sequences are dropped, also unfinished ones and those cut by the borders of a stream; characters
that change direction or cannot be seen are shown as `<U+202E>`, but for the two that only choose
between the forms of a sign: those are dropped.
Not covered: the page, which builds its nodes from text only; letters that look like others.
"""

from __future__ import annotations

import re

WHITE = {ord("\n"): None, ord("\t"): None}

STRING_BODY = r"[^\x07\x1b\x9c\n]*"
"""Of OSC, DCS and their kin; a line end stops it, so that an unfinished one hides no answer."""

SEQUENCE = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    rf"|(?:\x1b[PX^_\]]|[\x90\x98\x9d-\x9f]){STRING_BODY}(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\ufe0e\ufe0f]"
)
UNFINISHED = (
    rf"(?:\x1b(?:\[[0-?]*[ -/]*|[PX^_\]]{STRING_BODY}\x1b?|[ -/]*)"
    rf"|\x9b[0-?]*[ -/]*|[\x90\x98\x9d-\x9f]{STRING_BODY}\x1b?)\Z"
)
UNSEEN = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
)
"""Signs that nobody sees, though Python calls them printable: they can carry any message."""

HIDDEN = (
    f"[{UNSEEN}\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
INEXACT = f"[{UNSEEN}\u2800]|[^\\x20-\\x7e\n]"
"""What is looked at in a text that must be shown exactly."""
LONGEST = 4096
"""Characters of an unfinished sequence that are waited for before they are dropped."""


def is_harmless(text: str) -> bool:
    """True for characters that can be seen, newlines and tabs: nothing to filter."""
    if not (text.isprintable() or text.translate(WHITE).isprintable()):
        return False
    return text.isascii() or not re.search(f"[{UNSEEN}]", text)


def clean(text: str) -> str:
    """`text` with control sequences dropped and hidden characters shown."""
    if is_harmless(text):
        return text
    return re.sub(HIDDEN, _point, re.sub(SEQUENCE, "", text))


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


def _point(match: re.Match) -> str:
    return f"<U+{ord(match[0]):04X}>"


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

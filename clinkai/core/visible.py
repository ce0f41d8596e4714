"""Which characters of foreign text can be seen: control sequences, hidden and turning characters.

Everything that people are shown in a terminal or an exported file passes here. Not covered: text
that comes in pieces, and text shown exactly (`ui/clean.py`); letters that look like others.
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
UNSEEN = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
)
"""Signs that nobody sees, though Python calls them printable: they can carry any message."""

HIDDEN = (
    f"[{UNSEEN}\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


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


def _point(match: re.Match) -> str:
    return f"<U+{ord(match[0]):04X}>"

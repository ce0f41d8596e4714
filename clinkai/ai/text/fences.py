"""What is code in a text: how a fence, and code within a line, begin and end. Pure.

The one place of these rules; whoever reads a text that comes in pieces (`ai/text/cursor.py`,
`ai/text/holding.py`, `ai/repetition.py`) waits as long as it takes to apply them.
A fence is three or more backticks or tildes, with nothing before them in their line but the marks
of quotes and lists; it ends with a line of as many of them, or more.
Not covered: code that is known by its indentation alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

HEAD = r"(?:[ \t>]|[-*+] |\d{1,3}[.)] )*"
"""What may stand before code in its line."""

OPENING = re.compile(rf"{HEAD}(`{{3,}}|~{{3,}})([^`\n]*)")
"""A line that opens a fence: its marks, and words without a backtick."""

TICKS = re.compile("`+|\n")
"""What code within a line begins and ends with, or ends at."""


def opens(head: str, marks: str, words: str) -> bool:
    """True where `marks`, all alike, open a fence: `head` stands before them in their line, `words`
    behind."""
    return OPENING.fullmatch(head + marks + words) is not None


@lru_cache(64)
def closing(marks: str) -> re.Pattern:
    """The line, without its end, that closes a fence which was opened with `marks`."""
    return re.compile(rf"[ \t>]*{marks}+[ \t\r]*")

"""The status line: what the model should know about how far a turn has come.

pinned: one marked block at the end of a round's last tool result, kept as sent, and only where
something changed that matters: few rounds left, the context filling up, another branch or folder.
ephemeral: a line with every request, at its end, never kept; it costs cache on models that cannot rewind (measured on a
hybrid model: 2.8 times the final context is evaluated, pinned 1.01).
"""

from __future__ import annotations

from clinkai.core.catalogue import Strings

CONTEXT_MARKS = (50, 70, 85, 95)
"""Per cent of the budget at which the model is told."""

LEFT_MARKS = (3, 1)
"""Rounds left at which the model is told."""


class Status:
    """Remembers what was told in this turn."""

    def __init__(self, say: Strings) -> None:
        self._say = say
        self._told: set[tuple[str, int]] = set()

    def line(self, n: int, cap: int, tokens: int, limit: int, place: str = "") -> str:
        """The line after round `n` of `cap`, with `tokens` of `limit` in the context. place: its
        end, of `Toolbox.place`."""
        percent = min(100, round(100 * tokens / limit)) if limit else 100
        return self._say("notice.status", n=n, cap=cap, percent=percent, place=place)

    def news(self, n: int, cap: int, tokens: int, limit: int, place: str = "") -> str:
        """The line as a block to pin, or an empty string where nothing that matters changed.
        place: where that is another one than was told."""
        percent = 100 * tokens / limit if limit else 100
        now = {("context", mark) for mark in CONTEXT_MARKS if percent >= mark}
        now |= {("left", mark) for mark in LEFT_MARKS if cap - n <= mark < cap}
        if now <= self._told and not place:
            return ""
        self._told |= now
        return "\n\n" + self.line(n, cap, tokens, limit, place)

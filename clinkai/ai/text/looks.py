"""What the readers of calls in text say about a place of it. Apart from them, since a message
without anything that looks like a call does not need them.
"""

from __future__ import annotations

from clinkai.core.value import Value

NO, OPEN, CLOSED = 0, 1, 2
"""State of a place: see Look."""

GOING, CUT, STOPPED = 0, 1, 2
"""How far a message is (`final`): more may come, it was cut, it ended normally."""

PLAIN = ("json", "fence", "python")
"""The dialects without any markup: they count only as a whole."""


class Look(Value):
    """What stands at a place. state: NO (no call, whatever follows), OPEN (goes on, or may), or
    CLOSED.

    end: where it ends; items: the complete calls in it; partial: it ends within a call, whose name
    so far is `name`; soft: nothing but its own completeness closed it.
    """

    state: int
    end: int = 0
    items: tuple = ()
    dialect: str = ""
    partial: bool = False
    name: str = ""
    soft: bool = False


NOTHING = Look(NO)

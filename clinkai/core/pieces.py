"""Text that comes in small pieces, at no more than the memory of the text.

A piece of four characters takes fifteen times as much as a Python object of its own.
"""

from __future__ import annotations

MANY = 4_096
"""Pieces from which on they become one."""


class Pieces(list):
    """A list of pieces that is now and then asked to `pack` itself; what it holds stays the same
    when joined."""

    _packed = 0

    def pack(self) -> None:
        """Make one piece of the newest, where there are many."""
        if len(self) - self._packed > MANY:
            self[self._packed:] = ["".join(self[self._packed:])]
            self._packed = len(self)

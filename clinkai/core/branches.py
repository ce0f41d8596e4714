"""Which records of a session are in force: those on the way from one of them back to the first.

Each record follows the one before it, but a `meta` record of the kind `rewind` follows the one that
it names in `to`. So a log is a tree, in the order in which it grew, and nothing in it is ever
rewritten: a branch that was left can be read, and gone back to, like anything else. Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable


def goes_back(record: dict) -> int | None:
    """The number of the record that this one follows, where it is a rewind; else None. One that
    makes no sense is none here; `step` raises for it."""
    if record.get("kind") != "rewind" or record.get("type") != "meta":
        return None
    to, seq = record.get("to"), record.get("seq")
    sound = type(to) is int and type(seq) is int and 0 < to < seq
    return to if sound else None


class Way:
    """The way to record `end`. rewinds: (number, what it goes back to), oldest first."""

    def __init__(self, rewinds: Iterable[tuple[int, int]], end: int) -> None:
        self._firsts, self._lasts = [], []
        for seq, to in reversed(tuple(rewinds)):
            if seq <= end:
                self._firsts.insert(0, seq)
                self._lasts.insert(0, end)
                end = to
        self._firsts.insert(0, 0)
        self._lasts.insert(0, end)

    def has(self, seq: int) -> bool:
        """True where the record of that number is on it."""
        return seq <= self._lasts[bisect_right(self._firsts, seq) - 1]


def live(records: Iterable[dict], end: int | None = None) -> list[dict]:
    """Those of `records` that are on the way to record `end`, or to the last one."""
    numbered, seq = [], 0
    for record in records:
        own = record.get("seq")
        seq = own if type(own) is int else seq + 1
        numbered.append((seq, record))
    rewinds = [(seq, to) for seq, record in numbered if (to := goes_back(record)) is not None]
    if not rewinds and end is None:
        return [record for _, record in numbered]
    way = Way(rewinds, seq if end is None else end)
    return [record for seq, record in numbered if way.has(seq)]

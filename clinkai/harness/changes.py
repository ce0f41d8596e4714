"""Which turn changed which files, and what of it was taken back: from the records of a log; and how
the model is told of it. Pure.

Turns are numbered as a person counts: by their messages, from 1, all there are in the file. Of a
file that a turn changed several times the first content before and the last one after count.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from clinkai.core.catalogue import Strings
from clinkai.core.state import State
from clinkai.core.text import first_line, printable
from clinkai.core.value import Value

UNKNOWN = ""
"""Stands for the SHA-256 of a content that nobody knows; nothing is the same as it."""


NAMED = 40
"""Files that the model is told of by name."""


class Version(Value):
    """What a file is: sha of its content, None where there is no file; mode: as in `st_mode`, None
    where it is not known."""

    sha: str | None
    mode: int | None = None

    def is_as(self, other: Version) -> bool:
        """True where nothing says that the two differ."""
        known = None not in (self.mode, other.mode) and self.sha is not None
        return self.sha == other.sha != UNKNOWN and (not known or self.mode == other.mode)


class Change(Value):
    """What a turn, or a whole session, made of a file."""

    was: Version
    now: Version

    @property
    def is_none(self) -> bool:
        """True where all is as it was."""
        return self.was == self.now and self.was.sha != UNKNOWN


class Turn(Value):
    """number: from 1. prompt: the first line of the message. files: (path, Change) pairs; undone:
    the paths of those that stand taken back, in the order of that."""

    number: int
    prompt: str
    files: dict
    undone: dict


class Changes(Value):
    """turns: all of them, oldest first. order: numbers of turns as they were undone, without those
    that were redone."""

    turns: list
    order: list

    def newest(self) -> Turn | None:
        """The newest turn of whose changes none was taken back."""
        return next((t for t in reversed(self.turns) if t.files and not t.undone), None)

    def latest_undone(self) -> Turn | None:
        """The turn that was undone last and not redone."""
        return self.turns[self.order[-1] - 1] if self.order else None

    def later(self, path: str, number: int) -> int:
        """The first turn after that one which changed `path` and stands, or 0."""
        return next((t.number for t in self.turns[number:]
                     if path in t.files and path not in t.undone), 0)

    def whole(self) -> dict[str, Change]:
        """What the session made of each file, without what was taken back."""
        found: dict[str, Change] = {}
        for turn in self.turns:
            for path, change in turn.files.items():
                if path not in turn.undone:
                    found[path] = _joined(found.get(path), change)
        return {path: one for path, one in found.items() if not one.is_none}


def read(records: Iterable[dict]) -> Changes:
    """All of it. A record that makes no sense says nothing."""
    turns: list[Turn] = []
    order: list[int] = []
    for record in records:
        with suppress(KeyError, TypeError, AttributeError, IndexError):
            match record["type"]:
                case "user" if not record.get("auto"):
                    prompt = first_line(str(record["content"]))
                    turns.append(Turn(len(turns) + 1, prompt, {}, {}))
                case "meta" if record["kind"] == "before":
                    _take(turns[-1], record)
                case "meta" if record["kind"] == "changed":
                    for file in record["files"]:
                        _take(turns[-1], file)
                case "meta" if record["kind"] == "undo":
                    _undo(turns[record["turn"] - 1], record, order)
    for turn in turns:
        for path in [p for p, one in turn.files.items() if one.is_none]:
            del turn.files[path]
    return Changes(turns, order)


def _take(turn: Turn, said: dict) -> None:
    path = said["path"]
    change = Change(Version(said["sha"], said.get("mode")),
                    Version(said.get("to", UNKNOWN), said.get("to_mode")))
    turn.files[path] = _joined(turn.files.get(path), change)
    turn.undone.pop(path, None)


def _joined(first: Change | None, then: Change) -> Change:
    return Change(first.was, then.now) if first else then


def _undo(turn: Turn, record: dict, order: list[int]) -> None:
    for path in record["files"]:
        if record["redo"]:
            turn.undone.pop(path, None)
        elif path in turn.files:
            turn.undone[path] = True
    if turn.number in order:
        order.remove(turn.number)
    if turn.undone:
        order.append(turn.number)

def told(record: dict, state: State, say: Strings) -> dict:
    """The record of a message from a person, with what was undone and redone since the last one at
    its end; then the record has in `undone` how long that is."""
    if not state.undone:
        return record
    block = ""
    for way in ("undo", "redo"):
        paths = dict.fromkeys(path for path, _, redo in state.undone if redo == (way == "redo"))
        names = ", ".join(map(printable, [*paths][:NAMED]))
        if len(paths) > NAMED:
            names += f" (+{len(paths) - NAMED})"
        if paths:
            block += "\n\n" + say(f"undo.told.{way}", files=names)
    return {**record, "content": record["content"] + block, "undone": len(block)}

"""The branches of a session, as its file has them: which records are in force, what a point is.

Covered: reading on the way to a point (`core/branches.py` says what that is), the messages of a
person that one can go back before. Not covered: writing (`session.py`), copies (`fork.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from clinkai.core.branches import Way, goes_back
from clinkai.core.catalogue import Strings
from clinkai.core.errors import SessionError, UsageError
from clinkai.core.state import TYPES, State, step
from clinkai.core.value import Value
from clinkai.harness.session_file import (
    VERSION, Reader, Tally, check_version, damaged, reading, record_in,
)

NEWEST = sys.maxsize
"""The point at the end of a session, whatever its number is."""


class Prompt(Value):
    """A message of a person. seq: of its record; text: what they wrote."""

    seq: int
    text: str


def way_to(file: object, end: int = NEWEST) -> Way:
    """The way to record `end` of an open session file, which is read from its beginning."""
    file.seek(0)
    found = []
    for line in file:
        if b'"rewind"' in line:
            try:
                record = record_in(line)
            except ValueError:
                continue
            if (to := goes_back(record)) is not None:
                found.append((record["seq"], to))
    file.seek(0)
    return Way(found, end)


def fold_file(file: object, path: str, end: int = NEWEST) -> tuple[State, Tally, Reader]:
    """The state after record `end` of an open session file, or after all of them; the sums of what
    was read, and the reader, which has read no further. Raises SessionError where the record is
    missing, or something up to it is damaged or of a later version."""
    way = None if end == NEWEST else way_to(file, end)
    found = _folded(file, path, end, way)
    if found is None:  # it has branches: most have none, and need not be read twice
        found = _folded(file, path, end, way_to(file))
    if end not in (NEWEST, found[0].last_seq):
        raise SessionError("error.session.point", path=path, seq=end)
    return found


def _folded(file: object, path: str, end: int, way: Way | None) -> tuple | None:
    """None where there is no `way` and the file turns out to have branches."""
    state, tally, reader = State(), Tally(), Reader(file)
    feed, begun = tally.feed, False
    try:
        for record in reader:
            if reader.bad:
                break
            if record.get("v") != VERSION:
                check_version(record, path)
            if way is None and record.get("kind") == "rewind":
                return None
            seq = number(record) if way else 0
            if seq > end or not begun and record["type"] != "init":
                break
            begun = True
            feed(record)
            if way is None or way.has(seq):
                state = step(state, record)
            elif record["type"] not in TYPES:
                raise SessionError("error.session.type", type=record["type"][:40])
            if seq == end:  # what follows need not be sound
                return state, tally, reader
    except SessionError as error:
        if error.key == "error.session.type":
            raise SessionError("error.session.later", path=path, **error.params) from error
        if error.key == "error.session.record":
            damaged(path, reader.number, error.params.get("why", ""), error)
        raise
    if reader.bad:
        damaged(path, *reader.bad[0])
    if not begun:
        raise SessionError("error.session.init", path=path)
    return state, tally, reader


def in_force(path: str) -> Iterator[dict]:
    """The records of a session that are in force, as they are read. Raises SessionError."""
    with reading(path) as file:
        way = way_to(file)
        for record in Reader(file):
            if way.has(number(record)):
                yield record


def number(record: dict) -> int:
    """The number of a record; 0 of one without, which is on every way."""
    seq = record.get("seq")
    return seq if type(seq) is int else 0


def prompts(path: str, say: Strings) -> list[Prompt]:
    """The messages of a person in the branch that is in force, oldest first. say: in the language
    of the session. Raises SessionError."""
    return [Prompt(number(record), _own_words(record, say)) for record in in_force(path)
            if record["type"] == "user" and not record.get("auto")]


def back(path: str, count: int, say: Strings) -> Prompt:
    """The message that going back by `count` messages of a person takes back first. Raises
    UsageError where there are not so many."""
    found = prompts(path, say)
    if not 0 < count <= len(found):
        raise UsageError("error.rewind.count", n=count, most=len(found))
    return found[-count]


def _own_words(record: dict, say: Strings) -> str:
    """What the person wrote, without what the model was told there (`changes.told`, `modes.told`)."""
    text, mode, undone = str(record.get("content")), record.get("mode"), record.get("undone")
    text = text.removesuffix("\n\n" + say(f"notice.told.{mode}")) if mode else text
    return text[:-undone] if type(undone) is int and undone > 0 else text

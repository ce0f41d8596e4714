"""Reading the file of a session, line by line: whole records, damaged lines, a torn end.

Not covered: what the records mean (`core/state.py`), writing them (`session.py`).
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator

from clinkai.core.errors import SessionError
from clinkai.core.text import first_line
from clinkai.core.value import Value

VERSION = 1
"""Of the records written here; a later one is read as far as it is known, and never added to."""

BUFFER = 1 << 16
"""Bytes read at once from a file that is read to its end."""

SUMMED = {"usage", "run.end"}
"""Meta records that say in `sum` what a list shows of the session (`Tally`): the newest of them
stands near the end of the file."""

OF_FILES = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Windows would otherwise write other line ends; a pipe would be waited for."""

_scan = json.JSONDecoder().scan_once


class Log(Value):
    """What a session file holds. good: bytes up to the last whole record; torn: bytes after it;
    bad: (line number, why) of other lines that are no records."""

    records: tuple
    good: int
    torn: int
    bad: tuple


class Reader:
    """The records of an open session file, one by one.

    number: the line of the record. bad: (line number, why) of damaged lines so far; the last line
    of the file is none of them: it was torn when a process or a machine died. good: bytes of whole
    lines; torn: those of a torn last one, once all is read.
    """

    def __init__(self, file: object) -> None:
        self._file = file
        self.number = self.good = self.torn = 0
        self.bad: list[tuple[int, str]] = []

    def __iter__(self) -> Iterator[dict]:
        why = ""
        for number, line in enumerate(self._file, 1):
            if why:
                self.bad.append((number - 1, why))
                self.good += self.torn
                self.torn, why = 0, ""
            try:
                record = record_in(line)
            except ValueError as error:
                why, self.torn = str(error), len(line)
                continue
            self.number = number
            self.good += len(line)
            yield record


def record_in(line: bytes) -> dict:
    """The record of a line with its end. Raises ValueError for anything else."""
    if line[-1:] != b"\n":
        raise ValueError("cut off")
    try:
        text = line.decode()
        record, end = _scan(text, 0)
        whole = end + 1 == len(text)
    except (ValueError, StopIteration, RecursionError):
        whole = False
    if not whole:  # blanks, or an error that is to be named
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"no JSON: {error}") from error
    if type(record) is not dict or type(record.get("type")) is not str:
        raise ValueError("no record")
    return record


def open_file(path: str, flags: int = os.O_RDONLY) -> int:
    """A descriptor of a session file. Raises OSError, SessionError for what is no regular file."""
    fd = os.open(path, flags | OF_FILES)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise SessionError("error.session.init", path=path)
    return fd


def read_log(path: str) -> Log:
    """Read a session file to its end. Raises SessionError where it cannot be opened."""
    with reading(path) as file:
        reader = Reader(file)
        records = tuple(reader)
    return Log(records, reader.good, reader.torn, tuple(reader.bad))


def reading(path: str):
    """The file, open for a `Reader`. Raises SessionError."""
    try:
        return open(open_file(path), "rb", BUFFER)
    except OSError as error:
        raise SessionError("error.session.open", path=path, why=error.strerror) from error


def check_version(record: dict, path: str) -> None:
    """Raise SessionError where a later version wrote the record."""
    version = record.get("v")
    if isinstance(version, int) and version > VERSION:
        raise SessionError("error.session.newer", path=path, version=version)


def damaged(path: str, number: int, why: object, cause: Exception | None = None) -> None:
    """Raise SessionError for a line that is no record."""
    raise SessionError("error.session.line", path=path, line=number, why=str(why)) from cause


class Tally:
    """What a list shows of a session, record by record: rounds, title, whether it is pinned.
    named: a person gave it its title."""

    def __init__(self) -> None:
        self.named = False
        self.rounds = 0
        self.title = ""
        self.pinned = False

    def feed(self, record: dict) -> None:
        """Count `record`."""
        kind = record["type"]
        if kind == "assistant":
            self.rounds += 1
        elif kind == "user":
            if not self.title:
                self.title = first_line(str(record.get("content") or ""))
        elif kind == "meta":
            if record.get("kind") == "title":
                self.title, self.named = first_line(str(record.get("title"))), True
            elif record.get("kind") == "rewind":
                self.title = first_line(str(record.get("title", self.title)))
            elif record.get("kind") == "pinned":
                self.pinned = record.get("pinned") is True

    def sum(self) -> dict:
        """What a record of SUMMED says in `sum`."""
        found: dict = {"rounds": self.rounds, "title": self.title}
        return {**found, "pinned": True} if self.pinned else found

"""What a list shows of a session, from the head and the tail of its file.

The records of `session_file.SUMMED` carry the sums, so that two blocks of a file of any size are
enough. A file without one near its end is read from the beginning: a first round that is not over,
or a file from elsewhere. Damaged lines are passed over; nothing is changed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator

from clinkai.core.errors import SessionError
from clinkai.core.value import Value
from clinkai.harness.session_file import BUFFER, Tally, open_file, record_in
from clinkai.harness.session_lock import is_taken

LATEST = 1e11
"""Seconds: the year 5138. Times beyond are none."""

HEAD, TAIL, FURTHER = 1 << 12, 1 << 14, 1 << 18
"""Bytes that are read at the beginning and at the end; and at the end where that was not enough."""

BEGIN = re.compile(rb'\{"v":\d+,"seq":\d+,"ts":[\d.]+,"type":"init",'
                   rb'"workspace":("[^"\\]*(?:\\.[^"\\]*)*")')
"""An init record as it is written here, as far as it is needed."""

LIKE_OURS = re.compile(rb'\{"v":\d+,"seq":\d+,"ts":(\d+(?:\.\d+)?),'
                       rb'"type":"(assistant|tool)"')
"""Long records, of which no more than time and type is needed."""


LABELS = {"title", "pinned"}
"""Meta records of what people call a session: no work was done in it then."""


class Entry(Value):
    """One session in a list. last: when work was done in it, seconds since the epoch; state: done, interrupted or running,
    which is also said of one that is open in this process; bytes: of the log alone."""

    id: str
    path: str
    workspace: str
    title: str
    last: float
    rounds: int
    bytes: int
    state: str
    pinned: bool = False


class Glance:
    """The sums of a session; filled from the end of its file, or from its beginning."""

    def __init__(self) -> None:
        self.last = 0.0
        self.state = ""
        self.rounds = 0
        self.title: str | None = None
        self.pinned: bool | None = None

    def back(self, lines: Iterable[bytes]) -> bool:
        """Take in the newest lines, the last one first; True once all is known."""
        for line in lines:
            if (long := LIKE_OURS.match(line)) and line[-2:] == b"}\n":
                record = {"ts": float(long[1]), "type": long[2].decode()}
            elif not (record := _record(line)):
                continue
            kind = str(record.get("kind")) if record["type"] == "meta" else ""
            if kind not in LABELS:
                self.last = self.last or _time(record)
            self.state = self.state or _state(record)
            if not kind:
                self.rounds += record["type"] == "assistant"
            elif kind == "title" and self.title is None:
                self.title = str(record.get("title"))
            elif kind == "rewind" and self.title is None:
                self.title = str(record.get("title") or "") or None
                if self.title is None:  # an earlier sum has the title of a branch that was left
                    return False
            elif kind == "pinned" and self.pinned is None:
                self.pinned = record.get("pinned") is True
            elif isinstance(record.get("sum"), dict):
                return self._found(record["sum"])
        return False

    def forth(self, file: Iterable[bytes]) -> None:
        """Take in a whole file."""
        tally = Tally()
        self.state, self.last = "", 0.0
        for line in file:
            if (long := LIKE_OURS.match(line)) and line[-2:] == b"}\n":
                tally.rounds += long[2] == b"assistant"
                self.state, self.last = "interrupted", float(long[1])
            elif record := _record(line):
                tally.feed(record)
                self.state = _state(record) or self.state
                if str(record.get("kind")) not in LABELS:
                    self.last = _time(record)
        self.rounds, self.title, self.pinned = tally.rounds, tally.title, tally.pinned

    def _found(self, sums: dict) -> bool:
        rounds, title = sums.get("rounds"), sums.get("title")
        if not isinstance(rounds, int) or not isinstance(title, str):
            return False
        self.rounds += rounds
        self.title = title if self.title is None else self.title
        self.pinned = sums.get("pinned") is True if self.pinned is None else self.pinned
        self.state = self.state or "interrupted"  # in the middle of a turn
        return True


def describe(path: str) -> Entry | None:
    """The list entry of a session file; None where it holds no session or cannot be read."""
    try:
        fd = _opened(path)
    except (OSError, SessionError):
        return None
    try:
        workspace = _workspace(fd)
        if workspace is None:
            return None
        status = os.fstat(fd)
        glance = _glance(fd, status.st_size)
        state = "running" if is_taken(fd) else glance.state or "interrupted"
    except OSError:
        return None
    finally:
        os.close(fd)
    last = glance.last or status.st_mtime  # of records without a time
    return Entry(id_of(path), path, workspace, glance.title or "", last, glance.rounds,
                 status.st_size, state, bool(glance.pinned))


def id_of(path: str) -> str:
    """The id in the name of a session file."""
    return path[path.rfind("-") + 1 : -len(".jsonl")] if "-" in path else os.path.basename(path)


def _opened(path: str) -> int:
    """Open to write where that is allowed: some systems lock nothing else."""
    try:
        return open_file(path, os.O_RDWR)
    except OSError:
        return open_file(path)


def _glance(fd: int, size: int) -> Glance:
    for span in (TAIL, FURTHER):
        glance = Glance()
        os.lseek(fd, max(0, size - span), os.SEEK_SET)
        if glance.back(_backwards(os.read(fd, span), whole=size <= span)):
            return glance
        if size <= span:
            break
    os.lseek(fd, 0, os.SEEK_SET)
    with open(fd, "rb", BUFFER, closefd=False) as file:
        glance.forth(file)
    return glance


def _backwards(data: bytes, *, whole: bool) -> Iterator[bytes]:
    """The lines of the end of a file, or of all of it, the last one first; without a torn one, and
    without one whose beginning is missing."""
    end = data.rfind(b"\n") + 1
    while end:
        start = data.rfind(b"\n", 0, end - 1) + 1
        if start or whole:
            yield data[start:end]
        end = start


def _workspace(fd: int) -> str | None:
    """What the first record names; None where that is no init record."""
    head = os.read(fd, HEAD)
    found = BEGIN.match(head)
    if found:
        return str(json.loads(found[1]))
    os.lseek(fd, 0, os.SEEK_SET)
    with open(fd, "rb", closefd=False) as file:
        record = _record(file.readline())
    return str(record.get("workspace", "")) if record and record["type"] == "init" else None


def _record(line: bytes) -> dict | None:
    try:
        return record_in(line)
    except ValueError:
        return None


def _state(record: dict) -> str:
    """What the newest record says of a session; nothing where that is for older ones to say."""
    if record["type"] != "meta":
        return "interrupted"
    if record.get("kind") == "run.end":
        return "done" if record.get("reason") == "done" else "interrupted"
    return ""


def _time(record: dict) -> float:
    ts = record.get("ts")
    return float(ts) if isinstance(ts, int | float) and abs(ts) < LATEST else 0.0

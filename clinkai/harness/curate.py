"""What people do to a session as a whole: name it, pin it, delete it, thin out the old ones.

All of it works on sessions with damaged lines. A session that somebody has open is left alone.
Not covered: asking before anything goes (`ui/`), what was said in a session.
"""

from __future__ import annotations

import errno
import os
import time
from contextlib import suppress

from clinkai.core.errors import MachineError, SessionError
from clinkai.core.value import Value
from clinkai.harness.glance import Entry
from clinkai.harness.session import WRITING, line_of
from clinkai.harness.session_file import VERSION, check_version, open_file, record_in
from clinkai.harness.session_lock import lock

TAIL = 1 << 16
"""Bytes read for the newest record; more where it is longer."""

DAY = 86_400.0


class Limit(Value):
    """What is too much: sessions older than `age` days; those beyond the newest `count`; those
    beyond the newest that fit into `size` bytes. None: no such limit."""

    age: float | None = None
    count: int | None = None
    size: int | None = None


class Surplus(Value):
    """A session that may go. bytes: with all that is kept beside it."""

    entry: Entry
    bytes: int


def title_record(title: str) -> dict:
    """The record that gives a session a title of its own."""
    return {"type": "meta", "kind": "title", "title": title}


def pin_record(pinned: bool) -> dict:
    """The record that pins a session, or lets go of it."""
    return {"type": "meta", "kind": "pinned", "pinned": pinned}


def note(path: str, record: dict) -> None:
    """Append `record`, a `meta` one, to a session that nobody has open, and flush it; a torn end is
    cut off as when it is opened. Raises SessionError."""
    try:
        fd = open_file(path, WRITING)
    except OSError as error:
        raise SessionError("error.session.open", path=path, why=error.strerror) from error
    try:
        lock(fd, path)
        newest, good = _newest(fd)
        if newest is None:
            raise SessionError("error.session.init", path=path)
        check_version(newest, path)
        seq = newest.get("seq")
        _add(fd, good, line_of({"v": VERSION, "seq": seq + 1 if isinstance(seq, int) else 1,
                                "ts": round(time.time(), 3), **record}))
    except OSError as error:
        raise SessionError("error.session.write", path=path, why=error.strerror) from error
    finally:
        os.close(fd)


def _add(fd: int, good: int, line: bytes) -> None:
    """Write `line` after the first `good` bytes. Raises OSError: then the file ends there."""
    os.ftruncate(fd, good)
    try:
        if os.write(fd, line) != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(fd)
    except BaseException:
        os.ftruncate(fd, good)
        raise


def _newest(fd: int) -> tuple[dict | None, int]:
    """The newest whole record, and how many bytes stay: one torn line at the end is cut off."""
    size, span = os.fstat(fd).st_size, TAIL
    while True:
        start = max(0, size - span)
        os.lseek(fd, start, os.SEEK_SET)
        with open(fd, "rb", closefd=False) as file:
            lines = file.readlines()[1 if start else 0:]
        good = size
        for place, line in enumerate(reversed(lines)):
            try:
                return record_in(line), good
            except ValueError:
                good -= len(line) if place == 0 else 0
        if not start:
            return None, size
        span *= 8


def remove(path: str) -> None:
    """Delete a session that nobody has open, with all that is kept beside it. Raises SessionError,
    MachineError."""
    import shutil

    try:
        fd = _held(path)
    except OSError as error:
        raise SessionError("error.session.open", path=path, why=error.strerror) from error
    side = beside(path)
    try:
        if os.path.islink(side):
            os.unlink(side)
        elif os.path.isdir(side):
            shutil.rmtree(side)
        if os.name == "nt":
            os.close(fd)
            fd = -1
        os.unlink(path)  # last: until then it is in the list, to be deleted once more
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else path
        raise MachineError("error.session.remove", path=where, why=error.strerror) from error
    finally:
        if fd >= 0:
            os.close(fd)
    with suppress(OSError):
        os.rmdir(os.path.dirname(path))  # when it was the last one of its workspace


def _held(path: str) -> int:
    """The file, opened and locked as far as that is allowed."""
    try:
        fd = open_file(path, os.O_RDWR)
    except PermissionError:
        return open_file(path)  # to delete a file takes no right to write to it
    try:
        lock(fd, path)
    except BaseException:
        os.close(fd)
        raise
    return fd


def beside(path: str) -> str:
    """The folder of what is kept beside a session."""
    return path.removesuffix(".jsonl") + ".d"


def weight(path: str) -> int:
    """Bytes of a session with all that is kept beside it."""
    total = 0
    for folder, _, names in os.walk(beside(path)):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size
    with suppress(OSError):
        total += os.lstat(path).st_size
    return total


def surplus(entries: list[Entry], limit: Limit, now: float) -> list[Surplus]:
    """Those of `entries` (newest first) that are beyond a limit, oldest first. Sessions that are
    pinned or open stay, and do not count."""
    found, room = [], limit.size
    free = [entry for entry in entries if not entry.pinned and entry.state != "running"]
    for place, entry in enumerate(free):
        held = weight(entry.path)
        too_old = limit.age is not None and now - entry.last > limit.age * DAY
        too_many = limit.count is not None and place >= limit.count
        too_much = room is not None and held > room
        if too_much:
            room = 0  # what is older does not stay in place of what is newer
        elif room is not None:
            room -= held
        if too_old or too_many or too_much:
            found.append(Surplus(entry, held))
    return found[::-1]

"""One session: an append-only log of JSON lines, locked by its one writer, folded into a state.

Covered: reading with a torn last line, appending in one write, the lock, full disks.
Not covered: where sessions lie and how they are found (`sessions.py`), side files (`store.py`).
"""

from __future__ import annotations

import errno
import json
import os
import stat
import threading
import time
from contextlib import suppress

from clinkai.core.errors import MachineError, SessionError
from clinkai.core.state import State, step
from clinkai.core.value import Value

VERSION = 1
encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

UNSYNCED = {"usage", "notice"}
"""Meta kinds whose loss costs nothing: not worth a flush of the disk."""

GROUPED = {"assistant", "tool"}
"""Records that are flushed together: a round's, before anything follows from them (`sync`). So is
the note that a file did not exist before: nothing of it can be lost."""

OPEN = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
"""How a session file is opened; Windows would otherwise write other line ends."""

LOCK_TRIES, LOCK_PAUSE = 5, 0.02
"""Whoever lists sessions holds each lock for a moment, to see whether it is free: that is waited
for. Seconds."""


class Log(Value):
    """What a session file holds. good: bytes up to the last whole record; torn: bytes after it;
    bad: (line number, why) of other lines that are no records."""

    records: tuple
    good: int
    torn: int
    bad: tuple


def read_log(path: str) -> Log:
    """Read a session file. Raises SessionError where it cannot be opened."""
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError as error:
        raise SessionError("error.session.open", path=path, why=error.strerror) from error
    rest = lines.pop()
    records: list[dict] = []
    bad: list[tuple[int, str]] = []
    good = sum(len(line) + 1 for line in lines)
    for number, line in enumerate(lines, 1):
        try:
            records.append(_record(line))
        except ValueError as error:
            if number == len(lines) and not rest:
                good -= len(line) + 1
                rest = line + b"\n"
            else:
                bad.append((number, str(error)))
    return Log(tuple(records), good, len(rest), tuple(bad))


def _record(line: bytes) -> dict:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from error
    if not isinstance(record, dict) or not isinstance(record.get("type"), str):
        raise ValueError("no record")
    return record


class Flusher:
    """Flushes a file to its disk in a thread of its own, while the caller goes on.

    One thread for all flushes: starting one takes longer than many a flush.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._wanted = threading.Semaphore(0)
        self._done = threading.Event()
        self._done.set()
        self._fd: int | None = None
        self._error: OSError | None = None

    def begin(self, fd: int) -> None:
        """Flush the file `fd`, which stays open until `wait` has returned."""
        self._fd = fd
        self._done.clear()
        self._wanted.release()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="flush", daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Return once it is done. Raises OSError where it failed: the system tells that once."""
        self._done.wait()
        error, self._error = self._error, None
        if error:
            raise error

    def close(self) -> None:
        """End the thread."""
        if self._thread is not None:
            self._fd = None
            self._wanted.release()
            self._thread.join()

    def _run(self) -> None:
        while True:
            self._wanted.acquire()
            if self._fd is None:
                return
            try:
                os.fsync(self._fd)
            except OSError as error:
                self._error = error
            self._done.set()


class Session:
    """The one writer of a session. `state` is the fold of everything in the file."""

    def __init__(self, path: str, fd: int, state: State, torn: int = 0) -> None:
        self.path = path
        self.id = os.path.basename(path).removesuffix(".jsonl").rpartition("-")[2]
        self.state = state
        self.torn = torn
        """Bytes of a torn last line that were cut off when the file was opened."""
        self._fd = fd
        self._torn_at: int | None = None
        """Where a half-written record begins that could not be taken back yet."""
        self._due = False
        """Records are in the file that may not be on the disk yet."""
        self._flusher = Flusher()
        self._lock = threading.Lock()

    @classmethod
    def create(cls, path: str, init: dict) -> Session:
        """Start a session file with its `init` record; the file has its name only once the record
        is in it, so that no kill leaves an empty one. Raises SessionError, FileExistsError."""
        folder = os.path.dirname(path)
        unborn = path + ".new"
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            fd = os.open(unborn, OPEN | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise
        except OSError as error:
            raise SessionError("error.session.create", path=path, why=error.strerror) from error
        session = cls(path, fd, State())
        try:
            session.append(init)
            session.close()  # Windows renames no open file
            _name(unborn, path)
        except BaseException:
            session.close()
            if os.path.exists(unborn):
                os.unlink(unborn)
            raise
        sync_folder(folder)
        return cls.open(path)

    @classmethod
    def open(cls, path: str) -> Session:
        """Open a session to go on with it. A torn last line is cut off; any other bad line, or a
        record type this version does not know, raises SessionError."""
        try:
            fd = os.open(path, OPEN)
        except OSError as error:
            raise SessionError("error.session.open", path=path, why=error.strerror) from error
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise SessionError("error.session.init", path=path)
            _lock_patiently(fd, path)
            log = read_log(path)
            state = _state_of(log, path)
            session = cls(path, fd, state, log.torn)
            if log.torn:
                session._take_back(log.good)
            return session
        except BaseException:
            os.close(fd)
            raise

    def append(self, record: dict) -> dict:
        """Add one record and take it into `state`; returns it with its envelope.

        It is on the disk then; a grouped one only in the file, until `sync` or another record.
        Raises SessionError where the record makes no sense, the disk does not take it or the file
        is gone: file and state are then as before.
        """
        with self._lock:
            if self._fd < 0:
                raise SessionError("error.session.closed", path=self.path)
            seq = self.state.last_seq + 1
            whole = {"v": VERSION, "seq": seq, "ts": round(time.time(), 3), **record}
            after = step(self.state, whole)
            loose = record.get("kind") in UNSYNCED
            grouped = record["type"] in GROUPED or record.get("sha", True) is None
            self._due = self._due or not loose
            self._write(_line(whole), sync=not grouped and not loose)
            self.state = after
            return whole

    def sync(self, *, wait: bool = True) -> None:
        """Have every record on the disk: before a tool changes what is there.

        wait: False begins it and goes on, for a request to be made and sent meanwhile; the next
        call, or record that is synced, waits for it. Raises SessionError, also for the one before.
        """
        with self._lock:
            if self._fd < 0:
                return
            try:
                self._to_disk(wait)
            except OSError as error:
                why = error.strerror
                raise SessionError("error.session.write", path=self.path, why=why) from error

    def close(self) -> None:
        """Release the file; further calls to `append` raise SessionError."""
        with self._lock:
            if self._fd >= 0:
                with suppress(OSError):  # what counts was waited for
                    self._to_disk(wait=True)
                self._flusher.close()
                os.close(self._fd)
                self._fd = -1

    def _write(self, line: bytes, *, sync: bool) -> None:
        try:
            if self._torn_at is not None:
                os.ftruncate(self._fd, self._torn_at)
                self._torn_at = None
            status = os.fstat(self._fd)
        except OSError as error:
            raise SessionError("error.session.write", path=self.path, why=error.strerror) from error
        if not status.st_nlink:
            raise SessionError("error.session.gone", path=self.path)
        try:
            written = os.write(self._fd, line)
            if written != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if sync:
                self._to_disk(wait=True)
        except OSError as error:
            self._take_back(status.st_size)
            raise SessionError("error.session.write", path=self.path, why=error.strerror) from error
        except BaseException:
            # A signal in the middle: the record was not acknowledged.
            self._take_back(status.st_size)
            raise

    def _to_disk(self, wait: bool) -> None:
        self._flusher.wait()
        if self._due and wait:
            os.fsync(self._fd)
        elif self._due:
            self._flusher.begin(self._fd)
        self._due = False

    def _take_back(self, size: int) -> None:
        try:
            os.ftruncate(self._fd, size)
        except OSError:
            # The next record tries again, and so does the next opening.
            self._torn_at = size


def _state_of(log: Log, path: str) -> State:
    """The state after all records. Raises SessionError for a session that cannot go on."""
    if log.bad:
        number, why = log.bad[0]
        raise SessionError("error.session.line", path=path, line=number, why=why)
    if not log.records or log.records[0]["type"] != "init":
        raise SessionError("error.session.init", path=path)
    state = State()
    for number, record in enumerate(log.records, 1):
        try:
            state = step(state, record)
        except SessionError as error:
            if error.key == "error.session.type":
                raise SessionError("error.session.later", path=path, **error.params) from error
            why = str(error.params.get("why", ""))
            raise SessionError("error.session.line", path=path, line=number, why=why) from error
    return state


def _name(unborn: str, path: str) -> None:
    try:
        os.rename(unborn, path)
    except OSError as error:
        raise SessionError("error.session.create", path=path, why=error.strerror) from error


def _line(record: dict) -> bytes:
    text = encode(record)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        # A lone surrogate, from a model or a file name: kept exactly, as an escape.
        return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def lock(fd: int, path: str) -> None:
    """Take the advisory lock of a session file. Raises SessionError where another has it.

    File systems without locks are used without one.
    """
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(fd, 1 << 30, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
            raise SessionError("error.session.locked", path=path) from error


def _lock_patiently(fd: int, path: str) -> None:
    for _ in range(LOCK_TRIES - 1):
        try:
            return lock(fd, path)
        except SessionError:
            time.sleep(LOCK_PAUSE)
    return lock(fd, path)


def sync_folder(folder: str) -> None:
    """Make a new file's name durable. Raises MachineError."""
    if os.name == "nt":
        return
    try:
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise MachineError("error.session.write", path=folder, why=error.strerror) from error

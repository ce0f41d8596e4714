"""One session: an append-only log of JSON lines, locked by its one writer, folded into a state.

Covered: opening with a torn last line, appending in one write, one writer, full disks, sessions of
later versions.
Not covered: what stands in a line (`session_file.py`), where sessions lie and how they are found
(`sessions.py`), side files (`store.py`).
"""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from clinkai.core.errors import MachineError, SessionError
from clinkai.core.state import State, step
from clinkai.core.text import first_line
from clinkai.harness.branching import fold_file
from clinkai.harness.flusher import Flusher
from clinkai.harness.session_file import BUFFER, SUMMED, VERSION, Tally, open_file, read_log
from clinkai.harness.session_lock import lock

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

UNSYNCED = {"usage", "notice"}
"""Meta kinds whose loss costs nothing: not worth a flush of the disk."""

GROUPED = {"assistant", "tool"}
"""Records that are flushed together: a round's, before anything follows from them (`sync`). So is
the note that a file did not exist before: nothing of it can be lost."""

WRITING = os.O_RDWR | os.O_APPEND
CREATING = WRITING | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Session:
    """The one writer of a session. `state` is the fold of everything in the file."""

    def __init__(self, path: str, fd: int) -> None:
        self.path = path
        self.id = os.path.basename(path).removesuffix(".jsonl").rpartition("-")[2]
        self.state = State()
        self.remarks: tuple[tuple[str, dict], ...] = ()
        """What people should know of how it was opened: (catalogue key, params)."""
        self._fd = fd
        self._tally = Tally()
        self._torn_at: int | None = None
        """Where a half-written record begins that could not be taken back yet."""
        self._due = False
        """Records are in the file that may not be on the disk yet."""
        self._flusher = Flusher()
        self._lock = threading.Lock()

    @classmethod
    def create(cls, path: str, init: dict, more: Iterable[dict] = (),
               fill: Callable[[str, object], None] | None = None) -> Session:
        """Start a session file with its `init` record and what follows it; the file has its name
        only once all of it is in it, so that no kill leaves an empty one or a part. fill(path,
        file) adds lines as they are, and what lies beside the session; it may raise OSError. Raises
        SessionError, FileExistsError."""
        folder = os.path.dirname(path)
        unborn = path + ".new"
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            fd = os.open(unborn, CREATING, 0o600)
        except FileExistsError:
            raise
        except OSError as error:
            raise SessionError("error.session.create", path=path, why=error.strerror) from error
        session = cls(path, fd)
        try:
            for record in (init, *more):
                session.append(record)
            if fill:
                session._filled(path, fill)
            session.close()  # Windows renames no open file
            _name(unborn, path)
        except BaseException:
            session.close()
            if os.path.exists(unborn):
                os.unlink(unborn)
            raise
        sync_folder(folder)
        return cls.open(path)

    def _filled(self, path: str, fill: Callable[[str, object], None]) -> None:
        try:
            with open(self._fd, "ab", closefd=False) as file:
                fill(path, file)
            os.fsync(self._fd)
        except OSError as error:
            raise SessionError("error.session.create", path=path, why=error.strerror) from error

    @classmethod
    def open(cls, path: str) -> Session:
        """Open a session to go on with it. A torn last line is cut off, which is a remark; any
        other bad line, or a record of a later version, raises SessionError."""
        try:
            fd = open_file(path, WRITING)
        except OSError as error:
            raise SessionError("error.session.open", path=path, why=error.strerror) from error
        session = cls(path, fd)
        try:
            if not lock(fd, path):
                session.remarks += (("notice.session.unlocked", {"path": path}),)
            session._read()
            return session
        except BaseException:
            os.close(fd)
            raise

    def _read(self) -> None:
        """Take in what the file holds. Raises SessionError for a session that cannot go on."""
        with open(self._fd, "rb", BUFFER, closefd=False) as file:
            self.state, self._tally, reader = fold_file(file, self.path)
        if reader.torn:
            self.remarks += (("notice.session.torn", {"bytes": reader.torn}),)
            self._take_back(reader.good)

    def append(self, record: dict) -> dict:
        """Add one record and take it into `state`; returns it with its envelope.

        It is on the disk then; a grouped one only in the file, until `sync` or another record.
        Raises SessionError where the record makes no sense, the disk does not take it or the file
        is gone: file and state are then as before.
        """
        with self._lock:
            return self._add(record, self.state)

    def rewind(self, to: int, mode: str) -> dict:
        """Go on after record `to`, in whatever branch it is, as if nothing had followed it; what
        did stays in the file. mode: in force then. Raises SessionError, as `append`."""
        with self._lock:
            if self._fd < 0:
                raise SessionError("error.session.closed", path=self.path)
            with open(self._fd, "rb", BUFFER, closefd=False) as file:
                base, _, _ = fold_file(file, self.path, to)
            title = self._tally.title if self._tally.named else first_line(base.title)
            return self._add({"type": "meta", "kind": "rewind", "to": to, "calls": self.state.calls,
                              "mode": mode, "title": title}, base)

    def _add(self, record: dict, base: State) -> dict:
        """Write a record that follows those of `base`."""
        if self._fd < 0:
            raise SessionError("error.session.closed", path=self.path)
        seq = self.state.last_seq + 1
        whole = {"v": VERSION, "seq": seq, "ts": round(time.time(), 3), **record}
        after, kind = step(base, whole), record.get("kind")
        if kind in SUMMED:
            whole["sum"] = self._tally.sum()
        if kind == "usage" and record.get("prompt") is not None and not record.get("of"):
            whole["scale"] = list(after.scale)
        loose = kind in UNSYNCED
        grouped = record["type"] in GROUPED or record.get("sha", True) is None
        self._due = self._due or not loose
        self._write(line_of(whole), sync=not grouped and not loose)
        self.state = after
        self._tally.feed(whole)
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
            self._flusher.flush(self._fd)
        elif self._due:
            self._flusher.begin(self._fd)
        self._due = False

    def _take_back(self, size: int) -> None:
        try:
            os.ftruncate(self._fd, size)
        except OSError:
            # The next record tries again, and so does the next opening.
            self._torn_at = size


def _name(unborn: str, path: str) -> None:
    """Give the file its name, which no other has. Raises FileExistsError, SessionError."""
    try:
        os.link(unborn, path)
    except FileExistsError:
        raise
    except OSError:  # not all file systems have links
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        try:
            os.rename(unborn, path)
        except OSError as error:
            why = error.strerror
            raise SessionError("error.session.create", path=path, why=why) from error
    else:
        os.unlink(unborn)


def line_of(record: dict) -> bytes:
    """The line of a record, with its end."""
    text = encode(record)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        # A lone surrogate, from a model or a file name: kept exactly, as an escape.
        return json.dumps(record, separators=(",", ":")).encode() + b"\n"


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

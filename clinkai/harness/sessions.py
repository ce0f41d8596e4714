"""Where sessions lie, and which one is meant: a new one, the latest here, an id, a path.

Layout: FOLDER/<slug>/<YYYYMMDD-HHMMSS UTC>-<id>.jsonl; the slug is the workspace's last folder name
and 8 hex digits of the SHA-256 of its real path.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time

from clinkai.core.errors import SessionError
from clinkai.core.text import first_line
from clinkai.core.value import Value
from clinkai.harness.home import absolute
from clinkai.harness.session import Log, Session, lock, read_log

ID = re.compile(r"[0-9a-f]{1,8}")
TAIL = 1 << 16


class Entry(Value):
    """One session in a list. last: seconds since the epoch; state: done, interrupted or running."""

    id: str
    path: str
    workspace: str
    title: str
    last: float
    rounds: int
    bytes: int
    state: str


class Sessions:
    """The folder of all sessions. Reading never creates it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def create(self, init: dict) -> Session:
        """Start a new session in its workspace's folder. Raises SessionError."""
        place = os.path.join(self.folder, slug(init["workspace"]))
        while True:
            stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
            path = os.path.join(place, f"{stamp}-{os.urandom(4).hex()}.jsonl")
            try:
                return Session.create(path, init)
            except FileExistsError:
                continue

    def list(self) -> list[Entry]:
        """All sessions that can be read, newest first."""
        entries = [entry for path in self._paths() if (entry := describe(path))]
        return sorted(entries, key=lambda entry: entry.last, reverse=True)

    def find(self, wanted: str, workspace: str) -> str:
        """The path of the session meant by `auto`, an id or its prefix, or a path.

        auto: the newest last record among those of `workspace` (a real path). Raises SessionError.
        """
        if wanted == "auto":
            return self._latest(workspace)
        if os.sep in wanted or wanted.endswith(".jsonl"):
            return absolute(os.path.expanduser(wanted))
        if not ID.fullmatch(wanted):
            raise SessionError("error.session.name", wanted=wanted)
        found = [p for p in self._paths() if _id(p).startswith(wanted)]
        if len(found) != 1:
            key = "error.session.many" if found else "error.session.none"
            raise SessionError(key, wanted=wanted, ids=", ".join(sorted(map(_id, found))))
        return found[0]

    def _latest(self, workspace: str) -> str:
        newest, latest = -1.0, ""
        for path in self._paths(slug(workspace)):
            last = _time(last_record(path))
            if last > newest and first_record(path).get("workspace") == workspace:
                newest, latest = last, path
        if not latest:
            raise SessionError("error.session.none_here", workspace=workspace)
        return latest

    def _paths(self, place: str = "") -> list[str]:
        try:
            places = [place] if place else sorted(os.listdir(self.folder))
        except OSError:
            return []
        found = []
        for name in places:
            folder = os.path.join(self.folder, name)
            try:
                names = os.listdir(folder)
            except OSError:
                continue
            found += [os.path.join(folder, n) for n in sorted(names) if n.endswith(".jsonl")]
        return found


def slug(workspace: str) -> str:
    """The folder name for the sessions of a workspace (a real path)."""
    last = os.path.basename(workspace)
    name = re.sub(r"[^\w.-]+", "_", last, flags=re.ASCII).strip(".") or "root"
    digest = hashlib.sha256(workspace.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{name[:40]}-{digest[:8]}"


def describe(path: str) -> Entry | None:
    """The list entry of a session file; None where it holds no session."""
    try:
        log = read_log(path)
        size = os.path.getsize(path)
    except (SessionError, OSError):
        return None
    if not log.records or log.records[0]["type"] != "init":
        return None
    title = next((r.get("content") for r in log.records if r["type"] == "user"), "")
    return Entry(
        _id(path), path, str(log.records[0].get("workspace", "")), first_line(str(title)),
        _time(log.records[-1]),
        sum(r["type"] == "assistant" for r in log.records), size, state_of(path, log),
    )


def state_of(path: str, log: Log) -> str:
    """running: another process writes it; done: its last turn ended; else interrupted."""
    if _is_locked(path):
        return "running"
    for record in reversed(log.records):
        if record["type"] != "meta":
            return "interrupted"
        if record.get("kind") == "run.end":
            return "done" if record.get("reason") == "done" else "interrupted"
    return "interrupted"


def first_record(path: str) -> dict:
    """The first record of a session file, or an empty one."""
    try:
        with open(path, "rb") as file:
            return _loads(file.readline())
    except OSError:
        return {}


def last_record(path: str) -> dict:
    """The last whole record of a session file, or an empty one."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            span = TAIL
            while True:
                file.seek(max(0, size - span))
                lines = file.read().split(b"\n")[:-1]
                if len(lines) > 2 or span >= size:
                    break
                span *= 8
    except OSError:
        return {}
    for line in reversed(lines):
        record = _loads(line)
        if record:
            return record
    return {}


def _time(record: dict) -> float:
    ts = record.get("ts")
    return float(ts) if isinstance(ts, int | float) else 0.0


def _loads(line: bytes) -> dict:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _is_locked(path: str) -> bool:
    try:
        fd = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        lock(fd, path)
    except SessionError:
        return True
    finally:
        os.close(fd)
    return False


def _id(path: str) -> str:
    return os.path.basename(path).removesuffix(".jsonl").rpartition("-")[2]

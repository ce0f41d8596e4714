"""A fork: a new session that begins as another one was at a point, both of which go on from there.

Its file has the records up to the point, other branches with them, byte for byte; the first one
names in `parent` where it comes from, and one more goes back to the point. What is kept beside the
session comes along: as another name of the same file where no one ever writes into it, else as a
copy. So either can be deleted without the other.
Covered: a session that another process writes, or that a later version or damage spoiled after the
point. Not covered: the files of the workspace, which both share.
"""

from __future__ import annotations

import os
import re
import shutil

from clinkai.core.errors import SessionError
from clinkai.core.value import Value
from clinkai.harness.branching import NEWEST, fold_file
from clinkai.harness.glance import id_of
from clinkai.harness.session import sync_folder
from clinkai.harness.session_file import reading, record_in
from clinkai.harness.sessions import Sessions

WRITTEN_ONCE = re.compile(r"[0-9a-f]{64}|out-[0-9]+\.txt")
"""Files beside a session that are put in place whole (`store.py`)."""

UNFINISHED = re.compile(r".*\.[0-9a-f]{8}|manifest\.json")
"""Files that somebody is about to put in place, and what belongs to a command under way."""

BLOCK = 1 << 20


class Fork(Value):
    """The new session. seq: the record of the other one that it goes on after."""

    id: str
    path: str
    seq: int


def fork(path: str, sessions: Sessions, at: int | None = None, mode: str = "") -> Fork:
    """Make a session among `sessions` of the one at `path` up to record `at` (None: all of it).
    mode: the one it goes on in (empty: that of the point). Raises SessionError, also where
    something up to the point is damaged or of a later version."""
    with reading(path) as file:
        state, _, reader = fold_file(file, path, NEWEST if at is None else at)
        seq = state.last_seq
        file.seek(0)
        first = file.readline()
        init = {**record_in(first), "parent": {"id": id_of(path), "seq": seq}}

        made = []

        def fill(target: str, out: object) -> None:
            _copy(file, reader.good - len(first), out, path)
            made.append(_beside(target))
            _bring(_beside(path), made[-1])

        try:
            session = sessions.create(init, fill=fill)
        except BaseException:
            for folder in made:
                shutil.rmtree(folder, ignore_errors=True)
            raise
    try:
        session.rewind(seq, mode or state.mode)
    finally:
        session.close()
    return Fork(session.id, session.path, seq)


def _copy(file: object, size: int, out: object, path: str) -> None:
    while size > 0:
        block = file.read(min(size, BLOCK))
        if not block:
            raise SessionError("error.session.gone", path=path)
        out.write(block)
        size -= len(block)


def _beside(path: str) -> str:
    return path.removesuffix(".jsonl") + ".d"


def _bring(source: str, target: str) -> None:
    """Have in the folder `target` what is in `source`. Raises OSError, MachineError."""
    if not os.path.isdir(source):
        return
    os.mkdir(target, 0o700)
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False) and not UNFINISHED.fullmatch(entry.name):
                _take(entry, os.path.join(target, entry.name))
    sync_folder(target)


def _take(entry: os.DirEntry, target: str) -> None:
    if WRITTEN_ONCE.fullmatch(entry.name):
        try:
            os.link(entry.path, target)
            return
        except OSError:
            pass  # not all file systems have links, nor as many as one wants
    with open(entry.path, "rb") as file, open(target, "xb", opener=_private) as out:
        shutil.copyfileobj(file, out, BLOCK)
        out.flush()
        os.fsync(out.fileno())


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)

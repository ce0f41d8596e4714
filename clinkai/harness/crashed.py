"""What a crash left between a record and the change it speaks of: found out before anything follows.

A command that was cut off: what it did to files is recorded now, from the list that lies beside the
session. A call without a result: where its file is as it was before, the log says so, and what was
recorded of it counts as not made. The same of what was to be undone or redone last.
"""

from __future__ import annotations

import json

from clinkai.core.errors import ClinkError
from clinkai.core.state import open_calls
from clinkai.harness.changes import UNKNOWN, Change, Version, read
from clinkai.harness.manifest import NOTE, Entry, Watch
from clinkai.harness.putting import look, version
from clinkai.harness.session import Session
from clinkai.harness.store import Store
from clinkai.harness.workspace import Workspace


def recover(session: Session, workspace: Workspace, undoing: bool = False) -> None:
    """Have the log say what is so; nothing for a session that ended well. undoing: something is
    about to be undone. Raises SessionError."""
    store = Store(session)
    note = store.note(NOTE)
    if note is not None:
        _command(store, workspace, note)
    if session.state.before and open_calls(session.state):
        _calls(store, workspace, {path for path, _ in session.state.before})
    if undoing or session.state.undone:
        _undone(store, workspace)


def _command(store: Store, workspace: Workspace, note: bytes) -> None:
    try:
        before = {path: Entry(None, sha, mode) for path, sha, mode in json.loads(note)}
    except (ValueError, TypeError):
        before = {}
    if before:
        watch = Watch(store, workspace)
        watch.before = before
        watch.end(None)
    store.drop_note(NOTE)


def _calls(store: Store, workspace: Workspace, paths: set[str]) -> None:
    last = {record["path"]: record for record in store.records()
            if record.get("kind") == "before" and record.get("path") in paths}
    unmade = []
    for path, record in last.items():
        was = Version(record["sha"], record.get("mode"))
        to = Version(record.get("to", UNKNOWN), record.get("to_mode"))
        try:
            now = version(look(workspace, path))
        except ClinkError:
            continue
        if now.is_as(was) and not now.is_as(to):
            modes = {"mode": to.mode, "to_mode": was.mode}
            known = {name: mode for name, mode in modes.items() if mode is not None}
            unmade.append({"path": path, "sha": to.sha, "to": was.sha, **known})
    if unmade:
        store.unmade(unmade)


def _undone(store: Store, workspace: Workspace) -> None:
    records = store.records()
    newest: dict = {}
    for record in records:
        if record["type"] == "user" or record.get("kind") == "undone":
            newest = {}
        elif record.get("kind") == "undo":
            newest = record
    turns = read(records).turns
    if not newest or newest["turn"] > len(turns):
        return
    files = turns[newest["turn"] - 1].files
    if any(_stands(workspace, path, files.get(path), newest["redo"]) for path in newest["files"]):
        # All of it, so that the same call does the rest: what is done already stays as it is.
        store.append({"type": "meta", "kind": "undo", "turn": newest["turn"],
                      "redo": not newest["redo"], "files": newest["files"]})
        store.append({"type": "meta", "kind": "undone"})


def _stands(workspace: Workspace, path: str, change: Change | None, redo: bool) -> bool:
    """True where a file is still as it was before it was to be undone, or redone."""
    try:
        now = version(look(workspace, path))
    except ClinkError:
        return False
    return bool(change) and now.is_as(change.was if redo else change.now)

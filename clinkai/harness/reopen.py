"""Closing what a killed run left open, before a session goes on.

A tool call without a result gets one that says so; a user message or a tool result without an
answer is closed by an assistant message, because templates refuse two user messages in a row, with
calls and results between them or not.
"""

from __future__ import annotations

import hashlib
import json

from clinkai.core.catalogue import Strings
from clinkai.core.errors import ToolError
from clinkai.core.messages import Message, ToolCall, to_record
from clinkai.core.state import INTERRUPTED, State, open_calls
from clinkai.harness import files
from clinkai.harness.crashed import recover
from clinkai.harness.session import Session
from clinkai.harness.workspace import Workspace


def close(session: Session, workspace: Workspace, say: Strings) -> None:
    """Close the open ends of `session`, and record what a command did to files before it was cut
    off with all the rest. Raises SessionError."""
    recover(session, workspace)
    for record in _records(session.state, workspace, say):
        session.append(record)


def _records(state: State, workspace: Workspace, say: Strings) -> list[dict]:
    records = []
    for call in open_calls(state):
        words = say("notice.tool.interrupted")
        if call.name in ("write", "edit", "move", "delete"):
            words += " " + say(_file_state(call, state, workspace))
        records.append(to_record(Message(
            "tool", words, call_id=call.id, name=call.name, ok=False,
        )))
    if state.messages and state.messages[-1].role != "assistant" or records:
        records.append(to_record(Message("assistant", INTERRUPTED, finish="interrupted")))
    return records


def _file_state(call: ToolCall, state: State, workspace: Workspace) -> str:
    """What became of the file an interrupted call was to change: a catalogue key."""
    try:
        place = workspace.place(str(json.loads(call.arguments)["path"]), writes=True)
    except (ValueError, KeyError, TypeError):
        return "notice.tool.file_untouched"
    kept = [digest for rel, digest in state.before if rel == place.rel]
    if not kept:
        return "notice.tool.file_untouched"
    try:
        found = files.load(workspace, place)
    except ToolError:
        return "notice.tool.file_changed"
    now = hashlib.sha256(found.data).hexdigest() if found else None
    return "notice.tool.file_untouched" if now == kept[-1] else "notice.tool.file_changed"

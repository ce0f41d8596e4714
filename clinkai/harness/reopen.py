"""Closing what a killed run left open, before a session goes on.

A tool call without a result gets one that says so; a user message without an answer is closed by
an assistant message, because templates refuse two user messages in a row.
"""

from __future__ import annotations

import hashlib
import json

from clinkai.core.catalogue import Strings
from clinkai.core.messages import Message, ToolCall, to_record
from clinkai.core.state import INTERRUPTED, State, open_calls
from clinkai.harness.workspace import Workspace


def closing_records(state: State, workspace: Workspace, say: Strings) -> list[dict]:
    """The records that close the open ends of `state`, in order."""
    records = []
    for call in open_calls(state):
        words = say("notice.tool.interrupted")
        if call.name in ("write", "edit"):
            words += " " + say(_file_state(call, state, workspace))
        records.append(to_record(Message(
            "tool", words, call_id=call.id, name=call.name, ok=False,
        )))
    if state.messages and state.messages[-1].role == "user":
        records.append(to_record(Message("assistant", INTERRUPTED, finish="interrupted")))
    return records


def _file_state(call: ToolCall, state: State, workspace: Workspace) -> str:
    """What became of the file an interrupted call was to change: a catalogue key."""
    try:
        path = json.loads(call.arguments)["path"]
    except (ValueError, KeyError, TypeError):
        return "notice.tool.file_untouched"
    place = workspace.place(path, writes=True)
    kept = [digest for rel, digest in state.before if rel == place.rel]
    if not kept:
        return "notice.tool.file_untouched"
    try:
        with open(place.path, "rb") as file:
            now = hashlib.sha256(file.read()).hexdigest()
    except OSError:
        now = None
    return "notice.tool.file_untouched" if now == kept[-1] else "notice.tool.file_changed"

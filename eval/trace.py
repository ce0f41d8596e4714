"""What happened in a session, read from the records of its log. Pure.

The log is the one source: a trial that was killed has one too, up to the moment of the kill.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from clinkai.core.value import Value

STOPPED = ("cap", "breaker", "context")
"""Reasons of run.end that say a limit of ours ended the turn."""

COMPRESSED = ("archived", "window")
"""Meta records of the context layers that took something out of the request."""


class Call(Value):
    """One tool call with its result. arguments: as an object, empty where they were none."""

    name: str
    arguments: dict
    ok: bool
    decision: str

    @property
    def ran(self) -> bool:
        """True unless it was refused."""
        return self.decision != "deny"


class Trace(Value):
    """calls: with a result, in order. final_text: the last answer, continued parts joined. rounds:
    complete model calls; usage: the record of each. system, tools, agents_md: the frozen prefix."""

    calls: tuple = ()
    final_text: str = ""
    rounds: int = 0
    denied: int = 0
    breakers: tuple = ()
    compressions: int = 0
    usage: tuple = ()
    system: str = ""
    tools: tuple = ()
    agents_md: tuple = ()


def read_lines(data: bytes) -> list[dict]:
    """The JSON objects among the lines; a torn last line and other output are passed over."""
    found = []
    for line in data.split(b"\n"):
        try:
            body = json.loads(line)
        except ValueError:
            continue
        if isinstance(body, dict):
            found.append(body)
    return found


def read(records: Iterable[dict]) -> Trace:
    """The trace of a session log."""
    calls: list[Call] = []
    asked: dict[str, tuple[str, dict]] = {}
    usage: list[dict] = []
    breakers: list[str] = []
    parts: list[str] = []
    numbers = {"denied": 0, "compressions": 0}
    init: dict = {}
    for record in records:
        match record:
            case {"type": "init"}:
                init = record
            case {"type": "user"} if "auto" not in record:
                parts = []
            case {"type": "assistant", "content": content, "tool_calls": made}:
                parts = [] if made else [*parts, content]
                asked.update((c["id"], (c["name"], _object(c["arguments"]))) for c in made)
            case {"type": "tool", "call_id": id, "ok": ok, "decision": decision}:
                name, arguments = asked.get(id, (record.get("name", ""), {}))
                calls.append(Call(name, arguments, ok, decision))
            case {"type": "meta", "kind": "usage"}:
                usage.append(record)
            case {"type": "meta", "kind": "run.end", "reason": reason}:
                numbers["denied"] += record.get("denied", 0)
                breakers += [reason] if reason in STOPPED else []
            case {"type": "meta", "kind": kind} if kind in COMPRESSED:
                numbers["compressions"] += 1
    return Trace(
        tuple(calls), "".join(parts), len(usage), usage=tuple(usage),
        breakers=tuple(breakers), **numbers,
        system=init.get("system", ""), tools=tuple(init.get("tools", ())),
        agents_md=tuple(init.get("agents_md", ())),
    )


def _object(arguments: str) -> dict:
    try:
        body = json.loads(arguments)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}

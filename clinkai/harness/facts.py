"""What was done in a session, exactly: files read, created, changed; commands and how they ended.

Taken from the records of the log, not from what the model says of it. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress

from clinkai.core.catalogue import Strings
from clinkai.core.text import estimate_tokens, first_line

COMMAND = 100
"""Characters shown of a command."""


def facts(records: Iterable[dict], say: Strings, tokens: int) -> str:
    """A line for each kind of fact there is, in at most about so many tokens: the oldest are left
    out, and it is said how many. Every kind gets the same room."""
    return told(collect(records), say, tokens)


def told(found: dict[str, list], say: Strings, tokens: int) -> str:
    """The same of what `collect` found."""
    kinds = [(kind, items) for kind, items in found.items() if items]
    lines = []
    for left, (kind, items) in zip(range(len(kinds), 0, -1), kinds):
        line = _line(kind, items, say, tokens // left)
        tokens -= estimate_tokens(line)
        lines.append(line)
    return "\n".join(lines)


def by_turn(records: Iterable[dict]) -> Iterator[tuple[dict, dict[str, list]]]:
    """What was done, turn by turn: the record of the person's message, and what `collect` finds
    from there to the next."""
    turn: list[dict] = []
    for record in records:
        if record["type"] == "user" and not record.get("auto"):
            if turn:
                yield turn[0], collect(turn)
            turn = [record]
        elif turn:
            turn.append(record)
    if turn:
        yield turn[0], collect(turn)


def collect(records: Iterable[dict]) -> dict[str, list]:
    """What was done, by kind; the newest of each is last. Each file is named once. A record that
    makes no sense says nothing."""
    found: dict[str, dict] = {"changed": {}, "created": {}, "deleted": {}, "commands": {},
                              "read": {}}
    calls: dict[str, tuple[str, dict]] = {}
    new: set[str] = set()
    for record in records:
        with suppress(KeyError, TypeError, AttributeError):
            match record["type"]:
                case "assistant":
                    calls = {call["id"]: (call["name"], _loads(call["arguments"]))
                             for call in record["tool_calls"]}
                case "meta" if record.get("kind") == "before" and record["sha"] is None:
                    new.add(record["path"])
                case "meta" if record.get("kind") == "changed" and not record.get("unmade"):
                    for file in record["files"]:
                        _by_command(found, file)
                case "tool" if record["call_id"] in calls:
                    name, arguments = calls[record["call_id"]]
                    _take(found, name, arguments, record, new)
    for path in found["created"]:
        found["changed"].pop(path, None)
    for path in (*found["created"], *found["changed"], *found["deleted"]):
        found["read"].pop(path, None)
    return {kind: list(items) for kind, items in found.items()}


def _take(found: dict[str, dict], name: str, arguments: dict, record: dict, new: set) -> None:
    path = str(arguments.get("path", ""))
    if name == "bash" and record["decision"] != "deny":
        command, code = first_line(str(arguments.get("command", "")), COMMAND), record.get("exit")
        item = command if code is None else f"{command} -> {code}"
        found["commands"].pop(item, None)
        found["commands"][item] = True
    elif not record["ok"] or not path:
        return
    elif name in ("write", "edit"):
        _set(found, "created" if path in new else "changed", path)
    elif name in ("delete", "move"):
        _set(found, "deleted", path)
        if name == "move":
            _set(found, "created", str(arguments["to"]))
    elif name == "read" and not path.startswith("out:"):
        found["read"].pop(path, None)
        found["read"][path] = True


def _by_command(found: dict[str, dict], file: dict) -> None:
    """What a command did to a file."""
    kind = "created" if file["sha"] is None else "deleted" if file["to"] is None else "changed"
    _set(found, kind, file["path"])


def _set(found: dict[str, dict], kind: str, path: str) -> None:
    """The newest of what was done to a file counts; that it was created, until it is deleted."""
    if kind == "deleted":
        found["created"].pop(path, None)
        found["changed"].pop(path, None)
    else:
        found["deleted"].pop(path, None)
    found[kind].pop(path, None)
    found[kind][path] = True


def _line(kind: str, items: list[str], say: Strings, tokens: int) -> str:
    shown: list[str] = []
    room = tokens - estimate_tokens(say(f"archive.facts.{kind}", items="")) - 8
    separator = "; " if kind == "commands" else ", "
    for item in reversed(items):
        room -= estimate_tokens(separator + item)
        if room < 0:
            break
        shown.insert(0, item)
    hidden = len(items) - len(shown)
    if hidden:
        shown.insert(0, say("archive.facts.more", n=hidden))
    return say(f"archive.facts.{kind}", items=separator.join(shown))


def _loads(text: str) -> dict:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}

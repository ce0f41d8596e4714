"""Calls written without any markup: JSON, bare or in a fence, and `[name(key="value")]`. Pure.

Each `look_` reads from a place up to the end of the message: anything after the calls means that
there are none. Objects must be exactly calls; `head` gives up at the first key that cannot be one,
so that JSON meant for people is shown at once.
Not covered: whether a place may hold a call, and which tools exist (`ai/text/textcalls.py`).
"""

from __future__ import annotations

import re

from clinkai.ai.text import literals, written
from clinkai.ai.arguments import read_arguments
from clinkai.ai.text.dialects import AFTER, begins, residue_end
from clinkai.ai.text.literals import Broken, Item, More
from clinkai.ai.text.looks import CLOSED, NOTHING, OPEN, Look

HEAD = 500
"""Characters within which the arguments of a call must begin."""

STRING = re.compile(r'"(?:[^"\\]+|\\.)*+"', re.S)
ARGUMENTS = ("arguments", "parameters")
KEYS = ("name", "type", "id", "function", *ARGUMENTS)
FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*\r?\n")
FENCE_HEAD = re.compile(r"(?:`{1,2}|~{1,2}|(?:`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*\r?)\Z")
LABELS = ("", "json", "tool_call", "tool_calls", "tool", "function", "function_call")
LIST_OF_CALLS = re.compile(r"\[\s*(?:[A-Za-z_][\w.]{0,63}\(|[A-Za-z_]?[\w.]{0,63}\Z)")


def look_json(text: str, at: int, final: int) -> Look:
    """Call objects, or lists of them, from `at` to the end of the message."""
    return _to_the_end(text, at, final, _objects, "json")


def look_fence(text: str, at: int, final: int) -> Look:
    """The same within fences."""
    return _to_the_end(text, at, final, _fence, "fence")


def look_python(text: str, at: int, final: int) -> Look:
    """A list of Python calls from `at` to the end of the message."""
    start = LIST_OF_CALLS.match(text, at)
    if start is None:
        return NOTHING
    end = literals.closes(text, at, literals.PYTHON_BRACKETS)
    name = start.group().strip("[( \t\r\n")
    if end < 0:
        return Look(OPEN, len(text), (), "python", True, name)
    rest = residue_end(text, end)
    if rest < len(text) and (final or not begins(text, rest, AFTER)):
        return NOTHING
    items = literals.python_items(text[at:end])
    if not items:
        return NOTHING
    return Look(CLOSED if final else OPEN, len(text), tuple(items), "python", soft=True)


def _to_the_end(text: str, at: int, final: int, read: object, dialect: str) -> Look:
    items: list[Item] = []
    try:
        while True:
            at = read(text, at, final, items)
            at = residue_end(text, at)
            while items and at < len(text) and text[at] in ",;":
                at = residue_end(text, at + 1)
            if at >= len(text):
                state = CLOSED if final else OPEN
                return Look(state, at, tuple(items), dialect, soft=True)
    except More as more:
        return Look(OPEN, len(text), tuple(items), dialect, True, more.name)
    except Broken:
        return NOTHING


def _objects(text: str, at: int, final: int, items: list[Item]) -> int:
    """Take the object or list at `at`; return where it ends."""
    if items and not final and begins(text, at, AFTER):
        raise More
    if text[at] not in "{[":
        raise Broken
    name = head(text, at)
    value, end = literals.decoded(text, at)
    if end:
        items += exact(value)
        return end
    if literals.closes(text, at) >= 0:
        raise Broken
    raise More(name)


def _fence(text: str, at: int, final: int, items: list[Item]) -> int:
    opened = FENCE.match(text, at)
    if opened is None:
        part = FENCE_HEAD.match(text, at)
        if part and not final and any(n.startswith((part.group(1) or "").lower()) for n in LABELS):
            raise More
        if items and not final and begins(text, at, AFTER):
            raise More
        raise Broken
    if opened.group(2).lower() not in LABELS:
        raise Broken
    at = literals.skip(text, opened.end())
    count = len(items)
    while True:
        if at >= len(text):
            if final and len(items) > count:
                return at
            raise More
        if len(items) > count and text.startswith(opened.group(1), at):
            close = re.compile(rf"{re.escape(opened.group(1))}[ \t]*(?:\r?\n|\Z)").match(text, at)
            if close is None:
                raise Broken
            return close.end()
        rest = text[at:]
        if len(items) > count and not final and opened.group(1).startswith(rest):
            raise More
        at = literals.skip(text, _objects(text, at, final, items))
        while text[at:at + 1] in (",", ";"):
            at = literals.skip(text, at + 1)


def exact(value: object) -> list[Item]:
    """The calls that `value` is, an object or a list of such. Raises Broken where it is not exactly
    that."""
    values = value if isinstance(value, list) else [value]
    if not values:
        raise Broken
    return [_exact(v) for v in values]


def _exact(value: object) -> Item:
    if not isinstance(value, dict):
        raise Broken
    if value.get("type", "function") != "function" or not isinstance(value.get("id", ""), str):
        raise Broken
    body = {k: v for k, v in value.items() if k not in ("type", "id")}
    if body.keys() == {"function"} and "type" in value and isinstance(body["function"], dict):
        body = body["function"]
    name = body.pop("name", None)
    if not isinstance(name, str) or len(body) != 1 or not body.keys() <= set(ARGUMENTS):
        raise Broken
    arguments = next(iter(body.values()))
    if not isinstance(arguments, dict | str):
        raise Broken
    raw = written.raw(arguments)
    if not raw.strip().startswith("{") or read_arguments(raw)[0].broken:
        raise Broken
    return Item(name, raw)


def head(text: str, at: int) -> str:
    """The name in what may become a call object at `at`, as far as it is there. Raises Broken as
    soon as it cannot be one."""
    end = min(len(text), at + HEAD)
    name = ""
    if text[at] == "[":
        at = literals.skip(text, at + 1)
    if at < end and text[at] != "{":
        raise Broken
    at = literals.skip(text, at + 1)
    while at < end:
        key, at = _string(text, at, KEYS)
        if at >= end:
            break
        if text[at] != ":":
            raise Broken
        at = literals.skip(text, at + 1)
        if at >= end or (key in ARGUMENTS and text[at] in '{"'):
            return name
        if key == "function" and text[at] == "{":
            at = literals.skip(text, at + 1)
            continue
        value, at = _string(text, at, ("function",) if key == "type" else ())
        name = value if key == "name" else name
        if at >= end:
            break
        if text[at] == "}":
            return name
        if text[at] != ",":
            raise Broken
        at = literals.skip(text, at + 1)
    if at >= end and end < len(text):
        raise Broken
    return name


def _string(text: str, at: int, allowed: tuple[str, ...]) -> tuple[str, int]:
    """The string at `at`, as far as it is there, and the next place after white space."""
    if text[at] != '"':
        raise Broken
    whole = STRING.match(text, at, at + HEAD)
    value = whole.group()[1:-1] if whole else text[at + 1:at + HEAD]
    if whole is None and len(value) > 100:
        raise Broken
    if allowed and not (value in allowed if whole else any(a.startswith(value) for a in allowed)):
        raise Broken
    return value, literals.skip(text, whole.end()) if whole else len(text)

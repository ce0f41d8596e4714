"""The arguments of a tool call, as a server sends them, read as JSON objects.

A strict JSON object is kept to the byte. What is an object in disguise is put right (raw control
characters, a fence, double encoding, a placeholder before it, a repetition, Python literals);
different objects in one buffer are several calls. What remains is broken: never guessed at, never
sent back to the server, whose template would refuse it in every later request.
Not covered: whether the arguments fit the tool.
"""

from __future__ import annotations

import json
import re

from clinkai.ai.body import encode, whole
from clinkai.core.value import Value

MARKS = re.compile(r'"(?:[^"\\]+|\\.)*+("?)|[\[\]{}]', re.S)
"""Strings, with or without an end, and brackets. Possessive: a cut string is looked at once."""

STRING = re.compile(r'"(?:[^"\\]+|\\.)*+"', re.S)
FENCE = re.compile(r"`{3,}[^\n{\"]*")

OCTAL = r"(?<!\\)(?:\\\\)*\\[0-7]"
"""An escape that Python would read and that no model means: `\\d` and `\\1` of a pattern, badly
escaped. It would become another character."""


class Arguments(Value):
    """text: a JSON object, `{}` where it is broken; broken: the raw text then."""

    text: str
    broken: str = ""
    repaired: bool = False


def read_arguments(raw: str) -> tuple[Arguments, ...]:
    """Return the arguments in `raw`: one, or several where it holds several calls."""
    text = raw.strip()
    if text in ("", "null", '""'):
        return (Arguments("{}"),)
    value = _strict(raw)
    if isinstance(value, dict):
        sound = _sound(value, raw)
        return (Arguments(sound, repaired=sound != raw),)
    if isinstance(value, str):
        text = value.strip()
    objects = _objects(_unfenced(text)) or _python(text)
    if objects:
        texts = [_sound(o, "") or encode(o) for o in objects]
        return tuple(Arguments(t, repaired=True) for t in dict.fromkeys(texts))
    return (Arguments("{}", broken=raw),)


def is_cut(raw: str) -> bool:
    """True for an object whose end is missing: the answer was cut, whatever its label says."""
    text = _unfenced(raw.strip())
    if text[:1] == '"':
        return text[1:2] == "{" and not STRING.match(text)
    if not text.startswith("{"):
        return False
    depth = 0
    for mark in MARKS.finditer(text):
        if mark.group(1) is not None:
            if not mark.group(1):
                return True
        else:
            depth += 1 if mark.group() in "[{" else -1
    return depth > 0


def is_complete(raw: str) -> bool:
    """True for text that is one JSON object and needs nothing more."""
    return raw.rstrip().endswith("}") and isinstance(_strict(raw), dict)


def _constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


STRICT = json.JSONDecoder(parse_constant=_constant)
LOOSE = json.JSONDecoder(parse_constant=_constant, strict=False)


def _strict(raw: str) -> object:
    try:
        return STRICT.decode(raw)
    except (ValueError, RecursionError):
        return None


def _objects(text: str) -> list[dict]:
    """The complete objects at the start of `text`, without empty ones put beside another."""
    found: list[dict] = []
    at = 0
    while at < len(text) and text[at] == "{":
        try:
            value, at = LOOSE.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        found.append(value)
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
    if at < len(text) and text[at] == "{":
        return []  # the last one is not complete: not for us to say which of them was meant
    return list(filter(None, found)) or found[:1]


def _unfenced(text: str) -> str:
    if not text.startswith("```"):
        return text
    return FENCE.sub("", text, count=1).strip().removesuffix("```").strip()


def _python(text: str) -> list[dict]:
    if not text.startswith("{") or len(text) > 1_000_000 or re.search(OCTAL, text):
        return []
    import ast

    try:
        value = ast.literal_eval(text)
        encode(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return []
    return [value] if isinstance(value, dict) and all(isinstance(k, str) for k in value) else []


def _sound(value: dict, raw: str) -> str:
    r"""`raw`, or `value` encoded anew where it holds half a surrogate pair (`\ud83d`), which
    servers refuse to read back."""
    if raw and "\\u" not in raw and raw.isascii():
        return raw
    text = encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return whole(text)
    return raw

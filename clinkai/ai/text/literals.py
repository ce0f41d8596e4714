"""Values in the notations of models: JSON, Python literals, Gemma's; and the calls written in the
latter two. Pure. Readers return a value and where it ends; nothing is ever evaluated.
Not covered: XML-like forms (`ai/text/written.py`).
"""

from __future__ import annotations

import re

from clinkai.ai.arguments import LOOSE
from clinkai.ai.body import encode
from clinkai.core.value import Value

LIMIT = 1_000_000
"""Characters of Python that are read; JSON has no limit."""

PYTHONIC = re.compile(r"\[?\s*[A-Za-z_][\w.]{0,63}\(")
BRACKETS = re.compile(r'"(?:[^"\\]+|\\.)*+("?)|[\[\]{}()]', re.S)
PYTHON_BRACKETS = re.compile(
    r'"(?:[^"\\]+|\\.)*+("?)|\'(?:[^\'\\]+|\\.)*+(\'?)|[\[\]{}()]', re.S)
STRINGS = re.compile(r'"(?:[^"\\]+|\\.)*+"|\'(?:[^\'\\]+|\\.)*+\'', re.S)

TRIES = 20
"""Closers that are tried for a call which cannot be read up to the first."""

KNOWN_ESCAPES = "\\'\"abfnrtvxNuU\n"
"""What after a backslash is an escape in Python source."""


class Item(Value):
    """One call. arguments: raw JSON text, or pairs (parameter, raw text, type hint) of XML-like
    forms; mended: it was not written as its form wants."""

    name: str
    arguments: object
    mended: bool = False


class More(Exception):
    """The text ends within a call; name: its tool as far as known."""

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.name = name


class Broken(Exception):
    """This is no call, whatever follows."""


def skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def stops(text: str, at: int, closers: tuple[str, ...]) -> list[int]:
    """Where one of `closers` stands from `at` on."""
    found = []
    for closer in closers:
        place = text.find(closer, at)
        while place >= 0 and len(found) < 1000:
            found.append(place)
            place = text.find(closer, place + 1)
    return sorted(found)


def closes(text: str, at: int, tokens: re.Pattern = BRACKETS) -> int:
    """Where the bracket that opens at `at` is closed, or -1."""
    depth = 0
    for token in tokens.finditer(text, at):
        mark = token.group()
        if mark[0] in "\"'":
            if not token[token.lastindex]:
                return -1  # a string that does not end
        elif mark in "[{(":
            depth += 1
        else:
            depth -= 1
            if depth <= 0:
                return token.end()
    return -1


def unended(text: str) -> bool:
    """True for a piece of JSON that ends within a string."""
    return any(token.group(1) == "" for token in BRACKETS.finditer(text))


def decoded(text: str, at: int) -> tuple[object, int]:
    """The JSON value at `at` and where it ends, or (None, 0)."""
    try:
        return LOOSE.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, 0


def tame(source: str) -> str:
    """Python source with every backslash doubled that begins no escape, as Python itself reads it,
    though with a warning. Raises ValueError for `\\1`: meant for a pattern, read as a control
    character."""
    def escape(found: re.Match) -> str:
        if found[1] in "01234567":
            raise ValueError
        return found[0] if found[1] in KNOWN_ESCAPES else "\\" + found[0]

    return re.sub(r"\\(.)", escape, source, flags=re.S)


def literal(body: str) -> object:
    import ast

    if len(body) > LIMIT:
        return None
    try:
        value = ast.literal_eval(tame(body))
        encode(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value


def python_calls(text: str, at: int, closers: tuple, final: int) -> tuple[list[Item], int]:
    """`[f(x="..."), g(y=1)]`: keyword arguments with literal values."""
    named = re.compile(r"\[?\s*([\w.]+)\(").match(text, at)
    name = named.group(1) if named else ""
    ends = stops(text, at, closers) or ([len(text)] if final else [])
    for end in ends[:TRIES]:
        items = python_items(text[at:end])
        if items:
            return items, end
    if final and ends and ends != [len(text)]:
        raise Broken
    raise More(name)


def python_items(source: str) -> list[Item]:
    """The calls that Python source is, a list of them or one a line; none where it is anything
    else."""
    import ast

    if len(source) > LIMIT:
        return []
    for body in (source, STRINGS.sub(lambda m: re.sub(r"\r?\n", r"\\n", m.group()), source)):
        try:
            nodes = [line.value for line in ast.parse(tame(body).strip()).body]
            if len(nodes) == 1 and isinstance(nodes[0], ast.List | ast.Tuple):
                nodes = nodes[0].elts
            return [_python_item(node, body is not source) for node in nodes]
        except (AttributeError, ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
    return []


def _python_item(node: object, mended: bool) -> Item:
    import ast

    if not isinstance(node, ast.Call) or node.args or any(k.arg is None for k in node.keywords):
        raise ValueError
    words = {"true": True, "false": False, "null": None}
    values = {}
    for keyword in node.keywords:
        value = keyword.value
        known = isinstance(value, ast.Name) and value.id in words
        values[keyword.arg] = words[value.id] if known else ast.literal_eval(value)
    return Item(ast.unparse(node.func), encode(values), mended)


def gemma(text: str, at: int) -> tuple[list[Item], int]:
    """`call:name{key:<|"|>text<|"|>,n:1}`."""
    head = re.compile(r"call:\s*([\w.\-/:]{0,64})").match(text, at)
    if head.end() >= len(text):
        raise More
    if text[head.end()] != "{" or not head.group(1):
        raise Broken
    value, end = Gemma(text, head.group(1)).read(head.end())
    return [Item(head.group(1), encode(value))], end


class Gemma:
    """Reads Gemma's notation: bare keys, strings between tokens of their own."""

    QUOTE = '<|"|>'
    SCALAR = re.compile(r"true\b|false\b|null\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
    KEY = re.compile(r"[\w.\-$]+")

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name

    def read(self, at: int, depth: int = 0) -> tuple[object, int]:
        """The value at `at` and where it ends."""
        rest = self.text[at:at + 5]
        if len(rest) < 5 and self.QUOTE.startswith(rest):
            raise More(self.name)
        if depth > 50:
            raise Broken
        if self.text.startswith(self.QUOTE, at):
            end = self.text.find(self.QUOTE, at + 5)
            if end < 0:
                raise More(self.name)
            return self.text[at + 5:end], end + 5
        if self.text[at] == '"':
            value, end = decoded(self.text, at)
            if not end:
                raise More(self.name)
            return value, end
        if self.text[at] in "{[":
            return self._many(at, depth)
        scalar = self.SCALAR.match(self.text, at)
        if scalar and self.text[scalar.end():].strip(".eE+-"):
            value, end = decoded(self.text, at)
            if end != scalar.end():
                raise Broken
            return value, end
        if scalar or len(self.text) - at < 6:
            raise More(self.name)
        raise Broken

    def _many(self, at: int, depth: int) -> tuple[object, int]:
        opened = self.text[at]
        closer = "}" if opened == "{" else "]"
        keys, values = [], []
        at += 1
        while True:
            at = skip(self.text, at)
            if self.text.startswith(closer, at):
                return (dict(zip(keys, values)) if opened == "{" else values), at + 1
            if opened == "{":
                key, at = self._key(at)
                keys.append(key)
            value, at = self.read(skip(self.text, at), depth + 1)
            values.append(value)
            at = skip(self.text, at)
            if at >= len(self.text):
                raise More(self.name)
            if self.text[at] == ",":
                at += 1
            elif self.text[at] != closer:
                raise Broken

    def _key(self, at: int) -> tuple[str, int]:
        key = self.KEY.match(self.text, at)
        if key:
            name, at = key.group(), key.end()
        elif at < len(self.text) and self.text[at] not in '<"':
            raise Broken
        else:
            found, at = self.read(at)
            name = str(found)
        at = skip(self.text, at)
        if at >= len(self.text):
            raise More(self.name)
        if self.text[at] != ":":
            raise Broken
        return name, at + 1


def object_text(item: Item, schema: dict) -> str:
    """The arguments of `item` as raw JSON text. schema: that of the tool's parameters, or {}: a
    parameter that it does not type stays text."""
    if isinstance(item.arguments, str):
        return item.arguments
    known = schema.get("properties")
    known = known if isinstance(known, dict) else {}
    return encode({key: typed(value, known.get(key), hint) for key, value, hint in item.arguments})


def typed(value: str, schema: object, hint: str) -> object:
    """A raw value as the type that its schema wants; text where it is none of that type.

    As vLLM's and llama.cpp's readers of Qwen3-Coder do it: a string stays as written, so that
    `"42"` or JSON written to a file are not turned into something else.
    """
    kinds = schema.get("type") if isinstance(schema, dict) else None
    kinds = set(kinds) if isinstance(kinds, list) else {kinds} - {None}
    bare = value.strip()
    if not kinds or "string" in kinds:
        return _json_or(value, object) if hint == "false" and not kinds else value
    if bare.lower() == "null":
        return None if "null" in kinds else value
    if "boolean" in kinds and bare.lower() in ("true", "false"):
        return bare.lower() == "true"
    wanted: tuple = ()
    for kind, types in (("integer", (int,)), ("number", (int, float)), ("object", (dict,)),
                        ("array", (list,))):
        wanted += types if kind in kinds else ()
    return _json_or(value, wanted) if wanted else value


def _json_or(value: str, wanted: object) -> object:
    bare = value.strip()
    found, end = decoded(bare, 0)
    if end != len(bare) or not bare:
        found = literal(bare) if bare[:1] in "[{" and bare else value
    if isinstance(found, bool) and wanted is not object:
        return value
    return found if isinstance(found, wanted) else value

"""Single calls in JSON and XML-like forms, read at a known place of a text. Pure.

Each reader returns the calls and where they end, and raises More where the text ends within one,
Broken where it is none.
Not covered: wrappers around calls (`ai/text/dialects.py`).
"""

from __future__ import annotations

import re

from clinkai.ai.arguments import read_arguments
from clinkai.ai.body import encode
from clinkai.ai.text.literals import TRIES, Broken, Item, More, decoded, literal, skip, stops
from clinkai.ai.text.looks import STOPPED
from clinkai.core.value import replace

BAR = "[|｜]{0,2}"
DSML = rf"(?:{BAR}DSML{BAR}\s*)?"
FUNCTION = re.compile(r"<function\s*(?:=|\s+name=)\s*[\"']?([^\s<>\"']{1,64})[\"']?\s*>")
FUNCTION_OPEN = re.compile(r"<function(?:\s*=|\s+n?a?m?e?=?|)\s*[\"']?[^\s<>\"']{0,64}[\"']?\s*$")
INVOKE = re.compile(rf"<{DSML}invoke\s+name=[\"']?([^<>\"']{{1,64}})[\"']?\s*>")
INVOKE_OPEN = re.compile(rf"<{DSML}invoke\s+name=[^<>]{{0,70}}$")
PARAMETER = re.compile(
    rf"<{DSML}parameter\s*(?:=|\s+name=)\s*[\"']?([^\s<>\"']{{1,100}})[\"']?"
    r"(?:\s+string=[\"']?(true|false)[\"']?)?\s*>")
EDGE = re.compile(
    rf"<(/)?{DSML}(parameter|function|invoke)(?(1)>|[= ])|<(/)(?:\w+:)?(tool_call)>")
AFTER = re.compile(
    rf"\s*(?:<{DSML}parameter[= ]|</{DSML}(?:function|invoke)>|</(?:\w+:)?tool_call>"
    rf"|</{DSML}(?:function_calls|tool_calls|calls)>|$)")
NEXT = re.compile(r"</[^<>]{0,8}parameter>|<function=|<invoke |<tool_call>")
BEGIN = re.compile(r"<[|｜]tool[_▁]call[_▁]begin[|｜]>")
SEPARATOR = re.compile(r"<[|｜]tool[_▁]sep[|｜]>|<\|tool_call_argument_begin\|>")
END = re.compile(r"<[|｜]tool[_▁]call[_▁]end[|｜]>")
ARGS = re.compile(r"\s*(?:\[CALL_ID\][\w\-]{1,40})?\s*(?:\[ARGS\])?\s*")
NAME_KEY = re.compile(r"""["'](?:name|function|tool_name)["']\s*:\s*["']([\w.\-/:]{1,64})["']""")
ARGS_KEY = re.compile(r"""["'](?:arguments|parameters)["']\s*:\s*""")
FENCE = re.compile(r"```(?:json)?\s*")


# -- JSON


def envelopes(value: object) -> list[Item]:
    """The calls that a value inside markup means: an object with a name, or a list of them.
    Raises Broken for any other value."""
    values = value if isinstance(value, list) else [value]
    items = [_envelope(v) for v in values]
    if not items:
        raise Broken
    return items


def _envelope(value: object) -> Item:
    if not isinstance(value, dict):
        raise Broken
    inner = value.get("function")
    if isinstance(inner, dict):
        value = inner
    name = value.get("name") or value.get("tool_name") or value.get("function")
    if not isinstance(name, str) or not name:
        raise Broken
    for key in ("arguments", "parameters"):
        if key in value:
            return Item(name, raw(value[key]))
    if value.keys() - {"name", "tool_name", "function", "id", "type", "tool_call_id"}:
        raise Broken
    return Item(name, "{}")


def raw(value: object) -> str:
    """Arguments as text for `read_arguments`: a string may hold the object."""
    if isinstance(value, str):
        return value
    return encode(value) if value is not None else "{}"


def name_in(body: str) -> str:
    """The name in a call that cannot be read as a whole."""
    found = NAME_KEY.search(body[:2000])
    return found.group(1) if found else ""


def arguments_in(body: str) -> str:
    """The raw arguments in such a call."""
    found = ARGS_KEY.search(body)
    return body[found.end():] if found else body


def mended(body: str) -> list[Item]:
    """The calls in `body`, which is no JSON: Python literals, doubled braces, or an object whose
    last brace is missing while its arguments are whole. Empty where none of that holds."""
    try:
        if body.startswith("{{") and body.endswith("}}"):
            value, end = decoded(body[1:-1], 0)
            return [replace(i, mended=True) for i in envelopes(value)] if end else []
        name, found = name_in(body), ARGS_KEY.search(body)
        if name and found and body.startswith('{"'):
            value, end = decoded(body, found.end())
            if end and isinstance(value, dict) and not body[end:].strip("} \r\n\t"):
                return [Item(name, encode(value), True)]
        value = literal(body)
        return [replace(i, mended=True) for i in envelopes(value)] if value is not None else []
    except Broken:
        return []


def object_at(text: str, at: int, name: str, closers: tuple, final: int) -> tuple[str, int]:
    """The raw text of the object at `at` and where it ends, be it sound or closed by a closer."""
    _, end = decoded(text, at)
    if end:
        return text[at:end], end
    places = stops(text, at, closers)
    for stop in places[:TRIES]:
        body = text[at:stop].rstrip().removesuffix("```").rstrip()
        if not read_arguments(body)[0].broken:
            return body, stop
    if not places or final != STOPPED:
        raise More(name)
    return text[at:places[-1]].rstrip(), places[-1]


# -- XML-like


def function(text: str, at: int, final: int) -> tuple[list[Item], int]:
    """`<function=name>`, then `<parameter=..>` or one object, up to `</function>`."""
    return _element(text, at, final, FUNCTION, FUNCTION_OPEN)


def invoke(text: str, at: int, final: int) -> tuple[list[Item], int]:
    """`<invoke name="..">`, the same with attributes."""
    return _element(text, at, final, INVOKE, INVOKE_OPEN)


def _element(text: str, at: int, final: int, whole: re.Pattern,
             part: re.Pattern) -> tuple[list[Item], int]:
    head = whole.match(text, at)
    if head is None:
        if not final and part.match(text, at):
            raise More
        raise Broken
    name = head.group(1)
    at = skip(text, head.end())
    mended = False
    if at < len(text) and text[at] == "{":
        value, at = object_at(text, at, name, ("</function>", "</invoke>"), final)
        found: object = value
        at = skip(text, at)
    else:
        found, at, mended = _parameters(text, at, name, final)
    close = re.compile(rf"</{DSML}(?:function|invoke)>").match(text, at)
    if close:
        return [Item(name, found, mended)], close.end()
    if re.compile(rf"</(?:\w+:)?tool_call>|</{DSML}(?:function_calls|tool_calls)>").match(text, at):
        return [Item(name, found, True)], at
    rest = text[at:]
    if not rest or (len(rest) < 24 and rest.startswith("<")):
        raise More(name)
    raise Broken


def _parameters(text: str, at: int, name: str, final: int) -> tuple[tuple, int, bool]:
    """The parameters, where they end, and whether the last of them lacks its closer."""
    pairs: list[tuple[str, str, str]] = []
    open_ended = False
    while True:
        at = skip(text, at)
        head = PARAMETER.match(text, at)
        if head is None:
            rest = text[at:at + 140]
            if not final and rest[:1] == "<" and ">" not in rest and at + len(rest) == len(text):
                raise More(name)
            return tuple(pairs), at, open_ended
        value, at = _value(text, head.end(), name, final)
        open_ended = head.end() + len(value) == at
        pairs.append((head.group(1), trimmed(value), head.group(2) or ""))


def _value(text: str, at: int, name: str, final: int) -> tuple[str, int]:
    """A raw value and where what follows it starts. Markup within the value is counted first, and
    if that does not come out even, not."""
    for nested in (True, False):
        found = _value_end(text, at, nested, final)
        if found:
            return text[at:found[0]], found[1]
        if not final:
            break
    raise More(name)


def _value_end(text: str, at: int, nested: bool, final: int) -> tuple[int, int] | None:
    depth = 0
    for edge in EDGE.finditer(text, at):
        start, end = edge.span()
        closes, kind = edge[1] or edge[3], edge[2] or edge[4]
        calls = kind in ("function", "invoke")
        if calls and not closes:
            depth += nested
        elif depth:
            depth -= calls
        elif closes and kind == "parameter":
            after = AFTER.match(text, end)
            if after and (final or after.end() < len(text) or after.group().strip()):
                return start, end
        elif not closes:
            if start == at or text[start - 1] == "\n":
                return start, start
        elif not _inside(text, end):
            return start, start
    return None


def _inside(text: str, at: int) -> bool:
    """True where a closer before `at` belongs to a value: that value's own end is still to come."""
    following = NEXT.search(text, at)
    return following is not None and following.group().startswith("</")


def trimmed(value: str) -> str:
    """`value` without one newline at each end."""
    value = value[2:] if value.startswith("\r\n") else value.removeprefix("\n")
    return value[:-2] if value.endswith("\r\n") else value.removesuffix("\n")


def pairs(text: str, at: int, name: str, closers: tuple, final: int) -> tuple[list[Item], int]:
    """`<arg_key>k</arg_key><arg_value>v</arg_value>`, any number of them."""
    found: list[tuple[str, str, str]] = []
    while True:
        at = skip(text, at)
        if not text.startswith("<arg_key>", at):
            return [Item(name, tuple(found))], at
        key_end = text.find("</arg_key>", at)
        start = text.find("<arg_value>", key_end) if key_end >= 0 else -1
        if start < 0:
            raise More(name)
        start += len("<arg_value>")
        end = _arg_end(text, start, closers, final)
        if end < 0:
            raise More(name)
        found.append((text[at + 9:key_end].strip(), trimmed(text[start:end]), ""))
        at = end + len("</arg_value>")


def _arg_end(text: str, at: int, closers: tuple, final: int) -> int:
    while True:
        at = text.find("</arg_value>", at)
        if at < 0:
            return -1
        rest = skip(text, at + len("</arg_value>"))
        if text.startswith(("<arg_key>", *closers), rest):
            return at
        if rest >= len(text):
            return at if final else -1
        at += 1


def begun(text: str, at: int, final: int) -> tuple[list[Item], int]:
    """Kimi's and DeepSeek's calls: begin, name, separator, arguments, end."""
    start = BEGIN.match(text, at).end()
    separator = SEPARATOR.search(text, start, start + 200)
    if separator is None:
        if len(text) > start + 200 or final:
            raise Broken
        raise More
    name = text[start:separator.start()].strip()
    at = separator.end()
    if name == "function":
        line = re.compile(r"\s*([\w.\-/:]{1,64})\s*").match(text, at)
        if line is None or line.end() >= len(text):
            raise More
        name, at = line.group(1), line.end()
    name = re.sub(r":\d+$", "", name)
    at = skip(text, at)
    if "```json".startswith(text[at:]):
        raise More(name)
    fence = FENCE.match(text, at)
    at = fence.end() if fence else at
    if at >= len(text):
        raise More(name)
    if text[at] != "{":
        raise Broken
    ends = [m.start() for m in END.finditer(text, at)]
    _, stop = decoded(text, at)
    if not stop:
        stop = next((e for e in ends[:TRIES] if not read_arguments(text[at:e])[0].broken), 0)
        stop = stop or (ends[-1] if final == STOPPED and ends else 0)
        if not stop:
            raise More(name)
    value = text[at:stop].rstrip().removesuffix("```")
    closing = re.compile(rf"\s*(?:```)?\s*(?:{END.pattern})").match(text, stop)
    if closing is None:
        if len(text) - stop < 40:
            raise More(name)
        raise Broken
    return [Item(name, value)], closing.end()

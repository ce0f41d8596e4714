"""How models write tool calls as text: the forms, and reading one that stands at a known place.

`look` reads the special-token markup that starts at a place of a text: what was opened, the calls
inside, whether it was closed. Wrappers (`<tool_call>`, `[TOOL_REQUEST]`, `<|python_tag|>`, ...) and
what stands in them (JSON, `<function=..>`, `<invoke ..>`, `<arg_key>`, Python, Gemma) are read
apart from each other, since servers and models mix them. Values of XML-like forms are raw text:
nothing is unescaped, one newline at each end is removed.
The forms are those of the models' public chat templates and of the reports in `wire-quirks.md`.
Not covered: whether a place in a message may hold a call (`ai/text/textcalls.py`), harmony's channels.
"""

from __future__ import annotations

import re
from functools import lru_cache

from clinkai.ai.text import literals, written
from clinkai.ai.arguments import read_arguments
from clinkai.ai.text.literals import TRIES, Broken, Item, More
from clinkai.ai.text.looks import CLOSED, NOTHING, OPEN, STOPPED, Look

FINAL = ("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|call|>", "<|endoftext|>", "</s>",
         "<turn|>", "<end_of_turn>", "[/INST]", "<｜end▁of▁sentence｜>", "<|return|>", "[e~[")
"""Tokens that end a message, where a server let them through."""

DSML = tuple(f"{bar}DSML{bar}{space}" for bar in ("｜", "｜｜", "|", "||") for space in ("", " "))
"""What DeepSeek puts before a name, and how it comes out elsewhere."""

WRAPPERS = {
    "<tool_call>": ("tool_call", ("</tool_call>",)),
    "<tool_calls>": ("tool_call", ("</tool_calls>",)),
    "<function_call>": ("tool_call", ("</function_call>",)),
    "<function_calls>": ("tool_call", ("</function_calls>",)),
    "<functioncall>": ("tool_call", ("</functioncall>",)),
    "<tools>": ("tool_call", ("</tools>",)),
    "<TOOLCALL>": ("tool_call", ("</TOOLCALL>",)),
    "<seed:tool_call>": ("qwen", ("</seed:tool_call>",)),
    "<minimax:tool_call>": ("minimax", ("</minimax:tool_call>",)),
    "[TOOL_REQUEST]": ("tool_request", ("[END_TOOL_REQUEST]",)),
    "[TOOL_CALL]": ("tool_request", ("[/TOOL_CALL]",)),
    "<|tool_call>": ("gemma", ("<tool_call|>",)),
    "<|tool_call|>": ("granite", ("<|/tool_call|>", "</|tool_call|>")),
    "<|tool_call_start|>": ("lfm2", ("<|tool_call_end|>",)),
    "<|python_start|>": ("llama", ("<|python_end|>",)),
    "<|python_tag|>": ("llama", ()),
    "<|START_ACTION|>": ("command", ("<|END_ACTION|>",)),
    "<|tool_calls_section_begin|>": ("kimi", ("<|tool_calls_section_end|>",)),
    "<｜tool▁calls▁begin｜>": ("deepseek", ("<｜tool▁calls▁end｜>",)),
    "<|tool▁calls▁begin|>": ("deepseek", ("<|tool▁calls▁end|>",)),
    **{f"<{dsml}{kind}>": ("deepseek", (f"</{dsml}{kind}>",))
       for dsml in DSML for kind in ("function_calls", "tool_calls", "calls")},
}
"""Opener: name of the form, its closers."""

BARE = {"<function": "qwen", "<invoke name=": "minimax", "[TOOL_CALLS]": "mistral",
        "<|tool_call_begin|>": "kimi", "<｜tool▁call▁begin｜>": "deepseek",
        "<|tool▁call▁begin|>": "deepseek", "call:": "gemma",
        **{f"<{dsml}invoke name=": "deepseek" for dsml in DSML}}
"""Openers of a call that needs no wrapper, or lost it."""

OPENERS = tuple(sorted((*WRAPPERS, *BARE), key=len, reverse=True))
OPENER = re.compile("|".join(map(re.escape, OPENERS)))

ORPHANS = tuple(closer for _, closers in WRAPPERS.values() for closer in closers) + (
    "</function>", "</invoke>", "<|tool_call_end|>", "[/TOOL_CALLS]")
AFTER = tuple(sorted({*FINAL, *ORPHANS}, key=len, reverse=True))
LONGEST = max(len(AFTER[0]), len(OPENERS[0]))
RESIDUE = re.compile(r"\s+|" + "|".join(map(re.escape, AFTER)))
"""What may follow the last call and is no text: a token that ends the message, a closer without
its block."""

MADE_UP = re.compile(r"<\|?tool_response\b")
"""Where a model begins to make up the result itself."""

INNER = ("<function=", "<function name=", "<parameter", "</parameter>", "</function>",
         "<invoke name=", "</invoke>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
         "```json", "call:", "[ARGS]", "[CALL_ID]", "<|tool_call_argument_begin|>", *BARE)
"""What may stand inside, apart from closers."""

NAME = re.compile(r"[^\W\d][\w.\-/:]{0,63}")
BETWEEN = re.compile(r"(?:\s+|```(?:json)?[ \t]*(?=\n|$|[{\[]))+")
BETWEEN_CALLS = re.compile(r"(?:[\s,;}]+|```(?:json)?[ \t]*(?=\n|$|[{\[<]))+")
"""A brace too many is known of Qwen and Hermes."""


def look(text: str, at: int, final: int) -> Look:
    """Read the markup that starts at `at`. final: how far the message is."""
    opener = OPENER.match(text, at)
    if opener is None:
        return Look(OPEN, len(text)) if not final and begins(text, at, OPENERS) else NOTHING
    mark = opener.group()
    try:
        if mark in WRAPPERS:
            if not final and opener.end() == len(text) and mark != "<|tool_call|>":
                return Look(OPEN, len(text), dialect=WRAPPERS[mark][0], partial=True)
            return _wrapped(text, opener, final)
        return _bare(text, opener, final)
    except More as more:
        return Look(OPEN, len(text), (), dialect_of(mark), True, more.name)
    except Broken:
        return NOTHING


def dialect_of(mark: str) -> str:
    return WRAPPERS[mark][0] if mark in WRAPPERS else BARE[mark]


def residue_end(text: str, at: int) -> int:
    """The end of white space, final tokens and stray closers from `at` on."""
    while at < len(text):
        residue = RESIDUE.match(text, at)
        if residue is None:
            break
        at = residue.end()
    return at


def begins(text: str, at: int, tokens: tuple[str, ...]) -> bool:
    """True where the text ends at or after `at` with what may become one of `tokens`."""
    return text[at:at + LONGEST + 1] in _beginnings(tokens)


@lru_cache(64)
def _beginnings(tokens: tuple[str, ...]) -> frozenset[str]:
    return frozenset(token[:end] for token in tokens for end in range(len(token) + 1))


def _wrapped(text: str, opener: re.Match, final: int) -> Look:
    """A wrapper and the calls in it. One without its closer ends where the next one opens."""
    dialect, closers = WRAPPERS[opener.group()]
    closers += FINAL
    items: list[Item] = []
    at = opener.end()
    while True:
        between = (BETWEEN_CALLS if items else BETWEEN).match(text, at)
        at = between.end() if between else at
        if at >= len(text):
            return Look(OPEN, at, tuple(items), dialect, not items)
        closer = next((c for c in closers if text.startswith(c, at)), "")
        if closer and items:
            return Look(CLOSED, at + len(closer), tuple(items), dialect)
        if closer or (not items and text.startswith("</", at)):
            return NOTHING
        if items and text.startswith(opener.group(), at):
            return Look(CLOSED, at, tuple(items), dialect)
        if not final and (begins(text, at, (*closers, *INNER, opener.group()))
                          or re.compile(r"<[^>]{0,99}\Z").match(text, at)):
            return Look(OPEN, len(text), tuple(items), dialect, True)
        try:
            found, at = _item(text, at, closers, final)
        except More as more:
            return Look(OPEN, len(text), tuple(items), dialect, True, more.name)
        except Broken:
            if not final and any(item.mended for item in items):
                return Look(OPEN, len(text), tuple(items), dialect, True)  # it may end later on
            raise
        items += found


def _bare(text: str, opener: re.Match, final: int) -> Look:
    mark = opener.group()
    dialect = BARE[mark]
    if mark == "[TOOL_CALLS]":
        items, end = _mistral(text, opener.end(), final)
        return Look(CLOSED, end, tuple(items), dialect, soft=True)
    if mark == "call:":
        try:
            items, end = literals.gemma(text, opener.start())
            if not text[end:] or (len(text) - end < 12 and "<tool_call|>".startswith(text[end:])):
                raise More(items[0].name)
        except More:
            if final:
                raise Broken from None  # without a marker it is no call
            raise
        if not text.startswith("<tool_call|>", end):
            raise Broken
        return Look(CLOSED, end + len("<tool_call|>"), tuple(items), dialect)
    items, end = _item(text, opener.start(), ("</tool_call>", "</minimax:tool_call>"), final)
    return Look(CLOSED, end, tuple(items), dialect)


def _item(text: str, at: int, closers: tuple[str, ...], final: int) -> tuple[list[Item], int]:
    """The call or the list of calls at `at`, and where it ends. Raises More, Broken."""
    if text[at] == "{" or (text[at] == "[" and not literals.PYTHONIC.match(text, at)):
        return _json(text, at, closers, final)
    if text[at] == "[" or literals.PYTHONIC.match(text, at):
        return literals.python_calls(text, at, closers, final)
    if text.startswith("<function", at):
        return written.function(text, at, final)
    if written.INVOKE.match(text, at) or written.INVOKE_OPEN.match(text, at):
        return written.invoke(text, at, final)
    if written.BEGIN.match(text, at):
        return written.begun(text, at, final)
    if text.startswith("call:", at):
        return literals.gemma(text, at)
    return _named(text, at, closers, final)


def _named(text: str, at: int, closers: tuple[str, ...], final: int) -> tuple[list[Item], int]:
    """A name, then its arguments as `<arg_key>` pairs (GLM) or as an object, or none."""
    name = NAME.match(text, at)
    if name is None:
        raise Broken
    rest = literals.skip(text, name.end())
    if rest >= len(text):
        raise More(name.group())
    if text.startswith("<arg_key>", rest):
        return written.pairs(text, rest, name.group(), closers, final)
    if text[rest] == "{":
        value, end = written.object_at(text, rest, name.group(), closers, final)
        return [Item(name.group(), value)], end
    if any(text.startswith(closer, rest) for closer in closers):
        return [Item(name.group(), "{}")], rest
    if not final and begins(text, rest, (*closers, "<arg_key>")):
        raise More(name.group())
    raise Broken


def _json(text: str, at: int, closers: tuple[str, ...], final: int) -> tuple[list[Item], int]:
    value, end = literals.decoded(text, at)
    if end:
        return written.envelopes(value), end
    places = literals.stops(text, at, closers)
    ended = [stop for stop in places[:TRIES] if not literals.unended(text[at:stop])]
    for stop in ended:
        items = written.mended(text[at:stop].rstrip())
        if items:
            return items, stop
    stop = ended[0] if ended else places[-1] if places and final == STOPPED else 0
    name = written.name_in(text[at:stop or len(text)])
    if not (final and stop and name):
        raise More(name)
    return [Item(name, written.arguments_in(text[at:stop].rstrip()))], stop


def _mistral(text: str, at: int, final: int) -> tuple[list[Item], int]:
    """What follows `[TOOL_CALLS]`: a list or an object of calls, or `name[ARGS]{..}`."""
    at = literals.skip(text, at)
    if at >= len(text):
        raise More("")
    if text[at] in "[{":
        return _json(text, at, FINAL, final)
    name = NAME.match(text, at)
    if name is None:
        raise Broken
    mark = written.ARGS.match(text, name.end())
    rest = mark.end() if mark else name.end()
    if rest >= len(text) or (not final and begins(text, rest, ("[ARGS]", "[CALL_ID]"))):
        raise More(name.group())
    if text[rest] != "{":
        if not final and text.startswith("[CALL_ID]", rest):
            raise More(name.group())
        raise Broken
    value, end = written.object_at(text, rest, name.group(), (*FINAL, "[TOOL_CALLS]"), final)
    return [Item(name.group(), value)], end


def glm_name(name: str) -> tuple[str, str] | None:
    """A name with its arguments stuck to it, as some servers hand over GLM's calls, as name and
    arguments; or None."""
    at = name.find("<arg_key>")
    if at <= 0:
        return None
    try:
        items, _ = written.pairs(name, at, name[:at].strip(), ("</tool_call>",), STOPPED)
    except (More, Broken):
        return None
    arguments = literals.object_text(items[0], {})
    return (items[0].name, arguments) if not read_arguments(arguments)[0].broken else None

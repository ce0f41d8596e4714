"""Finding a text in what was said and done in sessions.

A session is read line by line. Without a regular expression a line is parsed only where its bytes
can hold the text: in JSON, where a quote, a line end or a letter outside ASCII may be escaped,
once, or twice inside the arguments of a call. No index: a gigabyte takes seconds.
Not searched: the system prompt, the descriptions of tools, figures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from clinkai.core.errors import UsageError
from clinkai.core.value import Value
from clinkai.harness.session_file import reading, record_in

AROUND = 60
"""Characters of a snippet before and after what was found."""

FIELDS = {"user": ("content",), "assistant": ("content", "reasoning"), "tool": ("content",),
          "meta": ("title", "text")}
"""What is searched of a record, by its type; of a call also its name and its arguments."""


class Found(Value):
    """A record that holds the text. seq, type: of the record; before, match, after: of the first
    place."""

    seq: int
    type: str
    before: str
    match: str
    after: str


class Query(Value):
    """pattern: of the text; hints: of the bytes of a line that can match, without capitals where
    case is ignored; empty: any can."""

    pattern: re.Pattern
    hints: tuple
    lower: bool


def query(text: str, *, regex: bool = False, case: bool = False) -> Query:
    """What to look for. Without `case`, a letter stands for its capital too: in ASCII, in a regular
    expression in all scripts. Raises UsageError for nothing, and for a bad expression."""
    if not text:
        raise UsageError("error.search.empty")
    if regex:
        try:
            return Query(re.compile(text, 0 if case else re.IGNORECASE), (), False)
        except (re.error, RecursionError, OverflowError) as error:
            raise UsageError("error.search.regex", pattern=text, why=str(error)) from error
    flags = 0 if case else re.IGNORECASE | re.ASCII
    hints = _hints(text if case else _lower(text))
    return Query(re.compile(re.escape(text), flags), hints, not case)


def search(path: str, wanted: Query) -> Iterator[Found]:
    """Each record of a session that holds it, oldest first; what is no record is passed over.
    Raises SessionError where the file cannot be read."""
    with reading(path) as file:
        try:
            for line in file:
                if may_match(line, wanted) and (found := _in_line(line, wanted.pattern)):
                    yield found
        except OSError:
            return  # it goes away while it is read


def may_match(line: bytes, wanted: Query) -> bool:
    """False where no record in `line` can hold it."""
    if not wanted.hints:
        return True
    line = line.lower() if wanted.lower else line
    return any([hint in line for hint in wanted.hints])


def _in_line(line: bytes, pattern: re.Pattern) -> Found | None:
    try:
        record = record_in(line)
    except ValueError:
        return None
    for text in texts(record):
        if found := pattern.search(text):
            start, end = found.span()
            seq = record.get("seq")
            return Found(seq if isinstance(seq, int) else 0, record["type"],
                         text[max(0, start - AROUND):start], text[start:end][:4 * AROUND],
                         text[end:end + AROUND])
    return None


def texts(record: dict) -> Iterator[str]:
    """What a person or the model said in a record, and what a tool gave."""
    for name in FIELDS.get(record["type"], ()):
        text = record.get(name)
        if isinstance(text, str) and text:
            yield text
    calls = record.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            yield str(call.get("name"))
            yield from _strings(_loads(str(call.get("arguments"))))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _loads(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _hints(text: str) -> tuple[bytes, ...]:
    """The ways in which `text` may stand in a line, itself or inside the arguments of a call."""
    inside = {text, *(way(text) for way in ESCAPED)}
    return tuple({_bytes(way(form)) for form in inside for way in ESCAPED[:2]})


ESCAPED: tuple[Callable[[str], str], ...] = (
    lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    lambda text: json.dumps(text)[1:-1],
    lambda text: json.dumps(text, ensure_ascii=False)[1:-1].replace("/", "\\/"),
)
"""How JSON has a text: the first two are ours, servers and models know all three."""


def _lower(text: str) -> str:
    return "".join([c.lower() if c.isascii() else c for c in text])


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")

"""Changing `policy.toml`: a rule is put in or taken out, everything else stays as it was written.

The lists are found in the text, so that comments, order and layout survive; the result is read
again, and only what says exactly what was meant takes the place of the old file, in one step. Who
changes it holds a lock, so that of two changes at once none is lost.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from clinkai.core.errors import MachineError, UsageError
from clinkai.core.value import Value
from clinkai.harness import rules, toml
from clinkai.harness.session import sync_folder

TOKEN = re.compile(r'''
    \#[^\n]* | \s+ | [\[\],=] | [A-Za-z0-9_-]+
    | """(?:\\.|[^\\])*?"{3,5} | \'\'\'.*?\'{3,5} | "(?:\\.|[^"\\\n])*" | '[^'\n]*'
''', re.DOTALL | re.VERBOSE)
"""All there can be in a file that has passed `rules.parse`."""

INDENT = "    "


class Item(Value):
    """One rule in the text: where it begins and ends, and behind it its comma, or None."""

    start: int
    end: int
    rule: str
    comma: int | None = None


class Array(Value):
    """One list: where what is between its brackets begins and ends."""

    start: int
    end: int
    items: tuple


def add(home: str, name: str, rule: str) -> bool:
    """Put a rule into the list `name`; False where it stands there. Raises UsageError for a file
    that is no good, MachineError where it cannot be written."""
    with _changing(home) as path:
        text = rules.text_of(path) or ""
        before = rules.parse(text, path)
        kept = getattr(before, name)
        if _has(kept, rule):
            return False
        meant = rules.Rules(**{**before.__dict__, name: (*kept, rule)})
        _write(path, with_rule(text, name, rule), meant)
        return True


def remove(home: str, rule: str) -> tuple[str, ...]:
    """Take a rule out of all lists; the names of those it stood in. Raises as `add`."""
    with _changing(home) as path:
        text = rules.text_of(path) or ""
        before = rules.parse(text, path)
        found = tuple(name for name in rules.LISTS if _has(getattr(before, name), rule))
        if found:
            meant = rules.Rules(**{
                name: tuple(one for one in kept if not _has((one,), rule))
                for name, kept in before.__dict__.items()
            })
            _write(path, without_rule(text, rule), meant)
        return found


def with_rule(text: str, name: str, rule: str) -> str:
    """The text of the file with a rule at the end of the list `name`."""
    end = "\r\n" if "\r\n" in text else "\n"
    quoted = json.dumps(rule, ensure_ascii=False)
    array = arrays(text).get(name)
    if array is None:
        gap = end if text and not text.endswith("\n") else ""
        return f"{text}{gap}{name} = [{quoted}]{end}"
    last = array.items[-1] if array.items else None
    close = array.end
    if last and last.comma is None:
        text = f"{text[:last.end]},{text[last.end:]}"
        close += 1
    line = text.rfind("\n", 0, close) + 1
    if line > array.start and not text[line:close].strip():
        return f"{text[:line]}{_indent(text, last)}{quoted},{end}{text[line:]}"
    front = text[:close].rstrip(" \t")
    return f"{front}{' ' if last else ''}{quoted}{text[len(front):]}"


def without_rule(text: str, rule: str) -> str:
    """The text of the file without a rule, whichever list it stands in."""
    items = [item for array in arrays(text).values() for item in array.items]
    for item in sorted(items, key=lambda item: item.start, reverse=True):
        if _has((item.rule,), rule):
            text = _cut(text, item)
    return text


def arrays(text: str) -> dict[str, Array]:
    """The lists in the text of a file that has passed `rules.parse`, by name."""
    found: dict[str, Array] = {}
    name, start, items, at = "", None, [], 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            break  # `_write` sees that something is missing
        word, at = token.group(), token.end()
        if word == "[":
            start, items = at, []
        elif word == "]":
            found[name], start = Array(start, token.start(), tuple(items)), None
        elif word == ",":
            items[-1] = Item(items[-1].start, items[-1].end, items[-1].rule, token.start())
        elif word[0] in "\"'" and start is not None:
            items.append(Item(token.start(), at, toml.loads(f"x = {word}")["x"]))
        elif start is None and not word.isspace() and word[0] not in "#=":
            name = word.strip("\"'")
    return found


def _cut(text: str, item: Item) -> str:
    """The text without one rule, its comma and, where nothing else stands on it, its line."""
    front, back = text[:item.start], text[item.end:]
    if item.comma is not None:
        at = item.comma - item.end
        back = back[:at] + back[at + 1:]
    line = front[front.rfind("\n") + 1:]
    rest, newline, after = back.partition("\n")
    if not line.strip() and not rest.strip() and newline:
        return front[:len(front) - len(line)] + after
    if rest.startswith((" ", "\t")) and item.comma is not None:
        return front + back.lstrip(" \t")
    if item.comma is None and line.rstrip().endswith(","):
        front = front.rstrip(" \t").removesuffix(",")
    return front + back


def _indent(text: str, last: Item | None) -> str:
    """How far a rule on a line of its own stands from the left: as the one above."""
    if last is None:
        return INDENT
    line = text[text.rfind("\n", 0, last.start) + 1:last.start]
    return INDENT if line.strip() else line


def _has(kept: tuple, rule: str) -> bool:
    """True where the rule is among those, in whatever spelling."""
    return rules.words(rule, "") in [rules.words(one, "") for one in kept]


def _write(path: str, text: str, meant: rules.Rules) -> None:
    """Put the new text in the place of the file, once it is sure to say what is meant."""
    if rules.parse(text, path) != meant:
        raise UsageError("rules.form", path=path)
    target = os.path.realpath(path)  # the file may be a link to where somebody keeps such files
    fresh = f"{target}.{os.getpid()}.new"
    try:
        old = os.stat(target) if os.path.exists(target) else None
        mark = b"\xef\xbb\xbf" if old and _marked(target) else b""
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(fd, "wb") as file:
            if old and os.name != "nt":
                os.fchmod(fd, old.st_mode & 0o777)
            file.write(mark + text.encode())
            file.flush()
            os.fsync(fd)
        os.replace(fresh, target)
    except OSError as error:
        if os.path.exists(fresh):
            os.unlink(fresh)
        raise MachineError("rules.write", path=path, why=error.strerror) from error
    sync_folder(os.path.dirname(target))


def _marked(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(3) == b"\xef\xbb\xbf"


@contextmanager
def _changing(home: str) -> Iterator[str]:
    """The path of the file, which nobody else changes meanwhile."""
    path = rules.path_in(home)
    try:
        fd = os.open(path + ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise MachineError("rules.write", path=path, why=error.strerror) from error
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX)
        yield path
    except OSError as error:
        raise MachineError("rules.write", path=path, why=error.strerror) from error
    finally:
        os.close(fd)

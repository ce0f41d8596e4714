"""The help, derived from the tables of commands, options and settings; in both languages."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from unicodedata import east_asian_width

from clinkai.core.catalogue import Strings
from clinkai.harness.settings import TABLE
from clinkai.harness.settings_table import default_of, help_of
from clinkai.ui.options import COMMANDS, EVERYWHERE, OF_RUNS, Option, command_of, options_of

LEFT = 30
"""Columns of the left side; what is wider gets a line of its own."""

NARROW = 64
"""Columns of a screen from which on there are two sides; below, words stand under their option."""

WORD = r"\s*[（“]*(?:[^\W\u0000-\u2e7f]|[\u0000-\u0020]+|[^\s\u2e80-\uffef]+)[，。；：、）”]*"
"""What stays together: words of letters; a Chinese character with the mark that follows it."""

INDENT = 6
"""Columns before the words there, and before what does not fit on a line."""


def help_text(name: str, say: Strings, width: int = 80) -> str:
    """The help of a sub-command, or of the whole program for the empty name; no line is wider than
    `width` columns, but for words that are."""
    text = "\n\n".join(_parts(name, say, LEFT if width >= NARROW else INDENT)) + "\n"
    return "\n".join(line for long in text.split("\n") for line in _fold(long, width))


def _parts(name: str, say: Strings, left: int) -> list[str]:
    parts = [say(f"cli.usage.{name or 'task'}")]
    if name:
        command = command_of(name)
        parts.append(say(f"cli.command.{name}"))
        own = [o for o in options_of(command) if o not in EVERYWHERE]
        if own:
            parts.append(_section(left, say("cli.help.own"), map(_option(say), own)))
    else:
        rows = [(command, say(f"cli.command.{command}")) for command in COMMANDS]
        parts.append(_section(left, say("cli.help.commands"), rows))
        parts.append(_section(left, say("cli.help.run"), map(_option(say), OF_RUNS)))
    parts.append(_section(left, say("cli.help.shared"), map(_option(say), EVERYWHERE)))
    if not name:
        parts.append(_section(left, say("cli.help.settings"), _settings(say)))
        parts.append(say("cli.help.codes"))
    return parts


def _fold(line: str, width: int) -> list[str]:
    """A line in pieces of at most `width` columns. What follows stands below the words of a row."""
    row = line.startswith("  ") and len(line) > LEFT and line[LEFT - 2 : LEFT] == "  "
    indent = LEFT if row and line[LEFT] != " " else len(line) - len(line.lstrip())
    pieces, piece, columns = [], "", 0
    for word in re.findall(WORD, line):
        wide = cells(word.rstrip())
        if piece.strip() and columns + wide > width:
            pieces.append(piece.rstrip())
            piece, columns, word = " " * indent, indent, word.lstrip()
        piece += word
        columns += cells(word)
    return [*pieces, piece.rstrip()]


def screen_width(stream: object, environ: Mapping[str, str]) -> int:
    """The width of the terminal in columns; 80 where there is none."""
    if environ.get("COLUMNS", "").isdecimal():
        return int(environ["COLUMNS"]) or 80
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def cells(text: str) -> int:
    """Columns that a text takes: two for a Chinese character."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def _option(say: Strings):
    def row(option: Option) -> tuple[str, str]:
        left = ", ".join(option.flags) + (f" {option.value}" if option.value else "")
        setting = next((s for s in TABLE if s.flag in option.flags), None)
        if setting is None:
            return left, say(f"cli.option.{option.name}")
        words = help_of(setting, say)
        if setting.choices:
            words += f" ({', '.join(setting.choices)})"
        return left, words

    return row


def _settings(say: Strings) -> list[tuple[str, str]]:
    rows = []
    for setting in TABLE:
        default = default_of(setting, say).replace("`", "")
        rows.append((setting.env, say("cli.help.setting", text=help_of(setting, say),
                                      default=default)))
    return rows


def _section(column: int, title: str, rows) -> str:
    lines = [title]
    for left, words in rows:
        start = f"  {left}".ljust(column)
        if column == INDENT or len(start) > column:
            lines.append(start.rstrip())
            start = " " * column
        lines.append(f"{start}{words}".rstrip())
    return "\n".join(lines)

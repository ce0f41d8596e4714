"""What an option's value or an operand may be.

A kind is a regular expression of harmless values, or a function that raises Refused. Values that a
program only compares or prints are TEXT; those it opens are PATH; those it interprets have a
grammar of their own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinkai.harness.shell import git_words, languages
from clinkai.harness.shell.script import Refused, Word

if TYPE_CHECKING:
    from clinkai.harness.shell.fence import Fence

SHAPES = {
    "NUMBER": r"[+-]?\d{1,18}(\.\d{1,9})?[A-Za-z]{0,3}",
    "COUNT": r"[+-]?\d{1,18}",
    "SECONDS": r"\d{1,3}(\.\d{1,9})?s?",
    "SIZES": r"[0-9,]{1,40}",
    "PERCENT": r"\d{0,9}%?(/\d{0,9}%?)?",
    "LIST": r"[0-9,-]+",
    "KEY": r"[0-9.,bdfghiMnRrV]+",
    "WORD": r"[A-Za-z0-9][A-Za-z0-9_-]*",
    "NAME": r"[A-Za-z0-9_][A-Za-z0-9_.+-]*",
    "LABEL": r"[^/\\:]+",
    "PLUS": r"\+.*",
    "MOMENT": r"(?!.*TZ)[A-Za-z0-9 :+,./@-]+",
    "SKIP": r"\d{1,18}(:\d{1,18})?",
    "PLAIN": r"[^-].*|",
    "ACTION": r"read|skip|recurse",
    "DEVICES": r"skip",
    "FIELD": r"[A-Za-z*][A-Za-z0-9*]*",
    "QUIET": r"(?i:SilentlyContinue|Stop|Continue|Ignore)",
    "MERGES": r"off|none|on|m|first-parent|1|separate|combined|c|dense-combined|cc",
}
"""NUMBER with its unit; KEY of sort; MOMENT of `date -d`, where `TZ="..."` would name a file;
PLAIN is data that does not look like an option; LABEL a name without a folder; ACTION and DEVICES of
grep, the latter without `read`, which waits for pipes in folders; FIELD and QUIET of PowerShell;
MERGES of git without `remerge`, which runs merge drivers."""


def _text(text: str, word: Word, fence: Fence) -> None:
    """Anything."""


def _path(text: str, word: Word, fence: Fence) -> None:
    if text != "-":
        fence.path(text, word)


def _file(text: str, word: Word, fence: Fence) -> None:
    """A file that is not standard input, of which `tac` would make a temporary file."""
    if text == "-":
        raise Refused("gate.value", word.raw)
    fence.path(text, word)


def _object(text: str, word: Word, fence: Fence) -> None:
    """A file of a binutils program, where `@FILE` reads arguments from a file."""
    if text.startswith("@"):
        raise Refused("gate.option.value", word.raw, program="@")
    _path(text, word, fence)


def _root(text: str, word: Word, fence: Fence) -> None:
    """The workspace itself, where every command starts anyway."""
    fence.path(text, word)
    if fence.ws.place(text).rel:
        raise Refused("gate.operand.elsewhere", word.raw)


RULES = {
    "TEXT": _text,
    "PATH": _path,
    "FILE": _file,
    "OBJECT": _object,
    "ROOT": _root,
    "SED": languages.sed,
    "JQ": languages.jq,
    "REV": git_words.revision,
    "PATHSPEC": git_words.revision,
    "RANGE": git_words.line_range,
    "FORMAT": git_words.pretty,
    "ATOMS": git_words.atoms,
    "ORDER": git_words.order,
}


def check(kind: str, text: str, word: Word, fence: Fence) -> None:
    """Raise Refused, naming `word`, unless `text` is a harmless value of this kind."""
    rule = RULES.get(kind)
    if rule:
        rule(text, word, fence)
    elif not re.fullmatch(SHAPES[kind], text, re.DOTALL | re.ASCII):
        raise Refused("gate.value", word.raw)

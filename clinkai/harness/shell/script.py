"""A command line as values: what was understood of it, and why a part is not allowed.

Not covered: verdicts. A `Script` says what is known; `harness/policy` makes a decision of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from clinkai.core.value import Value

SHOWN = 400
"""Characters of a word that a reason repeats; longer ones are cut at the end."""


class Refused(Exception):
    """Raised by the rules: this word is not known to be harmless. key: `gate.*` of the catalogue;
    word: as typed; risk: low or high; params: what else the text of `key` names."""

    def __init__(self, key: str, word: str, risk: str = "low", **params: object) -> None:
        super().__init__(key, word)
        self.key = key
        self.risk = risk
        self.params = {"word": word if len(word) <= SHOWN else word[:SHOWN] + "…", **params}


class Part(Value):
    """One simple command of a line.

    argv: program and arguments; of a listed part exactly what runs, globs expanded and fenced.
    listed: known to be harmless, runs without a question. key, params: else why not. risk: low or
    high. merge: standard error goes where standard output went at first (`2>&1`); null_out,
    null_err: the stream is thrown away. word: the program as typed.
    """

    argv: tuple[str, ...]
    listed: bool = False
    key: str = ""
    params: dict | None = None
    risk: str = "low"
    merge: bool = False
    null_out: bool = False
    null_err: bool = False
    word: str = ""


def gravest(parts: Iterable[Part]) -> Part | None:
    """The first of high risk, else the first; None of none."""
    return min(parts, key=lambda part: part.risk != "high", default=None)


class Script(Value):
    """A whole line. parts and the operators between them (`|`, `&&`, `||`, `;`) where it could be
    read. key and params: why it is asked as a whole, if it is: it could not be read, or is compound
    where the setting COMPOUND forbids it. risk: of the whole."""

    text: str
    dialect: str
    parts: tuple[Part, ...] = ()
    joins: tuple[str, ...] = ()
    key: str = ""
    params: dict | None = None
    risk: str = "low"

    @property
    def listed(self) -> bool:
        """True where all of it runs without a question."""
        return not self.key and bool(self.parts) and all(part.listed for part in self.parts)

    @property
    def trouble(self) -> tuple[str, dict]:
        """Key and params of the gravest reason to ask; an empty key where there is none."""
        if self.key:
            return self.key, self.params or {}
        part = gravest(part for part in self.parts if not part.listed)
        return (part.key, part.params or {}) if part else ("", {})


class Word(Value):
    """One word of a line. text: what the program gets; raw: as typed; marks: one character for
    each of text, `*` where it is an active glob character, else `.`."""

    text: str
    raw: str
    marks: str = ""

    @property
    def globbed(self) -> bool:
        """True where a shell would match file names."""
        return "*" in self.marks


class Command(Value):
    """A simple command as read, before any rule. The flags are those of Part."""

    words: tuple[Word, ...]
    merge: bool = False
    null_out: bool = False
    null_err: bool = False


class Line(Value):
    """Commands and the operators between them. compound: the first operator or redirection as
    typed, empty for one plain command."""

    commands: tuple[Command, ...]
    joins: tuple[str, ...]
    compound: str = ""

"""Read a command line the way a POSIX shell would, or refuse it.

Covered: words, quotes, escapes, active glob characters, `|` `&&` `||` `;`, and the redirections that
lose or join output (`2>&1`, `>/dev/null`, `2>/dev/null`, `&>/dev/null`). What is read so is exactly
what bash would pass to the programs; a test compares the two.
Refused, by rule and not by list: everything else. Substitutions, other redirections, background,
groups, braces, tildes, comments, here-documents, line breaks, control and hidden characters.
"""

from __future__ import annotations

import re

from clinkai.harness.shell.script import Command, Line, Refused, Word

PADDING = " " * 40
"""So many blanks in a row push the rest of a line out of sight (threat model, section 3)."""

HIDDEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u180b\u180c\u180d\u180f"
) | frozenset(map(chr, range(0xFE00, 0xFE10))) | frozenset(map(chr, range(0xE0100, 0xE01F0)))
"""Letters and marks that show nothing (Unicode: Default_Ignorable_Code_Point)."""

CHINESE = frozenset("、。〈〉《》「」『』【】〔〕！（），：；？—…“”‘’·￥")
"""Punctuation of Chinese text: visible, and data within quotes."""

NULL = re.compile(r"> *(/dev/null)(?=[ ;|&]|$)")
JOIN = re.compile(r">&1(?=[ ;|&]|$)")
RUN = re.compile(r"[A-Za-z0-9_./:,+%@=^-]+")
"""Characters that are data wherever they stand."""

REVISION = re.compile(r"(?<=@)\{[A-Za-z0-9-]+\}|(?<=\^)\{[a-z]*\}")
"""Braces of git: `HEAD@{1}`, `@{upstream}`, `v1^{commit}`. No comma, no `..`: no shell expands
them."""

ENDS_DOLLAR = frozenset('" |)')
"""After `$` within double quotes: no shell expands anything there."""


def parse(text: str) -> Line:
    """The commands of `text`. Raises Refused with the first thing that is not understood."""
    check_characters(text)
    return _Reader(text).line()


def check_characters(text: str) -> None:
    """Refuse a text that is empty or holds characters that hide something."""
    if not text.strip(" "):
        raise Refused("gate.shell.empty", text)
    if text.isascii() and text.isprintable() and PADDING not in text:
        return
    for i, c in enumerate(text):
        if c in "\n\r":
            raise Refused("gate.shell.newline", _visible(text, i))
        if not (c.isprintable() if c.isascii() else is_visible(c)):
            raise Refused("gate.shell.char", _visible(text, i), code=f"U+{ord(c):04X}")
    if PADDING in text:
        raise Refused("gate.shell.padding", _visible(text, text.index(PADDING)))


def is_visible(c: str) -> bool:
    """True for a letter, digit or mark of a file name outside ASCII, or Chinese punctuation."""
    if c.isalnum():
        return c not in HIDDEN
    if c in CHINESE:
        return True
    from unicodedata import category

    return category(c) in ("Mn", "Mc") and c not in HIDDEN


def _visible(text: str, i: int) -> str:
    """The word at position i where all of it can be seen, else the ordinary characters before i,
    else those after it."""
    end = text.find(" ", i)
    word = text[text.rfind(" ", 0, i) + 1:end if end >= 0 else len(text)]
    if word.isprintable() and HIDDEN.isdisjoint(word):
        return word
    found = re.findall(r"[!-~]+", text[:i])[-1:] or re.findall(r"[!-~]+", text[i:])[:1]
    return "".join(found)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.commands: list[Command] = []
        self.joins: list[str] = []
        self.compound = ""
        self.clear_command()
        self.clear_word()

    def clear_command(self) -> None:
        self.words: list[Word] = []
        self.out = "out"
        self.err = "err"

    def clear_word(self) -> None:
        self.chars: list[str] = []
        self.marks: list[str] = []
        self.start = -1

    def line(self) -> Line:
        text, steps = self.text, self.STEPS
        while self.at < len(text):
            run = RUN.match(text, self.at)
            if run:
                self.run(run.group())
            else:
                steps.get(text[self.at], _Reader.plain)(self)
        self.end_word()
        if self.words:
            self.end_command()
        elif self.joins and self.joins[-1] == ";" and not self.redirected:
            self.joins.pop()
        else:
            raise Refused("gate.shell.operator", self.around(len(text) - 1))
        return Line(tuple(self.commands), tuple(self.joins), self.compound)

    # -- words

    def add(self, c: str, mark: str = ".") -> None:
        if self.start < 0:
            self.start = self.at
        self.chars.append(c)
        self.marks.append(mark)

    def run(self, text: str) -> None:
        if self.start < 0:
            self.start = self.at
        self.chars += text
        self.marks += "." * len(text)
        self.at += len(text)

    def plain(self) -> None:
        c = self.text[self.at]
        if c in CHINESE:
            raise Refused("gate.shell.char", self.around(self.at), code=f"U+{ord(c):04X}")
        self.add(c)
        self.at += 1

    def blank(self) -> None:
        self.end_word()
        self.at += 1

    def glob(self) -> None:
        self.add(self.text[self.at], "*")
        self.at += 1

    def end_word(self) -> None:
        if self.start >= 0:
            raw = self.text[self.start:self.at]
            self.words.append(Word("".join(self.chars), raw, "".join(self.marks)))
            self.clear_word()

    def single(self) -> None:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise Refused("gate.shell.quote", self.around(self.at))
        self.open_quote()
        self.at += 1
        self.run(self.text[self.at:end])
        self.at = end + 1

    def double(self) -> None:
        begin = self.at
        self.open_quote()
        text, i = self.text, self.at + 1
        while i < len(text) and text[i] != '"':
            c = text[i]
            if c == "\\" and text[i + 1:i + 2] in ("$", "`", '"', "\\"):
                i += 1
                c = text[i]
            elif c == "`" or c == "$" and text[i + 1:i + 2] not in ENDS_DOLLAR:
                raise Refused("gate.shell.substitution", self.around(i))
            self.add(c)
            i += 1
        if i >= len(text):
            raise Refused("gate.shell.quote", self.around(begin))
        self.at = i + 1

    def open_quote(self) -> None:
        if self.start < 0:
            self.start = self.at

    def escape(self) -> None:
        if self.at + 1 >= len(self.text):
            raise Refused("gate.shell.escape", self.around(self.at))
        self.open_quote()
        self.add(self.text[self.at + 1])
        self.at += 2

    # -- characters with conditions

    def tilde(self) -> None:
        if self.start < 0 or self.text[self.at - 1] in "=:":
            raise Refused("gate.shell.tilde", self.around(self.at))
        self.plain()

    def hash(self) -> None:
        if self.start < 0:
            raise Refused("gate.shell.comment", self.around(self.at))
        self.plain()

    def bang(self) -> None:
        if self.start >= 0 or self.text[self.at + 1:self.at + 2] not in ("", " "):
            raise Refused("gate.shell.bang", self.around(self.at))
        self.plain()

    def brace(self) -> None:
        found = REVISION.match(self.text, self.at)
        if not found or self.start < 0:
            raise Refused("gate.shell.brace", self.around(self.at))
        self.run(found.group())

    def dollar(self) -> None:
        raise Refused("gate.shell.substitution", self.around(self.at))

    def group(self) -> None:
        raise Refused("gate.shell.group", self.around(self.at))

    # -- operators and redirections

    def operator(self) -> None:
        text, i = self.text, self.at
        found = next((op for op in ("&&", "||", "&>", "|&", ";;", ";&", "|", ";", "&")
                      if text.startswith(op, i)))
        if found == "&>":
            self.end_word()
            self.at += 1
            self.redirect("&")
            return
        if found not in ("&&", "||", "|", ";"):
            raise Refused("gate.shell.operator", self.around(i))
        self.end_word()
        if not self.words:
            raise Refused("gate.shell.operator", self.around(i))
        self.end_command()
        self.joins.append(found)
        self.compound = self.compound or found
        self.at += len(found)

    def end_command(self) -> None:
        self.commands.append(Command(
            tuple(self.words), self.err == "out", self.out == "null", self.err == "null",
        ))
        self.clear_command()

    @property
    def redirected(self) -> bool:
        return (self.out, self.err) != ("out", "err")

    def more(self) -> None:
        raw = self.text[self.start:self.at] if self.start >= 0 else ""
        if not raw.isdigit():
            self.end_word()
            self.redirect("1")
        elif raw in ("1", "2"):
            self.clear_word()
            self.redirect(raw)
        else:
            raise Refused("gate.shell.redirect", self.around(self.at))

    def less(self) -> None:
        raise Refused("gate.shell.redirect", self.around(self.at))

    def redirect(self, stream: str) -> None:
        """At `>`: only to nowhere, or of errors to the output. stream: 1, 2, or & for both."""
        null, join = NULL.match(self.text, self.at), JOIN.match(self.text, self.at)
        if null:
            self.out = "null" if stream in "1&" else self.out
            self.err = "null" if stream in "2&" else self.err
        elif join and stream == "2":
            self.err = self.out
        else:
            raise Refused("gate.shell.redirect", self.around(self.at))
        found = null or join
        self.compound = self.compound or self.around(self.at)
        self.at = found.end()

    def around(self, i: int) -> str:
        """What stands at i as typed: up to the blanks around it, with the target of an operator."""
        start = self.text.rfind(" ", 0, i + 1) + 1
        word = re.compile(r"[<>&|;]*[<>] *[^ ]*|[^ ]*").match(self.text, max(start, 0))
        end = word.end() if word and word.end() > i else self.text.find(" ", i)
        return self.text[start:end if end >= 0 else len(self.text)].strip(" ") or self.text[i]

    STEPS = {
        " ": blank, "'": single, '"': double, "\\": escape, "*": glob, "?": glob, "[": glob,
        "~": tilde, "#": hash, "!": bang, "{": brace, "}": brace, "$": dollar, "`": dollar,
        "(": group, ")": group, ";": operator, "|": operator, "&": operator, ">": more, "<": less,
    }

"""The channels of harmony (gpt-oss), with its tokens and with the tokens stripped. No I/O.

A message is `<|start|>assistant<|channel|>NAME to=RECIPIENT <|constrain|>json<|message|>TEXT` up to
`<|end|>`, `<|call|>` or `<|return|>`; the parts before `<|message|>` come in several orders, and
may be missing. Servers that strip special tokens leave `analysisTEXTassistantfinalTEXT`.
analysis and commentary are thinking, other channels are text, a recipient makes a call.
Sources: the public description of the format, and what is reported in `wire-quirks.md`.
"""

from __future__ import annotations

import re

from clinkai.ai.arguments import is_cut
from clinkai.ai.text.cursor import Cursor
from clinkai.ai.text.literals import decoded
from clinkai.core.value import Value

TEXT, THINK, CALL, FOREIGN = "text", "think", "call", "foreign"

START = re.compile(r"<\|(?:start|channel)\|>")
MESSAGE = re.compile(r"<\|message\|>")
END = re.compile(r"<\|(?:end|call|return|start|channel|im_end|endoftext)\|>")
HEADER = re.compile(
    r"(?:<\|start\|>)?[\w.]*(?:\s*to=[\w.:\-]*)?(?:(?:<\|channel\|>)?\w*(?:\s*to=[\w.:\-]*)?){1,2}"
    r"\s*(?:<\|constrain\|>)?\s*\w*\s*")
"""Everything before `<|message|>`, as far as it came."""
TOKEN_BEGINS = re.compile(r"(?:<(?:\|[a-z]{0,9}\|?)?)?\Z")
STUMP = re.compile(r"(?:<\|start\|>)?(?:assistant)?<\|channel\|>(analysis|commentary|final)?"
                   r"|<\|start\|>(?:assistant)?")
"""The beginning of a header that lost its `<|message|>`."""
LONGEST = 400
"""Characters of a header."""
RECIPIENT = re.compile(r"to=([\w.:\-]+)")
CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)")
ROLE = re.compile(r"<\|start\|>\s*([\w.]*)")

OPENING = "analysis"
CHANNELS = ("assistantfinal", "assistantanalysis", "assistantcommentary")
TO = " to=functions."
LABELS = (*CHANNELS, f"assistant{TO}", "assistant<|channel|>")
FIRST = (OPENING, f"commentary{TO}", *LABELS)
"""What a message with stripped tokens begins with."""
LABEL_BEGINS = re.compile(r"a(?=s|\Z)")
"""What may be the first letter of one of LABELS."""

BARE_CALL = re.compile(
    r"\s*to=functions\.([\w\-]+?)(?:analysis|commentary)?\s*(?:<\|constrain\|>)?\s*"
    r"(?:json|code)?\s*(?:<\|message\|>)?(?=\{)")
"""What follows the label of a call whose tokens are stripped, up to its arguments."""
BARE_CALL_BEGINS = re.compile(
    r"\s*(?:t|to|to=[\w.\-]*\s*(?:<[|a-z]*>?)?\s*\w*\s*(?:<[|a-z]*>?)?)?\Z")


class Header(Value):
    """What comes after a header. name: who is called."""

    kind: str
    name: str = ""


def read_header(header: str) -> Header:
    """What comes after `header`, everything before `<|message|>`."""
    role, channel = ROLE.match(header), CHANNEL.search(header)
    recipient = RECIPIENT.search(header)
    if role and not role.group(1).startswith("assistant") and role.group(1):
        return Header(FOREIGN)
    if recipient and recipient.group(1) not in ("user", "assistant", "all"):
        return Header(CALL, recipient.group(1).removeprefix("functions."))
    name = channel.group(1) if channel else "final"
    return Header(THINK if name in ("analysis", "commentary", "thought") else TEXT)


def label(text: str, at: int, labels: tuple[str, ...]) -> str | None:
    """The label at `at`; empty for none, None where it takes more text to know."""
    for mark in labels:
        if text.startswith(mark, at):
            return mark
    rest = text[at:at + 24]
    return None if any(mark.startswith(rest) for mark in labels) else ""


class HarmonyCursor(Cursor):
    """The modes of harmony: `_head` at the beginning of a header, `_bare` in thinking whose tokens
    are stripped."""

    def __init__(self, sink: object) -> None:
        super().__init__(sink)
        self.open = ""
        """What kind of thinking is not closed: tag, harmony, bare (it is not certain that it is
        thinking), or empty."""
        self._name = ""
        self._skip = False

    def _thinking(self, kind: str, mode: object, at: int) -> bool:
        """A block of thinking begins at `at`."""
        self.open, self._skip = kind, True
        return self._to(mode, at)

    def _talking(self, at: int) -> bool:
        """Text begins at `at`, after its blank lines."""
        self.open, self._skip = "", True
        return self._to(self._text, at)

    def _think(self, final: bool) -> bool:
        """The mode in thinking."""
        raise NotImplementedError

    def _foreign(self, final: bool) -> bool:
        """What is no part of the message."""
        return self._to(self._foreign, len(self._buf))

    def _head(self, final: bool) -> bool:
        """A header, up to its `<|message|>`."""
        buf, at = self._buf, self._at
        message = MESSAGE.search(buf, at, at + LONGEST)
        end = HEADER.match(buf, at).end()
        if message and end == message.start():
            return self._body(read_header(buf[at:end]), message.end())
        if not message and len(buf) - at < LONGEST and TOKEN_BEGINS.match(buf, end):
            return final and self._drop(len(buf))
        stump = STUMP.match(buf, at)
        thought = stump.group(1) in ("analysis", "commentary")
        return self._body(Header(THINK if thought else TEXT), stump.end())

    def _body(self, header: Header, at: int) -> bool:
        self.sink.drop()
        if header.kind == THINK:
            return self._thinking("harmony", self._think, at)
        if header.kind == CALL:
            self._name = header.name
            return self._to(self._arguments, at)
        if header.kind == FOREIGN:
            return self._to(self._foreign, at)
        self._last = ""
        return self._talking(at)

    def _after(self, mark: re.Match) -> bool:
        """Go on after the token that ended a message."""
        if START.match(mark.group()):
            return self._to(self._head, mark.start())
        return self._talking(mark.end())

    def _arguments(self, final: bool) -> bool:
        """The arguments of a call, a message of their own."""
        buf, at = self._buf, self._at
        for end in END.finditer(buf, at):
            body = buf[at:end.start()]
            if not is_cut(body):
                self.sink.called(self._name, body.strip(), True)
                return self._after(end)
        if final:
            self.sink.called(self._name, buf[at:].strip(), False)
            return self._foreign(True)
        return self._patient()

    # -- stripped tokens

    def _bare(self, final: bool) -> bool:
        """Thinking, up to the next label."""
        buf, at = self._buf, self._at
        there = LABEL_BEGINS.search(buf, at)
        end = there.start() if there else len(buf)
        if end > at:
            self.sink.think(buf[at:end])
            self._at = end
            return True
        mark = label(buf, at, LABELS)
        if mark is None and not final:
            return False
        if mark:
            return self._labelled(mark)
        self.sink.think(buf[at])
        self._at += 1
        return True

    def _labelled(self, mark: str) -> bool:
        """A label stands here: what follows it?"""
        end = self._at + len(mark)
        self.sink.drop()
        self.open = "harmony"
        if mark == "assistantfinal":
            self._last = ""
            return self._talking(end)
        if mark.endswith("<|channel|>"):
            return self._to(self._head, self._at + len("assistant"))
        if mark == "assistantanalysis":
            self.sink.block()
            return self._to(self._bare, end)
        return self._to(self._recipient, end - len(TO) if mark.endswith(TO) else end)

    def _recipient(self, final: bool) -> bool:
        """After the label of commentary: a call, or more thinking."""
        buf, at = self._buf, self._at
        named = BARE_CALL.match(buf, at)
        if named:
            self._name = named.group(1)
            return self._to(self._object, named.end())
        if not final and BARE_CALL_BEGINS.match(buf, at):
            return False
        self.sink.block()
        return self._to(self._bare, at)

    def _object(self, final: bool) -> bool:
        """The arguments of a call, ended by nothing but their last brace."""
        buf, at = self._buf, self._at
        end = decoded(buf, at)[1]
        if end:
            self.sink.called(self._name, buf[at:end], True)
            return self._to(self._bare, end)
        if final:
            self.sink.called(self._name, buf[at:].strip(), False)
            return self._foreign(True)
        return self._patient()

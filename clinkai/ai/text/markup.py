"""What servers left inside the text of an answer, taken out of it as it comes in. No I/O.

Thinking between tags and in harmony's channels, special tokens, and tool calls that the model wrote
as text. What can still become markup is held back, everything else goes out at once.
Text that turns out to have been thinking (a closing tag alone) was shown by then and cannot be
taken back, nor can thinking that turns out to be the answer (a block that never ends): BACK and
`turned` tell it, and the answer as a whole is right all the same.
Calls count under the conditions of `ai/text/textcalls.py`; without tools, as everywhere else, what is
no call is text to the letter. Native calls win: the same call as text is
dropped, and so is a call that was only begun. A call within the thinking counts only where it is
closed and ends it, and the answer has nothing else.
Not covered: the marks themselves (`ai/text/channels.py`), native calls (`ai/calls.py`).
"""

from __future__ import annotations

from collections import deque

from clinkai.ai.arguments import is_cut, read_arguments
from clinkai.ai.body import encode
from clinkai.ai.calls import tool_name
from clinkai.ai.text.channels import Channels
from clinkai.ai.text.looks import PLAIN
from clinkai.ai.text.textcalls import Held
from clinkai.ai.text.thinktags import CLOSE, TOKEN
from clinkai.core.value import Value

TEXT, THINK = "text", "think"
BACK = "back"
"""A piece of this kind: all text so far was thinking, but for the piece, its first characters."""

UNSEEN = 1_000
"""Pieces that are remembered of those that went by unseen; more characters than decide anything."""


class Ending(Value):
    """pieces: the rest, as (kind, text); calls: (name, arguments as JSON text) that the text held;
    cut: the name of one whose end is missing; warnings: codes of `probe`; turned: so many of the
    last characters of the thinking are none (the answer in them is in `pieces`)."""

    pieces: tuple
    calls: tuple
    cut: str
    warnings: tuple
    turned: int = 0


class Outlet:
    """Text on its way out, past what may become a call. tools: names, or nothing is held."""

    def __init__(self, tools: tuple[str, ...], schemas: dict) -> None:
        self.held = Held(tools, schemas) if tools else None
        self.said = False
        self.last = ""

    @property
    def idle(self) -> bool:
        """True where a piece without any of MARKS (`ai/assembly.py`) may go by unseen."""
        return self.said and (self.held is None or self.held.idle)

    @property
    def holding(self) -> bool:
        """True while something is held back."""
        return self.held is not None and self.held.holding

    def passed(self, text: str) -> None:
        """Take note of the end of text that went by unseen."""
        self.last = text[-1:] or self.last
        if self.held is not None:
            self.held.passed(text)

    def feed(self, text: str) -> str:
        """Take text; return what may go out."""
        self.last = text[-1:] or self.last
        self.said = self.said or bool(text.strip())
        return text if self.held is None else self.held.feed(text)

    @property
    def rest(self) -> str:
        """What is held back."""
        return self.held.rest if self.held is not None else ""


class Markup:
    """`text` and `think` take pieces, and return what can be shown now as (kind, text).

    schemas: name of a tool -> JSON schema of its parameters, for forms of calls without types.
    plain, plain_thought: a piece of text, or of a reasoning field, without any of MARKS
    (`ai/assembly.py`) may be shown without being given to them, if it is put into `unseen` or
    `unseen_thought`.
    """

    def __init__(self, declared: tuple[str, ...], schemas: dict | None = None) -> None:
        self.declared = declared
        self.schemas = schemas or {}
        self.thought = False
        """There was thinking, or an empty block of it."""
        self.plain = self.plain_thought = False
        self.unseen: deque[str] = deque(maxlen=UNSEEN)
        self.unseen_thought: deque[str] = deque(maxlen=UNSEEN)
        self._said = Channels(self)
        self._field = Channels(self).in_field()
        self._text = self._outlet()
        self._think = self._outlet()
        self._out: list[tuple[str, str]] = []
        self._inline: list[str] = []
        """The thinking of the block that is open."""
        self._after: list[str] | None = None
        """The thinking since a closing tag in a reasoning field."""
        self._gap = self._used = False
        self._called: list[tuple[str, str, bool]] = []
        self._warnings: set[str] = set()

    def _outlet(self, before: Outlet | None = None) -> Outlet:
        """A new outlet, which still knows what another one let out."""
        gate = Outlet(self.declared, self.schemas)
        if before is not None:
            gate.said, gate.last = before.said, before.last
        return gate

    # -- pieces

    def text(self, piece: str) -> list[tuple[str, str]]:
        """Take a piece of the text."""
        if self.unseen:
            text = "".join(self.unseen)
            self.unseen.clear()
            self._said.passed(text)
            self._text.passed(text)
        self._said.feed(piece)
        return self._taken()

    def thinking(self, piece: str) -> list[tuple[str, str]]:
        """Take a piece of a reasoning field."""
        if self.unseen_thought:
            self._think.passed("".join(self.unseen_thought))
            self.unseen_thought.clear()
        self._used = self.thought = True
        self._field.feed(piece)
        return self._taken()

    def end(self, finish: str, native: tuple = ()) -> Ending:
        """The answer ended. finish: stop, length, or error for one that broke: then nothing counts
        as a call. native: (name, arguments) of the calls that did not come as text."""
        for channels in (self._field, self._said):
            channels.finish()
        calls: list[tuple[str, str]] = []
        cut = ""
        stopped = finish == "stop"
        if finish == "error":
            self._show(self._said.dangling + self._said.tail)
        elif native:
            self._beside(native)
        else:
            cut = self._written(calls, stopped)
        alone = stopped and not (self._text.said or calls or cut or native)
        if self._think.rest:
            self._out.append((THINK, self._think.rest))
        turned = self._turn(alone)
        if calls:
            self._warnings.add("text_call")
        return Ending(tuple(self._taken()), tuple(calls), cut, tuple(sorted(self._warnings)),
                      turned)

    def _taken(self) -> list[tuple[str, str]]:
        self.plain = self._said.idle and self._text.idle and not self._think.holding
        self.plain_thought = self._field.idle and self._think.idle and self._after is None
        out, self._out = self._out, []
        return out

    # -- what the channels say

    @property
    def said(self) -> bool:
        """There was text."""
        return self._text.said

    @property
    def last(self) -> str:
        """The last character of the thinking."""
        return self._think.last

    @property
    def doubtful(self) -> bool:
        """What was said last may become a call without markup of its own."""
        held = self._text.held
        if held is None or not held.holding:
            return False
        shown = held.again()
        if shown:
            self._out.append((TEXT, shown))
        return not held.mark.startswith(("<", "[TOOL")) and bool(held.mark)

    def say(self, text: str) -> None:
        """Take text."""
        if self._think.holding and text.strip():
            self._out.append((THINK, self._think.rest))
            self._think = self._outlet(self._think)
        shown = self._text.feed(text)
        if shown:
            self._out.append((TEXT, shown))

    def think(self, text: str) -> None:
        """Take thinking."""
        self._inline.append(text)
        if self._after is not None:
            self._after.append(text)
        if self._gap and self._think.said:
            text = "\n\n" + text
        self._gap = False
        shown = self._think.feed(text)
        if shown:
            self._out.append((THINK, shown))

    def block(self) -> None:
        """A block of thinking begins."""
        self.thought = self._gap = True
        self._inline.clear()

    def back(self, label: str) -> None:
        """All text so far was thinking, but for `label` at its beginning."""
        rest = self._text.rest
        self._out.append((BACK, label))
        if rest:
            self._out.append((THINK, rest))
        self._text = self._outlet()
        self.thought = True

    def closed(self) -> None:
        """A closing tag in a reasoning field: what follows may be the answer."""
        if self._after is None:
            self._after = []

    def called(self, name: str, arguments: str, closed: bool) -> None:
        """Take a call of harmony."""
        self._called.append((name, arguments, closed))

    def drop(self) -> None:
        """Markup was left out."""
        self._warnings.add("dropped_markup")

    # -- the end

    def _show(self, text: str) -> None:
        """Show `text` and what is held before it."""
        text = self._text.rest + text
        self._text.said = self._text.said or bool(text.strip())
        if text:
            self._out.append((TEXT, text))

    def _written(self, calls: list[tuple[str, str]], stopped: bool) -> str:
        """Collect the calls that were written as text; return the name of one that was cut."""
        cut = self._harmony(calls, stopped)
        text, tail = self._text, self._said.tail
        self.say(self._said.dangling)
        if text.holding:
            self.say(tail)
            rest = text.rest
            found = text.held.end(stopped)
            if found:
                calls += found.calls
                self._warnings.update(found.warnings)
                if found.kept:
                    self._out.append((TEXT, found.kept))
                return found.cut or cut
            clean = tail if self._said.refused else TOKEN.sub("", tail)
            self._out.append((TEXT, rest.removesuffix(tail) + clean if tail else rest))
        elif tail:
            self._show(tail if self._said.refused else TOKEN.sub("", tail))
        if not (text.said or calls or cut):
            self._in_thoughts(calls)
        return cut

    def _in_thoughts(self, calls: list[tuple[str, str]]) -> None:
        """Collect the calls that end the thinking, where there is nothing else."""
        found = self._think.held.end(False) if self._think.holding else None
        if found and found.calls and not found.cut and found.dialect not in PLAIN \
                and not found.kept.strip():
            calls += found.calls
            self._warnings.update(found.warnings)
            self._think = self._outlet()

    def _harmony(self, calls: list[tuple[str, str]], stopped: bool) -> str:
        cut = ""
        for name, arguments, closed in self._called:
            known = tool_name(name, self.declared)
            if known not in self.declared:
                self.block()
                self.think(f"{name} {arguments}")
            elif closed or (stopped and not is_cut(arguments)):
                calls.append((known, arguments))
            else:
                cut = known
        return cut

    def _beside(self, native: tuple) -> None:
        """Drop what is residue of the native calls; what else was held is text."""
        text = self._text
        if self._said.tail or self._called:
            self.drop()
        self.say(self._said.dangling)
        rest = text.rest
        found = text.held.end(True) if text.holding else None
        known = {_same(*call) for call in native}
        if found and all(_same(*call) in known for call in found.calls):
            self.drop()
            rest = found.kept
        elif self._said.dangling and not (found and found.calls):
            self.drop()
            rest = rest.removesuffix(self._said.dangling)
        if rest:
            self._out.append((TEXT, rest))

    def _turn(self, alone: bool) -> int:
        """How much of the thinking is none, now that it ended; what is the answer goes out."""
        after = "".join(self._after or ())
        if alone and after.strip():
            self._out.append((TEXT, after.strip()))
            return len(after)
        if self._said.open not in ("tag", "bare"):
            return 0
        inline = "".join(self._inline)
        other = CLOSE.search(inline) if self._said.open == "tag" else None
        if other:
            self.drop()
            self._out.append((TEXT, inline[other.end():].lstrip()))
            return len(inline) - other.start()
        self._warnings.add("unclosed_thinking")
        if not alone or self._used:
            return 0
        label = "analysis" if self._said.open == "bare" else ""
        self._out.append((TEXT, label + inline))
        return len(inline)


def _same(name: str, arguments: str) -> tuple[str, str]:
    """A call in a form that can be compared."""
    import json

    found = read_arguments(arguments)[0]
    return name, found.broken or encode(dict(sorted(json.loads(found.text).items())))

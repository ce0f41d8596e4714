"""One answer as it comes in: text, thinking and pieces of calls become a Reply. No I/O.

The same for all wires: `ai/chunks.py` and its siblings read what a server sends and say it here.
What the parts showed and what the Reply has are the same, with two exceptions, of which the Reply
is right: text that turns out to have been thinking was shown as text, and an answer that stands in
thinking without an end was shown as thinking too.
Not covered: what a wire looks like; what is left inside the text (`ai/text/markup.py`); how pieces
become parts (`ai/outgoing.py`).
"""

from __future__ import annotations

import re
from time import monotonic
from typing import TYPE_CHECKING

from clinkai.ai.body import INLINE, whole
from clinkai.ai.calls import Calls
from clinkai.ai.counts import Counts
from clinkai.ai.outgoing import ARGS, SAID, TEXT, THINK, Outgoing
from clinkai.ai.provider import Reply
from clinkai.ai.repetition import Repetition
from clinkai.core.errors import BadResponse, ModelServerError, StreamBroken
from clinkai.core.messages import TokenCount
from clinkai.core.pieces import Pieces
from clinkai.core.value import Value

if TYPE_CHECKING:
    from clinkai.ai.text.markup import Markup

FINISH = {"length": "length", "max_tokens": "length", "model_length": "length", "error": "error"}
"""What the label of an ending means; every other one means that the answer is complete."""

MARKS = re.compile(r"[<\[{`~◁]")
"""What markup begins with, but for LABELS: all that the readers of `ai/text/markup.py` look for."""

LABELS = "ac \t\r\n"
"""What labels begin with that only the beginning of a message can have, or stands before them."""


class Assembly:
    """`say`, `think`, `take_calls`, `progress`, `end` and `fail` take what came; `parts` hands out
    what is new, `reply` the whole.

    finish: stop, length or error once a label came, repeat once the text or the thinking repeats
    itself, else empty; done: nothing more will come, or is wanted;
    error: what the server reported instead of an answer, or None; ending: any of the three.
    outgoing: what is handed out; out: its `add`, for pieces that are taken already.
    """

    def __init__(self, declared: tuple[str, ...]) -> None:
        self.finish = ""
        self.done = False
        self.error: ModelServerError | None = None
        self.ending = False
        self.outgoing = Outgoing()
        self.out = self.outgoing.add
        self.counts = Counts()
        self._reports = 0
        """Of the counts when the label came: running totals are not the last word."""
        self.calls = Calls(declared)
        self._schemas: dict = {}
        self._markup: Markup | None = None
        """Made once there is something that may be markup: most answers have none."""
        self.field = ""
        """The wire field the thinking came in."""
        self._raw: list[str] | None = None
        """The text as it came, where it may begin with thinking, until the text proper begins."""
        self._opening = ""
        """The thinking at the beginning of the text, as it came."""
        self._text = Pieces()
        self._think = Pieces()
        self._said = self._text, Repetition().feed
        self._thought = self._think, Repetition().feed
        self._unshown: Repetition | None = None
        """Sees what came since something was shown last."""
        self._watch_calls = Repetition(call=True).feed
        """Sees all that calls consist of, one after the other."""
        self._started = monotonic()
        self._ended = 0.0
        self._settled = self._written = False
        self._cut = ""
        self._warnings: tuple = ()

    # -- what comes in

    def offered(self, tools: tuple) -> None:
        """Take the schemas of the tools that were declared, as sent."""
        for tool in tools:
            function = tool["function"]
            self._schemas[function["name"]] = function.get("parameters") or {}

    def say(self, channel: tuple, text: str) -> None:
        """Take a piece of text (TEXT) or thinking ((THINK, field))."""
        if self.finish == "repeat":
            return
        markup, said = self._markup, channel[0] == SAID
        if markup is None:
            before = self._text if said else self._think
            if MARKS.search(text) or (not before and text[0] in LABELS):
                markup = self._look_closer()
        elif said and markup.plain and not MARKS.search(text):
            markup.unseen.append(text)
            markup = None
        elif not said and markup.plain_thought and not MARKS.search(text):
            markup.unseen_thought.append(text)
            markup = None
        if markup is None:
            self._hand_on(channel, text)
        else:
            if said and self._raw is not None:
                self._raw.append(text)
            shown = markup.text(text) if said else markup.thinking(text)
            self._show(shown)
            self._watch(text, bool(shown))

    def _look_closer(self) -> Markup:
        """From now on the text may hold markup."""
        from clinkai.ai.text.markup import Markup

        self._markup = markup = Markup(self.calls.declared, self._schemas)
        if self._think:
            markup.thinking("".join(self._think))
        if self._text:
            markup.text("".join(self._text))
        else:
            self._raw = []
        return markup

    def _show(self, pieces: object) -> None:
        """Take what came of pieces that may have held markup."""
        self.outgoing.first = self.outgoing.first or monotonic()
        for kind, text in pieces:
            if kind == "back":
                self._turn_back(text)
            elif self.finish != "repeat":
                if kind == "text" and self._raw and text.strip():
                    self._open()
                self._hand_on((THINK, self.field) if kind == "think" else TEXT, text)

    def _watch(self, text: str, shown: bool) -> None:
        """Look for repetition in what is held back, or dropped: calls written again and again."""
        if shown:
            self._unshown = None
            return
        self._unshown = self._unshown or Repetition(call=True)
        if self._unshown.feed(text) is not None:
            self._end_repeating()

    def _turn_back(self, label: str) -> None:
        """All text so far was thinking, but for `label` at its beginning."""
        text = "".join(self._text)
        self._opening = text + "</think>\n\n"
        text = text.lstrip().removeprefix(label)
        self._text.clear()
        self._said = self._text, Repetition().feed
        self._think.append(text)
        self._thought[1](text)

    def _open(self) -> None:
        """The text begins: take note of the thinking before it, tags and all."""
        from clinkai.ai.text.thinktags import leading_thought

        self._opening = leading_thought("".join(self._raw or ()))
        self._raw = None

    def _hand_on(self, channel: tuple, text: str) -> None:
        pieces, feed = self._said if channel[0] == SAID else self._thought
        pieces.append(text)
        keep = feed(text)
        if keep is not None:
            text = self._stop(pieces, keep)
        self.out(channel, text)

    def think(self, text: str, field: str) -> tuple:
        """Take a piece of thinking; the field that brought the first one counts. Returns its
        channel."""
        self.field = self.field or field
        channel = (THINK, self.field)
        self.say(channel, text)
        return channel

    def take_calls(self, pieces: object) -> tuple:
        """Take pieces of tool calls in the form of OpenAI's deltas. Returns the last channel."""
        channel: tuple = ()
        if self.finish == "repeat":
            return channel
        for position, name, piece in self.calls.take(pieces):
            channel = (ARGS, position, name)
            self._hand_on_call(channel, piece)
        return channel

    def go_on_with(self, channel: tuple, text: str) -> None:
        """Take more arguments of a call, where nothing else can be meant: see `Calls.goes_on`."""
        if self.finish != "repeat":
            self.calls.add(channel[1], text)
            self._hand_on_call(channel, text)

    def _hand_on_call(self, channel: tuple, text: str) -> None:
        self.out(channel, text)
        if self._watch_calls(text) is not None:
            self._end_repeating()

    def end(self, label: object) -> None:
        """Take the label of the end."""
        if isinstance(label, dict):  # SGLang's own: {"type": "length", "length": 100}
            label = label.get("type")
        meaning = FINISH.get(label.lower(), "stop") if isinstance(label, str) else "stop"
        if self.finish in ("", "stop"):
            self.finish = meaning
        self.ending = True
        self._reports = self.counts.reports
        self._ended = monotonic()

    def broke(self, error: ModelServerError) -> None:
        """The answer ends in `error`; the first one counts."""
        self.error = self.error or error
        self.ending = True

    def fail(self, body: bytes) -> None:
        """The answer ends in an error that the server reports."""
        from clinkai.ai.failures import classify

        self.broke(classify(200, {}, body))

    def began(self) -> bool:
        """True once there is text, thinking or a call."""
        return self.outgoing.begun

    def over(self) -> bool:
        """True when nothing more is to be waited for: not even the token counts."""
        counted = self.finish and self.counts.reports > self._reports
        return bool(self.done or self.error or counted)

    # -- what goes out

    def parts(self, last: bool = False) -> list[Value]:
        """Return the parts since the last time. last: nothing follows."""
        if last:
            self._settle()
        parts = self.outgoing.taken(last)
        if parts:
            self._text.pack()
            self._think.pack()
        return parts

    def reply(self, ids: set[str]) -> Reply:
        """Return the answer, now that it has ended. ids: of the calls in the conversation.

        Raises what the server reported, StreamBroken for an end that no label announced,
        BadResponse for an answer without anything in it.
        """
        if self.finish == "repeat":
            return self._repeated()
        if self.error:
            raise self.error
        if self.finish == "error":
            raise StreamBroken("error.stream.reported", message="finish_reason: error")
        if not self.finish and not self.done:
            raise StreamBroken("error.stream.ended")
        self._settle()
        ended = self.calls.finish(self.finish == "length" and not self._written, ids)
        cut = ended.cut or self._cut
        at_limit = self.finish == "length" or bool(cut)
        content, reasoning = whole("".join(self._text)), whole("".join(self._think))
        if not (content or reasoning or ended.calls or at_limit):
            raise BadResponse("error.bad_response.nothing")
        finish = "length" if at_limit else "tool_calls" if ended.calls else "stop"
        warnings = (*sorted({*ended.warnings, *self._warnings}),
                    *(() if self.counts.known() else ("no_usage",)))
        field, signature = self._origin(reasoning)
        return Reply(content, reasoning, field, ended.calls, finish, self.count(), cut, warnings,
                     signature)

    def _origin(self, reasoning: str) -> tuple[str, str]:
        """The field that the thinking came in; of thinking in the text also how it came."""
        if self._raw:
            self._open()
        if reasoning and not self.field and self._opening:
            return INLINE, whole(self._opening)
        return (self.field if reasoning else ""), ""

    def _settle(self) -> None:
        """The answer ended: take what was held back, and the calls in it. Does it once."""
        if self._settled or self._markup is None or self.finish == "repeat":
            return
        self._settled = True
        broken = self.error or self.finish == "error" or not (self.finish or self.done)
        finish = "error" if broken else self.finish or "stop"
        ending = self._markup.end(finish, self.calls.taken())
        self._show(ending.pieces)
        if ending.turned:
            text = "".join(self._think)
            self._think[:] = [text[:len(text) - ending.turned].rstrip()]
        self.take_calls([{"index": n, "function": {"name": name, "arguments": arguments}}
                         for n, (name, arguments) in enumerate(ending.calls)])
        self._written = bool(ending.calls)
        self._cut, self._warnings = ending.cut, ending.warnings

    def _stop(self, pieces: list[str], keep: int) -> str:
        """The text in `pieces` repeats itself: that ends the answer. keep: characters of it that
        are no repetition. Returns what of the last piece is to be handed out."""
        self._end_repeating()
        last = pieces.pop()
        before = "".join(pieces)
        pieces[:] = [(before + last)[:keep]]
        return last[:max(0, keep - len(before))]

    def _end_repeating(self) -> None:
        self.finish = "repeat"
        self.done = self.ending = True
        self._ended = monotonic()

    def _repeated(self) -> Reply:
        """The answer that was stopped: what is no repetition. Of its calls none is to be run: the
        model was about to say more, and is asked again."""
        content, reasoning = whole("".join(self._text)), whole("".join(self._think))
        warnings = () if self.counts.known() else ("no_usage",)
        field, signature = self._origin(reasoning)
        return Reply(content, reasoning, field, (), "repeat", self.count(), "", warnings, signature)

    def count(self) -> TokenCount:
        """What the answer cost, as far as it is known."""
        first = self.outgoing.first
        if not first:
            return self.counts.total(None, None)
        decode_ms = ((self._ended or monotonic()) - first) * 1000
        return self.counts.total((first - self._started) * 1000, decode_ms)

"""One answer while it comes in: text, thinking and pieces of calls become parts, and a Reply. No I/O.

The same for all wires: `ai/chunks.py` and its siblings read what a server sends and say it here.
Not covered: what a wire looks like.
"""

from __future__ import annotations

from time import monotonic

from clinkai.ai.body import whole
from clinkai.ai.calls import Calls
from clinkai.ai.counts import Counts
from clinkai.ai.provider import ArgsPart, PrefillPart, Reply, TextPart, ThinkPart
from clinkai.ai.repetition import Repetition
from clinkai.core.errors import BadResponse, ModelServerError, StreamBroken
from clinkai.core.messages import TokenCount
from clinkai.core.value import Value

FINISH = {"length": "length", "max_tokens": "length", "model_length": "length", "error": "error"}
"""What the label of an ending means; every other one means that the answer is complete."""

SAID, THINK, ARGS = "said", "think", "args"
TEXT = (SAID, "")
"""A channel: its kind, what tells it from others of that kind, and more."""

LOST = "\ufffd"


class Assembly:
    """`say`, `call` and `end` take what came; `parts` hands out what is new, `reply` the whole.

    finish: stop, length or error once a label came, repeat once the text or the thinking repeats
    itself, else empty; done: nothing more will come, or is wanted;
    error: what the server reported instead of an answer, or None; ending: any of the three.
    escaped: half a surrogate pair may be in a piece.
    """

    def __init__(self, declared: tuple[str, ...]) -> None:
        self.finish = ""
        self.done = False
        self.error: ModelServerError | None = None
        self.ending = False
        self.escaped = False
        self.counts = Counts()
        self.calls = Calls(declared)
        self.field = ""
        """The wire field the thinking came in."""
        self._text: list[str] = []
        self._think: list[str] = []
        self._said = self._text, Repetition().feed
        self._thought = self._think, Repetition().feed
        self._parts: list[Value] = []
        self._channel: tuple = TEXT
        self._pieces: list[str] = []
        self._held: dict[tuple, str] = {}
        self._started = monotonic()
        self._first = self._ended = 0.0

    # -- what comes in

    def say(self, channel: tuple, text: str) -> None:
        """Take a piece of text (TEXT) or thinking ((THINK, field))."""
        if self.finish == "repeat":
            return
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
        for position, name, piece in self.calls.take(pieces):
            channel = (ARGS, position, name)
            self.out(channel, piece)
        return channel

    def progress(self, done: object, total: object, cached: object, ms: object) -> None:
        """Take how much of the prompt is read: tokens and milliseconds, whatever they are."""
        if self._pieces:
            self._flush()
        numbers = (int(n) if _is_number(n) else 0 for n in (done, total, cached, ms))
        self._parts.append(PrefillPart(*numbers))

    def end(self, label: object) -> None:
        """Take the label of the end."""
        meaning = FINISH.get(label, "stop") if isinstance(label, str) else "stop"
        if self.finish in ("", "stop"):
            self.finish = meaning
        self.ending = True
        self._ended = monotonic()

    def broke(self, error: ModelServerError) -> None:
        """The answer ends in `error`; the first one counts."""
        self.error = self.error or error
        self.ending = True

    def began(self) -> bool:
        """True once there is text, thinking or a call."""
        return bool(self._first or self._pieces)

    def over(self) -> bool:
        """True when nothing more is to be waited for: not even the token counts."""
        return bool(self.done or self.error or (self.finish and self.counts.reported()))

    # -- what goes out

    def parts(self, last: bool = False) -> list[Value]:
        """Return the parts since the last time; neighbours of one channel come as one.
        last: nothing follows."""
        if self._pieces:
            self._flush()
        if last and self._held:
            for channel in list(self._held):
                self._channel, self._pieces = channel, [""]
                self._held[channel] = LOST
                self._flush()
        parts, self._parts = self._parts, []
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
        ended = self.calls.finish(self.finish == "length", ids)
        at_limit = self.finish == "length" or bool(ended.cut)
        content, reasoning = whole("".join(self._text)), whole("".join(self._think))
        if not (content or reasoning or ended.calls or at_limit):
            raise BadResponse("error.bad_response.nothing")
        finish = "length" if at_limit else "tool_calls" if ended.calls else "stop"
        warnings = ended.warnings if self.counts.known() else (*ended.warnings, "no_usage")
        return Reply(content, reasoning, self.field if reasoning else "", ended.calls, finish,
                     self.count(), ended.cut, warnings)

    def _stop(self, pieces: list[str], keep: int) -> str:
        """The text in `pieces` repeats itself: that ends the answer. keep: characters of it that
        are no repetition. Returns what of the last piece is to be handed out."""
        self.finish = "repeat"
        self.done = self.ending = True
        self._ended = monotonic()
        last = pieces.pop()
        before = "".join(pieces)
        pieces[:] = [(before + last)[:keep]]
        return last[:max(0, keep - len(before))]

    def _repeated(self) -> Reply:
        """The answer that was stopped: what is no repetition. Of its calls none is to be run: the
        model was about to say more, and is asked again."""
        content, reasoning = whole("".join(self._text)), whole("".join(self._think))
        warnings = () if self.counts.known() else ("no_usage",)
        return Reply(content, reasoning, self.field if reasoning else "", (), "repeat",
                     self.count(), "", warnings)

    def count(self) -> TokenCount:
        """What the answer cost, as far as it is known."""
        if not self._first:
            return self.counts.total(None, None)
        decode_ms = ((self._ended or monotonic()) - self._first) * 1000
        return self.counts.total((self._first - self._started) * 1000, decode_ms)

    def out(self, channel: tuple, text: str) -> None:
        """Hand out a piece that `say` and the calls have taken already."""
        if channel != self._channel:
            if self._pieces:
                self._flush()
            self._channel = channel
        self._pieces.append(text)

    def _flush(self) -> None:
        channel, pieces, self._pieces = self._channel, self._pieces, []
        text = pieces[0] if len(pieces) == 1 else "".join(pieces)
        if not self._first:
            self._first = monotonic()
        if self.escaped:
            text = self._mended(channel[:2], text)
        kind = channel[0]
        if kind == ARGS:
            self._parts.append(ArgsPart(channel[1], channel[2], text))
        elif text:
            self._parts.append(TextPart(text) if kind == SAID else ThinkPart(text, channel[1]))

    def _mended(self, channel: tuple, text: str) -> str:
        """`text` with surrogate pairs joined that were cut between two chunks."""
        text = self._held.pop(channel, "") + text
        if "\ud800" <= text[-1:] <= "\udbff":
            self._held[channel], text = text[-1], text[:-1]
        return whole(text)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e15

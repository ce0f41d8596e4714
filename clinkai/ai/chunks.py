"""The answer of an OpenAI-compatible server, put together from its chunks. No I/O.

Any field may be missing, null, empty or of another type; what is no news is ignored. Choice 0 is
the answer. `take` is called for every token and therefore does little; what it does not understand
goes through slower paths.
Not covered: thinking, tool calls and special tokens that a server left inside the text.
"""

from __future__ import annotations

import json
from time import monotonic

from clinkai.ai.body import REASONING, encoded, whole
from clinkai.ai.calls import Calls
from clinkai.ai.counts import Counts
from clinkai.ai.envelope import Envelope, decode
from clinkai.ai.provider import ArgsPart, PrefillPart, Reply, TextPart, ThinkPart
from clinkai.core.errors import BadResponse, ModelServerError, StreamBroken
from clinkai.core.messages import TokenCount
from clinkai.core.value import Value

FINISH = {"length": "length", "max_tokens": "length", "model_length": "length", "error": "error"}
"""What the label of an ending means; every other one means that the answer is complete."""

SAID, THINK, ARGS = "said", "think", "args"
TEXT = (SAID, "")
"""A channel: its kind, what tells it from others of that kind, and more."""

DELTA = ("choices", 0, "delta")
ARGUMENTS = (*DELTA, "tool_calls", 0, "function", "arguments")
"""Where in a chunk news stand."""

LOST = "\ufffd"


class Answer:
    """Feed it the data of each event with `take`; `parts` hands out what is new.

    finish: stop, length or error once a label came, else empty; done: `[DONE]` came;
    error: what the server reported instead of an answer, or None; ending: any of the three.
    """

    def __init__(self, declared: tuple[str, ...]) -> None:
        self.finish = ""
        self.done = False
        self.error: ModelServerError | None = None
        self.ending = False
        self.counts = Counts()
        self._calls = Calls(declared)
        self._text: list[str] = []
        self._think: list[str] = []
        self._field = ""
        self._same = Envelope()
        self._news: tuple = ()
        """Of the delta taken last: where it stood and its channel, where one text was all its
        news."""
        self._parts: list[Value] = []
        self._channel: tuple = TEXT
        self._pieces: list[str] = []
        self._escaped = False
        self._held: dict[tuple, str] = {}
        self._started = monotonic()
        self._first = self._ended = 0.0

    # -- what comes in

    def take(self, data: str) -> None:
        """Take the data of one event."""
        if "\\u" in data:
            self._escaped = True
        text = self._same.text(data)
        if text:
            kind = self._same.kind
            if kind[0] == ARGS:
                self._calls.add(kind[1], text)
                self._out(kind, text)
            else:
                self._say(kind, text)
            return
        try:
            chunk, end = decode(data)
        except (ValueError, RecursionError):
            end = -1
        if end != len(data):
            self._take_odd(data)
            return
        self._news = ()
        self.take_chunk(chunk)
        if self._news:
            self._same.learn(data, chunk, *self._news)

    def take_chunk(self, chunk: object) -> None:
        """Take one chunk, or a whole answer, as a JSON value."""
        if type(chunk) is not dict:
            return
        choices = chunk.get("choices")
        if choices:
            choice = choices[0] if type(choices) is list else None
            if type(choice) is not dict or choice.get("index"):
                choice = _choice_0(choices)
            delta = choice.get("delta")
            if delta:
                self._take_delta(delta)
            elif "message" in choice and not self.began():
                self._take_delta(choice["message"])
            label = choice.get("finish_reason")
            if label:
                self._take_label(label)
            if "usage" in choice:
                self.counts.take(choice["usage"], None)
        if chunk.get("error") or (not choices and is_error(chunk)):
            self.fail(encoded(chunk))
        if "usage" in chunk or "timings" in chunk:
            self.counts.take(chunk.get("usage"), chunk.get("timings"))
        if "prompt_progress" in chunk:
            self._take_progress(chunk["prompt_progress"])

    def take_stray(self, line: str) -> None:
        """Take a line that is no field of an event stream: `error: {...}`, or bare JSON."""
        name, _, rest = line.partition(":")
        if name.strip() == "error":
            self.fail(rest.strip().encode() or b"event: error")
        elif line[:1] == "{":
            self.take(line)

    def fail(self, body: bytes) -> None:
        """Take the report of an error."""
        from clinkai.ai.failures import classify

        self.broke(classify(200, {}, body))

    def broke(self, error: ModelServerError) -> None:
        """The answer ends in `error`; the first one counts."""
        self.error = self.error or error
        self.ending = True

    def _take_delta(self, delta: object) -> None:
        if type(delta) is not dict:
            return
        news = []
        field = "reasoning_content"
        think = delta.get(field)
        if not think:
            field = "reasoning"
            think = delta.get(field)
        if think and type(think) is str:
            self._field = self._field or field
            news.append(((*DELTA, field), (THINK, self._field)))
            self._say((THINK, self._field), think)
        text = delta.get("content")
        if text and type(text) is str:
            news.append(((*DELTA, "content"), TEXT))
            self._say(TEXT, text)
        elif text:
            self._take_content_parts(text)
        pieces = delta.get("tool_calls")
        if pieces:
            for position, name, piece in self._calls.take(pieces):
                self._out((ARGS, position, name), piece)
            if not self._calls.goes_on:
                self._same.forget()
            elif not news:
                self._news = (ARGUMENTS, (ARGS, position, name))
        elif len(news) == 1:
            self._news = news[0]

    def _take_content_parts(self, content: object) -> None:
        """Take content that is a list of parts: `{type: text, text}`, `{type: thinking, ...}`."""
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict):
                text, think = _flat(part.get("text")), _flat(part.get("thinking"))
                self._take_delta({"content": text, REASONING: think})

    def _take_label(self, label: object) -> None:
        meaning = FINISH.get(label, "stop") if isinstance(label, str) else "stop"
        if self.finish in ("", "stop"):
            self.finish = meaning
        self.ending = True
        self._ended = monotonic()

    def _take_progress(self, progress: object) -> None:
        if isinstance(progress, dict):
            numbers = [progress.get(n) for n in ("processed", "total", "cache", "time_ms")]
            if self._pieces:
                self._flush()
            self._parts.append(PrefillPart(*(int(n) if _is_number(n) else 0 for n in numbers)))

    def _take_odd(self, data: str) -> None:
        """Take data that is no JSON value: the end mark, several values on lines of their own, or
        words to keep the connection open; a damaged value breaks the answer."""
        for line in data.split("\n"):
            line = line.strip()
            if line == "[DONE]":
                self.done = self.ending = True
            elif line[:1] in ("{", "["):
                try:
                    chunk = json.loads(line)
                except (ValueError, RecursionError):
                    self.broke(StreamBroken("error.stream.damaged"))
                    return
                self.take_chunk(chunk)

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
        if self.error:
            raise self.error
        if self.finish == "error":
            raise StreamBroken("error.stream.reported", message="finish_reason: error")
        if not self.finish and not self.done:
            raise StreamBroken("error.stream.ended")
        ended = self._calls.finish(self.finish == "length", ids)
        at_limit = self.finish == "length" or bool(ended.cut)
        content, reasoning = whole("".join(self._text)), whole("".join(self._think))
        if not (content or reasoning or ended.calls or at_limit):
            raise BadResponse("error.bad_response.nothing")
        finish = "length" if at_limit else "tool_calls" if ended.calls else "stop"
        warnings = ended.warnings if self.counts.known() else (*ended.warnings, "no_usage")
        return Reply(content, reasoning, self._field if reasoning else "", ended.calls, finish,
                     self.count(), ended.cut, warnings)

    def count(self) -> TokenCount:
        """What the answer cost, as far as it is known."""
        if not self._first:
            return self.counts.total(None, None)
        decode_ms = ((self._ended or monotonic()) - self._first) * 1000
        return self.counts.total((self._first - self._started) * 1000, decode_ms)

    def _say(self, channel: tuple, text: str) -> None:
        """Take a piece of text or thinking."""
        (self._text if channel[0] == SAID else self._think).append(text)
        self._out(channel, text)

    def _out(self, channel: tuple, text: str) -> None:
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
        if self._escaped:
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


def is_error(body: object) -> bool:
    """True for a JSON value that reports an error rather than an answer."""
    if not isinstance(body, dict):
        return False
    if body.get("error") or body.get("object") == "error" or body.get("error_type"):
        return True
    return "detail" in body


def _choice_0(choices: object) -> dict:
    """Choice 0 of a list of choices, or an empty one."""
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            return choice
    return {}


def _flat(value: object) -> str:
    """Text from a text, or from a list of texts and `{text}` objects."""
    if isinstance(value, list):
        return "".join(_flat(v.get("text") if isinstance(v, dict) else v) for v in value)
    return value if isinstance(value, str) else ""


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e15

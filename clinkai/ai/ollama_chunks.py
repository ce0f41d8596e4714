"""The answer of Ollama's `/api/chat`, put together from its lines of JSON. No I/O.

Each line is one object: a piece of `message` (thinking, content, whole tool calls), at the end
`done` with the counts, or `error` at any time. Servers that speak like Ollama are understood as
well: one object over several lines, several on one, lines of an event stream.
Sources: Ollama's `api/types.go`, `docs/api/errors.mdx`, and the issues that the tests name.
Not covered: thinking and calls that were left inside the text (`Assembly`).
"""

from __future__ import annotations

from clinkai.ai.arguments import is_complete
from clinkai.ai.assembly import Assembly
from clinkai.ai.body import encode, encoded
from clinkai.ai.envelope import decode
from clinkai.ai.outgoing import TEXT
from clinkai.core.errors import StreamBroken

THINKING = "thinking"
"""The field of the thinking, in answers and in requests."""

BLANK = " \t\r\n\ufeff"
NS = 1e6
"""Nanoseconds in a millisecond: Ollama's durations are nanoseconds."""


class OllamaAnswer(Assembly):
    """`feed` takes bytes as they come."""

    def __init__(self, declared: tuple[str, ...]) -> None:
        super().__init__(declared)
        self._rest: list[bytes] = []
        """Pieces of a line whose end is missing."""
        self._spread = ""
        """Lines of an object that is spread over several."""
        self._seen: set[tuple] = set()
        self._number = -1
        """Of the open call."""
        self._name = self._arguments = ""
        """Of the open call, where its arguments came as text."""

    def feed(self, data: bytes) -> int:
        """Take bytes, b"" at the end of the body; return how many lines they completed."""
        if not data:
            self._end()
            return 0
        cut = data.rfind(b"\n")
        if cut < 0:
            self._rest.append(data)
            return 0
        text = b"".join((*self._rest, data[:cut])).decode("utf-8", "replace")
        self._rest = [data[cut + 1:]]
        if "\\u" in text:
            self.outgoing.escaped = True
        lines = text.split("\n")
        for line in lines:
            if self.done or self.error:
                break
            self._take_line(line.strip(BLANK))
        return len(lines)

    def _take_line(self, line: str) -> None:
        if line[:5] == "data:":
            line = line[5:].strip()
        if self._spread:
            line = self._spread + line
            if line[-1] != "}" or not _is_whole(line):
                self._spread = line + "\n"
                return
            self._spread = ""
        elif line == "{":
            self._spread = "{\n"
            return
        if line == "[DONE]":
            self.done = self.ending = True
            return
        at = 0
        while line[at:at + 1] == "{":
            try:
                value, at = decode(line, at)
            except (ValueError, RecursionError):
                self.broke(StreamBroken("error.stream.damaged"))
                return
            self._take_chunk(value)
            while line[at:at + 1] in (" ", "\t", ","):
                at += 1

    def _end(self) -> None:
        """Take a last line without an end; what is cut in it is no news, its end is missing."""
        line = (self._spread + b"".join(self._rest).decode("utf-8", "replace")).strip(BLANK)
        self._rest, self._spread = [], ""
        if not (self.done or self.error) and (line[:5] == "data:" or _is_whole(line)):
            self._take_line(line)

    def _take_chunk(self, chunk: dict) -> None:
        if chunk.get("error"):
            self.fail(encoded(chunk))
            return
        message = chunk.get("message")
        if type(message) is dict:
            think, text = message.get(THINKING), message.get("content")
            if think and type(think) is str:
                self.think(think, THINKING)
            if text and type(text) is str:
                self.say(TEXT, text)
            calls = message.get("tool_calls")
            if calls:
                for call in calls if isinstance(calls, list) else [calls]:
                    self._take_call(call)
        if chunk.get("done"):
            self._count(chunk)
            self.end(chunk.get("done_reason"))
            self.done = True

    def _take_call(self, call: object) -> None:
        """Take a call: each is a whole one, whatever its index says (all of them 0, or none), and
        new unless its id is known. Only arguments in the form of text may go on."""
        if not isinstance(call, dict) or not call:
            return
        function = call.get("function")
        if not isinstance(function, dict):
            function = call
        name, arguments, id = (*map(function.get, ("name", "arguments")), call.get("id"))
        shape = encode([id, name, arguments])
        if id and shape in self._seen:
            return
        self._seen.add(shape)
        goes_on = (
            isinstance(arguments, str) and self._arguments and name in ("", None, self._name)
            and not is_complete(self._arguments)
        )
        if not goes_on:
            self._number += 1
            self._name, self._arguments = name, ""
        if isinstance(arguments, str):
            self._arguments += arguments
        self.take_calls([{"index": self._number, "id": id,
                          "function": {"name": name, "arguments": arguments}}])

    def _count(self, chunk: dict) -> None:
        """Take the counts of the last object. A prompt of 0 tokens is none: older versions said so
        of a prompt that was cached as a whole."""
        usage = {"prompt_tokens": chunk.get("prompt_eval_count") or None,
                 "completion_tokens": chunk.get("eval_count")}
        cached = chunk.get("prompt_eval_cached_count")
        if cached is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": cached}
        timings = {"prompt_ms": _ms(chunk.get("prompt_eval_duration")),
                   "predicted_ms": _ms(chunk.get("eval_duration"))}
        self.counts.take(usage, timings)


def _is_whole(text: str) -> bool:
    try:
        return text[:1] == "{" and decode(text)[1] == len(text)
    except (ValueError, RecursionError):
        return False


def _ms(duration: object) -> float | None:
    good = isinstance(duration, (int, float)) and not isinstance(duration, bool)
    return duration / NS if good else None

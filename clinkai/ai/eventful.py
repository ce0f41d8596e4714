"""An answer that comes as events, whatever they say: what is the same on all wires that are event
streams. No I/O.

`take` is called for every token and therefore does little: an event that differs from one before
in a text only is known by its envelope. What that does not understand goes through slower paths.
"""

from __future__ import annotations

import json

from clinkai.ai.assembly import Assembly
from clinkai.ai.envelope import Envelope, decode
from clinkai.ai.provider import Reply
from clinkai.core.errors import BadResponse, StreamBroken
from clinkai.core.text import one_line

DAMAGED = "error.stream.damaged"


class EventAnswer(Assembly):
    """Feed it the data of each event with `take`. A wire has its own `take_value` and
    `take_more`."""

    def __init__(self, declared: tuple[str, ...]) -> None:
        super().__init__(declared)
        self._same = Envelope()
        self._words = ""
        """The first line that is nothing of an event stream."""
        self._news: tuple = ()
        """Of the event taken last, where one text was all its news: where that stood, and what
        `take_more` is to be told of the next one."""

    def reply(self, ids: set[str]) -> Reply:
        """As `Assembly.reply`. Raises BadResponse where there were words in place of events."""
        if self._words and not (self.began() or self.ending):
            raise BadResponse("error.bad_response.json", start=one_line(self._words, 80))
        return super().reply(ids)

    def take(self, data: str) -> None:
        """Take the data of one event, or a whole answer."""
        if "\\u" in data:
            self.outgoing.escaped = True
        text = self._same.text(data)
        if text:
            self.take_more(self._same.kind, text)
            return
        try:
            value, end = decode(data)
        except (ValueError, RecursionError):
            end = -1
        if end != len(data):
            self.take_odd(data)
            return
        self._news = ()
        self.take_value(value)
        if self._news:
            self._same.learn(data, value, *self._news)

    def take_more(self, kind: tuple, text: str) -> None:
        """Take the text of an event like the one before. kind: the second part of `_news`."""
        raise NotImplementedError

    def take_value(self, value: object) -> None:
        """Take one event, or a whole answer, as a JSON value."""
        raise NotImplementedError

    def take_stray(self, line: str) -> None:
        """Take a line that is no field of an event stream: `error: {...}`, or bare JSON. A chunk in
        any other field is a damaged line."""
        name, colon, rest = line.partition(":")
        if not colon:
            self._words = self._words or line
        if name.strip() == "error":
            self.fail(rest.strip().encode() or b"event: error")
        elif line[:1] == "{":
            self.take(line)
        else:
            self._take_words(rest)

    def take_odd(self, data: str) -> None:
        """Take data that is no JSON value: the end mark, several values on lines of their own, or
        words to keep the connection open; a damaged value breaks the answer."""
        for line in data.split("\n"):
            line = line.strip().removeprefix("data:").lstrip()
            if line == "[DONE]":
                self.done = self.ending = True
            elif line[:1] in ("{", "["):
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):
                    self._damaged()
                    return
                self.take_value(value)
            else:
                self._take_words(line)

    def _take_words(self, line: str) -> None:
        """Take what is no JSON: nothing, unless it is what damage left of a chunk. To pass over a
        piece of a call would have it run with other arguments than the model wrote."""
        if '"delta"' in line or '"choices"' in line:
            self._damaged()

    def _damaged(self) -> None:
        """An event cannot be read. After the label of the end nothing more is needed."""
        if not self.finish:
            self.broke(StreamBroken(DAMAGED))


def is_error(body: object) -> bool:
    """True for a JSON value that reports an error rather than an answer."""
    if not isinstance(body, dict):
        return False
    if body.get("error") or body.get("object") == "error" or body.get("error_type"):
        return True
    return "detail" in body

"""The answer of an OpenAI-compatible server, put together from its chunks. No I/O.

Any field may be missing, null, empty or of another type; what is no news is ignored. Choice 0 is
the answer.
Not covered: thinking, tool calls and special tokens that a server left inside the text
(`ai/text/markup.py`, to which `Assembly` gives it).
"""

from __future__ import annotations

from clinkai.ai.body import FIELDS, REASONING, encoded
from clinkai.ai.eventful import EventAnswer, is_error
from clinkai.ai.outgoing import ARGS, TEXT

DELTA = ("choices", 0, "delta")
ARGUMENTS = (*DELTA, "tool_calls", 0, "function", "arguments")
"""Where in a chunk news stand."""


class Answer(EventAnswer):
    """The answer of an OpenAI-compatible server. The kind of an event is its channel."""

    _calls_are_old = False
    """There is a `function_call`."""

    def take_more(self, channel: tuple, text: str) -> None:
        """Take more text of a channel."""
        if channel[0] == ARGS:
            self.go_on_with(channel, text)
        else:
            self.say(channel, text)

    def take_value(self, chunk: object) -> None:
        """Take one chunk, or a whole answer, as a JSON value."""
        if type(chunk) is not dict:
            return
        choices, label = chunk.get("choices"), None
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
            if "usage" in choice:
                self.counts.take(choice["usage"], None)
        if chunk.get("error") or (not choices and is_error(chunk)):
            self.fail(encoded(chunk))
        if "usage" in chunk or "timings" in chunk:
            self.counts.take(chunk.get("usage"), chunk.get("timings"))
        if label:
            self.end(label)
        if "prompt_progress" in chunk:
            progress = chunk["prompt_progress"]
            if type(progress) is dict:
                self.outgoing.progress(*map(progress.get, ("processed", "total", "cache", "time_ms")))

    def _take_delta(self, delta: object) -> None:
        if type(delta) is not dict:
            return
        news = []
        field, other = FIELDS
        think = delta.get(field)
        if not think:
            field = other
            think = delta.get(field)
        if think and type(think) is str:
            news.append(((*DELTA, field), self.think(think, field)))
        text = delta.get("content") or delta.get("refusal")
        if text and type(text) is str:
            news.append(((*DELTA, "content"), TEXT))
            self.say(TEXT, text)
        elif text:
            self._take_content_parts(text)
        pieces = delta.get("tool_calls") or self._old_call(delta.get("function_call"))
        if pieces:
            channel = self.take_calls(pieces)
            if not self.calls.goes_on:
                self._same.forget()
            elif not news:
                self._news = (ARGUMENTS, channel)
        elif len(news) == 1:
            self._news = news[0]

    def _old_call(self, function: object) -> object:
        """What `tool_calls` would be for a `function_call`, their predecessor: one call at most.
        Servers that know both repeat in it what they said already."""
        if not self._calls_are_old:
            if not function or self.calls.taken():
                return None
            self._calls_are_old = True
        return function and [{"index": 0, "function": function}]

    def _take_content_parts(self, content: object) -> None:
        """Take content that is a list of parts, or one of them: `{type: text, text}`,
        `{type: thinking, ...}`."""
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, dict):
                text, think = _flat(part.get("text")), _flat(part.get("thinking"))
                self._take_delta({"content": text, REASONING: think})


def _choice_0(choices: object) -> dict:
    """Choice 0 of a list of choices, or an empty one."""
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not _is_other(choice.get("index")):
            return choice
    return {}


def _is_other(index: object) -> bool:
    """True for the number of another choice; what is no number is no news."""
    if isinstance(index, str) and index.isdecimal():
        return bool(index.strip("0"))
    return type(index) in (int, float) and index > 0


def _flat(value: object) -> str:
    """Text from a text, or from a list of texts and `{text}` objects."""
    if isinstance(value, list):
        return "".join(_flat(v.get("text") if isinstance(v, dict) else v) for v in value)
    return value if isinstance(value, str) else ""

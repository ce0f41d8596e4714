"""The archive layer: the oldest messages become a summary that the model writes.

It is asked for on the same prefix, with one instruction at the end, so that it costs its own tokens
only: at the end of the newest result, which no request has held yet (a message of the user in the
middle of a turn would have templates drop the thinking before it, and some refuse it); between
turns as a message of the user, in place of one that waits for its answer. Its answer is no message
of the conversation, and its calls are not run.
Not covered: when it is asked for, what leaves (`context.py`, `window.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from clinkai.ai.provider import Request
from clinkai.core.catalogue import Strings
from clinkai.core.events import Delta, Event, Notice, Prefill, Usage
from clinkai.core.messages import Message
from clinkai.core.state import State
from clinkai.core.value import replace
from clinkai.loop.answer import Answer

SHARE = 4
"""A summary may have this part of the budget."""

LEAST = 200
"""Tokens that a summary may have in the smallest window."""

WORDS = 0.5
"""Words that are asked for, for a token that a summary may have: a word is 1.3 tokens or more."""

TOOLS_LEFT_OUT = ("sglang",)
"""Servers whose prompt has no tools where `tool_choice` is none, which loses the cache: it is auto
there, and calls are ignored. Others are found out by what it cost (`State.choice`). Source: sglang,
`serving_chat.py`."""


def question(state: State, say: Strings, words: int, wish: str = "") -> tuple[Message, ...]:
    """The messages that ask for a summary of about so many words. wish: of the user, for it."""
    ask = say("archive.ask", words=words)
    if wish:
        ask += "\n" + say("archive.ask.wish", wish=wish)
    *before, last = state.messages
    if last.role == "tool":
        return (*before, replace(last, content=f"{last.content}\n\n{ask}"))
    known = before if last.role == "user" else state.messages
    return (*known, Message("user", ask))


def request(state: State, say: Strings, room: int, kind: str, wish: str = "") -> Request:
    """The request for a summary. room: tokens of the budget; kind: of the server."""
    limits = state.limits
    tokens = min(limits.max_tokens, max(LEAST, room // SHARE))
    choice = "auto" if kind in TOOLS_LEFT_OUT else state.choice
    return Request(
        state.model, state.system, state.tools, question(state, say, round(tokens * WORDS), wish),
        tokens, limits.temperature, choice, sampling=limits.sampling, image=limits.image,
    )


def block(say: Strings, summary: str, facts: str) -> str:
    """What stands for the messages that left."""
    parts = [say("archive.begin"), summary and say("archive.summary", summary=summary), facts]
    return "\n".join((*filter(None, parts), say("archive.end")))


class Progress:
    """Lets of a summary in the making only through that it is being made."""

    EVERY = 1.0
    """Seconds between two events."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._begun = 0.0
        self._due = 0.0

    def __call__(self, event: Event) -> None:
        """Take an event of the answer."""
        if type(event) in (Notice, Prefill, Usage):
            self._emit(event)
        elif type(event) is Delta:
            now = monotonic()
            self._begun = self._begun or now
            if now >= self._due:
                self._due = now + self.EVERY
                passed = round((now - self._begun) * 1000)
                self._emit(Prefill(0, 0, 0, passed, phase="archive"))


def listen(emit: Callable[[Event], None], pulse: object) -> Answer:
    """What takes the parts of a summary."""
    answer = Answer(Progress(emit), pulse)
    answer.begin("", {})
    return answer

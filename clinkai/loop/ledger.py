"""The prompt cache, accounted for: that each request extends the one before it, and what of it the
server should have had and had not.

What a server must have is known exactly: the prompt before, plus what it generated, less the last
token (measured on llama-server). Why it had less is read from the size of the gap; that earlier
messages are rendered in another way is proved where the server can be asked.
Not covered: what a server does inside.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from operator import is_

from clinkai.ai.provider import Request
from clinkai.core.events import Notice, Usage
from clinkai.core.messages import Message, TokenCount
from clinkai.core.state import State
from clinkai.core.value import Value

BLOCK = 64
"""Tokens below which a gap is no news: vLLM and SGLang keep whole blocks of up to 64."""

ENDING = 16
"""Tokens before the end of a prompt to which llama-server goes back where the answer was rendered
in another way (4 in its source, and what a template puts there)."""

DIGITS = 16
"""Of the digest that is kept: enough to tell a mistake, which is all it is for."""

LITTLE = 0.1
"""The share of what should be there under which nothing of the conversation is left."""

OURS = ("model", "settings", "status", "archived", "summary", "window", "rewind", "images", "ahead")
"""Causes that are ours and announced where they happen; `changed` is a defect."""


class Cost(Value):
    """What of a prompt was read again: tokens (None where that is not known), and why: empty where
    nothing was; one of OURS; changed; answer, template, rewound or lost: the server's side."""

    lost: int | None = None
    cause: str = ""


Alike = Callable[[Request, int], bool | None]
"""Whether the first so many messages of a request are rendered in it as they were without the
others; None: not known. Asked where there is a gap only."""


class Ledger:
    """Told of every request and of its answer, in order. `state` is as before the first of them:
    an earlier process left the proof of its last request in it."""

    def __init__(self, state: State, alike: Alike = lambda request, count: None) -> None:
        self._alike = alike
        known = state.counted and not state.broke
        self._expected = state.counted - 1 if known else None
        self._before: int | None = state.prompt or None
        """Tokens of the prompt before."""
        self._earlier = state.proof
        self._told: set[str] = set()
        self._request: Request | None = None
        self._chain = sha256()
        self._undo = None, self._chain
        self._broke = ""

    def sends(self, request: Request, broke: str = "") -> None:
        """A request leaves. broke: why it need not extend the one before (one of OURS)."""
        self._undo = self._request, self._chain.copy()
        found = self._difference(request)
        first = self._request is None and not self._earlier
        self._broke = "" if first else broke or found
        done = 0 if found or self._request is None else len(self._request.messages)
        if not done:
            self._chain = _chain(request, 0)
        for message in request.messages[done:]:
            self._chain.update(_bytes(message))
        self._request = request

    def refused(self) -> None:
        """The server did not read the request that was sent last: the one before it is the one to
        extend."""
        self._request, self._chain = self._undo

    def _difference(self, request: Request) -> str:
        """In what the request does not extend the one before; empty where it does."""
        was = self._request
        if was is None:
            count = self._known()
            if not count:
                return ""
            chain = _chain(request, count).hexdigest()[:DIGITS]
            return "" if f"{count}:{chain}" == self._earlier else "changed"
        if request.model != was.model:
            return "model"
        if (request.system, request.tools) != (was.system, was.tools):
            return "changed"
        if (request.sampling.thinking, request.sampling.extra) != (
                was.sampling.thinking, was.sampling.extra):
            return "settings"
        return "" if _begins(request.messages, was.messages) else "changed"

    @property
    def proof(self) -> str:
        """Of the request that was sent last, `MESSAGES:DIGEST`: by it the next one is proved to
        extend it, also in another process."""
        return f"{len(self._request.messages)}:{self._chain.hexdigest()[:DIGITS]}"

    def cost(self, count: TokenCount, kept: bool) -> Cost:
        """What the answer says. kept: its message will be sent back as it came."""
        expected, before = self._expected, self._before
        self._before = count.prompt
        self._expected = None
        if count.prompt is not None:
            self._expected = count.prompt + (count.completion or 0 if kept else 0) - 1
        if expected is None or count.cached is None:
            return Cost(None, self._broke)
        lost = max(0, min(expected, count.prompt or expected) - count.cached)
        return Cost(lost, self._broke or self._cause(lost, expected, before, count.cached))

    def _cause(self, lost: int, expected: int, before: int | None, cached: int) -> str:
        if lost < BLOCK:
            return ""
        if before is not None and cached >= before - ENDING:
            return "answer"
        return self._proved(self._guess(expected, cached))

    def _guess(self, expected: int, cached: int) -> str:
        if cached < expected * LITTLE:
            return "lost"
        messages = self._request.messages
        if messages[-1].role == "user" and any(message.reasoning for message in messages):
            return "template"
        return "rewound"

    def _proved(self, guess: str) -> str:
        """The cause, of which `guess` is what the gap looks like."""
        was, _ = self._undo
        count = len(was.messages) if was else self._known()
        alike = self._alike(self._request, count) if count else None
        if alike is None:
            return guess
        return ("rewound" if guess == "template" else guess) if alike else "template"

    def _known(self) -> int:
        """The messages of the request that an earlier process sent last."""
        return int(self._earlier.partition(":")[0] or 0)

    def remark(self, cost: Cost, usage: Usage) -> Notice | None:
        """What people are told of it: each cause once a turn, those of ours where they happen."""
        if cost.cause in ("", *OURS, *self._told):
            return None
        self._told.add(cost.cause)
        seconds = round(cost.lost / usage.pp_tps) if cost.lost and usage.pp_tps else 0
        return Notice("warn", f"notice.cache.{cost.cause}", {"lost": cost.lost, "seconds": seconds})


def _begins(messages: tuple, known: tuple) -> bool:
    """True where `messages` begins with `known`: mostly the same objects, which costs nothing."""
    if len(messages) < len(known):
        return False
    return all(map(is_, known, messages)) or all(map(_equal, known, messages))


def _equal(one: Message, other: Message) -> bool:
    return one is other or _bytes(one) == _bytes(other)


def _chain(request: Request, count: int):
    """The hash of what comes before the messages, and of the first `count` of these."""
    chain = sha256(json.dumps([request.system, request.tools]).encode())
    for message in request.messages[:count]:
        chain.update(_bytes(message))
    return chain


def _bytes(message: Message) -> bytes:
    """What of a message goes over the wire, as bytes without ambiguity."""
    calls = [word for call in message.tool_calls for word in (call.id, call.name, call.arguments)]
    images = [image.sha for image in message.images]
    words = (message.role, message.content, message.reasoning, message.reasoning_field,
             message.signature, message.call_id, *calls, *images)
    return "".join(f"{len(word)}:{word}" for word in words).encode("utf-8", "surrogatepass")


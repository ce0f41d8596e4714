"""Chat completions of OpenAI-compatible servers, streamed.

Covered: event streams, and servers that answer with one JSON object all the same; the answer ends
with `[DONE]`, or with a finish label and a short wait for the token counts.
Not covered: trying again (`ai/steady.py`); other wires (`ai/ollama.py`, `ai/anthropic.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clinkai.ai.body import Body
from clinkai.ai.chunks import Answer
from clinkai.ai.client import Client
from clinkai.ai.reading import read_events
from clinkai.core.errors import Unreachable
from clinkai.core.value import Value

if TYPE_CHECKING:
    from clinkai.ai.eventful import EventAnswer
    from clinkai.ai.learned import Learned
    from clinkai.ai.llamacpp import Props
    from clinkai.ai.transport import Response, Transport
    from clinkai.core.cancel import Cancel

PATIENCE = 10.0
"""Seconds of silence after which the server is taken not to know its window."""

ASKS = 3
"""How often a server is asked for the window of a model that it may not have loaded yet."""


class OpenAIClient(Client):
    """The client of OpenAI-compatible servers. Another wire of event streams has its own path, body
    and answer."""

    name = "openai"
    path = "chat/completions"
    body = Body
    answer = Answer

    def __init__(self, transport: Transport, model: str = "",
                 learned: Learned | None = None) -> None:
        super().__init__(transport, model, learned)
        self._recognised = False
        self._asks_left = ASKS

    def ready(self, cancel: Cancel) -> None:
        """Find out which server it is; asked until it has answered once.

        llama.cpp is known from its own page, which tells what else is needed of it: one question.
        """
        if self._recognised:
            return
        try:
            props = self._props(cancel)
        except Unreachable:
            return
        if props and props.certain:
            self.kind, self._recognised = "llama.cpp", True
        else:
            from clinkai.ai.recognise import recognise

            server = recognise(self.transport, cancel)
            self.kind = server.kind
            self._recognised = bool(server.kind) or server.settled
        if not self._body.begun:  # else another head: a server known late stays as it was
            self._body.kind = self.kind
        self._body.learned.is_a("" if self.kind == "llama.cpp" else self.kind)
        if props and self.kind == "llama.cpp":
            from clinkai.ai.llamacpp import LlamaCpp

            self.known_window = self.known_window or props.window
            self.extras = LlamaCpp(self.transport, props, self._body.learned)

    def _props(self, cancel: Cancel) -> Props | None:
        """llama.cpp's own page, of a server that is not known to be another one."""
        if self._body.learned.kind:
            return None
        from clinkai.ai.llamacpp import ask_props

        return ask_props(self.transport, cancel)

    def window(self, cancel: Cancel) -> int | None:
        """The context window of the server, or None; asked for once, or a few times where the
        server can only say it of a model that is loaded."""
        if self.known_window is None and self._asks_left:
            from clinkai.ai.servers import LATE, context_window

            patient = self.transport.within(PATIENCE)
            self.known_window = context_window(patient, self.model, cancel, self.kind)
            self._asks_left = self._asks_left - 1 if self.kind in LATE else 0
        return self.known_window

    def vision(self, cancel: Cancel) -> bool | None:
        """Whether the model takes images, or None where the server does not say."""
        if self.extras.sees is not None:
            return self.extras.sees
        from clinkai.ai.servers import sees_images

        return sees_images(self.transport.within(PATIENCE), self.model, cancel, self.kind)

    def _read(self, response: Response, answer: EventAnswer) -> Iterator[Value]:
        return read_events(response, answer)

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
from clinkai.ai.counts import PromptCheck
from clinkai.ai.fields import unheeded
from clinkai.ai.provider import Provider, Reply, Request
from clinkai.ai.reading import read_events, refusal
from clinkai.ai.transport import Transport
from clinkai.core.errors import ModelServerError
from clinkai.core.value import Value, replace

if TYPE_CHECKING:
    from clinkai.ai.learned import Learned
    from clinkai.core.cancel import Cancel

PATIENCE = 10.0
"""Seconds of silence after which the server is taken not to know its window."""

ASKS = 3
"""How often a server is asked for the window of a model that it may not have loaded yet."""


class OpenAIClient(Provider):
    """The provider for OpenAI-compatible servers. model: whose window `window` asks for, until a
    request names another; learned: what this server is known to reject, and where more of it is
    told. Another wire of event streams has its own path, body and answer."""

    name = "openai"
    path = "chat/completions"
    body = Body
    answer = Answer
    unheard = ""
    """What tells the samplers that this wire does not have (`ai/fields.py`), for all servers."""

    def __init__(self, transport: Transport, model: str = "",
                 learned: Learned | None = None) -> None:
        self.transport = transport
        self.model = model
        self._body = self.body(learned)
        self._known = frozenset(self._body.learned.rejects)
        self._told: set[str] = set()
        """Warnings about settings that were given: once is enough."""
        self._prompts = PromptCheck()
        self._recognised = False
        self._asked = 0

    def drop(self, field: str) -> bool:
        """Leave a field out of requests from now on; False where it was not sent."""
        return self._body.drop(field)

    def ready(self, cancel: Cancel) -> None:
        """Find out which server it is; asked until it has answered once."""
        if not self._recognised:
            from clinkai.ai.recognise import recognise

            server = recognise(self.transport, cancel)
            self.kind = server.kind
            if not self._body.begun:  # else another head: a server known late stays as it was
                self._body.kind = server.kind
            self._recognised = bool(server.kind) or server.settled

    def window(self, cancel: Cancel) -> int | None:
        """The context window of the server, or None; asked for once, or a few times where the
        server can only say it of a model that is loaded."""
        from clinkai.ai.servers import LATE, context_window

        if self.known_window is None and self._asked < (ASKS if self.kind in LATE else 1):
            patient = self.transport.within(PATIENCE)
            self.known_window = context_window(patient, self.model, cancel, self.kind)
            self._asked += 1
        return self.known_window

    def stream(self, request: Request, cancel: Cancel) -> Iterator[Value]:
        """Send `request` and yield its parts, the Reply last. Raises members of ModelServerError,
        whose `count` holds what the server had reported by then, and Cancelled."""
        self.model = request.model
        answer = self.answer(tuple(tool["function"]["name"] for tool in request.tools))
        answer.offered(request.tools)
        body = self._body.render(request)
        try:
            with self.transport.open("POST", self.path, body, cancel) as response:
                if response.status != 200:
                    raise refusal(response)
                yield from read_events(response, answer)
            reply = answer.reply(self._body.ids)
        except ModelServerError as error:
            error.count = answer.count()
            self.transport.hide_key(error)
            raise
        deaf = unheeded(self.unheard or self.kind, request.sampling, bool(reply.reasoning),
                        self._known)
        told = tuple(code for code in deaf if code not in self._told)
        self._told.update(told)
        if self._prompts.cut(request, reply.count.prompt):
            told = ("prompt_truncated", *told)
        yield replace(reply, warnings=(*reply.warnings, *told)) if told else reply

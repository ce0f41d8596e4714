"""One request to a model server and its answer: what is the same on all wires.

A client makes exactly one HTTP request a `stream`. Not covered: trying again (`ai/steady.py`), what
a server is and how large its window is (the clients of the wires).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clinkai.ai.assembly import Assembly
from clinkai.ai.body import Body
from clinkai.ai.counts import PromptCheck
from clinkai.ai.fields import SWITCHES, unheeded
from clinkai.ai.provider import Provider, Request
from clinkai.ai.reading import refusal
from clinkai.core.errors import ModelServerError
from clinkai.core.value import Value, replace

if TYPE_CHECKING:
    from clinkai.ai.learned import Learned
    from clinkai.ai.transport import Response, Transport
    from clinkai.core.cancel import Cancel


ANSWERED = (200, 201, 202, 203)
"""Statuses with an answer: some frameworks say of every POST that it created something."""


class Client(Provider):
    """What speaks with one server. A wire has its own path, body, answer and `_read`.

    model: whose window is asked for, until a request names another; learned: what this server is
    known to reject, and where more of it is told.
    """

    path = ""
    body: type[Body] = Body
    answer: type[Assembly] = Assembly

    def __init__(self, transport: Transport, model: str = "",
                 learned: Learned | None = None) -> None:
        self.transport = transport
        self.model = model
        self._body = self.body(learned)
        self._known = frozenset(self._body.learned.rejects)
        """What the server rejected in earlier sessions."""
        self._told: set[str] = set()
        """Warnings about settings that were given: once is enough."""
        self._thought = False
        """The model thought, in some answer or other."""
        self._prompts = PromptCheck()

    @property
    def deaf_as(self) -> str:
        """The samplers that cannot be said here, as a key of `fields.DEAF`."""
        return self.kind

    def drop(self, field: str) -> bool:
        """Leave a field out of requests from now on; False where it was not sent."""
        if field in SWITCHES:
            self._told.add("field_unheeded:thinking")  # that it is rejected is told instead
        return self._body.drop(field)

    def twin(self) -> Client:
        """Another client that sends what this one would send."""
        other = type(self)(self.transport, self.model, self._body.learned)
        other.kind, other._body.kind = self.kind, self._body.kind
        return other

    def stream(self, request: Request, cancel: Cancel) -> Iterator[Value]:
        """Send `request` and yield its parts, the Reply last. Raises members of ModelServerError,
        whose `count` holds what the server had reported by then, and Cancelled."""
        self.model = request.model
        answer = self.answer(tuple(tool["function"]["name"] for tool in request.tools))
        answer.offered(request.tools)
        self._prepare(request)
        body = self._body.render(request)
        try:
            with self.transport.open("POST", self.path, body, cancel) as response:
                if response.status not in ANSWERED:
                    raise refusal(response)
                yield from self._read(response, answer)
            reply = answer.reply(self._body.ids)
        except ModelServerError as error:
            problem = self._explained(error)
            problem.count = answer.count()
            self.transport.hide_key(problem)
            raise problem from None
        reply = self._prompts.checked(request, reply)
        self._thought = self._thought or bool(reply.reasoning)
        codes = unheeded(self.deaf_as, request.sampling, self._thought, self._known)
        told = [code for code in codes if code not in self._told]
        self._told.update(told)
        yield replace(reply, warnings=(*reply.warnings, *told)) if told else reply

    def _prepare(self, request: Request) -> None:
        """Put into the body what depends on the model of `request`."""

    def _read(self, response: Response, answer: Assembly) -> Iterator[Value]:
        """Feed the body of `response` to `answer`, and yield what comes out of it."""
        raise NotImplementedError

    def _explained(self, error: ModelServerError) -> ModelServerError:
        """`error`, or another one where the client knows more of the cause."""
        return error

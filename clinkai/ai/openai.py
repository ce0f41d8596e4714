"""Chat completions of OpenAI-compatible servers, streamed.

Covered: event streams, and servers that answer with one JSON object all the same; the answer ends
with `[DONE]`, or with a finish label and a short wait for the token counts.
Not covered: trying again; other wires (`ai/ollama.py`, `ai/anthropic.py` to come).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clinkai.ai.body import Body
from clinkai.ai.chunks import Answer
from clinkai.ai.envelope import decode
from clinkai.ai.provider import Provider, Reply, Request
from clinkai.ai.sse import SseParser
from clinkai.ai.transport import BODY_LIMIT, Response, Transport, too_large
from clinkai.core.errors import BadResponse, ModelServerError, ServerTimeout, StreamBroken
from clinkai.core.text import one_line
from clinkai.core.value import Value

if TYPE_CHECKING:
    from clinkai.core.cancel import Cancel

PATH = "chat/completions"
BLANK = b"\xef\xbb\xbf \t\r\n"
REPORT_LIMIT = 256_000
"""Bytes of an error report that are read."""

PATIENCE = 10.0
"""Seconds of silence after which the server is taken not to know its window."""

GRACE = 2.0
"""Seconds to wait for the token counts after the finish label, which usually follow at once."""


class OpenAIClient(Provider):
    """The provider for OpenAI-compatible servers. model: whose window `window` asks for, until a
    request names another."""

    name = "openai"

    def __init__(self, transport: Transport, model: str = "") -> None:
        self.transport = transport
        self.model = model
        self._body = Body()
        self._asked = False

    def window(self, cancel: Cancel) -> int | None:
        """The context window of the server, or None; asked for once."""
        if not self._asked:
            from clinkai.ai.servers import context_window

            self.known_window = context_window(self.transport.within(PATIENCE), self.model, cancel)
            self._asked = True
        return self.known_window

    def stream(self, request: Request, cancel: Cancel) -> Iterator[Value]:
        """Send `request` and yield its parts, the Reply last. Raises members of ModelServerError,
        whose `count` holds what the server had reported by then, and Cancelled."""
        self.model = request.model
        answer = Answer(tuple(tool["function"]["name"] for tool in request.tools))
        body = self._body.render(request)
        try:
            with self.transport.open("POST", PATH, body, cancel) as response:
                if response.status != 200:
                    raise _refusal(response)
                yield from _parts(response, answer)
            reply = answer.reply(self._body.ids)
        except ModelServerError as error:
            error.count = answer.count()
            self.transport.hide_key(error)
            raise
        yield reply


def _parts(response: Response, answer: Answer) -> Iterator[Value]:
    """Feed the body of `response` to `answer`, and yield what comes out of it."""
    data = _first_bytes(response)
    if data.lstrip(BLANK)[:1] in (b"{", b"[", b"<"):
        _take_whole(data + response.read_all(), answer)
        yield from answer.parts(last=True)
        return
    parser = SseParser()
    unread = 0
    hurried = False
    broken: ModelServerError | None = None
    while True:
        frames = parser.feed(data) if data else parser.close()
        for frame in frames:
            if frame.event == "error":
                answer.fail(frame.data.encode())
            else:
                answer.take(frame.data)
        while parser.strays:
            answer.take_stray(parser.strays.pop(0))
        over = not data or (answer.ending and answer.over())
        yield from answer.parts(last=over)
        if over:
            break
        unread = 0 if frames else unread + len(data)
        if unread > BODY_LIMIT:
            raise too_large(BODY_LIMIT)
        if answer.ending and not hurried:
            hurried = True
            response.hurry(GRACE)
        try:
            data = response.read_some()
        except (StreamBroken, ServerTimeout) as error:
            broken, data = error, b""
    if broken and not answer.ending:
        raise broken


def _first_bytes(response: Response) -> bytes:
    """The beginning of the body, up to the first bytes that say what it is."""
    start = data = response.read_some()
    while data and not start.lstrip(BLANK):
        data = response.read_some()
        start += data
    return start


def _take_whole(body: bytes, answer: Answer) -> None:
    """Feed a body that is no event stream: one JSON value, perhaps with an end mark after it."""
    text = body.decode("utf-8-sig", "replace").strip()
    if text[:1] == "<":
        answer.fail(body)
        return
    try:
        end = decode(text)[1]
    except (ValueError, RecursionError):
        answer.broke(BadResponse("error.bad_response.json", start=one_line(text, 80)))
        return
    answer.take(text[:end])
    answer.done = answer.began()
    if not (answer.done or answer.ending):
        answer.broke(BadResponse("error.bad_response.shape", start=one_line(text, 80)))


def _refusal(response: Response) -> ModelServerError:
    """The error that an answer with another status than 200 means."""
    from clinkai.ai.failures import classify

    body = b""
    try:
        while len(body) < REPORT_LIMIT and (piece := response.read_some()):
            body += piece
    except (StreamBroken, ServerTimeout, BadResponse):
        pass  # the status says enough
    return classify(response.status, response.headers, body)

"""Reading an answer to its end: bytes from a response, parts of an `Assembly` out of it.

The same for all wires, be they event streams (`read_events`) or lines of JSON (`read_stream`).
Not covered: what the bytes say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clinkai.ai.assembly import Assembly
from clinkai.ai.envelope import decode
from clinkai.ai.eventful import DAMAGED, EventAnswer
from clinkai.ai.sse import Frame, SseParser
from clinkai.ai.transport import BODY_LIMIT, Response, too_large
from clinkai.core.errors import BadResponse, ModelServerError, ServerTimeout, StreamBroken
from clinkai.core.text import one_line
from clinkai.core.value import Value

BLANK = b"\xef\xbb\xbf \t\r\n"
REPORT_LIMIT = 256_000
"""Bytes of an error report that are read."""

GRACE = 2.0
"""Seconds to wait for the token counts after the finish label, which usually follow at once."""


def read_stream(response: Response, data: bytes, answer: Assembly,
                feed: Callable[[bytes], int]) -> Iterator[Value]:
    """Yield the parts of `answer` as they come. data: the first bytes, read already; feed: gives
    bytes (b"" at the end) to the answer, and returns how many events were in them.

    Raises members of ModelServerError for a stream that breaks before its label, Cancelled.
    """
    unread = 0
    hurried = False
    broken: ModelServerError | None = None
    while True:
        events = feed(data)
        over = not data or (answer.ending and answer.over())
        yield from answer.parts(last=over)
        if over:
            break
        unread = 0 if events else unread + len(data)
        if unread > BODY_LIMIT:
            raise too_large(BODY_LIMIT)
        if answer.ending and not hurried:
            hurried = True
            response.hurry(GRACE)
        try:
            data = response.read_some()
        except (StreamBroken, ServerTimeout) as error:
            broken, data = error, b""
    if broken and (not answer.ending or (answer.error and answer.error.key == DAMAGED)):
        raise broken  # what it left of a line is no damage


def read_events(response: Response, answer: EventAnswer) -> Iterator[Value]:
    """Feed the body of `response`, an event stream or one JSON value, to `answer`, and yield what
    comes out of it. Raises as `read_stream` does."""
    data = first_bytes(response)
    if data.lstrip(BLANK)[:1] in (b"{", b"[", b"<"):
        _take_whole(data + response.read_all(), answer)
        yield from answer.parts(last=True)
        return
    parser = SseParser()

    def feed(data: bytes) -> int:
        frames = parser.feed(data) if data else parser.close()
        if parser.strays:
            _take_mixed(frames, parser.strays, answer)
        else:
            _take_frames(frames, answer)
        return len(frames)

    yield from read_stream(response, data, answer, feed)


def _take_frames(frames: list[Frame], answer: EventAnswer) -> None:
    """Give events to `answer`, up to the one that ends it: nothing depends on how many of them
    came at once."""
    for frame in frames:
        if answer.ending and answer.over():
            return
        if frame.event == "error":
            answer.fail(frame.data.encode())
        else:
            answer.take(frame.data)


def _take_mixed(frames: list[Frame], strays: list[tuple[int, str]], answer: EventAnswer) -> None:
    """The same with stray lines between the events. Empties `strays`."""
    at = 0
    for before, line in strays:
        _take_frames(frames[at:before], answer)
        at = before
        if not (answer.ending and answer.over()):
            answer.take_stray(line)
    strays.clear()
    _take_frames(frames[at:], answer)


def first_bytes(response: Response) -> bytes:
    """The beginning of the body, up to the first bytes that say what it is."""
    start = data = response.read_some()
    while data and not start.lstrip(BLANK):
        data = response.read_some()
        start += data
    return start


def refusal(response: Response) -> ModelServerError:
    """The error that an answer with another status than 200 means."""
    from clinkai.ai.failures import classify

    body = b""
    try:
        while len(body) < REPORT_LIMIT and (piece := response.read_some()):
            body += piece
    except (StreamBroken, ServerTimeout, BadResponse):
        pass  # the status says enough
    return classify(response.status, response.headers, body)


def _take_whole(body: bytes, answer: EventAnswer) -> None:
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
    rest = text[end:].strip()
    if rest[:1] == "{":  # chunks as lines of JSON
        answer.take_odd(rest)
    else:
        answer.done = answer.began()
    if not (answer.done or answer.ending or answer.began()):
        answer.broke(BadResponse("error.bad_response.shape", start=one_line(text, 80)))

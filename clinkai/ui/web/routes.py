"""The routes of the API, as one table: method, path, allowed parameters, function.

A path is compared as it was sent; ids have one strict form, so that nothing else can name a file.
Fields of a body that a route does not know are refused: a message cannot bring a policy, a
workspace or a server of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from clinkai import __version__
from clinkai.core.errors import ClinkError, ModelServerError, UsageError
from clinkai.core.value import Value
from clinkai.harness.rewinding import FILES
from clinkai.ui.web import answer
from clinkai.ui.web.answer import Answer, Stream
from clinkai.ui.web.hub import TooMany
from clinkai.ui.web.request import Head, Refused
from clinkai.ui.web.service import PAGE, Service

TEXT_LIMIT = 1_000_000
"""Characters of a message."""
PAGE_LIMIT = 500

SESSION = r"([0-9a-f]{8})"
RUN = r"([0-9a-f]{8}-[0-9]{1,9})"
_IDEM = re.compile(r"[A-Za-z0-9_-]{8,64}")
_CLIENT = re.compile(r"([A-Za-z0-9_-]{1,40})\.([A-Za-z0-9_-]{1,40})")


class Call(Value):
    """One request that may be served. ids: from the path; params: of the query; body: a POST's."""

    service: Service
    head: Head
    ids: tuple
    params: dict
    body: dict


def status(call: Call) -> Answer:
    """What the page needs to know about this server."""
    service = call.service
    service.page_opened()
    settings = service.settings
    return answer.of({
        "epoch": service.hub.epoch, "version": __version__, "lang": settings.lang,
        "workspace": service.workspace, "model": settings.model, "provider": settings.provider,
        "scripted": settings.provider == "demo", "mode": settings.mode, "asks": False,
    })


def sessions(call: Call) -> Answer:
    """The sessions of the workspace, newest first."""
    return answer.of({"sessions": call.service.sessions()})


def items(call: Call) -> Answer:
    """A page of a session, as events."""
    before = _number(call.params, "before", None, 10**9)
    limit = _number(call.params, "limit", PAGE, PAGE_LIMIT)
    return answer.of(call.service.logs.items(call.ids[0], before, limit, unanswered=False))


def events(call: Call) -> Stream:
    """The events of a session, or with none named the states of all, as they happen."""
    sid = call.params.get("session", "")
    if sid:
        if not re.fullmatch(SESSION, sid):
            raise Refused(404, "web.http.session", id=sid[:80])
        call.service.logs.path(sid)
        call.service.seen(sid)
    client = call.head.get("x-client")
    match = _CLIENT.fullmatch(client)
    if client and not match:
        raise Refused(400, "web.http.client")
    try:
        return Stream(call.service.hub.watch(sid, call.head.get("last-event-id"),
                                             match.groups() if match else ("", "")))
    except TooMany:
        raise Refused(503, "web.http.viewers") from None


def create(call: Call) -> Answer:
    """A new session, with its first message."""
    return _send(call, "")


def send(call: Call) -> Answer:
    """A message to a session."""
    return _send(call, call.ids[0])


def mode(call: Call) -> Answer:
    """Another mode for a session, also while it runs."""
    wanted = call.body.get("mode")
    if not isinstance(wanted, str):
        raise Refused(400, "web.http.field", name="mode")
    return answer.of(call.service.set_mode(call.ids[0], wanted))


def compact(call: Call) -> Answer:
    """A summary in place of the oldest messages of a session."""
    wish = call.body.get("wish", "")
    done = call.service.compact(call.ids[0], _text(wish) if wish != "" else "", _idem(call))
    return answer.of(done, 202)


def rewind(call: Call) -> Answer:
    """Go back to a record of a session, with another message or none."""
    to = _record(call, "to")
    if to is None:
        raise Refused(400, "web.http.field", name="to")
    return _branch(call, call.service.rewind, to)


def fork(call: Call) -> Answer:
    """Another session from a record of this one on, with a message or none."""
    return _branch(call, call.service.fork, _record(call, "at"))


def cancel(call: Call) -> Answer:
    """Stop a run."""
    call.service.cancel(call.ids[0])
    return answer.of({}, 202)


class Route(Value):
    """One row. params: allowed in the query; accepts: fields in the body."""

    method: str
    path: str
    act: Callable
    params: tuple = ()
    accepts: tuple = ()


ROUTES = (
    Route("GET", "/api/status", status),
    Route("GET", "/api/sessions", sessions),
    Route("GET", f"/api/sessions/{SESSION}/items", items, params=("before", "limit")),
    Route("GET", "/api/events", events, params=("session",)),
    Route("POST", "/api/sessions", create, accepts=("text", "idem")),
    Route("POST", f"/api/sessions/{SESSION}/messages", send, accepts=("text", "idem")),
    Route("POST", f"/api/sessions/{SESSION}/mode", mode, accepts=("mode",)),
    Route("POST", f"/api/sessions/{SESSION}/compact", compact, accepts=("wish", "idem")),
    Route("POST", f"/api/sessions/{SESSION}/rewind", rewind,
          accepts=("to", "text", "files", "idem")),
    Route("POST", f"/api/sessions/{SESSION}/fork", fork, accepts=("at", "text", "files", "idem")),
    Route("POST", f"/api/runs/{RUN}/cancel", cancel),
)


def serve(service: Service, head: Head, body: bytes) -> Answer | Stream:
    """Answer a request that the guard has let in. Raises Refused."""
    content = _body(body) if head.method == "POST" else {}
    found = [(route, match) for route in ROUTES if (match := re.fullmatch(route.path, head.path))]
    if not found:
        raise Refused(404, "web.http.path")
    for route, match in found:
        if route.method == head.method:
            params = head.params(route.params)
            unknown = sorted(content.keys() - set(route.accepts))
            if unknown:
                raise Refused(400, "web.http.field", name=unknown[0][:80])
            return _act(route, Call(service, head, match.groups(), params, content))
    raise Refused(405, "web.http.method")


def _act(route: Route, call: Call) -> Answer | Stream:
    try:
        return route.act(call)
    except ClinkError as error:
        say = call.service.say
        status_of = {UsageError: 422, ModelServerError: 502}
        code = next((n for kind, n in status_of.items() if isinstance(error, kind)), 409)
        return answer.of({"error": {
            "key": error.key, "text": error.text(say), "hint": error.advice(say),
        }}, code)


def _send(call: Call, sid: str) -> Answer:
    text = _text(call.body.get("text"))
    return answer.of(call.service.send(sid, text, _idem(call)), 202)


def _branch(call: Call, act: Callable, point: int | None) -> Answer:
    text = call.body.get("text", "")
    files = call.body.get("files", "keep")
    if files not in FILES:
        raise Refused(400, "web.http.field", name="files")
    done = act(call.ids[0], point, _text(text) if text != "" else "", files, _idem(call))
    return answer.of(done, 202 if done["rid"] else 200)


def _record(call: Call, name: str) -> int | None:
    """The number of a record, in the body."""
    number = call.body.get(name)
    if number is not None and (type(number) is not int or not 0 < number < 10**9):
        raise Refused(400, "web.http.field", name=name)
    return number


def _text(text: object) -> str:
    """A message that can be sent. Raises Refused."""
    if not isinstance(text, str) or not text.strip():
        raise Refused(400, "web.http.text")
    if len(text) > TEXT_LIMIT:
        raise Refused(413, "web.http.large", limit=TEXT_LIMIT)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Refused(400, "web.http.half") from None
    return text


def _idem(call: Call) -> str:
    idem = call.body.get("idem", "")
    if not isinstance(idem, str) or idem and not _IDEM.fullmatch(idem):
        raise Refused(400, "web.http.field", name="idem")
    return idem


def _body(data: bytes) -> dict:
    """The object in the body. Raises Refused for anything else, repeated names included."""
    try:
        body = json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused(400, "web.http.json") from None
    if not isinstance(body, dict):
        raise Refused(400, "web.http.json")
    return body


def _once(pairs: list[tuple[str, object]]) -> dict:
    body = dict(pairs)
    if len(body) != len(pairs):
        raise ValueError("a name is given twice")
    return body


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON")


def _number(params: dict, name: str, default: int | None, limit: int) -> int | None:
    text = params.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= limit:
        raise Refused(400, "web.http.query", name=name)
    return int(text)

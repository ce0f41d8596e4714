"""Everything that happens, as one closed union of frozen values.

The `type` of an event in JSON is the name on its class; every front end, the session log and the
evaluation read this one stream. Order within a run:

    run.start (msg.start [msg.images] delta msg.end: the user's message)
      ( round.start [prefill* usage archived] [window] prefill* msg.start delta* msg.end usage
        ( tool.start [approval.open approval.done] tool.out* tool.end )* )*
    run.end

notice, queue and session.status may come anywhere; hello, snapshot, hb and bye are frames of a
watching connection. `record` is what the session log keeps of the event; it never leaves the
process. Times are milliseconds, offsets are characters.
"""

from __future__ import annotations

from clinkai.core.value import Value

VERSION = 1


class Event(Value):
    """Base of all events."""

    type = ""


class Hello(Event):
    """First frame of a connection. resume: replay, snapshot or fresh."""

    type = "hello"
    epoch: str
    head: int
    resume: str


class Snapshot(Event):
    """The state of a session in one frame, where the gap cannot be replayed."""

    type = "snapshot"
    run: dict | None
    inflight: dict | None
    approvals: list
    queue: list
    meters: dict
    items: list


class RunStart(Event):
    """A turn begins. model: name or empty; cap: rounds it may take."""

    type = "run.start"
    model: str
    workspace: str
    cap: int


class RoundStart(Event):
    """The n-th model call of the turn, from 1."""

    type = "round.start"
    n: int


class Prefill(Event):
    """The first token is waited for: prompt tokens read so far, ms since the request; zeros where
    the server does not say. tps: tokens per second; left_ms: until the prompt is read, or until the
    next try; None where unknown. phase: read; or why nothing is read: loading, down, rate, retry;
    or archive: a summary is being written."""

    type = "prefill"
    done: int
    total: int
    cached: int
    ms: int
    tps: float | None = None
    left_ms: int | None = None
    phase: str = "read"


class MsgStart(Event):
    """A message begins, or one that was cut goes on (a known mid). role: user, assistant, or auto:
    the harness asks, in the user's role, for an answer to go on."""

    type = "msg.start"
    mid: str
    role: str


class MsgImages(Event):
    """The images of a user message, after its msg.start: {sha, mime, size} each."""

    type = "msg.images"
    mid: str
    images: list


class Delta(Event):
    """A piece of a message. ch: text, think or args; off: where it starts in its channel."""

    type = "delta"
    mid: str
    ch: str
    off: int
    s: str


class MsgEnd(Event):
    """A message is complete, or after length and error goes on. finish: stop, tool_calls, length,
    repeat (stopped since it repeats itself), cancelled, error, or empty. stands: {text, think} of
    the whole message where that is not what its pieces told: text turned out to be thinking, or
    repeated itself; else None."""

    type = "msg.end"
    mid: str
    finish: str
    think_ms: int
    record: dict | None = None
    stands: dict | None = None


class ToolStart(Event):
    """One per tool call, in the order of the message. risk: low or high."""

    type = "tool.start"
    call: str
    name: str
    title: str
    args: dict | None
    risk: str


class ToolOut(Event):
    """A piece of a tool's output as people see it."""

    type = "tool.out"
    call: str
    off: int
    s: str


class ToolEnd(Event):
    """One per tool.start, before run.end. exit: a command's exit code; diff: of a changed file.

    decision: allow, once, session, prefix, sandbox (unasked, confined) or deny.
    """

    type = "tool.end"
    call: str
    ok: bool
    exit: int | None
    ms: int
    lines: int
    cut: bool
    diff: str | None
    decision: str
    record: dict | None = None


class ApprovalOpen(Event):
    """A person is asked; between tool.start and tool.end of `call`. digest: of what is shown."""

    type = "approval.open"
    aid: str
    call: str
    kind: str
    title: str
    command: str | None
    path: str | None
    diff: str | None
    cwd: str
    risk: str
    rule: str | None
    digest: str


class ApprovalDone(Event):
    """The one answer. decision: once, session, prefix or deny; by: who; reason: their words."""

    type = "approval.done"
    aid: str
    decision: str
    by: str
    reason: str


class Usage(Event):
    """What round n cost; None is unknown. hit: cached share of the prompt in per cent.

    lost, cause: prompt tokens that should have been cached and were read again, and why; proof: of
    what was sent (`loop/ledger.py`). of: archive, for a request beside the conversation; it has
    no message. ahead: tokens that the server read since the round before, while nobody waited.
    """

    type = "usage"
    n: int
    prompt: int | None
    cached: int | None
    hit: float | None
    out: int | None
    pp_tps: float | None
    tg_tps: float | None
    ttft_ms: int | None
    ctx: int | None
    ctx_max: int | None
    lost: int | None = None
    cause: str = ""
    proof: str = ""
    of: str = ""
    ahead: int = 0


class Archived(Event):
    """The oldest messages became a summary: about `before` tokens of context are `after` now.

    stays: so many of the newest messages stay; text: what stands for the others, as the model gets
    it, before the words of the user that the first of those answers; summary: what the model wrote
    of that. ms: it took. failed: in plain words, why there is no summary: then nothing changed, and
    none is asked for any more.
    """

    type = "archived"
    stays: int
    text: str
    summary: str
    before: int
    after: int
    ms: int
    failed: str = ""


class Window(Event):
    """The oldest messages left the context, without a new summary; fields as above."""

    type = "window"
    stays: int
    text: str
    summary: str
    before: int
    after: int


class Notice(Event):
    """Something people should know. level: info, warn or error; key and params: the catalogue."""

    type = "notice"
    level: str
    key: str
    params: dict


class Queue(Event):
    """The messages that wait for the turn to end."""

    type = "queue"
    items: list


class SessionStatus(Event):
    """The state of a session, also of others than the watched one."""

    type = "session.status"
    sid: str
    title: str
    state: str
    unread: bool


class RunEnd(Event):
    """The turn is over. reason: done, cancelled, error, cap, breaker, context or interrupted.

    detail: plain words; exit: the exit code it means; denied: refused calls;
    times: {prefill, decode, tools, waiting}.
    """

    type = "run.end"
    reason: str
    detail: str
    exit: int
    denied: int
    times: dict


class Hb(Event):
    """Heartbeat. t: seconds since the epoch."""

    type = "hb"
    t: float


class Bye(Event):
    """The server closes this stream. reason: evicted or shutdown."""

    type = "bye"
    reason: str


EVENTS: dict[str, type[Event]] = {
    cls.type: cls
    for cls in (
        Hello, Snapshot, RunStart, RoundStart, Prefill, MsgStart, MsgImages, Delta, MsgEnd, ToolStart,
        ToolOut, ToolEnd, ApprovalOpen, ApprovalDone, Usage, Archived, Window, Notice, Queue,
        SessionStatus, RunEnd, Hb, Bye,
    )
}
"""The closed union, by JSON type."""

KEPT = {"run.start", "approval.open", "approval.done", "usage", "archived", "window", "notice",
        "run.end"}
"""Events without a `record` of their own that the log keeps as `meta` of that kind."""


def to_json(event: Event, sid: str, rid: str, ts: float) -> dict:
    """The object every front end gets: envelope first, then the fields of the event."""
    body = {"v": VERSION, "type": event.type, "sid": sid, "rid": rid, "ts": round(ts, 3)}
    body.update(event.__dict__)
    body.pop("record", None)
    return body


def from_json(body: dict) -> Event:
    """The event of such an object. Raises KeyError or TypeError where it is none."""
    cls = EVENTS[body["type"]]
    return cls(**_named(cls, body, without="record"))


def record_of(event: Event) -> dict | None:
    """What the session log keeps of an event, without the envelope; None for nothing.

    A field `kind` of the event (of approval.open) is `what` in the record, whose own `kind` is
    the type of the event.
    """
    if event.type not in KEPT:
        return event.__dict__.get("record")
    record = {"type": "meta", **event.__dict__, "kind": event.type}
    if "kind" in event.__dict__:
        record["what"] = event.__dict__["kind"]
    return record


def kept_fields(record: dict) -> dict:
    """The fields of the event that a `meta` record keeps, whose kind is in KEPT; a field that came
    later than the record is left out. Raises KeyError."""
    own = {**record, "kind": record.get("what")}
    return _named(EVENTS[record["kind"]], own)


def _named(event: type[Event], body: dict, without: str = "") -> dict:
    """The fields of an event as `body` has them; those with a default may be missing."""
    return {name: body[name] for name in event.fields
            if name != without and (name in body or not hasattr(event, name))}

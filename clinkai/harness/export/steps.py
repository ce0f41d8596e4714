"""The records of a session as the steps that every format shows: what was said, asked, answered.

Damaged lines and records that make no sense are left out and named. A branch that was taken back
(`rewind`) is left out, what only left the context (`archived`, `window`) is not: it was said.
"""

from __future__ import annotations

from clinkai.core.branches import live
from clinkai.core.messages import Message, from_record
from clinkai.core.text import first_line
from clinkai.core.value import Value, replace


class Result(Value):
    """What came of a call; exit: of a command; diff: of a changed file."""

    content: str
    ok: bool = True
    decision: str = "allow"
    ms: int = 0
    exit: int | None = None
    diff: str = ""


class Call(Value):
    """A tool call. arguments: the exact string; broken: what stood there where it was no JSON;
    result: None where it was interrupted."""

    id: str
    name: str
    arguments: str
    broken: str = ""
    result: Result | None = None


class Step(Value):
    """kind: user; auto: the harness asked in the user's role; agent; cut: earlier messages left the
    context; stop: a turn ended otherwise than with an answer. ts: seconds since the epoch, or None.
    usage: the record of what the round cost."""

    kind: str
    ts: float | None
    text: str
    reasoning: str = ""
    calls: tuple = ()
    images: tuple = ()
    model: str = ""
    usage: dict | None = None
    finish: str = ""


class Trail(Value):
    """A session. init: its first record, of which `begin` has the fields that are text; titled: a
    person named it. redacted: secrets were taken out."""

    id: str
    init: dict
    title: str
    begun: float | None
    steps: tuple
    redacted: bool

    def begin(self, name: str) -> str:
        """A field of the first record, or empty."""
        found = self.init.get(name)
        return found if isinstance(found, str) else ""

    @property
    def tools(self) -> list:
        """The schemas of the tools."""
        found = self.init.get("tools")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def trail(id: str, records: list, redacted: bool) -> tuple[Trail, list]:
    """The steps of `records`, and of those that make no sense (number, why)."""
    reader = _Reader()
    bad = []
    for record in live(records):
        try:
            reader.take(record)
        except (KeyError, TypeError, ValueError) as error:
            bad.append((record.get("seq"), f"{type(error).__name__}: {error}"))
    words = next((step.text for step in reader.steps if step.kind == "user"), "")
    title = title_of(records) or first_line(words)
    return Trail(id, reader.init, title, reader.begun, tuple(reader.steps), redacted), bad


class _Reader:
    def __init__(self) -> None:
        self.init: dict = {}
        self.steps: list[Step] = []
        self.begun: float | None = None
        self._model = ""

    def take(self, record: dict) -> None:
        """Take in one record. Raises KeyError, TypeError, ValueError where it makes no sense."""
        ts = time_of(record)
        match record["type"]:
            case "init":
                self.init, self.begun = record, ts
                self._model = str(record.get("model", ""))
            case "user":
                message = from_record(record)
                kind = "auto" if message.auto else "user"
                self._add(kind, ts, message.content, images=message.images)
            case "assistant":
                self._agent(from_record(record), ts)
            case "tool":
                self._answer(from_record(record), record)
            case "meta":
                self._meta(record, ts)

    def _add(self, kind: str, ts: float | None, text: str, **more: object) -> None:
        self.steps.append(Step(kind, ts, text, **more))

    def _agent(self, message: Message, ts: float | None) -> None:
        calls = tuple(Call(c.id, c.name, c.arguments, c.broken) for c in message.tool_calls)
        self._add("agent", ts, message.content, reasoning=message.reasoning, calls=calls,
                  model=self._model, finish=message.finish)

    def _answer(self, message: Message, record: dict) -> None:
        at = self._newest()
        calls = list(self.steps[at].calls) if at is not None else []
        place = next((n for n, call in enumerate(calls)
                      if call.id == message.call_id and call.result is None), None)
        if place is None:
            raise ValueError("a result without its call")
        code, diff = record.get("exit"), record.get("diff")
        result = Result(message.content, message.ok, message.decision, message.ms,
                        code if isinstance(code, int) else None,
                        diff if isinstance(diff, str) else "")
        calls[place] = replace(calls[place], result=result)
        self.steps[at] = replace(self.steps[at], calls=tuple(calls))

    def _newest(self) -> int | None:
        """Where the newest message of the model stands."""
        backwards = range(len(self.steps) - 1, -1, -1)
        return next((n for n in backwards if self.steps[n].kind == "agent"), None)

    def _meta(self, record: dict, ts: float | None) -> None:
        match record["kind"]:
            case "usage" if not record.get("of") and (at := self._newest()) is not None:
                if self.steps[at].usage is None:
                    self.steps[at] = replace(self.steps[at], usage=record)
            case "model":
                self._model = str(record["model"])
            case "archived" | "window" if not record.get("failed"):
                self._add("cut", ts, str(record["text"]))
            case "run.end" if record["reason"] != "done":
                self._add("stop", ts, str(record["detail"]) or str(record["reason"]))


def title_of(records: list) -> str:
    """The name that a person gave the session last, in whatever branch; or empty."""
    named = [r for r in records if r["type"] == "meta" and r.get("kind") == "title"]
    return first_line(str(named[-1].get("title"))) if named else ""


def time_of(record: dict) -> float | None:
    """When a record was written, where it says so: seconds since the epoch, of a year that has four
    digits."""
    ts = record.get("ts")
    return float(ts) if isinstance(ts, int | float) and 0 <= ts < 253_402_300_800 else None


def iso(ts: float) -> str:
    """The time as in ISO 8601, in UTC, to the millisecond."""
    import time

    whole, part = divmod(round(ts * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{part:03}Z"


def parts(call: Call) -> list[tuple[str, str]]:
    """The arguments of a call for people, by name; under an empty name what is no JSON object."""
    import json

    try:
        read = json.loads(call.broken or call.arguments)
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        return [("", call.broken or call.arguments)]
    return [(str(name), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
            for name, value in read.items()]


def outcome(result: Result | None, say) -> str:
    """How a call ended, in words: refused, failed or done, with exit code and time."""
    from clinkai.core.text import duration

    if result is None:
        return say("export.call.open")
    key = "denied" if result.decision == "deny" else "done" if result.ok else "failed"
    words = [say(f"export.call.{key}")]
    if result.exit is not None:
        words.append(say("export.call.exit", code=result.exit))
    if result.ms:
        words.append(duration(result.ms))
    return " · ".join(words)


def facts(trail: Trail, say) -> list[tuple[str, str]]:
    """What stands at the head of an exported session, as (label, value)."""
    rows = [("workspace", trail.begin("workspace")), ("model", trail.begin("model")),
            ("begun", iso(trail.begun) if trail.begun is not None else ""), ("session", trail.id)]
    return [(say(f"export.head.{name}"), value) for name, value in rows if value]

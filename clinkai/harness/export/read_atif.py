"""A trajectory of some agent as records of ours, versions 1.0 to 1.x; later fields are left out.

Roles alternate as chat templates want it: what is missing between two steps is put in, and says so.
Later steps of the system stand before the next words of the user. Not covered: trajectories of
sub-agents, pictures and sound (they are named).
"""

from __future__ import annotations

import json

from clinkai.core.events import RunEnd, Usage, record_of
from clinkai.core.messages import Message, ToolCall, to_record
from clinkai.core.state import INTERRUPTED
from clinkai.harness.export.content import BadFile, Content, is_schema
from clinkai.harness.export.steps import time_of

GAP = "export.import.gap"
DECISIONS = ("allow", "once", "session", "prefix", "sandbox", "deny")
OWN = ("cut", "stop")
"""Steps of the system that our own export writes for people (`atif.py`)."""


def read(body: object, say) -> Content:
    """What the trajectory holds. Raises BadFile, which names the place: `steps[3].message`."""
    body = _is(body, dict, "$")
    version = body.get("schema_version", "ATIF-v1.0")
    if not isinstance(version, str) or not version.startswith("ATIF-v1."):
        raise BadFile("export.error.version", version=str(version)[:80])
    agent = _at(body, "agent", dict, "")
    steps = _at(body, "steps", list, "")
    if not steps:
        raise BadFile("export.error.steps")
    maker = _Maker(say)
    for number, step in enumerate(steps):
        maker.step(_is(step, dict, f"steps[{number}]"), f"steps[{number}].")
    maker.close()
    tools = _at(agent, "tool_definitions", list, "agent.", None)
    for number, schema in enumerate(tools or ()):
        if not is_schema(schema):
            raise BadFile("export.error.kind", place=f"agent.tool_definitions[{number}]",
                          kind="function schema")
    ours = agent.get("name") == "clinkai" and isinstance(agent.get("extra"), dict)
    extra = agent["extra"] if ours else {}
    sub = body.get("subagent_trajectories")
    notes = (("export.import.subagents", {"n": len(sub)}),) if isinstance(sub, list) and sub else ()
    return Content(
        tuple(maker.records), "\n\n".join(maker.system) or None, tools or None,
        model=_at(agent, "model_name", str, "agent.", ""), provider=str(extra.get("provider", "")),
        lang=str(extra.get("lang", "")), begun=maker.begun, notes=notes,
    )


class _Maker:
    """Takes the steps in order; `records` are ours."""

    def __init__(self, say) -> None:
        self.records: list[dict] = []
        self.system: list[str] = []
        self.begun: float | None = None
        self._say = say
        self._held: list[str] = []
        """Words of the system for the next message of the user."""
        self._last = ""
        """What the conversation ends with: user, agent, result, or nothing yet."""
        self._rounds = 0
        self._calls = 0

    def step(self, step: dict, place: str) -> None:
        """Take in one step. Raises BadFile."""
        source = _at(step, "source", str, place)
        text = self._words(step.get("message"), f"{place}message")
        ts = _time(step.get("timestamp"))
        kind = step["extra"].get("kind") if isinstance(step.get("extra"), dict) else None
        if self.begun is None:
            self.begun = ts
        if source == "system":
            if kind not in OWN and text:
                (self._held if self._last else self.system).append(text)
        elif source == "user":
            self._user(text, ts, kind == "auto")
        elif source == "agent":
            self._agent(step, text, ts, place)
        else:
            raise BadFile("export.error.kind", place=f"{place}source", kind="system | user | agent")
        if source != "agent":
            self._outputs(step, [], ts, place)

    def close(self) -> None:
        """All steps are taken."""
        if self._held:
            self._user("", None)
        if self._last == "agent":
            self.records.append(record_of(RunEnd("done", "", 0, 0, {})))

    def _add(self, message: Message, ts: float | None, last: str) -> None:
        self.records.append({**({} if ts is None else {"ts": ts}), **to_record(message)})
        self._last = last

    def _user(self, text: str, ts: float | None, auto: bool = False) -> None:
        if self._last in ("user", "result"):
            self._add(Message("assistant", INTERRUPTED, finish="interrupted"), ts, "agent")
        words = "\n\n".join([*self._held, text] if text else self._held)
        self._held = []
        self._add(Message("user", words, auto=GAP if auto else ""), ts, "user")

    def _agent(self, step: dict, text: str, ts: float | None, place: str) -> None:
        if self._last in ("", "agent") or self._held:
            gap = "" if self._held and self._last != "agent" else self._say(GAP)
            self._user(gap, ts, auto=True)
        calls = [self._call(_is(call, dict, f"{place}tool_calls[{n}]"), f"{place}tool_calls[{n}].")
                 for n, call in enumerate(_at(step, "tool_calls", list, place, None) or ())]
        reasoning = _at(step, "reasoning_content", str, place, None) or ""
        extra = step.get("extra") if isinstance(step.get("extra"), dict) else {}
        finish = extra.get("finish") or ("tool_calls" if calls else "stop")
        self._add(Message("assistant", text, reasoning, "reasoning_content" if reasoning else "",
                          tuple(calls), str(finish)), ts, "agent")
        self._metrics(step)
        self._outputs(step, calls, ts, place)

    def _call(self, call: dict, place: str) -> ToolCall:
        arguments = _at(call, "arguments", dict, place)
        extra = call.get("extra") if isinstance(call.get("extra"), dict) else {}
        raw = extra.get("raw")
        return ToolCall(
            _at(call, "tool_call_id", str, place), _at(call, "function_name", str, place),
            json.dumps(arguments, ensure_ascii=False), raw if isinstance(raw, str) else "",
        )

    def _metrics(self, step: dict) -> None:
        """What the answer cost, where it was one answer."""
        metrics = step.get("metrics")
        if not isinstance(metrics, dict) or step.get("llm_call_count", 1) not in (1, None):
            return
        prompt, cached, out = (_count(metrics.get(name)) for name in
                               ("prompt_tokens", "cached_tokens", "completion_tokens"))
        if prompt is None:
            return
        self._rounds += 1
        hit = round(100 * cached / prompt, 1) if cached is not None and prompt else None
        usage = Usage(self._rounds, prompt, cached, hit, out, None, None, None, None, None)
        self.records.append(record_of(usage))

    def _outputs(self, step: dict, calls: list, ts: float | None, place: str) -> None:
        """The results of a step, one for each call; others are words of the environment."""
        seen = _at(step, "observation", dict, place, None) or {}
        results = _at(seen, "results", list, f"{place}observation.", []) or []
        open_calls, loose = list(calls), []
        given: dict[int, list] = {}
        for number, result in enumerate(results):
            where = f"{place}observation.results[{number}]"
            result = _is(result, dict, where)
            text = self._words(result.get("content") or "", f"{where}.content")
            at = _match(calls, given, result.get("source_call_id"))
            if at is None:
                loose.append(text)
            else:
                given.setdefault(at, []).append((text, result))
        for at, call in enumerate(open_calls):
            self._result(call, given.get(at, []), ts)
        if loose and calls:
            last = self.records[-1]
            last["content"] = "\n".join([last["content"], *loose])
        elif any(loose):
            self._user("\n".join(loose), ts, auto=True)

    def _result(self, call: ToolCall, given: list, ts: float | None) -> None:
        text = "\n".join(text for text, _ in given) if given else self._say("export.import.open")
        extra = given[0][1].get("extra") if given else None
        extra = extra if isinstance(extra, dict) else {}
        decision, ms = extra.get("decision"), _count(extra.get("ms"))
        self._add(Message(
            "tool", text, call_id=call.id, name=call.name, ok=bool(extra.get("ok", bool(given))),
            decision=decision if decision in DECISIONS else "allow", ms=ms or 0,
        ), ts, "result")
        if isinstance(extra.get("exit"), int):
            self.records[-1]["exit"] = extra["exit"]

    def _words(self, value: object, place: str) -> str:
        """A message or content as text: pictures and sound are named."""
        if isinstance(value, str):
            return value
        words = []
        for number, part in enumerate(_is(value, list, place)):
            part = _is(part, dict, f"{place}[{number}]")
            source = part.get("source")
            if isinstance(part.get("text"), str):
                words.append(part["text"])
            elif isinstance(source, dict):
                words.append(self._say("export.import.media", path=str(source.get("path"))[:400]))
        return "\n".join(words)


def _match(calls: list, given: dict, id: object) -> int | None:
    """Which call a result belongs to: the one of that id; without an id the first that has none."""
    free = [n for n in range(len(calls)) if n not in given]
    if id is None:
        return free[0] if free else None
    named = [n for n, call in enumerate(calls) if call.id == id]
    return next((n for n in named if n in free), named[-1] if named else None)


def _is(value: object, kind: type, place: str):
    if not isinstance(value, kind):
        words = {dict: "object", list: "array", str: "string"}
        raise BadFile("export.error.kind", place=place, kind=words[kind])
    return value


_NEEDED = object()


def _at(body: dict, name: str, kind: type, place: str, default: object = _NEEDED):
    """A field of that kind; `default` where it may be missing or null. Raises BadFile."""
    value = body.get(name)
    if value is None and default is not _NEEDED:
        return default
    if name not in body:
        raise BadFile("export.error.missing", place=place + name)
    return _is(value, kind, place + name)


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < 1 << 53 else None


def _time(value: object) -> float | None:
    from datetime import datetime, timezone

    try:
        time = datetime.fromisoformat(value)
        whole = time if time.tzinfo else time.replace(tzinfo=timezone.utc)
        return time_of({"ts": whole.timestamp()})
    except (TypeError, ValueError, OverflowError):
        return None

"""A session in the Agent Trajectory Interchange Format, version 1.7: for tools that compare agents
and collect their work.

The system prompt is the first step; each answer of the model is a step with its calls, their
results and what the server counted. Not covered: images (they are named in `extra`), branches.
"""

from __future__ import annotations

import json

from clinkai import __version__
from clinkai.harness.export.steps import Call, Step, Trail, iso

VERSION = "ATIF-v1.7"
"""The first that has all that is used here: `llm_call_count`, `extra` of calls and results."""

SOURCES = {"user": "user", "auto": "user", "agent": "agent", "cut": "system", "stop": "system"}


def render(trail: Trail) -> str:
    """The trajectory as JSON, in ASCII."""
    steps = [{"source": "system", "message": trail.begin("system"), **_when(trail.begun)}]
    steps += [_step(step) for step in trail.steps]
    for number, step in enumerate(steps, 1):
        step["step_id"] = number
    agent = {"name": "clinkai", "version": __version__}
    if trail.begin("model"):
        agent["model_name"] = trail.begin("model")
    agent["tool_definitions"] = trail.tools
    agent["extra"] = {name: trail.begin(name) for name in ("provider", "mode", "lang", "workspace")}
    body = {"schema_version": VERSION, "session_id": trail.id, "agent": agent, "steps": steps,
            "final_metrics": _final(steps), "extra": {"redacted": trail.redacted}}
    return json.dumps(_sound(body), indent=1) + "\n"


def _step(step: Step) -> dict:
    body = {"source": SOURCES[step.kind], "message": step.text, **_when(step.ts)}
    if step.kind in ("auto", "cut", "stop"):
        body["extra"] = {"kind": step.kind}
    if step.images:
        body["extra"] = {"images": [dict(image.__dict__) for image in step.images]}
    if step.kind != "agent":
        return body
    asked = step.finish != "interrupted"  # the harness closed what a kill left open
    body["llm_call_count"] = int(asked)
    if asked and step.model:
        body["model_name"] = step.model
    if asked and step.reasoning:
        body["reasoning_content"] = step.reasoning
    if asked and (metrics := _metrics(step.usage or {})):
        body["metrics"] = metrics
    if step.finish:
        body["extra"] = {"finish": step.finish}
    if step.calls:
        ids = _ids(step.calls)
        body["tool_calls"] = [_call(call, id) for call, id in zip(step.calls, ids)]
        results = [_result(call, id) for call, id in zip(step.calls, ids) if call.result]
        if results:
            body["observation"] = {"results": results}
    return body


def _ids(calls: tuple) -> list[str]:
    """An id for each call: its own, where no earlier one of the step has it."""
    ids: list[str] = []
    for number, call in enumerate(calls, 1):
        id = call.id or f"call_{number}"
        while id in ids:
            id += f"_{number}"
        ids.append(id)
    return ids


def _call(call: Call, id: str) -> dict:
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = None
    known = isinstance(arguments, dict)
    body = {"tool_call_id": id, "function_name": call.name,
            "arguments": arguments if known else {}}
    raw = call.broken or ("" if known else call.arguments)
    return {**body, "extra": {"raw": raw}} if raw else body


def _result(call: Call, id: str) -> dict:
    result = call.result
    extra = {"ok": result.ok, "decision": result.decision, "ms": result.ms}
    if result.exit is not None:
        extra["exit"] = result.exit
    return {"source_call_id": id, "content": result.content, "extra": extra}


def _metrics(usage: dict) -> dict:
    """What the server counted; nothing where it said nothing."""
    names = (("prompt", "prompt_tokens"), ("out", "completion_tokens"), ("cached", "cached_tokens"))
    found = {name: usage[ours] for ours, name in names
             if type(usage.get(ours)) is int and usage[ours] >= 0}
    if found.get("cached_tokens", 0) > found.get("prompt_tokens", 0):
        del found["cached_tokens"]  # it would not be a part of the prompt
    return found


def _final(steps: list) -> dict:
    final = {"total_steps": len(steps)}
    metrics = [step["metrics"] for step in steps if "metrics" in step]
    for name in ("prompt_tokens", "completion_tokens", "cached_tokens"):
        counts = [one[name] for one in metrics if name in one]
        if counts:
            final[f"total_{name}"] = sum(counts)
    return final


def _when(ts: float | None) -> dict:
    return {} if ts is None else {"timestamp": iso(ts)}


def _sound(body: dict) -> dict:
    """`body` as strict readers take it: no halves of characters, no numbers that JSON lacks."""
    text = json.dumps(body, ensure_ascii=False)
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.loads(whole, parse_constant=str)

"""A tool call there and back, and what the server remembers of the first request at the second.

A model that cannot do it is a warning: the server works, another model may do better. A server
that refuses tools is a failure, with the flag that makes it accept them.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator

from clinkai.ai.provider import Reply
from clinkai.core.errors import Cancelled, ClinkError, ServerTimeout
from clinkai.core.messages import Message, TokenCount
from clinkai.harness.doctor import FAIL, OK, WARN, Finding
from clinkai.harness.doctor_probe import Probe

TOKENS = 1024
"""Output limit of each answer: models may think before they call."""

TOOL = "harbour_code"
HARBOUR, CODE = "north", "7341"

REFUSALS = (
    ("jinja", r"--jinja|(param\W+tools|tools param)"),
    ("vllm", r"enable.auto.tool.choice|tool.call.parser"),
    ("model", r"does not support (tools|function)"),
)
"""What servers say when they were started without tools, and which hint mends it. Sources:
llama.cpp#10920, containers/ramalama#988, vllm#9986, Ollama's model capabilities."""

MARKUP = r"<tool_call|<function=|\[TOOL_CALLS\]|<\|tool_call|functools\[|<\|python_tag\|>"
"""How a call looks that the server did not recognise. Source: wire-quirks.md."""

FOR_THE_CACHE = 0.2
"""Share of the time left that is kept for the cache, should the tool call take too long."""

WELL_CACHED = 0.5
"""Share of the first prompt that the server must know again: templates may re-render its end."""


def checks(probe: Probe) -> Iterator[Finding]:
    """The findings `tools` and `cache`."""
    messages: tuple = (Message("user", probe.say("doctor.ask.tool", name=TOOL, harbour=HARBOUR)),)
    began = time.monotonic()
    try:
        spare = probe.left() * FOR_THE_CACHE
        first = probe.ask(messages, TOKENS, (_schema(probe),), spare)
        messages += _answer_to(first.reply, probe)
        second = probe.ask(messages, TOKENS, (_schema(probe),), spare)
    except ClinkError as error:
        refused = _refused(probe, error, time.monotonic() - began)
        yield refused
        yield _cache_alone(probe, messages, refused.status)
        return
    yield _tools(probe, first.reply, second.reply)
    yield _cache(probe, first.reply.count, second.reply.count)


def good_call(reply: Reply) -> bool:
    """True where the reply is the one call that was asked for."""
    if len(reply.tool_calls) != 1 or reply.tool_calls[0].broken:
        return False
    call = reply.tool_calls[0]
    return call.name == TOOL and json.loads(call.arguments).get("harbour") == HARBOUR


def _schema(probe: Probe) -> dict:
    return {"type": "function", "function": {
        "name": TOOL, "description": probe.say("doctor.ask.tool_about"),
        "parameters": {
            "type": "object", "required": ["harbour"],
            "properties": {"harbour": {"type": "string"}},
        },
    }}


def _answer_to(reply: Reply, probe: Probe) -> tuple:
    """The reply as a message, and what the harness would say to it."""
    said = Message("assistant", reply.content or ("" if reply.tool_calls else "-"),
                   reasoning=reply.reasoning, reasoning_field=reply.reasoning_field,
                   tool_calls=reply.tool_calls, finish=reply.finish)
    if not reply.tool_calls:
        return said, Message("user", probe.say("doctor.ask.word"))
    result = probe.say("doctor.ask.result", code=CODE)
    return said, *(Message("tool", result, call_id=call.id, name=call.name)
                   for call in reply.tool_calls)


def _refused(probe: Probe, error: ClinkError, seconds: float) -> Finding:
    if isinstance(error, Cancelled | ServerTimeout):
        # Answers came before: the server works, it is only slow.
        return probe.finding("tools", WARN, "doctor.tools.slow", seconds=f"{seconds:.0f}")
    text = error.text(probe.say)
    for hint, pattern in REFUSALS:
        if re.search(pattern, text, re.IGNORECASE):
            return Finding("tools", FAIL, text, probe.say(f"doctor.tools.hint.{hint}"))
    return probe.failed("tools", error, seconds)


def _tools(probe: Probe, first: Reply, second: Reply) -> Finding:
    if good_call(first):
        if CODE in second.content:
            return probe.finding("tools", OK, "doctor.tools")
        return probe.finding("tools", WARN, "doctor.tools.unused")
    if first.tool_calls:
        call = first.tool_calls[0]
        return probe.finding("tools", WARN, "doctor.tools.wrong",
                             call=f"{call.name} {call.broken or call.arguments}"[:120])
    # A native call is cut at the limit only; one in text also where the model did not end it.
    unended = first.cut_call and (first.count.completion or TOKENS) < TOKENS
    if unended or re.search(MARKUP, first.content) or f'"{TOOL}"' in first.content:
        kind = probe.kind if probe.kind in ("llama.cpp", "vllm", "ollama") else "other"
        hint = {"llama.cpp": "jinja", "ollama": "model"}.get(kind, kind)
        return Finding("tools", WARN, probe.say("doctor.tools.text"),
                       probe.say(f"doctor.tools.hint.{hint}"))
    key = "doctor.tools.cut" if first.finish == "length" else "doctor.tools.none"
    return probe.finding("tools", WARN, key, tokens=TOKENS)


def _cache_alone(probe: Probe, messages: tuple, status: str) -> Finding:
    """What the server knows of a request that took too long: sent again, for one token."""
    try:
        if status == FAIL:
            raise Cancelled
        count = probe.ask(messages, 1, (_schema(probe),)).reply.count
    except ClinkError:
        return probe.finding("cache", WARN, "doctor.cache.unmade")
    return _cache(probe, count, count)


def _cache(probe: Probe, first: TokenCount, second: TokenCount) -> Finding:
    """Whether the second request, which extends the first, was answered from the cache."""
    cached = second.cached
    if cached is None:
        kind = probe.kind if probe.kind in ("vllm", "sglang") else ""
        status = WARN if kind else OK
        return Finding("cache", status, probe.say("doctor.cache.unknown"),
                       probe.say(f"doctor.cache.hint.{kind}") if kind else "")
    known = first.prompt or second.prompt or 0
    if known and cached >= WELL_CACHED * known:
        return probe.finding("cache", OK, "doctor.cache", cached=cached, prompt=second.prompt)
    hint = "llamacpp" if probe.kind == "llama.cpp" else "other"
    return Finding("cache", WARN, probe.say("doctor.cache.low", cached=cached, first=known),
                   probe.say(f"doctor.cache.hint.{hint}"))

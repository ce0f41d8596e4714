"""What `probe` finds: one request to the model server, and what it came to as one object.

It shows how the wire is understood, for diagnosis and for scripts. With BASE_URL and MODEL set it
is exactly one HTTP request; nothing is run, kept, or tried again.
"""

from __future__ import annotations

import json

from clinkai.ai.provider import Reply, Request, TextPart, ThinkPart
from clinkai.core.cancel import Cancel
from clinkai.core.errors import ContextOverflow, ModelServerError, RateLimited
from clinkai.core.messages import Message, TokenCount
from clinkai.harness import providers
from clinkai.harness.models import choose_model
from clinkai.ui.serving import served

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clinkai.harness.settings import Settings

NOTHING = {
    "content": "", "reasoning": "", "tool_calls": [], "finish": "error", "error_kind": None,
    "overflow": None, "retry_after_s": None, "usage": None, "warn": [],
}
"""The keys, in their order, and their values where nothing is known."""

FINISH = {"repeat": "length"}
"""An answer that was stopped since it repeats itself is a cut one."""


def probe(settings: Settings, prompt: str, tools: tuple) -> dict:
    """Send `prompt` with the tool schemas `tools`; return what came back, a failure included.

    Raises UsageError for settings that cannot be used, before anything is sent.
    """
    found = dict(NOTHING)
    said: dict[type, list[str]] = {TextPart: [], ThinkPart: []}
    provider = providers.raw(settings, settings.say)
    try:
        request = Request(model(settings), "", tools, (Message("user", prompt),),
                          settings.max_tokens, settings.temperature,
                          sampling=settings.sampling)
        for part in provider.stream(request, Cancel()):
            if type(part) in said:
                said[type(part)].append(part.text)
            elif type(part) is Reply:
                return {**found, **_answered(part)}
    except ModelServerError as error:
        found.update(_failed(error))
    partial = {"content": "".join(said[TextPart]), "reasoning": "".join(said[ThinkPart])}
    return {**found, **partial}


def models(settings: Settings) -> dict:
    """The models that the server lists. Raises UsageError as `probe` does."""
    try:
        return {"models": list(served(settings)), "error_kind": None}
    except ModelServerError as error:
        return {"models": [], "error_kind": error.kind}


def model(settings: Settings) -> str:
    """The model to ask for; the scripted stand-in needs none."""
    if settings.model or settings.provider == "demo":
        return settings.model
    return choose_model("", settings.home, lambda: served(settings), None).model


def _answered(reply: Reply) -> dict:
    calls = [
        {"name": c.name, "arguments": None if c.broken else json.loads(c.arguments)}
        for c in reply.tool_calls
    ]
    return {"content": reply.content, "reasoning": reply.reasoning, "tool_calls": calls,
            "finish": FINISH.get(reply.finish, reply.finish), "usage": _usage(reply.count), "warn": [code for code in reply.warnings if ":" not in code]}


def _failed(error: ModelServerError) -> dict:
    found: dict = {"error_kind": error.kind, "usage": _usage(error.count)}
    if isinstance(error, ContextOverflow):
        found["overflow"] = {name: error.params[name] for name in ("prompt", "limit")}
    if isinstance(error, RateLimited):
        found["retry_after_s"] = error.params["retry_after_s"]
    return found


def _usage(count: TokenCount | None) -> dict | None:
    if count is None or (count.prompt is None and count.completion is None):
        return None
    return {"prompt": count.prompt, "completion": count.completion, "cached": count.cached}

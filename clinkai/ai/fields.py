"""Which field of a chat request says what to which OpenAI-compatible server, and what of the
settings no server heard.

Sources: the servers' documentation and, for llama.cpp, its source (`chat_template_kwargs`,
`thinking_budget_tokens`, `return_progress`, and `tool_choice` as a word only).
Not covered: the fields of other wires (`ai/ollama_body.py`, `ai/anthropic_body.py`); what a server
rejects all the same (`ai/learned.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from clinkai.core.state import Sampling

SAMPLERS = ("top_p", "top_k", "min_p", "seed", "frequency_penalty")
"""Fields of `Sampling` that most wires call by the same names."""

DEAF = {
    "ollama": ("top_k", "min_p"),
    "anthropic": ("min_p", "seed", "frequency_penalty"),
}
"""Samplers that a kind of server, or a wire, does not have."""

BUDGET = {"llama.cpp": "thinking_budget_tokens", "vllm": "thinking_token_budget"}
"""Where a server is told how many tokens the thinking may have; elsewhere the template is."""

SWITCHES = ("chat_template_kwargs", "reasoning_effort", "thinking")
"""Fields without which nothing is said about thinking."""

WORDS_ONLY = {"llama.cpp"}
"""Servers whose `tool_choice` cannot name a tool."""


def optional_fields(kind: str, sampling: Sampling) -> dict:
    """The fields for `sampling`, in order, for a server of that kind (`ai/recognise.py`)."""
    fields: dict = {}
    for name in SAMPLERS:
        value = getattr(sampling, name)
        if value is not None:
            fields[name] = value
    fields.update(_thinking(kind, sampling.thinking))
    if kind == "llama.cpp":
        fields["return_progress"] = True
    for name, value in sampling.extra:
        ours = fields.get(name)
        both = isinstance(ours, dict) and isinstance(value, dict)
        fields[name] = {**ours, **value} if both else value
    return fields


def unheeded(kind: str, sampling: Sampling, thought: bool,
             rejected: Iterable[str] = ()) -> tuple[str, ...]:
    """Codes of warnings, `field_unheeded:NAME`, for what is set and shows no effect.

    kind: of the server, or the name of a wire of its own. thought: there was thinking in an answer
    of the session so far. rejected: fields that are left out, since the server rejected them in an earlier
    session.
    """
    rejected = frozenset(rejected)
    deaf = [name for name in SAMPLERS if getattr(sampling, name) is not None
            and (name in DEAF.get(kind, ()) or name in rejected)]
    elsewise = (sampling.thinking == "off") == thought
    if sampling.thinking and (elsewise or not rejected.isdisjoint(SWITCHES)):
        deaf.append("thinking")
    deaf += [name for name, _ in sampling.extra if name in rejected and name not in deaf]
    return tuple(f"field_unheeded:{name}" for name in deaf)


def tool_choice(kind: str, choice: str) -> object:
    """`tool_choice` on the wire: a word, or the name of a tool."""
    if choice in ("none", "auto", "required"):
        return choice
    if kind in WORDS_ONLY:
        return "required"
    return {"type": "function", "function": {"name": choice}}


def _thinking(kind: str, wanted: str) -> dict:
    if not wanted:
        return {}
    if kind == "ollama":
        return {"reasoning_effort": "none" if wanted == "off" else "medium"}
    switch: dict = {"enable_thinking": wanted != "off"}
    if not wanted.isdigit():
        return {"chat_template_kwargs": switch}
    if kind in BUDGET:
        return {"chat_template_kwargs": switch, BUDGET[kind]: int(wanted)}
    return {"chat_template_kwargs": {**switch, "thinking_budget": int(wanted)}}

"""What a model server says about itself: its models, its context window, whether it is ready.

The shapes are read as they come, of whatever server (`wire-quirks.md`, "models").
Not covered: finding servers nobody named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinkai.core.errors import BadResponse, ModelServerError, ServerLoading
from clinkai.core.text import one_line

if TYPE_CHECKING:
    from clinkai.ai.transport import Transport
    from clinkai.core.cancel import Cancel

NAMES = ("id", "key", "name", "model")
LENGTHS = ("loaded_context_length", "max_model_len", "n_ctx", "context_length")
"""Fields of a listed model that state its window: LM Studio, vLLM and SGLang, llama.cpp, others;
the length in use comes before lengths that the model could have."""


def list_models(transport: Transport, cancel: Cancel) -> tuple[str, ...]:
    """The names of the models that are served, in the server's order, each once.

    Raises members of ModelServerError, Cancelled.
    """
    return tuple(dict.fromkeys(filter(None, map(_name, _entries(transport, cancel)))))


def context_window(transport: Transport, model: str, cancel: Cancel) -> int | None:
    """The window in tokens that `model` really has now, or None where the server does not say:
    llama.cpp's `/props`, else what the list of models states. Raises Cancelled only."""
    try:
        props = transport.get_json("/props", cancel)
    except ModelServerError:
        props = None
    window = _length(_dig(props, "default_generation_settings", "n_ctx"))
    if window is not None:
        return window
    try:
        entries = _entries(transport, cancel)
    except ModelServerError:
        return None
    named = [entry for entry in entries if _name(entry) == model]
    for entry in named or (entries if len(entries) == 1 else []):
        for field in LENGTHS:
            window = _length(_dig(entry, field)) or _length(_dig(entry, "meta", field))
            if window is not None:
                return window
    return None


def health(transport: Transport, cancel: Cancel) -> str:
    """`ok`; `loading`: it is there and loads its model; `none`: it has no such page, or does not
    answer. Raises Cancelled only."""
    try:
        transport.get_json("/health", cancel)
    except ServerLoading:
        return "loading"
    except BadResponse as error:
        # vLLM answers /health with an empty body.
        return "ok" if error.key == "error.bad_response.json" else "none"
    except ModelServerError:
        return "none"
    return "ok"


def _entries(transport: Transport, cancel: Cancel) -> list:
    listed = transport.get_json("models", cancel)
    if isinstance(listed, dict) and ("data" in listed or "models" in listed):
        listed = listed.get("data") or listed.get("models") or []
    if not isinstance(listed, list):
        raise BadResponse("error.bad_response.shape", start=one_line(str(listed), 80))
    return listed


def _name(entry: object) -> str:
    if isinstance(entry, dict):
        names = (entry.get(field) for field in NAMES)
        entry = next((n for n in names if isinstance(n, str) and n.strip()), "")
    return entry if isinstance(entry, str) else ""


def _length(value: object) -> int | None:
    good = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if good else None


def _dig(value: object, *names: str) -> object:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value

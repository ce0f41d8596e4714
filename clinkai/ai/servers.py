"""What a model server says about itself: its models, its context window, whether it is ready.

The shapes are read as they come, of whatever server (`wire-quirks.md`, "models").
Not covered: which kind of server it is (`ai/recognise.py`), finding one (`ai/discovery.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote

from clinkai.core.errors import (
    BadResponse, ModelServerError, RateLimited, RequestRefused, ServerLoading, ServerTimeout,
    Unreachable,
)
from clinkai.core.text import one_line

if TYPE_CHECKING:
    from clinkai.ai.transport import Transport
    from clinkai.core.cancel import Cancel

NAMES = ("id", "key", "name", "model")
LENGTHS = ("loaded_context_length", "max_model_len", "n_ctx", "context_length")
"""Fields of a listed model that state its window: LM Studio, vLLM and SGLang, llama.cpp, others;
the length in use comes before lengths that the model could have."""

LOST = ("error.stream.closed", "error.stream.ended")
"""The connection broke."""


def list_models(transport: Transport, cancel: Cancel) -> tuple[str, ...]:
    """The names of the models that are served, in the server's order, each once.

    Raises members of ModelServerError, Cancelled.
    """
    return names_in(entries_in(transport.get_json("models", cancel)))


def context_window(transport: Transport, model: str, cancel: Cancel,
                   kind: str = "") -> int | None:
    """The window in tokens that `model` really has now, or None where the server does not say,
    or says it only once the model is loaded (LATE). kind: of the server (`ai/recognise.py`), whose
    own page is asked; for an unknown one llama.cpp's, and the list of models.
    Raises Cancelled only."""
    for step in LADDERS.get(kind, LADDERS[""]):
        try:
            window = step(transport, model, cancel)
        except ModelServerError:
            continue
        if window is not None:
            return window
    return None


def sees_images(transport: Transport, model: str, cancel: Cancel, kind: str = "") -> bool | None:
    """Whether `model` takes images, or None where the server does not say. kind: of the server; an
    unknown one is asked as llama.cpp is. Raises Cancelled only."""
    ask = SIGHT.get(kind)
    try:
        seen = ask(transport, model, cancel) if ask else None
    except ModelServerError:
        return None
    return seen if isinstance(seen, bool) else None


def health(transport: Transport, cancel: Cancel) -> str:
    """`ok`; `loading`: it is there and loads its model; `down`: nobody answers, or somebody in its
    place who says that it is gone; `none`: it has no such page. Raises Cancelled only."""
    try:
        transport.get_json("/health", cancel)
    except ServerLoading:
        return "loading"
    except RateLimited:
        return "ok"  # llama-server, where all slots are in use
    except (Unreachable, ServerTimeout):
        return "down"
    except ModelServerError as error:
        if error.key == "error.bad_response.json":
            return "ok"  # vLLM answers with an empty body
        return "down" if error.status >= 500 or error.key in LOST else "none"
    return "ok"


def entries_in(listed: object) -> list:
    """The models of a list as a server gave it. Raises BadResponse where it is none."""
    if isinstance(listed, dict) and ("data" in listed or "models" in listed):
        listed = listed.get("data") or listed.get("models")
    if listed is None:
        return []
    if not isinstance(listed, list):
        raise BadResponse("error.bad_response.shape", start=one_line(str(listed), 80))
    return listed


def names_in(entries: Iterable) -> tuple[str, ...]:
    """The names of listed models, in their order, each once."""
    return tuple(dict.fromkeys(filter(None, map(_name, entries))))


def loaded_window(listed: object, model: str) -> int | None:
    """The window with which Ollama has `model` loaded, from what `/api/ps` lists; None where it is
    not loaded. Raises BadResponse for no list."""
    for entry in entries_in(listed):
        if {model, f"{model}:latest"} & {dig(entry, "name"), dig(entry, "model")}:
            return tokens_in(dig(entry, "context_length"))
    return None


def _from_props(transport: Transport, model: str, cancel: Cancel) -> int | None:
    """llama.cpp: of one slot. With several models there, it says 0 until one is named."""
    for query in ["", f"?model={quote(model, safe='')}"][:2 if model else 1]:
        try:
            props = transport.get_json("/props" + query, cancel)
        except RequestRefused:
            continue
        window = tokens_in(dig(props, "default_generation_settings", "n_ctx"))
        if window is not None:
            return window
    return None


def _from_list(transport: Transport, model: str, cancel: Cancel) -> int | None:
    entries = entries_in(transport.get_json("models", cancel))
    named = [entry for entry in entries if _name(entry) == model]
    for entry in named or (entries if len(entries) == 1 else []):
        for field in LENGTHS:
            window = tokens_in(dig(entry, field)) or tokens_in(dig(entry, "meta", field))
            if window is not None:
                return window
    return None


def _from_lm_studio(transport: Transport, model: str, cancel: Cancel) -> int | None:
    """Of the loaded instance; what the model could have says nothing."""
    for entry in entries_in(transport.get_json("/api/v0/models", cancel)):
        if _name(entry) == model:
            return tokens_in(dig(entry, "loaded_context_length"))
    return None


def _from_ollama(transport: Transport, model: str, cancel: Cancel) -> int | None:
    """Of the loaded model; /api/show has what it was trained for, which says nothing."""
    return loaded_window(transport.get_json("/api/ps", cancel), model)


def _from_kobold(transport: Transport, model: str, cancel: Cancel) -> int | None:
    return tokens_in(dig(transport.get_json("/api/extra/true_max_context_length", cancel), "value"))


def _from_tabby(transport: Transport, model: str, cancel: Cancel) -> int | None:
    """Of the model that is loaded, whatever its name."""
    return tokens_in(dig(transport.get_json("model", cancel), "parameters", "max_seq_len"))


LADDERS = {
    "": (_from_props, _from_list), "llama.cpp": (_from_props, _from_list), "vllm": (_from_list,),
    "sglang": (_from_list,), "mlx": (_from_list,), "lmstudio": (_from_lm_studio, _from_list),
    "ollama": (_from_ollama,), "koboldcpp": (_from_kobold, _from_list),
    "tabby": (_from_tabby, _from_list),
}
"""Where each kind of server says how large the window is, the surest place first."""

def _props_see(transport: Transport, model: str, cancel: Cancel) -> object:
    """llama.cpp: of the model that is named, where there are several."""
    query = f"?model={quote(model, safe='')}" if model else ""
    return dig(transport.get_json("/props" + query, cancel), "modalities", "vision")


def _lm_studio_sees(transport: Transport, model: str, cancel: Cancel) -> object:
    """Models are of the type llm or vlm."""
    entries = entries_in(transport.get_json("/api/v0/models", cancel))
    kind = next((dig(entry, "type") for entry in entries if _name(entry) == model), None)
    return kind == "vlm" if kind in ("llm", "vlm") else None


SIGHT = {"": _props_see, "llama.cpp": _props_see, "lmstudio": _lm_studio_sees}
"""Where a kind of server says whether its model takes images; `ai/ollama.py` asks otherwise."""

LATE = ("ollama", "lmstudio")
"""Kinds that load a model when it is first asked for, and know its window only then."""


def _name(entry: object) -> str:
    if isinstance(entry, dict):
        names = (entry.get(field) for field in NAMES)
        entry = next((n for n in names if isinstance(n, str) and n.strip()), "")
    return entry if isinstance(entry, str) else ""


def tokens_in(value: object) -> int | None:
    """A length in tokens as servers say it; None for anything else."""
    good = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if good else None


def dig(value: object, *names: str) -> object:
    """What stands at the end of a path of keys, or None."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value

"""Which model server this is, from what it says of itself.

The list of models tells it of most: who owns the models, or the name in the head of the answer.
Only where that says nothing, a page that one kind of server has and the others have not.
Not covered: finding servers (`ai/discovery.py`), how much fits into one (`ai/servers.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clinkai.ai.servers import entries_in, names_in
from clinkai.core.errors import BadResponse, ModelServerError
from clinkai.core.value import Value

if TYPE_CHECKING:
    from clinkai.ai.transport import Transport
    from clinkai.core.cancel import Cancel

SILENCE = 3.0
"""Seconds that one answer may take in all: somebody waits for the first word of the model."""

LIMIT = 4_000_000
"""Bytes of an answer: thousands of models."""

NAMES = {"llama.cpp": "llama.cpp", "ollama": "Ollama", "lmstudio": "LM Studio", "vllm": "vLLM",
         "sglang": "SGLang", "koboldcpp": "KoboldCpp", "mlx": "MLX LM", "tabby": "TabbyAPI"}
"""The kinds that are known, and what people call them."""

OWNERS = {
    "llamacpp": "llama.cpp", "vllm": "vllm", "sglang": "sglang", "koboldcpp": "koboldcpp",
    "library": "ollama", "organization_owner": "lmstudio", "tabbyapi": "tabby",
    # Known to be none of ours: a proxy in front of several, and services.
    "llama_swap": "", "openai": "", "system": "",
}
"""`owned_by` of a listed model, in small letters and with `_` for `-`. Source: the servers' code;
Ollama writes the name space of a model there, of which `library` is the usual one."""

HEADS = (("llama.cpp", "llama.cpp"), ("koboldcpp", "koboldcpp"), ("concedollama", "koboldcpp"),
         ("vllm", "vllm"), ("sglang", "sglang"))
"""How the header `Server` begins, in small letters. Source: the servers' code."""

PLAIN_PYTHON = "basehttp/"
"""The header `Server` of mlx_lm.server, whose models have no owner. Source: http.server."""


class Server(Value):
    """kind: a key of NAMES, or empty where it is not known; models: their names, in its order;
    version: as it says, or empty; settled: False where it may tell more when asked again, since it
    did not answer or still loads."""

    kind: str = ""
    models: tuple = ()
    version: str = ""
    settled: bool = True


class Told(Value):
    """An answer: its status, its header `Server` in small letters, its JSON value or None."""

    status: int
    head: str
    value: object
    html: bool


class Question(Value):
    """A page that only servers of `kind` answer so that `proves` is true of the JSON object."""

    kind: str
    path: str
    proves: Callable[[dict], bool]


OLLAMA = Question("ollama", "/api/version",
                  lambda told: set(told) == {"version"} and isinstance(told["version"], str))
"""Others have that page too, with more on it (Open WebUI, llama-swap)."""

QUESTIONS = (
    # KoboldCpp also answers as Ollama does, so it comes first.
    Question("koboldcpp", "/api/extra/version", lambda told: told.get("result") == "KoboldCpp"),
    OLLAMA,
    Question("lmstudio", "/api/v0/models", lambda told: any(
        isinstance(row, dict) and "compatibility_type" in row for row in entries_in(told))),
)


def recognise(transport: Transport, cancel: Cancel) -> Server:
    """Ask the server what it is: one to four short questions. Raises Cancelled only."""
    try:
        told = _ask(transport, "models", cancel)
    except ModelServerError:
        return Server(settled=False)
    try:
        rows = entries_in(told.value) if told.status == 200 else None
    except BadResponse:
        rows = None
    models = names_in(rows or ())
    owners = [_owner(row) for row in rows or ()]
    kind = next((OWNERS[owner] for owner in owners if owner in OWNERS), None)
    if not kind:
        kind = next((k for begin, k in HEADS if told.head.startswith(begin)), kind)
    if kind is not None:
        return Server(kind, models)
    if rows and not any(owners) and told.head.startswith(PLAIN_PYTHON):
        return Server("mlx", models)
    if told.html or told.status not in (200, 404, 405):
        return Server("", models, settled=told.status < 500)
    return _asked(transport, models, (OLLAMA,) if any(owners) else QUESTIONS, cancel)


def _asked(transport: Transport, models: tuple, questions: tuple, cancel: Cancel) -> Server:
    """What the answers to `questions` prove."""
    for question in questions:
        try:
            told = _ask(transport, question.path, cancel)
            value = told.value if told.status == 200 and isinstance(told.value, dict) else {}
            if value and question.proves(value):
                version = value.get("version")
                return Server(question.kind, models, version if isinstance(version, str) else "")
        except BadResponse:
            continue
        except ModelServerError:
            return Server("", models, settled=False)
    return Server("", models)


def _ask(transport: Transport, path: str, cancel: Cancel) -> Told:
    from clinkai.ai.transport import read_json

    brief = transport.within(SILENCE)
    with brief.open("GET", path, None, cancel) as response:
        response.hurry(brief.idle_timeout)
        body = response.read_all(LIMIT)
        head = (response.headers.get("Server") or "").lower()
        try:
            return Told(response.status, head, read_json(body), False)
        except BadResponse:
            return Told(response.status, head, None, body.lstrip()[:1] == b"<")


def _owner(row: object) -> str:
    owner = row.get("owned_by") if isinstance(row, dict) else None
    return owner.lower().replace("-", "_") if isinstance(owner, str) else ""

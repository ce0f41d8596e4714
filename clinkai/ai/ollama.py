"""Ollama's own interface: `/api/chat`, streamed as lines of JSON.

Its OpenAI-compatible endpoint takes no `num_ctx`, loads models with a window of a few thousand
tokens and cuts longer prompts in silence; here the window is asked for.

How large a window is asked for: CTX_BUDGET and MAX_TOKENS together, rounded up to STEP, but not
more than the model was trained for (`/api/show`): Ollama would lower it all the same. Is the model
loaded with a larger window (`/api/ps`), that one is taken, since Ollama loads a model anew when
`num_ctx` changes, and two clients that ask for different windows would throw each other's cache
away with every request. For the same reason the value is settled once for each model and never
changed by this client, whatever it learns later.

Memory: Ollama reserves room for the whole window when it loads the model. What does not fit on the
graphics card is computed by the processor, slowly (`ollama ps` shows the split); what does not fit
into memory at all is refused (`error.refused.memory`). The window is not made smaller behind
anybody's back: what mends it is a smaller CTX_BUDGET.

Sources: Ollama's `server/sched.go` (needsReload), `server/routes.go`, `docs/context-length.mdx`.
Not covered: trying again; pulling models.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from clinkai.ai.body import encoded
from clinkai.ai.client import Client
from clinkai.ai.ollama_body import OllamaBody
from clinkai.ai.ollama_chunks import OllamaAnswer
from clinkai.ai.reading import BLANK, first_bytes, read_stream, refusal
from clinkai.ai.servers import dig, loaded_window, tokens_in
from clinkai.core.errors import BadResponse, ModelServerError, RequestRefused
from clinkai.core.value import Value, replace

if TYPE_CHECKING:
    from clinkai.ai.learned import Learned
    from clinkai.ai.provider import Request
    from clinkai.ai.transport import Response, Transport
    from clinkai.core.cancel import Cancel

STEP = 4096
"""The window is a multiple of it, so that small differences of settings ask for the same one."""

PATIENCE = 10.0
"""Seconds of silence after which a question about a model is given up."""

INFO_LIMIT = 16_000_000
"""Bytes of what the server says of a model: its template and licence are in it."""


class Loaded(Value):
    """A model as this client has it loaded: its window, and what it really gets of it (None where
    the server does not tell); levels: its thinking has levels; sees: it takes images, None where the
    server does not tell."""

    num_ctx: int
    real: int | None = None
    levels: bool = False
    sees: bool | None = None


class OllamaClient(Client):
    """The client of Ollama. budget, max_tokens: the settings CTX_BUDGET and MAX_TOKENS."""

    name = kind = "ollama"
    path = "/api/chat"
    body = OllamaBody
    answer = OllamaAnswer
    deaf_as = ""

    def __init__(self, transport: Transport, model: str = "", *, budget: int = 90_000,
                 max_tokens: int = 4096, learned: Learned | None = None) -> None:
        super().__init__(transport, model, learned)
        self._wanted = -(-(budget + max_tokens) // STEP) * STEP
        self._settled: dict[str, Loaded] = {}
        self._asked: set[str] = set()
        self._thoughtless: set[str] = set()
        """Models that were found to know no thinking."""

    def ready(self, cancel: Cancel) -> None:
        """Settle the window of the model."""
        self.window(cancel)

    def window(self, cancel: Cancel) -> int | None:
        """The window that the model gets, or None where the server does not know it. Asked for
        once for each model, and again only where nothing answered."""
        model = self.model
        if model and model not in self._asked:
            try:
                self._settle(model, cancel)
                self._asked.add(model)
            except (RequestRefused, BadResponse):
                self._asked.add(model)  # no Ollama, or no such model
            except ModelServerError:
                pass
        settled = self._settled.get(model)
        self.known_window = settled.real if settled else None
        return self.known_window

    def vision(self, cancel: Cancel) -> bool | None:
        """Whether the model takes images, or None where the server does not say."""
        self.window(cancel)
        settled = self._settled.get(self.model)
        return settled.sees if settled else None

    def _prepare(self, request: Request) -> None:
        settled = self._settled_for(request)
        self._body.num_ctx, self._body.levels = settled.num_ctx, settled.levels
        self._body.thinks = request.model not in self._thoughtless

    def _read(self, response: Response, answer: OllamaAnswer) -> Iterator[Value]:
        data = first_bytes(response)
        if data.lstrip(BLANK)[:1] == b"<":
            answer.fail(data + response.read_all())
            return
        yield from read_stream(response, data, answer, answer.feed)

    def _explained(self, error: ModelServerError) -> ModelServerError:
        """What mends a window that does not fit into memory is known here."""
        from clinkai.ai.failures import MEMORY

        message = error.params.get("message")
        if not isinstance(message, str) or not re.search(MEMORY, message.lower()):
            return error
        refused = RequestRefused("error.refused.memory", message=message,
                                 window=self._body.num_ctx)
        refused.status = error.status
        return refused

    def drop(self, field: str) -> bool:
        """Leave a field of requests, or of their `options`, out from now on; False where it was not
        sent.

        Whether a model can think is a matter of the model: `think` is left out of its requests, and
        the server is not remembered as one that rejects it.
        """
        if field != "think":
            return super().drop(field)
        if "think" not in self._body.sent or self.model in self._thoughtless:
            return False
        self._thoughtless.add(self.model)
        return True

    def _settled_for(self, request: Request) -> Loaded:
        """What is settled for the model of `request`: asked for nothing now, and a window in the
        extra fields is the window."""
        settled = self._settled.setdefault(request.model, Loaded(self._wanted))
        own = tokens_in(dig(dict(request.sampling.extra), "options", "num_ctx"))
        if own and own != settled.num_ctx:
            real = None if settled.real is None else min(own, settled.real)
            settled = self._settled[request.model] = replace(settled, num_ctx=own, real=real)
        return settled

    def _settle(self, model: str, cancel: Cancel) -> None:
        """Ask what the model can have and has. Raises members of ModelServerError, Cancelled."""
        shown = self._ask("POST", "/api/show", cancel, {"model": model})
        trained = _trained(shown)
        try:
            loaded = loaded_window(self._ask("GET", "/api/ps", cancel), model) or 0
        except (RequestRefused, BadResponse):
            loaded = 0
        before = self._settled.get(model)
        if before:
            num_ctx, levels = before.num_ctx, before.levels
        else:
            num_ctx, levels = min(self._wanted, trained or self._wanted), _has_levels(shown)
            if num_ctx < loaded <= (trained or loaded):
                num_ctx = loaded
        able = dig(shown, "capabilities")
        sees = "vision" in able if isinstance(able, list) else None
        self._settled[model] = Loaded(num_ctx, min(num_ctx, trained or num_ctx), levels, sees)

    def _ask(self, method: str, path: str, cancel: Cancel, body: object = None) -> object:
        from clinkai.ai.transport import read_json

        data = None if body is None else encoded(body)
        with self.transport.within(PATIENCE).open(method, path, data, cancel) as response:
            if response.status != 200:
                raise refusal(response)
            return read_json(response.read_all(INFO_LIMIT))


def _trained(shown: object) -> int | None:
    """The window the model was trained for: `ARCHITECTURE.context_length` of its file."""
    info = dig(shown, "model_info")
    if not isinstance(info, dict):
        return None
    own = tokens_in(info.get(f"{info.get('general.architecture')}.context_length"))
    lengths = (tokens_in(v) or 0 for k, v in info.items() if k.endswith(".context_length"))
    return own or max(lengths, default=0) or None


def _has_levels(shown: object) -> bool:
    """True for a model whose thinking is low, medium or high."""
    values = dig(shown, "thinking", "values")
    if isinstance(values, list):
        return {"low", "medium", "high"} <= {v for v in values if isinstance(v, str)}
    return dig(shown, "model_info", "general.architecture") in ("gptoss", "gpt-oss")

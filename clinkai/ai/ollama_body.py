"""The body of a request to Ollama's `/api/chat`.

Sources: Ollama's `api/types.go`, `docs/capabilities/thinking.mdx` and `tool-calling.mdx`.
Not covered: `tool_choice`, which Ollama has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinkai.ai.arguments import is_complete
from clinkai.ai.body import INLINE, OWN, Body, encode, encoded, spoken, utf8
from clinkai.ai.fields import SAMPLERS
from clinkai.ai.ollama_chunks import THINKING

if TYPE_CHECKING:
    from clinkai.ai.learned import Learned
    from clinkai.ai.provider import Request
    from clinkai.core.messages import Message

KEEP_ALIVE = "30m"
"""How long the model, and with it the prompt cache, stays loaded after an answer. Ollama's default
is 5 minutes: less than it takes to read a long change or to answer a question, and then the whole
prompt would be read again."""

LEVELS = ((1024, "low"), (8192, "medium"))
"""For models whose thinking has levels (gpt-oss): up to how many tokens which one stands in for a
budget, which Ollama has not; `high` above."""


class OllamaBody(Body):
    """num_ctx: the window to load the model with. thinks: it may be told whether to think. levels:
    its thinking has levels. In `sent` are the names of its options too.
    """

    needed = (*OWN, "tools", "options")

    def __init__(self, learned: Learned | None = None) -> None:
        super().__init__(learned)
        self.num_ctx = 0
        self.thinks, self.levels = True, False

    def head(self, request: Request) -> dict:
        """Every field but `messages`. truncate and shift: a prompt that does not fit is an error,
        and not cut in silence (versions from before October 2025 do not know them, and cut)."""
        sampling = request.sampling
        options: dict = {"num_ctx": self.num_ctx, "num_predict": request.max_tokens}
        if request.temperature is not None:
            options["temperature"] = request.temperature
        for name in SAMPLERS:
            value = getattr(sampling, name)
            if value is not None:
                options[name] = value
        head: dict = {"model": request.model, "stream": True, "keep_alive": KEEP_ALIVE,
                      "truncate": False, "shift": False}
        if sampling.thinking:
            head["think"] = self._think(sampling.thinking)
        for name, value in sampling.extra:
            if name == "options" and isinstance(value, dict):
                options.update(value)
            elif name not in OWN:
                head[name] = value
        head["options"] = options
        if request.tools:
            head["tools"] = request.tools
        rejected = self.learned.rejects
        for name in rejected if self.thinks else (*rejected, "think"):
            head.pop(name, None)
            options.pop(name, None)
        self.sent = frozenset((*head, *options))
        return head

    def wire(self, message: Message) -> dict:
        """The message without its calls, as Ollama wants it."""
        if message.role == "tool":
            return {"role": "tool", "content": message.content, "tool_name": message.name,
                    "tool_call_id": message.call_id}
        message = self.folded(message)
        out: dict = {"role": message.role, "content": spoken(message)}
        if message.reasoning and message.reasoning_field != INLINE:
            out[THINKING] = message.reasoning
        return out

    def written(self, message: Message) -> bytes:
        """The message as it stands in the body; arguments are objects here, and stand as the very
        text that is kept of them."""
        if message.images:
            images = b",".join(map(self.picture, message.images))
            return b'%b,"images":[%b]}' % (encoded(self.wire(message))[:-1], images)
        if not message.tool_calls:
            return encoded(self.wire(message))
        calls = ",".join(
            f'{{"id":{encode(call.id)},"function":{{"name":{encode(call.name)},'
            f'"arguments":{call.arguments if is_complete(call.arguments) else "{}"}}}}}'
            for call in message.tool_calls
        )
        return utf8(f'{encode(self.wire(message))[:-1]},"tool_calls":[{calls}]}}')

    def framed(self, mime: str) -> object:
        """An image is nothing but its Base64 here."""
        return ""

    def _think(self, wanted: str) -> object:
        if not wanted.isdigit():
            return wanted != "off"
        if not self.levels or wanted == "0":
            return wanted != "0"
        return next((level for limit, level in LEVELS if int(wanted) <= limit), "high")

"""What a server was found not to take: fields of requests, and text beside thinking.

`rejected_field` reads it off an error; a client leaves the field out from then on and tells its
`Learned`, which is kept by whoever made it (`harness/learned.py`).
Not covered: what is known of a kind of server beforehand (`ai/fields.py`).
Sources of the wordings: OpenAI, Azure, vLLM, NIM, LiteLLM, Mistral, LM Studio, mlx-openai-server,
Ollama, and the JSON readers of Rust and Go, as quoted in public issues.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from clinkai.core.errors import BadResponse, ModelServerError, RequestRefused, StreamBroken

FOLD = "content+thinking"
"""Stands for text and thinking in one message with tool calls, which gpt-oss's template refuses."""

OPTIONAL = (
    "return_progress", "stream_options", "chat_template_kwargs", "thinking_budget_tokens",
    "thinking_token_budget", "reasoning_effort", "thinking", "think", "keep_alive",
    "temperature", "top_p", "top_k", "min_p", "seed", "frequency_penalty", "tool_choice",
    "parallel_tool_calls", "response_format", "cache_control", "max_completion_tokens",
    "max_tokens", FOLD,
)
"""What some wire sends and can do without."""

ALIASES = {"think": "thinking", "tool_choice": "tool choice"}
"""Other words that servers have for a field."""

REFUSED = (r"\bun(known|supported|recogni[sz]ed|expected|permitted|available)"
           r"|\bnot (a )?(supported|permitted|allowed|recogni[sz]ed|implemented|accepted|valid"
           r"|known|available)|does(n't| not) (support|accept|have|know|recogni)|only supports?"
           r"|additional propert|\bextra (input|field|propert|key)|no such field|forbidden"
           r"|cannot be (used|set)|must be ['\"`]?(auto|a string)"
           r"|\binvalid (field|parameter|argument|type|tool.?choice)|\bdeprecated for this model")
VALUE = (r"(must|should) be (less|greater|at|between|in|within|positive|non-?negative|[<>≤≥])"
         r"|too (large|small|big|long|high|low)|out of range|(less|greater) than")
"""A complaint about a value: that one is to be mended, and the field stays."""

OTHERS = (r"expected one of|(?<!not )\b(supported|allowed|valid|accepted|known) "
          r"(parameters|fields|arguments|values|keys)|\buse\b|\binstead\b")
"""After that a server tells what it would take."""

BOTH = r"both content and thinking|content (and|or) thinking.{0,40}not both"


class Learned:
    """What one server rejects; for one session, and for the next ones with what `remember` does.

    rejects: fields of requests. fold: text goes into the field of the thinking. remember: is called
    with this object after each change; does not raise. kind: which server it is, where it is not
    what is looked for first (`ai/llamacpp.py`), else empty. templates: by its digest, what a
    template makes of earlier thinking.
    """

    def __init__(self, rejects: Iterable[str] = (), fold: bool = False,
                 remember: Callable[[Learned], None] | None = None, *, kind: str = "",
                 templates: dict[str, str] | None = None) -> None:
        self.rejects = frozenset(rejects)
        self.fold = fold
        self.kind = kind
        self.templates = dict(templates or {})
        self._remember = remember

    def rejected(self, field: str) -> None:
        """The server rejects `field`, or FOLD."""
        if field == FOLD:
            self.fold = True
        else:
            self.rejects |= {field}
        self._keep()

    def is_a(self, kind: str) -> None:
        """The server is of that kind; empty: of the one that is looked for first."""
        if kind != self.kind:
            self.kind = kind
            self._keep()

    def renders(self, template: str, verdict: str) -> None:
        """What the template with that digest makes of earlier thinking."""
        self.templates[template] = verdict
        self._keep()

    def _keep(self) -> None:
        if self._remember is not None:
            self._remember(self)


def rejected_field(error: ModelServerError, sent: Iterable[str]) -> str | None:
    """The field that `error` rejects as such, not for its value, of those that were `sent` (FOLD
    among them where text and thinking were); None where it is another error."""
    from clinkai.ai.failures import UNREADABLE

    if error.status == 0 or not isinstance(error, (RequestRefused, StreamBroken, BadResponse)):
        return None
    words = str(error.params.get("message", ""))
    small = words.lower()
    if re.search(UNREADABLE, small):
        return None
    if re.search(BOTH, small):
        return FOLD if FOLD in sent else None
    if re.search(VALUE, small):
        return None
    named = re.split(r"[.\[]", error.field)[0]
    if named in sent:
        return named
    if not re.search(REFUSED, small):
        return None
    words = re.split(OTHERS, words, maxsplit=1, flags=re.I)[0]
    found = {field: at for field in sent if (at := _mention(field, words)) is not None}
    return min(found, key=found.get) if found else None


def _mention(field: str, words: str) -> int | None:
    """Where `words` name the field: in its own spelling, or as `topK`."""
    names = {re.escape(name).replace("_", "_?") for name in (field, ALIASES.get(field, field))}
    found = re.search(rf"(?<![\w.])({'|'.join(names)})(?!\w)", words, re.I)
    return found.start() if found else None

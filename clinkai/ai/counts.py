"""What a model call cost, from the two places where servers say it.

The last value that is not null wins, field by field; running totals are never summed.
"""

from __future__ import annotations

import re
from operator import is_
from typing import TYPE_CHECKING

from clinkai.core.messages import TokenCount
from clinkai.core.text import estimate_tokens
from clinkai.core.value import replace

if TYPE_CHECKING:
    from clinkai.ai.provider import Reply, Request


class Counts:
    """Collects `usage` and llama.cpp's `timings` over one answer."""

    def __init__(self) -> None:
        self._usage: dict = {}
        self.reports = 0
        """How many times `usage` said something."""
        self._timings: dict = {}

    def take(self, usage: object, timings: object) -> None:
        """Take what one chunk says; anything that is no object says nothing."""
        for news, known in ((usage, self._usage), (timings, self._timings)):
            if isinstance(news, dict):
                known.update((k, v) for k, v in news.items() if v is not None)
        self.reports += isinstance(usage, dict) and bool(usage)

    def known(self) -> bool:
        """True once the server said anything."""
        return bool(self._usage or self._timings)

    def total(self, ttft_ms: float | None, decode_ms: float | None) -> TokenCount:
        """The counts so far; the measured times stand in where the server gave none."""
        usage, timings = self._usage, self._timings
        details = usage.get("prompt_tokens_details")
        cached = _whole(details.get("cached_tokens")) if isinstance(details, dict) else None
        if cached is None:
            cached = _whole(timings.get("cache_n"))
        prompt = _whole(usage.get("prompt_tokens"))
        if prompt is None:
            fresh = _whole(timings.get("prompt_n"))
            prompt = None if fresh is None else fresh + (_whole(timings.get("cache_n")) or 0)
        completion = _whole(usage.get("completion_tokens"))
        if completion is None:
            completion = _whole(timings.get("predicted_n"))
        prompt_ms = _number(timings.get("prompt_ms"))
        completion_ms = _number(timings.get("predicted_ms"))
        return TokenCount(
            prompt, cached, completion, ttft_ms if prompt_ms is None else prompt_ms,
            decode_ms if completion_ms is None else completion_ms, ttft_ms,
        )


class PromptCheck:
    """Tells whether a server read the prompts that were sent to it, one after the other."""

    SMALL = 2_048
    """Tokens, as estimated, below which templates and guesses weigh too much."""

    def __init__(self) -> None:
        self._before = 0
        self._messages: tuple = ()
        """Of the request before, whose texts are counted already."""

    def checked(self, request: Request, reply: Reply) -> Reply:
        """`reply` as it is, or with the warning that its prompt was cut: some servers drop the
        beginning silently. That is so where they count less than half of what the texts of
        `request` come to by our estimate.

        Ollama 0.30.0 leaves what was cached out of its count (ollama#16414): there the count fits
        what was added since the request before. It says nothing, and is left out.
        """
        prompt, before = reply.count.prompt, self._before
        self._before = self._tokens(request)
        if not prompt or self._before <= self.SMALL or prompt * 2 >= self._before:
            return reply
        text = "\n".join((request.system, *(m.content for m in request.messages)))
        sent = estimate_tokens(re.sub(r"(\W)\1+", r"\1", text))  # long runs are few tokens
        if sent <= self.SMALL or prompt * 2 >= sent:
            return reply
        if 0 < before < self._before and prompt <= self._before - before:
            return replace(reply, count=replace(reply.count, prompt=None))
        return replace(reply, warnings=("prompt_truncated", *reply.warnings))

    def _tokens(self, request: Request) -> int:
        """What the texts come to. Those of the request before are not counted again, so that a
        round costs the same at any length."""
        known, messages = self._messages, request.messages
        news = [m.content for m in messages[len(known):]]
        if not known or len(known) > len(messages) or not all(map(is_, known, messages)):
            self._before = 0
            news = [request.system, *(m.content for m in messages)]
        self._messages = messages
        return self._before + sum(map(estimate_tokens, news))


def _number(value: object) -> float | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e15
    return value if good else None


def _whole(value: object) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number == int(number) else None

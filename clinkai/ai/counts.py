"""What a model call cost, from the two places where servers say it.

The last value that is not null wins, field by field; running totals are never summed.
"""

from __future__ import annotations

from clinkai.core.messages import TokenCount


BYTES = 3
"""Of a request for one token, roughly: of text in Latin letters a token has three to five, and of
Chinese, Japanese and Korean a letter three."""

SHARE, FEW = 0.3, 1000
"""A prompt was cut where the server counts less than this share of what was sent, and this many
tokens are missing. Code that is mostly blanks has half of what `BYTES` says."""


class Counts:
    """Collects `usage` and llama.cpp's `timings` over one answer."""

    def __init__(self) -> None:
        self._usage: dict = {}
        self._timings: dict = {}

    def take(self, usage: object, timings: object) -> None:
        """Take what one chunk says; anything that is no object says nothing."""
        for news, known in ((usage, self._usage), (timings, self._timings)):
            if isinstance(news, dict):
                known.update((k, v) for k, v in news.items() if v is not None)

    def reported(self) -> bool:
        """True once `usage` came: what servers send last."""
        return bool(self._usage)

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


def looks_cut(prompt: int | None, sent: int) -> bool:
    """True where a server that read `prompt` tokens cannot have read a request of `sent` bytes."""
    tokens = sent / BYTES
    return prompt is not None and prompt < SHARE * tokens and tokens - prompt > FEW


def _number(value: object) -> float | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e15
    return value if good else None


def _whole(value: object) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number == int(number) else None

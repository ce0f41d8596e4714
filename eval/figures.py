"""The figures of a run, from counts: pass rates, their intervals, cache use. Pure.

Sources: pass^k is the chance that k trials drawn without repetition all pass (tau-bench,
arXiv 2406.12045); the intervals are Wilson's score interval over trials and a percentile bootstrap
over tasks, because normal approximations are too narrow at this size (arXiv 2503.01747).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt

Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""

DRAWS = 10_000
SEED = 20_250


def pass_at_1(passed: int, n: int) -> float | None:
    """The share of trials that passed; None without trials."""
    return passed / n if n else None


def pass_hat(passed: int, n: int, k: int) -> float | None:
    """pass^k: how likely k of the n trials all passed; None with fewer than k trials."""
    return comb(passed, k) / comb(n, k) if n >= k > 0 else None


def mean(values: Sequence[float | None]) -> float | None:
    """The mean of the known values; None where there are none."""
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None


def wilson(passed: int, n: int) -> list[float] | None:
    """Wilson's 95 % interval of passed/n as [low, high]; None without trials."""
    if not n:
        return None
    share = passed / n
    spread = Z95 * Z95 / n
    middle = share + spread / 2
    half = Z95 * sqrt(share * (1 - share) / n + spread / (4 * n))
    return [max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))]


def bootstrap(values: Sequence[float]) -> list[float] | None:
    """The 95 % percentile interval of the mean over tasks, as [low, high]; the same for the same
    values (fixed seed). None without tasks."""
    from random import Random

    if not values:
        return None
    draw = Random(SEED).choices
    means = sorted(sum(draw(values, k=len(values))) / len(values) for _ in range(DRAWS))
    return [means[DRAWS * 25 // 1000], means[DRAWS * 975 // 1000 - 1]]


def cache_hit(rounds: Sequence[tuple[int | None, int | None]]) -> float | None:
    """sum(cached) / sum(prompt) over the rounds after the first of a trial, each given as
    (prompt, cached); None where there are none, or where one of them is not known."""
    later = rounds[1:]
    if not later or any(p is None or c is None for p, c in later):
        return None
    prompt = sum(p for p, _ in later)
    return sum(c for _, c in later) / prompt if prompt else None


def reprocessed(rounds: Sequence[tuple[int | None, int | None]]) -> int | None:
    """The prompt tokens the server had to read, over all rounds; None where one is not known."""
    if not rounds or any(p is None or c is None for p, c in rounds):
        return None
    return sum(p - c for p, c in rounds)


def rate(pairs: Sequence[tuple[int | None, float | None]]) -> float | None:
    """Tokens per second over several rounds, each given as (tokens, its own rate); rounds that
    do not say are left out."""
    known = [(tokens, speed) for tokens, speed in pairs if tokens and speed]
    seconds = sum(tokens / speed for tokens, speed in known)
    return sum(tokens for tokens, _ in known) / seconds if seconds else None

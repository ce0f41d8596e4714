"""The entry of one trial in results.json. Pure; what is not known is None, never a guess."""

from __future__ import annotations

from collections import Counter

from eval.checks import Verdict
from eval.figures import cache_hit, rate, reprocessed
from eval.files import Changes
from eval.process import Finished
from eval.trace import Trace


def trial(k: int, status: str, verdicts: list[Verdict], finished: Finished,
          seen: tuple[Trace, Changes] | None) -> dict:
    """The entry; `seen` is None for a trial that was not run."""
    entry = {
        "k": k,
        "status": status,
        "checks": [{"kind": v.kind, "ok": v.ok, "detail": v.detail} for v in verdicts],
        "exit_code": finished.code,
        "seconds": round(finished.seconds, 3),
    }
    trace, changes = seen or (None, None)
    return {**entry, **_session(trace), **_changes(changes)}


def _session(trace: Trace | None) -> dict:
    """What the session log says. Not in it: repaired calls, prefix breaks, reasoning tokens.
    usage.later is the rounds after the first: what the cache hit of several trials is made of."""
    names = ("rounds", "tool_calls", "tool_errors", "repaired_calls", "denied", "breakers",
             "compressions", "usage", "cache_hit", "reprocessed", "prefix_breaks", "ttft_ms",
             "prompt_tps", "gen_tps")
    entry: dict = dict.fromkeys(names)
    if trace is None:
        return entry
    rounds = [(u.get("prompt"), u.get("cached")) for u in trace.usage]
    ttfts = sorted(u["ttft_ms"] for u in trace.usage if u.get("ttft_ms") is not None)
    entry.update(
        rounds=trace.rounds,
        tool_calls=dict(sorted(Counter(call.name for call in trace.calls).items())),
        tool_errors=sum(call.ran and not call.ok for call in trace.calls),
        denied=trace.denied,
        breakers=list(trace.breakers),
        compressions=trace.compressions,
        usage={
            "prompt": _total(p for p, _ in rounds),
            "cached": _total(c for _, c in rounds),
            "completion": _total(u.get("out") for u in trace.usage),
            "reasoning": None,
            "later": {"prompt": _total(p for p, _ in rounds[1:]),
                      "cached": _total(c for _, c in rounds[1:])},
        },
        cache_hit=_round(cache_hit(rounds), 4),
        reprocessed=reprocessed(rounds),
        ttft_ms=ttfts[len(ttfts) // 2] if ttfts else None,
        prompt_tps=_round(rate([(_fresh(u), u.get("pp_tps")) for u in trace.usage]), 1),
        gen_tps=_round(rate([(u.get("out"), u.get("tg_tps")) for u in trace.usage]), 1),
    )
    return entry


def _changes(changes: Changes | None) -> dict:
    if changes is None:
        return dict.fromkeys(("changed_files", "lines_added", "lines_removed"))
    return {"changed_files": list(changes.paths), "lines_added": changes.added,
            "lines_removed": changes.removed}


def _fresh(usage: dict) -> int | None:
    """Prompt tokens the server read in one round."""
    prompt, cached = usage.get("prompt"), usage.get("cached")
    return None if prompt is None or cached is None else prompt - cached


def _total(values: object) -> int | None:
    """The sum, or None where one of the values is not known, or there are none."""
    found = list(values)
    return None if not found or None in found else sum(found)


def _round(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


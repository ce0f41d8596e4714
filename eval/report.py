"""results.json (schema 1) from the trials of a run, and the table people see. Pure.

A trial counts when it ended as pass, fail or timeout; errors of server or harness and skipped
trials are shown and not counted. More than 5 % errors, or a run that was broken off, is invalid.
"""

from __future__ import annotations

from unicodedata import east_asian_width

from clinkai.core.catalogue import Strings
from clinkai.core.text import amount, duration
from clinkai.core.value import Value
from eval import figures
from eval.suite import Task

SCHEMA = 1
ERROR_SHARE = 0.05
COUNTED = ("pass", "fail", "timeout")


class Facts(Value):
    """What a run was made with: the objects `agent`, `model` and `machine` of results.json, and
    the time it was created (ISO 8601, UTC)."""

    agent: dict
    model: dict
    machine: dict
    created: str


class Run(Value):
    """All of a run. trials: entries by task id; repeat: how many each was to have; digests:
    (run, selection)."""

    tasks: tuple[Task, ...]
    trials: dict
    repeat: int
    digests: tuple


def results(run: Run, facts: Facts) -> dict:
    """The whole results.json."""
    tasks = [_task(task, run.trials.get(task.id, []), run.repeat) for task in run.tasks]
    total = totals(tasks, run.repeat)
    planned = len(run.tasks) * run.repeat
    broken_off = sum(len(task["trials"]) for task in tasks) < planned
    return {
        "schema": SCHEMA,
        "created": facts.created,
        "run_digest": run.digests[0],
        "selection_digest": run.digests[1],
        "invalid": broken_off or not total["n"] or total["errors"] > ERROR_SHARE * planned,
        "agent": facts.agent,
        "model": facts.model,
        "machine": facts.machine,
        "tasks": tasks,
        "totals": total,
    }


def totals(tasks: list[dict], k: int) -> dict:
    """The figures over all tasks: rates are means over tasks, intervals 95 %: Wilson's over
    trials (as if they were independent) and a bootstrap over tasks."""
    trials = [trial for task in tasks for trial in task["trials"]]
    count = {s: sum(t["status"] == s for t in trials) for s in (*COUNTED, "error", "skipped")}
    n = sum(count[s] for s in COUNTED)
    rates = [task["passed"] / task["n"] for task in tasks if task["n"]]
    hats = [figures.pass_hat(task["passed"], task["n"], k) for task in tasks]
    counted = [t for t in trials if t["status"] in COUNTED]
    return {
        "trials": len(trials), "n": n, "passed": count["pass"], "failed": count["fail"],
        "timeouts": count["timeout"], "errors": count["error"], "skipped": count["skipped"],
        "k": k,
        "pass_at_1": _round(figures.mean(rates)),
        "pass_hat_k": _round(figures.mean(hats)) if None not in hats else None,
        "wilson_95": _round_all(figures.wilson(count["pass"], n)),
        "bootstrap_95": _round_all(figures.bootstrap(rates)),
        "usage": {name: _sum((t["usage"] or {}).get(name) for t in counted)
                  for name in ("prompt", "cached", "completion", "reasoning")},
        "cache_hit": _round(_cache_hit(counted)),
        "reprocessed": _sum(t["reprocessed"] for t in counted),
        "rounds": _sum(t["rounds"] for t in counted),
        "seconds": round(sum(t["seconds"] for t in trials), 3),
    }


def table(body: dict, say: Strings) -> str:
    """The summary of a results.json for people; ends with a newline."""
    heads = ("task", "passed", "rounds", "cache", "reprocessed", "time")
    rows = [[say(f"eval.table.{head}") for head in heads]]
    for task in body["tasks"]:
        counted = [t for t in task["trials"] if t["status"] in COUNTED]
        rows.append([
            task["id"], f"{task['passed']}/{task['n']}",
            _mean(counted, "rounds", "{:.1f}".format), _percent(_cache_hit(counted)),
            _mean(counted, "reprocessed", lambda v: amount(round(v))),
            _mean(counted, "seconds", lambda v: duration(v * 1000)),
        ])
    widths = [max(_width(row[i]) for row in rows) for i in range(len(heads))]
    lines = ["  ".join(_pad(cell, widths[i], i > 0) for i, cell in enumerate(row)).rstrip()
             for row in rows]
    return "\n".join([*lines, "", *_summary(body["totals"], say), ""])


def _summary(total: dict, say: Strings) -> list[str]:
    def span(pair: list | None) -> str:
        return "-" if pair is None else f"{100 * pair[0]:.1f}-{100 * pair[1]:.1f} %"

    lines = [say("eval.summary.passed", passed=total["passed"], n=total["n"],
                 rate=_percent(total["pass_at_1"]), k=total["k"], hat=_percent(total["pass_hat_k"]),
                 wilson=span(total["wilson_95"]), bootstrap=span(total["bootstrap_95"]))]
    if total["timeouts"] or total["errors"] or total["skipped"]:
        lines.append(say("eval.summary.others", timeouts=total["timeouts"],
                         errors=total["errors"], skipped=total["skipped"]))
    if total["cache_hit"] is not None:
        lines.append(say("eval.summary.cache", hit=_percent(total["cache_hit"]),
                         reprocessed=amount(total["reprocessed"])))
    return lines


def _task(task: Task, trials: list[dict], k: int) -> dict:
    trials = sorted(trials, key=lambda t: t["k"])
    passed = sum(t["status"] == "pass" for t in trials)
    n = sum(t["status"] in COUNTED for t in trials)
    return {
        "id": task.id, "level": task.level, "policy": task.policy, "n": n, "passed": passed,
        "pass_at_1": _round(figures.pass_at_1(passed, n)),
        "pass_hat_k": _round(figures.pass_hat(passed, n, k)),
        "trials": trials,
    }


def _cache_hit(trials: list[dict]) -> float | None:
    """sum(cached) / sum(prompt) over the later rounds of all trials that had some."""
    later = [t["usage"]["later"] for t in trials if t["cache_hit"] is not None]
    prompt = sum(part["prompt"] for part in later)
    return sum(part["cached"] for part in later) / prompt if prompt else None


def _mean(trials: list[dict], name: str, show) -> str:
    value = figures.mean([t[name] for t in trials])
    return "-" if value is None else show(value)


def _sum(values) -> int | None:
    found = list(values)
    return None if not found or None in found else sum(found)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _round_all(pair: list[float] | None) -> list[float] | None:
    return None if pair is None else [round(v, 4) for v in pair]


def _width(text: str) -> int:
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, width: int, right: bool) -> str:
    gap = " " * (width - _width(text))
    return gap + text if right else text + gap

from __future__ import annotations

import pytest

from clinkai.core.catalogue import Strings
from eval import measure
from eval.checks import Verdict
from eval.files import Changes
from eval.process import Finished
from eval.report import Facts, Run, results, table
from eval.suite import read_task
from eval.trace import Call, Trace
from tests.eval.test_suite import GOOD

FACTS = Facts({"name": "clinkai"}, {"id": "m"}, {"os": "x"}, "2026-01-01T00:00:00Z")
USAGE = (
    {"prompt": 1000, "cached": 0, "out": 20, "ttft_ms": 90, "pp_tps": 500.0, "tg_tps": 10.0},
    {"prompt": 1100, "cached": 1000, "out": 30, "ttft_ms": 30, "pp_tps": 100.0, "tg_tps": 10.0},
)
CALLS = (Call("read", {}, True, "allow"), Call("read", {}, False, "allow"),
         Call("bash", {}, False, "deny"))


def entry(k: int, status: str, usage: tuple = USAGE) -> dict:
    trace = Trace(CALLS, "done", rounds=2, denied=1, usage=usage)
    return measure.trial(k, status, [Verdict("absent", status == "pass", "x")],
                         Finished(0, 1.5), (trace, Changes(("a",), 2, 1, "")))


def task(name: str):
    return read_task(name, {"task.toml": GOOD.replace(b'"t"', f'"{name}"'.encode())})


def body(statuses: dict[str, str], repeat: int = 3) -> dict:
    names = {"p": "pass", "f": "fail", "t": "timeout", "e": "error", "s": "skipped"}
    trials = {name: [entry(k, names[s]) for k, s in enumerate(row, 1)]
              for name, row in statuses.items()}
    return results(Run(tuple(task(n) for n in statuses), trials, repeat, ("r", "s")), FACTS)


def test_a_trial_has_every_field_of_the_schema():
    assert entry(1, "pass") == {
        "k": 1, "status": "pass", "checks": [{"kind": "absent", "ok": True, "detail": "x"}],
        "exit_code": 0, "seconds": 1.5, "rounds": 2, "tool_calls": {"bash": 1, "read": 2},
        "tool_errors": 1, "repaired_calls": None, "denied": 1, "breakers": [], "compressions": 0,
        "usage": {"prompt": 2100, "cached": 1000, "completion": 50, "reasoning": None,
                  "later": {"prompt": 1100, "cached": 1000}},
        "cache_hit": 0.9091, "reprocessed": 1100, "prefix_breaks": None, "ttft_ms": 90,
        "prompt_tps": 366.7, "gen_tps": 10.0, "changed_files": ["a"], "lines_added": 2,
        "lines_removed": 1,
    }


def test_a_trial_that_was_not_run_has_the_same_fields_and_knows_nothing():
    skipped = measure.trial(1, "skipped", [], Finished(None, 0.0), None)
    assert list(skipped) == list(entry(1, "pass"))
    assert {name for name, value in skipped.items() if value is not None} == {
        "k", "status", "checks", "seconds"}


def test_what_a_server_does_not_say_is_not_made_up():
    silent = tuple({"prompt": None, "cached": None, "out": None, "ttft_ms": 5} for _ in range(2))
    found = entry(1, "pass", silent)
    assert [found[n] for n in ("cache_hit", "reprocessed", "prompt_tps", "gen_tps", "usage")] == [
        None, None, None, None,
        {"prompt": None, "cached": None, "completion": None, "reasoning": None,
         "later": {"prompt": None, "cached": None}}]


def test_results_have_the_figures_of_the_run():
    found = body({"t": "ppp", "u": "pft"})
    assert list(found) == ["schema", "created", "run_digest", "selection_digest", "invalid",
                           "agent", "model", "machine", "tasks", "totals"]
    assert (found["schema"], found["invalid"]) == (1, False)
    assert [{k: v for k, v in t.items() if k != "trials"} for t in found["tasks"]] == [
        {"id": "t", "level": 1, "policy": "usually", "n": 3, "passed": 3, "pass_at_1": 1.0,
         "pass_hat_k": 1.0},
        {"id": "u", "level": 1, "policy": "usually", "n": 3, "passed": 1, "pass_at_1": 0.3333,
         "pass_hat_k": 0.0},
    ]
    assert found["totals"] == {
        "trials": 6, "n": 6, "passed": 4, "failed": 1, "timeouts": 1, "errors": 0, "skipped": 0,
        "k": 3, "pass_at_1": 0.6667, "pass_hat_k": 0.5, "wilson_95": [0.3, 0.9032],
        "bootstrap_95": [0.3333, 1.0],
        "usage": {"prompt": 12600, "cached": 6000, "completion": 300, "reasoning": None},
        "cache_hit": 0.9091, "reprocessed": 6600, "rounds": 12, "seconds": 9.0,
    }


@pytest.mark.parametrize(("statuses", "repeat", "invalid"), [
    ({"t": "ppp"}, 3, False),
    ({"t": "fff"}, 3, False),
    ({"t": "ppe"}, 3, True),
    ({"t": "p" * 20 + "e"}, 21, False),
    ({"t": "p" * 18 + "e"}, 19, True),
    ({"t": "pp"}, 3, True),
    ({"t": "sss"}, 3, True),
    ({"t": "ppp", "u": "sss"}, 3, False),
])
def test_errors_above_five_per_cent_and_missing_trials_make_a_run_invalid(
        statuses, repeat, invalid):
    assert body(statuses, repeat)["invalid"] is invalid


def test_errors_and_skipped_trials_do_not_count():
    [found] = body({"t": "pes"})["tasks"]
    assert (found["n"], found["passed"], found["pass_at_1"], found["pass_hat_k"]) == (
        1, 1, 1.0, None)


@pytest.mark.parametrize(("lang", "lines"), [
    ("en", [
        "task  passed  rounds  cache hit  read again   time",
        "t        2/3     2.0     90.9 %        1.1k  1.5 s",
        "",
        "2 of 3 trials passed: pass@1 66.7 %, pass^3 0.0 %",
        "95 % intervals: 20.8-93.8 % over trials (Wilson, as if independent), 66.7-66.7 % over "
        "tasks (bootstrap)",
        "1 timed out (counted as failed), 0 errors and 0 skipped (not counted)",
        "cache hit 90.9 % of the prompt tokens from the second round on; 3.3k prompt tokens read "
        "by the server in all",
    ]),
    ("zh", [
        "任务  通过  轮数  缓存命中  重新读取   用时",
        "t      2/3   2.0    90.9 %      1.1k  1.5 s",
    ]),
])
def test_the_summary_reads_in_columns(lang, lines):
    text = table(body({"t": "ppt"}), Strings(lang))
    assert text.split("\n")[:len(lines)] == lines
    assert text.endswith("\n")

"""What a real llama-server reads again: the job of 20 rounds through the product and bare.py.

CLINKAI_BENCH_URL is the server's address; how to start one stands in `HOW`. One run for each model:
full attention, sliding window, hybrid (models.py writes small ones). The calls are scripted
(through.py), so that every run is the same job. A first request counts as if all of it was read,
whatever the server still has of the run before.
"""

from __future__ import annotations

import os
import sys

import drive
import through

ROUNDS = 20
FIRST = 1_500
"""Tokens of system prompt, tools and a task of one line."""

AGAIN = 8
"""Tokens a server may read again after a resume: a hybrid goes back to a checkpoint 4 before the
end of the last prompt, and to what it wrote itself."""

HOW = """cache: not measured. Start a llama.cpp server, set its address, and run this again:
  python tests/bench/models.py hybrid VOCABULARY.gguf tiny.gguf TEMPLATE.jinja
  llama-server -m tiny.gguf --host 127.0.0.1 --port 18080 --jinja -c 40960 -np 1 --no-ui
  CLINKAI_BENCH_URL=http://127.0.0.1:18080 python tests/bench/run.py cache
"""


def measure() -> list[str]:
    """The rows; without a server none, but how to get one."""
    url = os.environ.get("CLINKAI_BENCH_URL", "").rstrip("/").removesuffix("/v1")
    if not url:
        sys.stderr.write(HOW)
        return []
    with through.Through(url) as between:
        pinned, resumed = job(between, resume=True)
        shown, _ = job(between, STATUS="ephemeral")
        bare = yardstick(between)
    final = pinned[-1][0]
    return [
        row("tokens evaluated in 20 rounds, against the final context",
            evaluated(pinned), final, "at most 1.05"),
        row("the same with STATUS=ephemeral", evaluated(shown), shown[-1][0], ""),
        row("tokens evaluated in 20 rounds, against a bare loop",
            evaluated(pinned), evaluated(bare), "at most 1.07"),
        limit("tokens of the first request", pinned[0][0], bare[0][0], FIRST),
        limit("old tokens read again by the first request after a resume",
              resumed[0][1] - (resumed[0][0] - final), 0, AGAIN),
    ]


def job(between: through.Through, *, resume: bool = False, **settings) -> tuple[list, list]:
    """What was read in the product's 20 rounds, and in a second turn of another process."""
    with drive.place() as top:
        drive.fill(top, ROUNDS)
        between.play(kind="rounds", rounds=ROUNDS)
        run = drive.product(between.url + "/v1", top, MAX_ROUNDS=ROUNDS + 5, **settings)
        drive.run(run)
        first, second = between.read, []
        if resume:
            between.play(kind="text")
            run["args"] = [*run["args"][:-1], "--resume", "auto", "And now the next."]
            drive.run(run)
            second = between.read
    return first, second


def yardstick(between: through.Through) -> list:
    """What was read in the same rounds of bare.py."""
    with drive.place() as top:
        drive.fill(top, ROUNDS)
        between.play(kind="rounds", rounds=ROUNDS)
        drive.run(drive.yardstick(between.url + "/v1", top))
    return between.read


def evaluated(read: list) -> int:
    """The tokens a server that knew nothing of it evaluates in such a job."""
    return read[0][0] + sum(fresh for _, fresh in read[1:])


def row(what: str, own: int, other: int, goal: str) -> str:
    """A row whose goal is a ratio, or that has none."""
    holds = "" if not goal else "yes" if own / other <= float(goal.split()[-1]) else "NO"
    return drive.ROW.format(what, f"{own:,}", f"{other:,}", f"{own / other:.3f}", goal, holds)


def limit(what: str, own: int, other: int, most: int) -> str:
    """A row whose goal is a number."""
    return drive.ROW.format(what, f"{own:,}", f"{other:,}", "", f"at most {most:,}",
                            "yes" if own <= most else "NO")

"""Deciding a command line, and finding where the words of one that is asked about lead, against
`shlex.split` of the same line, over all recorded cases, in a small workspace that has the files
they name.

Looking at the settings of a repository is left out: they are read once and kept while the files
are the same.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from functools import partial
from pathlib import Path

import drive

TOP = Path(__file__).parents[2]
sys.path.insert(0, str(TOP))

CASES = ("bash_policy.jsonl", "bash_more.jsonl")
RUNS = 41
GOAL = 20


def measure() -> list[str]:
    """A row for the middle of all commands, and one for the command with the worst ratio; of each
    command the fastest of some runs counts, in turn with those of the yardstick."""
    from clinkai.harness.shell import git_run
    from clinkai.harness.shell.judge import judge
    from clinkai.harness.tools.bash import links
    from clinkai.harness.workspace import Workspace
    from tests.harness.shell import project

    git_run.inspect = lambda *_: None
    with drive.place() as top:
        workspace = Workspace(project.make(Path(top)))

        def decide(command: str, dialect: str) -> None:
            script = judge(command, dialect, workspace)
            if not script.listed:
                links(script, workspace)

        pairs = [pair(row["command"], partial(decide, dialect=row["dialect"])) for row in rows()]
    own, other = (drive.middle(side) for side in zip(*pairs))
    worst = max(pairs, key=lambda one: one[0] / one[1])
    return [drive.row("deciding a command (median)", own, other, "µs", GOAL),
            drive.row("deciding a command (worst)", *worst, "µs", GOAL)]


def rows() -> list[dict]:
    """The recorded cases."""
    texts = ((TOP / "tests" / "cases" / name).read_text(encoding="utf-8") for name in CASES)
    return [json.loads(line) for text in texts for line in text.splitlines()]


def pair(command: str, decide) -> tuple[float, float]:
    """Microseconds of deciding and of splitting."""
    decide(command)
    own, other = [], []
    for _ in range(RUNS):
        start = time.perf_counter()
        decide(command)
        middle = time.perf_counter()
        split(command)
        own.append((middle - start) * 1e6)
        other.append((time.perf_counter() - middle) * 1e6)
    return min(own), min(other)


def split(command: str) -> None:
    """The yardstick; an open quote ends it early, as it ends us."""
    try:
        shlex.split(command)
    except ValueError:
        pass

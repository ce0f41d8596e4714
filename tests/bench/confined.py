"""Starting a confined command, from the second one on, against a plain subprocess.run."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import drive

sys.path.insert(0, str(Path(__file__).parents[2]))

RUNS = 201
SETTLED = 2.5
"""Seconds after which the settings of a new repository need not be read again each time."""

WORDS = ["/bin/true"]


def measure() -> list[str]:
    """A row for commands that only read, and one for those that may write; in turn with plain
    ones, so that the machine treats them alike."""
    from clinkai.harness.sandbox.client import Failure
    from clinkai.harness.sandbox.wall import Unconfined, Wall

    rows = []
    for what, writes in (("reading", False), ("writing", True)):
        with drive.place() as top:
            subprocess.run(["git", "init", "-q", top], check=True)
            try:
                wall = Wall(str(Path(top).resolve()), (), writes)
                wall.check()
            except (Unconfined, Failure) as error:
                return [f"| starting a confined command | {error} | | | at most 3 | not here |"]
            time.sleep(SETTLED)
            own, other = [], []
            for _ in range(RUNS):
                start = time.perf_counter()
                subprocess.run(WORDS, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=top)
                middle = time.perf_counter()
                confined(wall, top)
                other.append((middle - start) * 1e3)
                own.append((time.perf_counter() - middle) * 1e3)
            wall.close()
        rows.append(drive.row(f"starting a confined command ({what})", drive.middle(own),
                              drive.middle(other), "ms", 3))
    return rows


def confined(wall, top: str) -> None:
    """All that a command line costs behind the wall."""
    with open("/dev/null", "r+b") as null:
        wall.begin()
        try:
            files = (null.fileno(),) * 3
            wall.start({"path": WORDS[0], "argv": WORDS, "env": {}, "cwd": top}, files).wait()
        finally:
            wall.end()

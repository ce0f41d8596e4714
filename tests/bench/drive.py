"""Starting what is measured: the fake server, the product, the yardstick; and rows of figures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from statistics import median

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
MEMORY = "/dev/shm"
"""A folder in memory: there fsync costs nothing."""

ROW = "| {} | {} | {} | {} | {} | {} |"


class Fake:
    """The server in a process of its own. `seen` is filled when the `with` block is left."""

    def __init__(self, **plan) -> None:
        self.child = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "fake.py"), json.dumps(plan)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.child.stdout.readline())}/v1"
        self.seen: list[dict] = []

    def __enter__(self) -> Fake:
        return self

    def __exit__(self, *_) -> None:
        out, _ = self.child.communicate("", timeout=30)
        self.seen = json.loads(out)

    def overheads(self) -> list[float]:
        """Milliseconds from the last byte of each answer to the first byte of the next request."""
        return [(b["first"] - a["last"]) / 1e6 for a, b in zip(self.seen, self.seen[1:])]


@contextmanager
def place(where: str = MEMORY):
    """A fresh folder in memory or on a disk, with `work` and `home` in it."""
    top = tempfile.mkdtemp(prefix="clinkai-bench-", dir=where)
    os.mkdir(os.path.join(top, "work"))
    try:
        yield top
    finally:
        shutil.rmtree(top)


def disk() -> str:
    """A folder that is not in memory."""
    return tempfile.gettempdir()


def fill(top: str, rounds: int) -> None:
    """The files that are read: 2,000 bytes each."""
    line = "The quick brown fox jumps over the lazy dog.....\n"
    for n in range(0, rounds, 2):
        with open(os.path.join(top, "work", f"in_{n}.txt"), "w", encoding="utf-8") as file:
            file.write((f"{n:06d} " + line * 50)[:1999] + "\n")


def product(url: str, top: str, **settings) -> dict:
    """argv and environment of one task."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    env = {**kept, "HOME": top, "CLINKAI_HOME": os.path.join(top, "home"), "CLINKAI_LANG": "en",
           "CLINKAI_BASE_URL": url, "CLINKAI_MODEL": "bench"}
    env.update({f"CLINKAI_{name}": str(value) for name, value in settings.items()})
    argv = [sys.executable, os.path.join(TOP, "clinkai.py"), "--workspace",
            os.path.join(top, "work"), "Do the task."]
    return {"args": argv, "env": env, "cwd": os.path.join(top, "work"),
            "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}


def yardstick(url: str, top: str) -> dict:
    """argv of bare.py for the same task."""
    argv = [sys.executable, os.path.join(HERE, "bare.py"), url, os.path.join(top, "work"),
            "Do the task."]
    return {"args": argv, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}


def run(job: dict, code: int = 0) -> tuple[int, float]:
    """Run to the end: (time.monotonic_ns() at its start, CPU seconds it used). Raises RuntimeError
    where it ends with another exit code: a figure of a failed run means nothing."""
    start = time.monotonic_ns()
    child = subprocess.Popen(**job)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != code:
        raise RuntimeError(f"exit code {child.returncode}: {job['args']}")
    return start, used.ru_utime + used.ru_stime


def row(what: str, own: float, other: float, unit: str, goal: float) -> str:
    """A row of the table, where the goal is a ratio."""
    ratio = own / other
    return ROW.format(what, f"{own:.3g} {unit}", f"{other:.3g} {unit}", f"{ratio:.2f}",
                      f"at most {goal:g}", "yes" if ratio <= goal else "NO")


def middle(values: list[float]) -> float:
    """The median."""
    return median(values)

"""Peak memory of a session of 20 rounds."""

from __future__ import annotations

import subprocess
import time

import drive
from rounds import RAISED, ROUNDS

GOAL = 30.0
EVERY = 0.002


def measure() -> list[str]:
    """The row of memory; the yardstick stands beside it for orientation."""
    own, other = peak(own=True), peak(own=False)
    return [drive.ROW.format("peak memory", f"{own:.1f} MB", f"{other:.1f} MB",
                             f"{own / other:.2f}", f"at most {GOAL:g} MB",
                             "yes" if own <= GOAL else "NO")]


def peak(*, own: bool) -> float:
    """Megabytes. Read from the running process: what wait4 reports would include the pages of the
    process that started it."""
    with drive.place() as top:
        drive.fill(top, ROUNDS)
        with drive.Fake(kind="rounds", rounds=ROUNDS) as fake:
            job = drive.product(fake.url, top, **RAISED) if own else drive.yardstick(fake.url, top)
            child = subprocess.Popen(**job)
            highest = 0
            while child.poll() is None:
                highest = max(highest, high_water(child.pid))
                time.sleep(EVERY)
    if child.returncode:
        raise RuntimeError(f"exit code {child.returncode}")
    return highest / 1000


def high_water(pid: int) -> int:
    """VmHWM in kB, as the kernel counts it since the program was loaded."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            return next((int(line.split()[1]) * 1024 // 1000 for line in file
                         if line.startswith("VmHWM:")), 0)
    except (FileNotFoundError, ProcessLookupError):
        return 0

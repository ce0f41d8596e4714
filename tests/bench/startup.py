"""Process start to the first chat request received, against importing what any client needs."""

from __future__ import annotations

import sys

import drive

RUNS = 21
REFERENCE = "import urllib.request, json, argparse"


def measure() -> list[str]:
    """The row of start-up. Both are run in turn, so that the machine treats them alike."""
    own, other = [], []
    for _ in range(RUNS):
        with drive.place() as top:
            with drive.Fake(kind="text") as fake:
                start, _ = drive.run(drive.product(fake.url, top))
        own.append((fake.seen[0]["first"] - start) / 1e6)
        other.append(imports())
    return [drive.row("start-up to the first request", drive.middle(own), drive.middle(other),
                      "ms", 1.6)]


def imports() -> float:
    """Milliseconds of a process that only imports."""
    import time

    start, _ = drive.run({"args": [sys.executable, "-c", REFERENCE]})
    return (time.monotonic_ns() - start) / 1e6

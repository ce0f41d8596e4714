"""The model client alone: memory beside a long answer, processor time of paced tokens, damaged
answers, and how long the table of reported ones takes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import drive
from stream import PAUSE, READ, REPEATS, TOKENS

TEXT, PIECE = 200_000_000, 2_000
SHORT_TEXT, TOKEN = 8_000_000, 5
"""Characters of a long answer and of its deltas: large ones, since the fake server has to keep up,
and a shorter answer in deltas of one token."""

RUNS = 20_000
STUCK = 20
"""Seconds after which a damaged answer counts as one that hangs."""

TABLE_GOAL = 60.0
HOLDS = {True: "yes", False: "NO"}

CLIENT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from clinkai.ai.openai import OpenAIClient
from clinkai.ai.provider import Reply, Request, TextPart
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.messages import Message

def memory(name):
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))

step, seen, beside = int(sys.argv[3]), 0, []
request = Request("bench", "", (), (Message("user", "hi"),), 100)
for part in OpenAIClient(Transport(sys.argv[2])).stream(request, Cancel()):
    if isinstance(part, TextPart):
        seen += len(part.text)
        if step and seen // step > len(beside):
            beside.append(memory("VmRSS") - seen)
    if isinstance(part, Reply):
        print(json.dumps({"seen": len(part.content), "finish": part.finish, "beside": beside,
                          "peak": memory("VmHWM")}))
"""


def measure() -> list[str]:
    """All rows, one after the other."""
    yield from beside(TEXT, PIECE)
    yield from list(beside(SHORT_TEXT, TOKEN))[:1]  # its peak is the interpreter's
    owns, others = [], []
    for _ in range(REPEATS):
        owns.append(cpu(TOKENS, own=True) - cpu(1, own=True))
        others.append(cpu(TOKENS, own=False) - cpu(1, own=False))
    yield drive.row(f"CPU of the client for {TOKENS:,} paced deltas", drive.middle(owns) * 1000,
                    drive.middle(others) * 1000, "ms", 3.0)
    yield damaged()
    yield table()


def beside(size: int, piece: int) -> list[str]:
    """Memory in use beside the text itself while an answer streams: at its end against at a tenth
    of it; then the peak, when the answer is put together and stands twice in memory."""
    with drive.Fake(kind="long", size=size, piece=piece) as fake:
        out = subprocess.run(client(fake.url, size // 10), check=True, capture_output=True).stdout
    seen = json.loads(out)
    if (seen["finish"], seen["seen"]) != ("stop", size):
        raise RuntimeError(f"{seen['finish']} after {seen['seen']:,} characters")
    what = f"{size // 1_000_000} MB in deltas of {piece:,} characters"
    yield drive.row(f"memory beside the text, at the end and at a tenth of {what}",
                    seen["beside"][-1] / 1e6, seen["beside"][0] / 1e6, "MB", 1.5)
    yield drive.row(f"peak memory of {what}, against the text", seen["peak"] / 1e6, size / 1e6,
                    "MB", 2.5)


def cpu(tokens: int, *, own: bool) -> float:
    """Seconds of processor time of the reading process."""
    with drive.Fake(kind="stream", tokens=tokens, pause=PAUSE) as fake:
        port = fake.url.split(":")[2].split("/")[0]
        args = client(fake.url, 0) if own else [sys.executable, "-c", READ, port]
        return drive.run({"args": args, "stdout": subprocess.DEVNULL})[1]


def client(url: str, step: int) -> list[str]:
    return [sys.executable, "-c", CLIENT, drive.TOP, url, str(step)]


def damaged() -> str:
    """How many damaged answers ended in anything but an answer or an error of ours."""
    sys.path.insert(0, drive.TOP)
    from tests.ai import fuzz

    signal.signal(signal.SIGALRM, _stuck)
    wires, bad = list(fuzz.WIRES), []
    start = time.monotonic()
    for seed in range(RUNS):
        signal.alarm(STUCK)
        try:
            fuzz.outcome(wires[seed % len(wires)], seed)
        except Exception as error:
            bad.append(seed)
            sys.stderr.write(f"{wires[seed % len(wires)]} {seed}: {error!r:.300}\n")
    signal.alarm(0)
    seconds = time.monotonic() - start
    return drive.ROW.format(f"damaged answers of {RUNS:,} that were not read or refused",
                            len(bad), f"{seconds:.0f} s", "", "0", HOLDS[not bad])


def _stuck(*_) -> None:
    raise TimeoutError(f"no end within {STUCK} s")


def table() -> str:
    """How long the table of reported answers takes, over real sockets."""
    start = time.monotonic()
    subprocess.run([sys.executable, "-m", "pytest", "-q", os.path.join("tests", "ai",
                   "test_quirks.py")], cwd=drive.TOP, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    return drive.ROW.format("the table of reported answers", f"{seconds:.1f} s", "", "",
                            f"under {TABLE_GOAL:g} s", HOLDS[seconds < TABLE_GOAL])

"""Processor time of a long streamed answer, against reading the same bytes with http.client."""

from __future__ import annotations

import sys

import drive

TOKENS, PAUSE, REPEATS = 4_000, 0.002, 3
READ = """
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
connection.request("POST", "/v1/chat/completions", b"{}")
answer = connection.getresponse()
while answer.read1(65536):
    pass
"""


def measure() -> list[str]:
    """The row of streaming. From both sides the same with a one-word answer is taken off: what
    remains is the answer's own cost."""
    own = other = 0.0
    owns, others = [], []
    for _ in range(REPEATS):
        owns.append(cpu(TOKENS, own=True) - cpu(1, own=True))
        others.append(cpu(TOKENS, own=False) - cpu(1, own=False))
    own, other = drive.middle(owns), drive.middle(others)
    return [drive.row(f"CPU of a streamed answer of {TOKENS:,} tokens", own * 1000, other * 1000,
                      "ms", 3.0)]


def cpu(tokens: int, *, own: bool) -> float:
    """Seconds of processor time of the reading process."""
    with drive.place() as top:
        with drive.Fake(kind="stream", tokens=tokens, pause=PAUSE) as fake:
            port = fake.url.split(":")[2].split("/")[0]
            job = drive.product(fake.url, top) if own else {
                "args": [sys.executable, "-c", READ, port]}
            return drive.run(job)[1]

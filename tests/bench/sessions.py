"""Opening a session of 100,000 records (300 MB): its entry in a list, all of it, and the memory that
takes."""

from __future__ import annotations

import gc
import json
import os
import random
import sys
import time
import tracemalloc

import drive

sys.path.insert(0, drive.TOP)

from clinkai.core.messages import to_record  # noqa: E402
from clinkai.core.state import State  # noqa: E402
from clinkai.harness.glance import describe  # noqa: E402
from clinkai.harness.session import Session, encode  # noqa: E402

RECORDS = 100_000
ROUNDS = 10
"""Of a turn."""

LIVE = (30_000, 90_000)
"""Tokens left by a cut, and those at which the next one comes."""

ENTRIES, OPENINGS = 3000, 5
HEAD = 1 << 16
GOALS = 3.0, 1.5, 3.0


def measure() -> list[str]:
    """The rows: a list entry, opening, memory."""
    with drive.place() as top:
        path = os.path.join(top, "20260101-000000-abcdef01.jsonl")
        fill(path, RECORDS)
        size = f"{RECORDS:,} records, {os.path.getsize(path) / 1e6:.0f} MB"
        entry, head = alternate(lambda: describe(path), lambda: read_head(path), ENTRIES)
        opened, parsed = alternate(lambda: Session.open(path).close(), lambda: parse(path), OPENINGS)
        peak, live = memory(path)
    return [
        drive.row(f"session of {size}: list entry against reading 64 KB", entry * 1e6, head * 1e6,
                  "µs", GOALS[0]),
        drive.row("the same session: opening against `json.loads`", opened, parsed, "s", GOALS[1]),
        drive.row("the same session: memory to open it against its live context", peak / 1e6,
                  live / 1e6, "MB", GOALS[2]),
    ]


def alternate(own, other, times: int) -> tuple[float, float]:
    """Medians of both in CPU seconds, taken in turn; what others do to the machine meets both."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        for act, kept in zip((own, other), taken):
            start = time.process_time()
            act()
            kept.append(time.process_time() - start)
    return drive.middle(taken[0]), drive.middle(taken[1])


def read_head(path: str) -> None:
    with open(path, "rb") as file:
        file.read(HEAD)


def parse(path: str) -> None:
    with open(path, "rb") as file:
        for line in file:
            json.loads(line)


def memory(path: str) -> tuple[int, int]:
    """Bytes at the peak of opening, and those of the messages that are live then, as JSON."""
    gc.collect()
    tracemalloc.start()
    session = Session.open(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    state: State = session.state
    session.close()
    live = [state.system, state.tools, *map(to_record, state.messages)]
    return peak, len(json.dumps(live, ensure_ascii=False).encode())


def fill(path: str, records: int) -> None:
    """A long session: turns of rounds with thinking, a call and its result; cut now and then."""
    with open(path, "wb") as file:
        for seq, record in zip(range(1, records + 1), _records()):
            whole = {"v": 1, "seq": seq, "ts": round(1.8e9 + seq, 3), **record}
            file.write(encode(whole).encode() + b"\n")


def _records():
    texts = _texts()
    schema = {"type": "function", "function": {"name": "read", "description": next(texts)[:300]}}
    yield {"type": "init", "workspace": "/work", "model": "m", "provider": "openai", "lang": "en",
           "mode": "auto", "system": next(texts)[:3000], "tools": [schema], "agents_md": []}
    tokens, round_ = 1000, 0
    while True:
        yield {"type": "meta", "model": "m", "workspace": "/work", "cap": 15, "kind": "run.start"}
        yield {"type": "user", "content": next(texts)[:200]}
        for number in range(1, ROUNDS + 1):
            round_ += 1
            tokens += 2600
            yield from _round(texts, round_, number, tokens)
        yield {"type": "assistant", "content": next(texts)[:800], "tool_calls": [], "finish": "stop"}
        yield {"type": "meta", "reason": "done", "detail": "", "exit": 0, "denied": 0, "times": {},
               "kind": "run.end", "sum": {"rounds": round_, "title": "a long task"}}
        if tokens > LIVE[1]:
            tokens = LIVE[0]
            yield {"type": "meta", "kind": "window", "stays": 2 * ROUNDS + 2, "after": tokens,
                   "text": "[Older messages were left out.]"}


def _round(texts, round_: int, number: int, tokens: int):
    call = {"id": f"call_{round_}", "name": "read",
            "arguments": json.dumps({"path": f"src/part_{round_}.py"})}
    yield {"type": "assistant", "content": next(texts)[:300], "reasoning": next(texts)[:1500],
           "reasoning_field": "reasoning_content", "tool_calls": [call], "finish": "tool_calls"}
    yield {"type": "meta", "lost": 0, "cause": "", "proof": "1:0123456789abcdef", "of": "",
           "n": number, "prompt": tokens, "cached": tokens - 300, "hit": 0.99, "out": 500,
           "pp_tps": 900.0, "tg_tps": 45.0, "ttft_ms": 300, "ctx": tokens, "ctx_max": 90_000,
           "kind": "usage", "sum": {"rounds": round_, "title": "a long task"}, "scale": [1.02, 0.98]}
    yield {"type": "tool", "call_id": call["id"], "name": "read", "ok": True, "decision": "allow",
           "content": next(texts)[:7000], "ms": 3}


def _texts():
    """Prose and code of 8,000 characters, always the same."""
    draw = random.Random(7)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(4000)]
    lines = [" ".join(draw.choices(words, k=draw.randint(3, 14))) + draw.choice(",:;.") + "\n"
             for _ in range(2000)]
    pool = ["".join(draw.choices(lines, k=200))[:8000] for _ in range(61)]
    while True:
        yield from pool

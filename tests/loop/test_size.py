"""The estimate of a request against what real vocabularies count: tests/cases/tokens.jsonl."""

from __future__ import annotations

import json
import random

import pytest

from clinkai.core.state import State, step
from clinkai.core.text import estimate_tokens
from clinkai.loop.size import request_tokens
from tests.source import TOP

CASES = [json.loads(line) for line in
         (TOP / "tests/cases/tokens.jsonl").read_text("utf-8").splitlines()]
VOCABULARIES = tuple(CASES[0]["tokens"])
OF_NOW = {"Qwen 3.5", "Gemma 4", "Llama 3"}
CODE = ("python", "javascript", "css", "html", "shell", "numbered read", "diff")
SESSIONS = {
    "English": ("english",), "Chinese": ("chinese",), "code": CODE,
    "mixed": ("english", "chinese", "python with chinese", *CODE),
}
ROUNDS, FRAME = 20, 6
"""Tokens of a template around a message in these sessions."""

SYSTEM, TOOLS = (next(case for case in CASES if case["text"].startswith(begin))
                 for begin in ("You are ClinkAI", '[{"type": "function"'))


def errors(kinds: tuple, vocabulary: str, seed: int) -> list[float]:
    """How far the estimate is off before each round but the first, as a share of what is counted."""
    chosen = random.Random(seed)
    texts = [case for case in CASES if case["kind"] in kinds]
    state = State(system=SYSTEM["text"], tools=tuple(json.loads(TOOLS["text"])))
    real = SYSTEM["tokens"][vocabulary] + TOOLS["tokens"][vocabulary]
    found = []
    for n in range(ROUNDS):
        case = chosen.choice(texts)
        said = {"type": "tool", "name": "read", "call_id": "c", "ok": True, "decision": "allow",
                "ms": 0} if n else {"type": "user"}
        state = step(state, {**said, "content": case["text"]})
        real += case["tokens"][vocabulary] + 2 * FRAME
        found.append(request_tokens(state) / real - 1)
        call = {"id": "c", "name": "read", "arguments": '{"path": "a"}'}
        state = step(state, {"type": "assistant", "content": "", "tool_calls": [call],
                             "finish": "tool_calls"})
        state = step(state, {"type": "meta", "kind": "usage", "prompt": real, "out": 20})
        real += 20
    return found[1:]


@pytest.mark.parametrize("session", SESSIONS)
@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_the_estimate_is_right_within_5_per_cent_from_the_second_round_on(session, vocabulary):
    found = sorted(abs(error) for seed in range(5)
                   for error in errors(SESSIONS[session], vocabulary, seed))
    wide = sum(error > 0.05 for error in found) / len(found)
    middle = sum(found) / len(found)
    worst = 0.1 if vocabulary in OF_NOW else 0.25  # a first text in Chinese, in a vocabulary of old
    assert (middle < 0.015, wide < 0.06, found[-1] < worst) == (True, True, True), found[-20:]


def test_without_any_count_the_estimate_is_neither_timid_nor_careless():
    ratios = [estimate_tokens(case["text"]) / case["tokens"][name] for name in OF_NOW
              for case in CASES if case["kind"] in SESSIONS["mixed"]]
    assert 0.8 < min(ratios) and max(ratios) < 1.35

"""Recognising chunks without parsing them gives what parsing gives."""

from __future__ import annotations

import json
import random

import pytest

from clinkai.ai.chunks import Answer
from clinkai.ai.envelope import Envelope
from clinkai.ai.provider import TextPart, ThinkPart

PIECES = ["a", " b", "", "\n", '"', "\\", '\\"', '"},"finish_reason":"stop"', '{"content":"x"}',
          "é", "🙂", "\u2028", "\t", "data: ", "[DONE]", '","content":"y', "\\u0041"]
BODIES = {
    "plain": lambda text, rng: {"choices": [{"index": 0, "delta": {"content": text}}]},
    "llama-server": lambda text, rng: {
        "choices": [{"finish_reason": None, "index": 0, "delta": {"content": text}}],
        "created": 17 + rng.randrange(3), "id": "chatcmpl-1", "object": "chat.completion.chunk"},
    "an id for each chunk": lambda text, rng: {
        "id": rng.random(), "choices": [{"delta": {"role": "assistant", "content": text}}]},
    "thinking too": lambda text, rng: {"choices": [{"delta": {
        rng.choice(["content", "reasoning_content", "reasoning"]): text}}]},
    "mirrored": lambda text, rng: {"choices": [{"delta": {
        "content": text, "reasoning": text, "reasoning_content": text}}]},
    "fields of that name elsewhere": lambda text, rng: {
        "content": text, "choices": [{"delta": {"content": text}, "content": "c"}]},
    "running counts": lambda text, rng: {
        "choices": [{"delta": {"content": text}}], "usage": {"prompt_tokens": rng.randrange(2)}},
    "labels": lambda text, rng: {
        "choices": [{"delta": {"content": text}, "finish_reason": rng.choice([None, "length"])}]},
}


def texts(parts):
    return {kind: "".join(p.text for p in parts if isinstance(p, kind))
            for kind in (TextPart, ThinkPart)}


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_the_answer_is_the_same_as_by_parsing(body, ascii_only):
    rng = random.Random(7)
    quick, parsed = Answer(()), Answer(())
    for _ in range(400):
        text = "".join(rng.choices(PIECES, k=rng.randrange(4)))
        data = json.dumps(body(text, rng), ensure_ascii=ascii_only,
                          separators=rng.choice([(",", ":"), (", ", ": ")]))
        quick.take(data)
        parsed.take_chunk(json.loads(data))
        assert texts(quick.parts()) == texts(parsed.parts())
    assert quick.finish == parsed.finish
    assert quick.counts.total(None, None) == parsed.counts.total(None, None)


def chunk(text, **more):
    return json.dumps({"choices": [{"delta": {"content": text}}], **more})


def test_what_differs_in_the_text_alone_is_recognised():
    envelope = Envelope()
    first = chunk("a", created=1)
    assert envelope.text(first) == ""
    envelope.learn(first, json.loads(first), "content", ("kind",))
    assert [envelope.text(chunk(t, created=1)) for t in ("b", 'c"', "é\n")] == ["b", 'c"', "é\n"]
    assert envelope.kind == ("kind",)
    assert [envelope.text(d) for d in (chunk("b", created=2), "[DONE]", "", first[:-3])] == [""] * 4


@pytest.mark.parametrize("data", [
    '{"choices": [{"delta": {"content": 5}}]}', '{"choices": []}', '{"content": "x"}', "[]",
    '{"content": "y", "choices": [{"delta": {"content": "x"}}]}',
    '{"choices": [{"delta": {"content": "x", "content": "y"}}]}',
])
def test_what_is_no_envelope_is_not_learnt(data):
    envelope = Envelope()
    envelope.learn(data, json.loads(data), "content", ())
    assert envelope.text(data) == ""


def test_envelopes_that_never_come_again_are_given_up():
    envelope = Envelope()
    for n in range(20):
        data = chunk("a", id=n)
        envelope.learn(data, json.loads(data), "content", ())
    data = chunk("b", id=20)
    envelope.learn(data, json.loads(data), "content", ())
    assert envelope.text(data) == ""

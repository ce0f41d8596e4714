"""Recognising chunks without parsing them gives what parsing gives."""

from __future__ import annotations

import json
import random

import pytest

from clinkai.ai.chunks import Answer
from clinkai.ai.envelope import Envelope
from clinkai.ai.provider import ArgsPart, TextPart, ThinkPart

CONTENT = ("choices", 0, "delta", "content")
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
        parsed.take_value(json.loads(data))
        assert texts(quick.parts()) == texts(parsed.parts())
    assert quick.finish == parsed.finish
    assert quick.counts.total(None, None) == parsed.counts.total(None, None)


def piece(rng, index, **function):
    """A delta with one piece of a call, in one of the forms that servers send."""
    made = {"index": index, "function": function}
    if "name" in function or rng.random() < 0.2:
        made["id"] = f"call_{index}"
    return {"choices": [{"delta": {"tool_calls": [made]}, "index": 0}]}


@pytest.mark.parametrize("seed", range(20))
def test_arguments_are_the_same_as_by_parsing(seed):
    """Calls in turn or interleaved, an index used for one call after the other, text in between."""
    rng = random.Random(seed)
    bodies = []
    for _ in range(6):
        index = rng.randrange(2)
        name = piece(rng, index, name=rng.choice(["read", "write"]), arguments="")
        name["choices"][0]["delta"]["tool_calls"][0]["id"] = f"call_{rng.random()}"
        bodies.append(name)
        for _ in range(rng.randrange(12)):
            text = "".join(rng.choices(PIECES, k=rng.randrange(4)))
            other = index if rng.random() < 0.8 else 1 - index
            bodies.append(piece(rng, other, arguments=text))
            if rng.random() < 0.1:
                bodies.append({"choices": [{"delta": {"content": text}}]})
    quick, parsed = Answer(("read", "write")), Answer(("read", "write"))
    for body in [*bodies, {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}]:
        quick.take(json.dumps(body))
        parsed.take_value(body)
        assert quick.parts() == parsed.parts()
    ended, wanted = quick.reply(set()), parsed.reply(set())
    assert (ended.content, ended.tool_calls, ended.cut_call) == (
        wanted.content, wanted.tool_calls, wanted.cut_call)


def test_arguments_in_many_pieces_are_recognised():
    answer = Answer(("write",))
    rng = random.Random(0)
    answer.take(json.dumps(piece(rng, 0, name="write", arguments="")))
    for n in range(10):
        answer.take(json.dumps({"choices": [{"delta": {"tool_calls": [
            {"index": 0, "function": {"arguments": f"{n}"}}]}, "index": 0}]}))
    assert answer._same.kind == ("args", 0, "write")
    assert answer.parts() == [ArgsPart(0, "write", "0123456789")]


def chunk(text, **more):
    return json.dumps({"choices": [{"delta": {"content": text}}], **more})


def test_what_differs_in_the_text_alone_is_recognised():
    envelope = Envelope()
    first = chunk("a", created=1)
    assert envelope.text(first) == ""
    envelope.learn(first, json.loads(first), CONTENT, ("kind",))
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
    envelope.learn(data, json.loads(data), CONTENT, ())
    assert envelope.text(data) == ""


def test_envelopes_that_never_come_again_are_given_up():
    envelope = Envelope()
    for n in range(20):
        data = chunk("a", id=n)
        envelope.learn(data, json.loads(data), CONTENT, ())
    data = chunk("b", id=20)
    envelope.learn(data, json.loads(data), CONTENT, ())
    assert envelope.text(data) == ""

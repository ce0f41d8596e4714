"""The answer of an Anthropic-style server, event by event: every shape, as whole values."""

from __future__ import annotations

import json
import random

import pytest

from clinkai.ai.blocks import UNSIGNED, Blocks, kept_blocks
from clinkai.ai.provider import ArgsPart, Reply, TextPart, ThinkPart
from clinkai.ai.sse import SseParser
from clinkai.core.errors import ModelServerError
from clinkai.core.messages import TokenCount, ToolCall
from clinkai.core.value import replace
from tests.ai.chat import TOOLS, UNTIMED
from tests.server import event, named

NAMES = tuple(tool["function"]["name"] for tool in TOOLS)
READ = ToolCall("c1", "read", '{"path":"a"}')


def start(index=0, kind="text", **fields):
    where = {} if index is None else {"index": index}
    return named("content_block_start", **where, content_block={"type": kind, **fields})


def delta(index=0, **fields):
    where = {} if index is None else {"index": index}
    kind = {"text": "text_delta", "thinking": "thinking_delta", "signature": "signature_delta",
            "partial_json": "input_json_delta"}[next(iter(fields))]
    return named("content_block_delta", **where, delta={"type": kind, **fields})


def stop(index=0):
    return named("content_block_stop", **({} if index is None else {"index": index}))


def begin(**usage):
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [],
               "model": "local", "stop_reason": None, "stop_sequence": None}
    return named("message_start", message={**message, **({"usage": usage} if usage else {})})


def end(label="end_turn", **usage):
    counts = {"usage": usage} if usage else {}
    return named("message_delta", delta={"stop_reason": label, "stop_sequence": None}, **counts)


STOP = named("message_stop")
TEXT = [start(text=""), delta(text="h"), delta(text="i"), stop()]
CALL = [start(1, "tool_use", id="c1", name="read", input={}), delta(1, partial_json=""),
        delta(1, partial_json='{"pa'), delta(1, partial_json='th":"a"}'), stop(1)]
THOUGHT = [start(kind="thinking", thinking="", signature=""), delta(thinking="h"),
           delta(thinking="m"), delta(signature="Sig"), delta(signature="=="), stop()]
SIGNED = [0, 0, {"type": "thinking", "thinking": "hm", "signature": "Sig=="}]


def said(text, count=TokenCount(), **changes):
    warnings = () if count != TokenCount() else ("no_usage",)
    return replace(Reply(text, "", "", (), "stop", count, "", warnings), **changes)


def thought(text="hi", signature=(SIGNED,), reasoning="hm", **changes):
    if not isinstance(signature, str):
        signature = json.dumps(signature, separators=(",", ":"), ensure_ascii=False)
    field = "thinking" if reasoning else ""
    return said(text, reasoning=reasoning, reasoning_field=field, signature=signature, **changes)


def called(text="", *calls, **changes):
    return said(text, tool_calls=calls or (READ,), finish="tool_calls", **changes)


def whole(content, label="end_turn", **fields):
    return [json.dumps({"type": "message", "role": "assistant", "content": content,
                        "stop_reason": label, **fields}) + "\n"]


def read(data, rng=None):
    """The parts of an answer in `data`, cut at random places, and its Reply or error."""
    answer, parser, parts, at = Blocks(NAMES), SseParser(), [], 0
    while at < len(data):
        size = rng.choice([1, 2, 5, 30, 300, 3000]) if rng else len(data)
        frames = parser.feed(data[at:at + size])
        at += size
        if at >= len(data):
            frames += parser.close()
        for frame in frames:
            if not answer.over():
                answer.fail(frame.data.encode()) if frame.event == "error" else answer.take(
                    frame.data)
        while parser.strays:
            answer.take_stray(parser.strays.pop(0)[1])
        parts += answer.parts()
    parts += answer.parts(last=True)
    try:
        reply = answer.reply(set())
        return parts, replace(reply, count=replace(reply.count, **UNTIMED))
    except ModelServerError as error:
        return parts, error


SHAPES = {
    "a plain answer": (
        [begin(input_tokens=9, cache_read_input_tokens=4, cache_creation_input_tokens=2,
               output_tokens=1), named("ping"), *TEXT, end(output_tokens=2), STOP],
        said("hi", TokenCount(15, 4, 2))),
    "no counts of the cache": (
        [begin(input_tokens=9, output_tokens=1), *TEXT, end(output_tokens=2), STOP],
        said("hi", TokenCount(9, None, 2))),
    "counts at the end replace those at the beginning": (
        [begin(input_tokens=0, output_tokens=0), *TEXT,
         end(input_tokens=7, cache_read_input_tokens=3, output_tokens=2), STOP],
        said("hi", TokenCount(10, 3, 2))),
    "a zero at the end is no news": (
        [begin(input_tokens=9, cache_read_input_tokens=0), *TEXT,
         end(input_tokens=0, cache_read_input_tokens=None, output_tokens=2), STOP],
        said("hi", TokenCount(9, 0, 2))),
    "counts of other types": (
        [begin(input_tokens="9", output_tokens=1), *TEXT, end(output_tokens=True), STOP],
        said("hi")),
    "no counts at all": ([begin(), *TEXT, end(), STOP], said("hi")),
    "no beginning": ([*TEXT, end(), STOP], said("hi")),
    "no end of the message": ([begin(), *TEXT, end()], said("hi")),
    "no label": ([begin(), *TEXT, STOP], said("hi")),
    "an end mark of another wire": ([begin(), *TEXT, "data: [DONE]\n\n"], said("hi")),
    "no starts and stops": ([delta(text="h"), delta(text="i"), end()], said("hi")),
    "no indexes": ([start(None, text=""), delta(None, text="h"), delta(None, text="i"), stop(None),
                    start(None, "tool_use", id="c1", name="read", input={}),
                    delta(None, partial_json='{"path":'), delta(None, partial_json='"a"}'),
                    stop(None), end("tool_use"), STOP], called("hi")),
    "a start before every delta": (
        [start(text=""), delta(text="h"), start(text=""), delta(text="i"), stop(),
         *CALL[:3], *CALL[:1], *CALL[3:], end("tool_use"), STOP], called("hi")),
    "thinking with a start before every delta": (
        [*THOUGHT[:2], *THOUGHT[:1], *THOUGHT[2:], start(1), delta(1, text="hi"), end(), STOP],
        thought()),
    "text in the start": ([start(text="h"), delta(text="i"), stop(), end(), STOP], said("hi")),
    "one index for all blocks": (
        [*TEXT, start(0, "tool_use", id="c1", name="read", input={}),
         delta(0, partial_json='{"path":"a"}'), stop(0), end("tool_use"), STOP], called("hi")),
    "deltas without a type": (
        [named("content_block_delta", index=0, delta={"text": "hi"}), end(), STOP], said("hi")),
    "events without a type": (
        [event({"index": 0, "content_block": {"type": "text", "text": "h"}}),
         event({"index": 0, "delta": {"type": "text_delta", "text": "i"}}),
         event({"delta": {"stop_reason": "max_tokens"}}), STOP], said("hi", finish="length")),
    "arguments under other names": (
        [CALL[0], named("news", index=1, delta={"partial_json": '{"pa'}),
         named("content_block_delta", index=9, delta={"type": "news", "partial_json": 'th":"a"}'}),
         end("tool_use"), STOP], called()),
    "unknown events, blocks and deltas": (
        [named("telemetry", text="X"), *TEXT,
         start(1, "server_tool_use", id="s1", name="web_search", input={}),
         delta(1, partial_json='{"query":"x"}'), stop(1),
         start(2, "web_search_tool_result", tool_use_id="s1", content=[]), stop(2),
         named("content_block_delta", index=0, delta={"type": "citations_delta", "citation": {}}),
         named("content_block_delta", index=0, delta={"type": "shape_delta", "text": "X"}),
         end(), STOP], said("hi")),
    "nulls and other types": (
        [event(None), event([1]), event({"type": None}), named("content_block_delta"),
         named("content_block_delta", index=0, delta=5), named("message_start", message=None),
         named("content_block_start", index="x", content_block=7), named("message_delta", delta=[]),
         named("content_block_start", index=0, content_block={"type": ["text"]}),
         *TEXT, delta(text=None), delta(text=5), end(None), end(), STOP], said("hi")),
    "data without event lines": (
        [line.partition("\n")[2] for line in (begin(input_tokens=1), *TEXT, end(), STOP)],
        said("hi", TokenCount(1))),
    "events in one": (["data: " + "\ndata: ".join(
        line.partition("data: ")[2].strip() for line in (*TEXT, end())) + "\n\n"], said("hi")),
    "max_tokens": ([*TEXT, end("max_tokens"), STOP], said("hi", finish="length")),
    "max_tokens and nothing": ([begin(), end("max_tokens"), STOP], said("", finish="length")),
    "a full window": ([*TEXT, end("model_context_window_exceeded"), STOP],
                      said("hi", finish="length")),
    "a stop sequence": ([*TEXT, end("stop_sequence"), STOP], said("hi")),
    "a pause": ([*TEXT, end("pause_turn"), STOP], said("hi")),
    "a refusal in the middle": ([*TEXT, end("refusal"), STOP], said("hi")),
    "a label of another type": ([*TEXT, end({"x": 1}), STOP], said("hi")),
    "a call": ([*TEXT, *CALL, end("tool_use"), STOP], called("hi")),
    "a call and another label": ([*CALL, end("end_turn"), STOP], called()),
    "a call without arguments": (
        [start(0, "tool_use", id="c", name="ls", input={}), stop(), end("tool_use"), STOP],
        called("", ToolCall("c", "ls", "{}"))),
    "arguments in the start": (
        [start(0, "tool_use", id="c1", name="read", input={"path": "a"}), stop(),
         end("tool_use"), STOP], called()),
    "arguments in the start and again": (
        [start(1, "tool_use", id="c1", name="read", input={"path": "a"}), *CALL[2:],
         end("tool_use"), STOP], called(warnings=("repaired_call", "no_usage"))),
    "two calls, interleaved": (
        [*CALL[:3], start(2, "tool_use", id="c2", name="ls", input={}),
         delta(2, partial_json='{"path":"b"}'), *CALL[3:], stop(2), end("tool_use"), STOP],
        called("", READ, ToolCall("c2", "ls", '{"path":"b"}'))),
    "a call that is cut": (
        [*CALL[:3], end("max_tokens"), STOP], said("", finish="length", cut_call="read")),
    "a call that is cut under another label": (
        [*CALL[:3], end("tool_use"), STOP], said("", finish="length", cut_call="read")),
    "signed thinking": ([*THOUGHT, start(1), delta(1, text="hi"), end(), STOP], thought()),
    "thinking only": ([*THOUGHT, end(), STOP], thought("")),
    "thinking without a signature": (
        [*THOUGHT[:3], stop(), start(1), delta(1, text="hi"), end(), STOP],
        thought(signature=UNSIGNED)),
    "thinking with an empty signature, cut": (
        [*THOUGHT[:3], delta(signature=""), stop(), end("max_tokens"), STOP],
        thought("", UNSIGNED, finish="length")),
    "thinking that is cut before its signature": (
        [*THOUGHT[:3], stop(), end("max_tokens"), STOP], thought("", "", finish="length")),
    "hidden thinking": (
        [start(kind="thinking", thinking="", signature=""), delta(signature="S"), stop(),
         start(1), delta(1, text="hi"), end(), STOP],
        thought(signature=[[0, 0, {"type": "thinking", "thinking": "", "signature": "S"}]],
                reasoning="")),
    "redacted thinking": (
        [start(0, "redacted_thinking", data="Enc"), stop(), start(1), delta(1, text="hi"), end()],
        thought(signature=[[0, 0, {"type": "redacted_thinking", "data": "Enc"}]], reasoning="")),
    "thinking in two places": (
        [*THOUGHT, start(1), delta(1, text="hi"), stop(1),
         start(2, "thinking", thinking="o"), delta(2, thinking="h"), delta(2, signature="T"),
         stop(2), *CALL, end("tool_use"), STOP],
        thought("hi", [SIGNED, [2, 0, {"type": "thinking", "thinking": "oh", "signature": "T"}]],
                "hmoh", tool_calls=(READ,), finish="tool_calls")),
    "an escaped pair cut in two": (
        ['data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"a\\ud83d"}}\n\n',
         'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"\\ude00"}}\n\n',
         end()], said("a😀")),
}


@pytest.mark.parametrize(("pieces", "expected"), SHAPES.values(), ids=SHAPES.keys())
def test_a_shape_of_answer_is_understood_however_it_is_cut(pieces, expected):
    data, rng = "".join(pieces).encode(), random.Random(11)
    for cut in (None, *[rng] * 20):
        parts, reply = read(data, cut)
        assert reply == expected
        for kind, text in ((TextPart, reply.content), (ThinkPart, reply.reasoning)):
            assert "".join(p.text for p in parts if isinstance(p, kind)) == text
        assert {p.field for p in parts if isinstance(p, ThinkPart)} <= {"thinking"}


WHOLE = {
    "text": (whole([{"type": "text", "text": "hi"}],
                   usage={"input_tokens": 3, "cache_read_input_tokens": 1, "output_tokens": 2}),
             said("hi", TokenCount(4, 1, 2))),
    "a string": (whole("hi"), said("hi")),
    "everything": (
        whole([{"type": "thinking", "thinking": "hm", "signature": "Sig=="},
               {"type": "text", "text": "h"}, {"type": "text", "text": "i"}, {"type": "new"}, None,
               {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}}],
              "tool_use"),
        thought("hi", tool_calls=(READ,), finish="tool_calls")),
    "two thoughts": (
        whole([{"type": "thinking", "thinking": "hm", "signature": "Sig=="},
               {"type": "thinking", "thinking": "oh", "signature": "T"},
               {"type": "text", "text": "hi"}]),
        thought("hi", [SIGNED, [0, 0, {"type": "thinking", "thinking": "oh", "signature": "T"}]],
                "hmoh")),
    "length": (whole([{"type": "text", "text": "hi"}], "max_tokens"), said("hi", finish="length")),
}


@pytest.mark.parametrize(("pieces", "expected"), WHOLE.values(), ids=WHOLE.keys())
def test_a_whole_answer_is_understood(pieces, expected):
    answer = Blocks(NAMES)
    answer.take(pieces[0].strip())
    assert replace(answer.reply(set()), count=replace(answer.count(), **UNTIMED)) == expected


def problem(kind, message="no"):
    return named("error", error={"type": kind, "message": message})


FAILURES = {
    "overloaded": (problem("overloaded_error", "Overloaded"), "rate_limit", "Overloaded"),
    "too many": (problem("rate_limit_error"), "rate_limit", "no"),
    "a wrong key": (problem("authentication_error"), "auth", "no"),
    "a key that may not": (problem("permission_error"), "auth", "no"),
    "a bad request": (problem("invalid_request_error"), "bad_request", "no"),
    "an unknown model": (problem("not_found_error"), "bad_request", "no"),
    "no credit": (problem("billing_error"), "bad_request", "no"),
    "too large": (problem("request_too_large"), "bad_request", "no"),
    "a fault": (problem("api_error", "Internal server error"), "stream_error",
                "Internal server error"),
    "a fault in time": (problem("timeout_error"), "stream_error", "no"),
    "too long": (problem("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
                 "context_overflow", "prompt is too long: 9 tokens > 8 maximum"),
    "without an event line": (event({"type": "error", "error": {"type": "overloaded_error",
                                                                "message": "Busy"}}),
                              "rate_limit", "Busy"),
    "in another form": (event({"error": {"message": "boom", "code": 500}}), "stream_error", "boom"),
    "without data": ("event: error\n\n", "stream_error", "event: error"),
    "a label": (end("error"), "stream_error", "finish_reason: error"),
    "damaged": ('data: {"type":"content_bl\n\n', "stream_error", None),
    "the end": ("", "stream_error", None),
}


@pytest.mark.parametrize(("last", "kind", "message"), FAILURES.values(), ids=FAILURES.keys())
def test_a_failure_has_a_name_and_keeps_the_text(last, kind, message):
    parts, error = read("".join([begin(input_tokens=5), *TEXT, last]).encode())
    assert (error.kind, error.params.get("message")) == (kind, message)
    assert parts == [TextPart("hi")]


@pytest.mark.parametrize(("details", "message"), [
    ({"type": "refusal", "explanation": "I may not."}, "I may not."),
    (None, "stop_reason: refusal"), ({"explanation": None}, "stop_reason: refusal"),
])
def test_a_refusal_without_a_word_is_told_as_one(details, message):
    refused = named("message_delta", delta={"stop_reason": "refusal", "stop_details": details})
    error = read((begin() + refused + STOP).encode())[1]
    assert (error.kind, error.key, error.params["message"]) == (
        "bad_request", "error.refused", message)


def test_nothing_at_all_is_a_bad_response():
    error = read((begin() + end() + STOP).encode())[1]
    assert error.key == "error.bad_response.nothing"


def test_the_counts_at_the_end_are_waited_for():
    answer = Blocks(NAMES)
    for piece in (begin(input_tokens=5, output_tokens=1), *TEXT, end()):
        answer.take(piece.partition("data: ")[2].strip())
    assert (answer.ending, answer.over()) == (True, False)
    answer.take(json.dumps({"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2}}))
    assert answer.over()


PIECES = ["a", " b", "", "\n", '"', "\\", '\\"', '"}}', "é", "🙂", "\u2028", '{"text":"x"}',
          "data: "]


@pytest.mark.parametrize("ascii_only", [True, False])
def test_deltas_that_are_recognised_say_what_they_say_when_parsed(ascii_only):
    rng = random.Random(3)
    quick, parsed = Blocks(NAMES), Blocks(NAMES)
    index, kind = 0, "text"
    for _ in range(1500):
        if rng.random() < 0.05:
            index += rng.randrange(2)
            kind = rng.choice(["text", "thinking", "tool_use"])
            value = {"type": "content_block_start", "index": index, "content_block": {
                "type": kind, **({"id": f"c{rng.random()}", "name": "read"}
                                 if kind == "tool_use" else {})}}
        else:
            name, field = {"text": ("text_delta", "text"), "thinking": ("thinking_delta",) * 2,
                           "tool_use": ("input_json_delta", "partial_json")}[kind]
            field = "thinking" if kind == "thinking" else field
            value = {"type": "content_block_delta", "index": index,
                     "delta": {"type": name, field: "".join(rng.choices(PIECES, k=2))}}
        quick.take(json.dumps(value, ensure_ascii=ascii_only))
        parsed.take_value(value)
        if rng.random() < 0.3:
            assert quick.parts() == parsed.parts()
    for answer in (quick, parsed):
        answer.end("end_turn")
    assert replace(quick.reply(set()), count=None) == replace(parsed.reply(set()), count=None)


@pytest.mark.parametrize("signature", ["", "[]", "x", "[1]", '["abc"]', "{}", "null", "[[0,0,5]]",
                                       '[[0,"x",{}]]', "[" * 10_000])
def test_a_signature_of_another_kind_keeps_nothing(signature):
    assert kept_blocks(signature) == []


def test_pieces_of_calls_are_told():
    parts = read("".join([*CALL, end("tool_use"), STOP]).encode(), random.Random(1))[0]
    assert {(p.index, p.name) for p in parts} == {(0, "read")}
    assert all(isinstance(p, ArgsPart) for p in parts)
    assert "".join(p.text for p in parts) == '{"path":"a"}'

"""The chat client over real sockets: every shape of answer, as whole values."""

from __future__ import annotations

import json
import threading

import pytest

from clinkai.ai import openai, reading
from clinkai.ai.openai import OpenAIClient
from clinkai.ai.provider import ArgsPart, PrefillPart, Reply, TextPart, ThinkPart
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import (
    AuthRefused, BadResponse, Cancelled, ContextOverflow, ServerTimeout, StreamBroken,
)
from clinkai.core.messages import Message, TokenCount, ToolCall
from tests.ai.chat import answered, request, stream
from tests.server import Answer, FakeServer, call_chunk, chunk, error, event, ok, raw, reply

DONE = "data: [DONE]\n\n"
STOP = chunk({}, "stop")
READ = ToolCall("c1", "read", '{"path":"a"}')


def said(text, count=TokenCount(), **changes):
    warnings = () if count != TokenCount() else ("no_usage",)
    plain = Reply(text, "", "", (), "stop", count, "", warnings)
    return Reply(**{**plain.__dict__, **changes})


def test_a_scripted_answer_comes_piece_by_piece_and_whole_at_the_end():
    script = [reply("Hello there", reasoning="let me think", calls=[("read", {"path": "a"})])]
    with FakeServer(script) as server:
        parts = stream(server)
    call = ToolCall("call_0_read", "read", '{"path": "a"}')
    count = TokenCount(len(server.chats[0].body) // 4, 0, 9)
    assert parts[-1] == Reply("Hello there", "let me think", "reasoning_content", (call,),
                              "tool_calls", count)
    text = {kind: "".join(p.text for p in parts if isinstance(p, kind))
            for kind in (TextPart, ThinkPart, ArgsPart)}
    assert text == {TextPart: "Hello there", ThinkPart: "let me think", ArgsPart: '{"path": "a"}'}


SHAPES = {
    "role chunks, null and empty content": (
        [chunk({"role": "assistant", "content": None}), chunk({"content": ""}),
         chunk({"content": "hi"}), chunk({"role": "assistant", "content": None}), STOP, DONE],
        said("hi")),
    "an index that is no number": (
        [chunk({"content": "h"}).replace('"index":0', f'"index":{other}', 1)
         for other in ('"0"', "true", "-1", "[]", '"x"')] + [STOP, DONE], said("hhhhh")),
    "another choice": (
        [chunk({"content": "hi"}), chunk({"content": "no"}).replace('"index":0', '"index":1', 1),
         chunk({"content": "no"}).replace('"index":0', '"index":"2"', 1), STOP, DONE], said("hi")),
    "nothing but done": ([chunk({"content": "hi"}), DONE], said("hi")),
    "a label and no done": ([chunk({"content": "hi"}), STOP], said("hi")),
    "text beside the label": ([chunk({"content": "hi"}, "stop"), DONE], said("hi")),
    "label in words of others": ([chunk({"content": "hi"}, "end_turn"), DONE], said("hi")),
    "label of another type": ([chunk({"content": "hi"}, {"type": "x"}), DONE], said("hi")),
    "empty label": ([chunk({"content": "a"}, ""), chunk({"content": "b"}, ""), STOP, DONE],
                    said("ab")),
    "last line without an end": (
        [chunk({"content": "hi"}), chunk({"content": "!"}, "stop").rstrip()], said("hi!")),
    "carriage returns": ([chunk({"content": "hi"}).replace("\n", "\r\n"),
                          STOP.replace("\n", "\r"), DONE], said("hi")),
    "comments and pings": ([": ping\n\n", chunk({"content": "hi"}), ":\n\n", "data: ping\n\n",
                            "event: ping\ndata: {}\n\n", STOP, DONE], said("hi")),
    "single newlines between events": (
        [chunk({"content": "a"}).rstrip() + "\n" + chunk({"content": "b"}).rstrip() + "\n",
         STOP, DONE], said("ab")),
    "data without a space": ([chunk({"content": "hi"}).replace("data: ", "data:"), STOP, DONE],
                             said("hi")),
    "choices null, missing, empty, of another type": (
        [event({"choices": None}), event({}), event({"choices": []}), event({"choices": "x"}),
         event({"choices": [None]}), event([1]), event(None), event(5), event({"choices": [{}]}),
         event({"choices": [{"delta": "x"}]}), chunk({"content": "hi"}), STOP, DONE], said("hi")),
    "other choices": (
        [event({"choices": [{"index": 1, "delta": {"content": "X"}, "finish_reason": "stop"},
                            {"index": 0, "delta": {"content": "hi"}}]}), STOP, DONE], said("hi")),
    "content in parts": (
        [chunk({"content": [{"type": "text", "text": "h"}, {"type": "text", "text": "i"}, 7]}),
         chunk({"content": 5}), STOP, DONE], said("hi")),
    "thinking in parts": (
        [chunk({"content": [{"type": "thinking", "thinking": [{"text": "hm"}]}]}),
         chunk({"content": "hi"}), STOP, DONE],
        said("hi", reasoning="hm", reasoning_field="reasoning_content")),
    "both reasoning fields": (
        [chunk({"reasoning_content": "hm", "reasoning": "hm"}), chunk({"content": "hi"}), STOP,
         DONE],
        said("hi", reasoning="hm", reasoning_field="reasoning_content")),
    "the other reasoning field": (
        [chunk({"content": "", "reasoning": "h"}), chunk({"reasoning": "m"}),
         chunk({"content": "hi"}), STOP, DONE],
         said("hi", reasoning="hm", reasoning_field="reasoning")),
    "thinking only": ([chunk({"reasoning": "hm"}), STOP, DONE],
                      said("", reasoning="hm", reasoning_field="reasoning")),
    "characters of many bytes, cut anywhere": (
        [bytes([b]) for b in (chunk({"content": "é→🙂"}) + STOP + DONE).encode()], said("é→🙂")),
    "an escaped pair cut in two": (
        ['data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n',
         'data: {"choices":[{"delta":{"content":"\\ude00b"}}]}\n\n', STOP, DONE], said("a😀b")),
    "half of an escaped pair": (
        ['data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n', STOP, DONE], said("a\ufffd")),
    "a byte order mark": ([b"\xef\xbb", b"\xbf" + chunk({"content": "hi"}).encode(), STOP, DONE],
                          said("hi")),
    "length": ([chunk({"content": "hi"}), chunk({}, "length"), DONE], said("hi", finish="length")),
    "length and nothing else": ([chunk({}, "length"), DONE], said("", finish="length")),
    "a call and stop": (
        [call_chunk(0, '{"path":"a"}', id="c1", name="read"), STOP, DONE],
        said("", tool_calls=(READ,), finish="tool_calls")),
    "a label that promises calls": ([chunk({"content": "hi"}, "tool_calls"), DONE], said("hi")),
    "tool_calls empty or null": (
        [chunk({"content": "h", "tool_calls": []}), chunk({"content": "i", "tool_calls": None}),
         STOP, DONE], said("hi")),
    "length in the last of two calls": (
        [call_chunk(0, '{"path":"a"}', id="c1", name="read"),
         call_chunk(1, '{"path":"b"}', id="c2", name="write"), chunk({}, "length"), DONE],
        said("", tool_calls=(READ,), finish="length", cut_call="write")),
    "a call that is cut under another label": (
        [call_chunk(0, '{"path":"a', id="c1", name="read"), chunk({}, "tool_calls"), DONE],
        said("", finish="length", cut_call="read")),
    "usage as a running total": (
        [chunk({"content": "a"}, usage={"prompt_tokens": 5, "completion_tokens": 1}),
         chunk({"content": "b"}, usage={"prompt_tokens": 5, "completion_tokens": 2}),
         chunk({"content": "c"}, usage=None), STOP, DONE], said("abc", TokenCount(5, None, 2))),
    "usage after the label": (
        [chunk({"content": "hi"}), STOP,
         event({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 1,
                                         "prompt_tokens_details": {"cached_tokens": 4}}}), DONE],
        said("hi", TokenCount(9, 4, 1))),
    "usage inside the choice": (
        [event({"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop",
                             "usage": {"prompt_tokens": 3}}]}), DONE], said("hi", TokenCount(3))),
    "usage of other types": (
        [chunk({"content": "hi"}), chunk({}, "stop", usage={
            "prompt_tokens": "9", "completion_tokens": True, "prompt_tokens_details": []}), DONE],
        said("hi", warnings=())),
    "timings alone": (
        [chunk({"content": "hi"}), chunk({}, "stop", timings={
            "cache_n": 7, "prompt_n": 3, "predicted_n": 2}), DONE],
            said("hi", TokenCount(10, 7, 2))),
    "a whole JSON object": (
        [json.dumps({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}],
                     "usage": {"prompt_tokens": 3, "completion_tokens": 1}})],
        said("hi", TokenCount(3, None, 1))),
    "a whole JSON object in pieces with an end mark": (
        [" \n", '{"choices":[{"message":{"content":"h', 'i"}}]}', "\n\n" + DONE], said("hi")),
    "a whole JSON object with a call": (
        [json.dumps({"choices": [{"message": {"content": None, "tool_calls": [
            {"id": "c1", "function": {"name": "read", "arguments": {"path": "a"}}}]},
            "finish_reason": "stop"}]})], said("", tool_calls=(READ,), finish="tool_calls")),
}


@pytest.mark.parametrize(("pieces", "expected"), SHAPES.values(), ids=SHAPES.keys())
def test_a_shape_of_answer_is_understood(pieces, expected):
    *parts, last = answered(pieces)
    assert last == expected
    text = "".join(p.text for p in parts if isinstance(p, TextPart))
    assert (text, "".join(p.text for p in parts if isinstance(p, ThinkPart))) == (
        expected.content, expected.reasoning)


PARTIAL = chunk({"content": "half"})
FAILURES = {
    "the end without a label": ([PARTIAL], StreamBroken, "error.stream.ended", "half"),
    "an empty body": ([], StreamBroken, "error.stream.ended", ""),
    "a blank body": (["\n\n\n"], StreamBroken, "error.stream.ended", ""),
    "nothing in it": ([chunk({"content": ""}), STOP, DONE], BadResponse,
                      "error.bad_response.nothing", ""),
    "done at once": ([DONE], BadResponse, "error.bad_response.nothing", ""),
    "a label that says error": ([PARTIAL, chunk({}, "error"), DONE], StreamBroken,
                                "error.stream.reported", "half"),
    "an error object": ([PARTIAL, event({"error": {"message": "boom"}}), DONE], StreamBroken,
                        "error.stream.reported", "half"),
    "an error in the same read as text": ([PARTIAL + event({"error": "boom"}) + DONE], StreamBroken,
                                          "error.stream.reported", "half"),
    "an error beside choices": ([chunk({"content": "half"}, error={"message": "x"}), DONE],
                                StreamBroken, "error.stream.reported", "half"),
    "a top-level error": ([PARTIAL, event({"object": "error", "message": "x"})], StreamBroken,
                          "error.stream.reported", "half"),
    "an error event": (["event: error\ndata: it broke\n\n"], StreamBroken,
                       "error.stream.reported", ""),
    "an error event without data": ([PARTIAL, "event: error\n\n"], StreamBroken,
                                    "error.stream.reported", "half"),
    "an error field": ([PARTIAL, 'error: {"message":"context size exceeded"}\n\n'], ContextOverflow,
                       "error.overflow", "half"),
    "a bare JSON line": ([PARTIAL, '{"error":{"message":"x"}}\n\n'], StreamBroken,
                         "error.stream.reported", "half"),
    "a damaged chunk": ([PARTIAL, 'data: {"choices":[{"del\n\n', DONE], StreamBroken,
                        "error.stream.damaged", "half"),
    "a chunk whose field is damaged": (
        [PARTIAL, chunk({"content": "lost"}).replace("data", "dat`"), STOP, DONE], StreamBroken,
        "error.stream.damaged", "half"),
    "a chunk whose brace is damaged": (
        [PARTIAL, chunk({"content": "lost"}).replace("{", "[", 1), STOP, DONE], StreamBroken,
        "error.stream.damaged", "half"),
    "a chunk that begins with another letter": (
        [PARTIAL, chunk({"content": "lost"}).replace("{", "z", 1), STOP, DONE], StreamBroken,
        "error.stream.damaged", "half"),
    "a deep chunk": ([PARTIAL, "data: " + "[" * 100_000 + "\n\n", DONE], StreamBroken,
                     "error.stream.damaged", "half"),
    "a web page": (["<!DOCTYPE html><title>Chat</title>"], BadResponse, "error.bad_response.html",
                   ""),
    "JSON of another form": (['{"status": "ok"}'], BadResponse, "error.bad_response.shape", ""),
    "JSON that reports an error": (['{"error": {"message": "x", "code": 401}}'], AuthRefused,
                                   "error.auth", ""),
    "half a JSON object": (['{"choices": ['], BadResponse, "error.bad_response.json", ""),
    "plain words": (["hello"], BadResponse, "error.bad_response.json", ""),
    "plain words after text": ([chunk({"content": "Hel"}), "hello"], StreamBroken,
                               "error.stream.ended", "Hel"),
    "a call without a label": ([call_chunk(0, '{"command":"rm -r x"}', id="c", name="bash")],
                               StreamBroken, "error.stream.ended", ""),
}


@pytest.mark.parametrize(("pieces", "kind", "key", "text"), FAILURES.values(), ids=FAILURES.keys())
def test_a_failure_has_a_name_and_keeps_the_text(pieces, kind, key, text):
    *parts, last = answered(pieces)
    assert (type(last), last.key) == (kind, key)
    assert "".join(p.text for p in parts if isinstance(p, TextPart)) == text


def test_a_broken_answer_keeps_what_was_counted():
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    last = answered([chunk({"content": "a"}, usage=usage), chunk({"content": "b"}, usage=None)],
                    end="reset")[-1]
    assert (last.key, last.count) == ("error.stream.closed", TokenCount(10, None, 5))


@pytest.mark.parametrize("end", ["stall", "reset"])
def test_nothing_is_waited_for_after_done(end):
    assert answered([chunk({"content": "bye"}), STOP, DONE], end=end)[-1] == said("bye")


@pytest.mark.slow
def test_after_the_label_the_counts_are_waited_for_only_shortly():
    with FakeServer([Answer([chunk({"content": "bye"}), STOP], end="stall")]) as server:
        assert stream(server, idle_timeout=600)[-1] == said("bye")
        assert server.chats[0].gone.wait(30)
    assert reading.GRACE == 2.0


def test_an_answer_with_counts_after_the_label_needs_no_end_mark():
    counted = event({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}})
    parts = answered([chunk({"content": "bye"}), STOP, counted], end="stall")
    assert parts[-1] == said("bye", TokenCount(1, None, 1))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("pieces", [[], [": ping\n\n"], [PARTIAL]])
def test_silence_is_a_timeout(pieces):
    with FakeServer([Answer(pieces, end="stall")]) as server:
        *_, last = stream(server, idle_timeout=0.2)
    assert (type(last), last.key) == (ServerTimeout, "error.timeout")


def test_another_status_is_classified_with_its_body():
    with FakeServer([error(503, {"error": {"message": "Loading model"}})]) as server:
        (last,) = stream(server)
    assert (last.kind, last.params) == ("server_loading", {"message": "Loading model"})


def test_a_refusal_whose_body_breaks_is_still_one():
    broken = raw(b"HTTP/1.1 401 No\r\nContent-Length: 99\r\n\r\n{", end="reset")
    with FakeServer([broken]) as server:
        (last,) = stream(server)
    assert (last.kind, last.params) == ("auth", {"message": "{"})


def test_progress_is_told_and_is_no_text():
    progress = {"total": 900, "cache": 5, "processed": 450, "time_ms": 210.7}
    parts = answered([chunk({"content": None}, prompt_progress=progress),
                      event({"choices": [], "prompt_progress": {"total": "x"}}),
                      chunk({"content": "go"}), STOP, DONE])
    assert parts == [PrefillPart(450, 900, 5, 210), PrefillPart(0, 0, 0, 0), TextPart("go"),
                     said("go")]


def test_tokens_that_arrive_together_are_one_part():
    parts = answered(["".join(chunk({"content": c}) for c in "abc") + STOP + DONE])
    assert parts == [TextPart("abc"), said("abc")]


def test_made_up_ids_differ_from_all_in_the_conversation():
    earlier = (Message("user", "hi"), Message("assistant", "", tool_calls=(READ,)),
               Message("tool", "x", call_id="c1", name="read"))
    pieces = [call_chunk(0, "{}", id="c1", name="ls"), call_chunk(1, "{}", id="", name="ls"), STOP]
    last = answered(pieces, request(*earlier))[-1]
    ids = [call.id for call in last.tool_calls]
    assert len({*ids, "c1"}) == 3 and all(ids)


def test_a_second_request_of_a_client_extends_the_first():
    with FakeServer([reply("one"), reply("two")]) as server:
        client = OpenAIClient(Transport(server.base_url))
        first = (Message("user", "hi"),)
        (*_, said_one) = client.stream(request(*first), Cancel())
        then = (*first, Message("assistant", said_one.content), Message("user", "more"))
        (*_, said_two) = client.stream(request(*then), Cancel())
    one, two = (r.body for r in server.chats)
    assert two.startswith(one.removesuffix(b"]}"))
    assert said_two.count.cached == (len(one) - 2) // 4


@pytest.mark.parametrize("begun", [False, True])
def test_cancelling_ends_the_answer_and_keeps_the_parts(begun):
    written, cancel, parts = threading.Event(), Cancel(), []
    pieces = [PARTIAL, written.set] if begun else [written.set]
    with FakeServer([Answer(pieces, end="stall")]) as server:
        client = OpenAIClient(Transport(server.base_url))

        def stop():
            if written.wait(30):
                cancel.set()

        thread = threading.Thread(target=stop)
        thread.start()
        with pytest.raises(Cancelled):
            for part in client.stream(request(), cancel):
                parts.append(part)
        thread.join(30)
    assert parts in ([], [TextPart("half")] if begun else [])


def test_an_abandoned_answer_lets_go_of_the_connection():
    with FakeServer([Answer([PARTIAL], end="stall")]) as server:
        parts = OpenAIClient(Transport(server.base_url)).stream(request(), Cancel())
        assert next(parts) == TextPart("half")
        parts.close()
        assert server.chats[0].gone.wait(30)


def test_the_window_is_asked_for_once():
    with FakeServer(n_ctx=4096) as server:
        client = OpenAIClient(Transport(server.base_url))
        assert client.known_window is None
        assert (client.window(Cancel()), client.window(Cancel()), client.known_window) == (
            4096, 4096, 4096)
    assert [r.path for r in server.requests] == ["/props"]


def test_a_server_that_keeps_silent_about_its_window_is_not_waited_for():
    silent = raw(b"", end="stall")
    with FakeServer() as server:
        server.routes.update({"GET /props": silent, "GET /v1/models": silent})
        client = OpenAIClient(Transport(server.base_url, idle_timeout=0.2))
        assert client.window(Cancel()) is None
        assert client.transport.within(openai.PATIENCE).idle_timeout == 0.2
    assert Transport(server.base_url).within(openai.PATIENCE).idle_timeout == 10.0


def test_a_compressed_stream_is_read():
    import gzip

    body = gzip.compress((chunk({"content": "hi"}) + STOP + DONE).encode())
    answer = Answer([body[:20], body[20:]], headers={"Content-Encoding": "gzip"})
    with FakeServer([answer]) as server:
        assert stream(server)[-1] == said("hi")


def test_a_plain_json_answer_with_a_length_is_read():
    with FakeServer([ok({"choices": [{"message": {"content": "hi"}}]})]) as server:
        assert stream(server)[-1] == said("hi")

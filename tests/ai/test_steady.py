"""Waiting and trying again, over sockets: what is sent again, what is told, and what is raised."""

from __future__ import annotations

import threading

import pytest

from clinkai.ai.openai import OpenAIClient
from clinkai.ai.provider import (
    ArgsPart, PrefillPart, Reply, RestartPart, Sampling, TextPart, ThinkPart, WaitPart,
)
from clinkai.ai.patience import Times
from clinkai.ai.steady import Steady
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import Cancelled, ModelServerError
from clinkai.core.messages import Message, ToolCall
from tests.ai.chat import request
from tests.server import Answer, FakeServer, call_chunk, chunk, error, event, ok, reply

QUICK = Times(tick=0.01, back_off=(0.01, 0.02, 0.03), again=0.02, down=5.0)
LOADING = error(503, {"error": {"message": "Loading model", "type": "unavailable_error"}})
BUSY = error(503, {"error": "server busy, please try again"})
GATEWAY = error(502, "<html><h1>502 Bad Gateway</h1></html>", {"Content-Type": "text/html"})
BOOM = error(500, {"error": {"message": "EngineCore encountered an issue"}})
NOTHING = reply("")
UNREADABLE = error(500, {"error": {"message": "Failed to parse input at pos 7: <tool_call>"}})
HANGS_UP = Answer([chunk({"content": ""})])
REPORTED = Answer([event({"error": {"message": "boom", "code": 500}})])


def steady(server, times=QUICK, idle_timeout=5.0):
    return Steady(OpenAIClient(Transport(server.base_url, idle_timeout=idle_timeout)), times)


def run(client, asked=None, cancel=None):
    """The parts, the error last where one was raised."""
    parts = []
    try:
        for part in client.stream(asked or request(), cancel or Cancel()):
            parts.append(part)
    except ModelServerError as problem:
        parts.append(problem)
    return parts


def told(parts):
    """What was told, in short: each kind of wait once in a row."""
    out = []
    for part in parts:
        kind = type(part)
        word = part.why if kind is WaitPart else part.kind if isinstance(part, Exception) \
            else {RestartPart: "restart", Reply: "reply"}.get(kind, "")
        if word and out[-1:] != [word]:
            out.append(word)
    return out


TRIED = [
    ([GATEWAY], ["retry", "reply"]), ([BOOM, BOOM, BOOM], ["retry", "reply"]),
    ([error(500, "")], ["retry", "reply"]), ([error(504, "upstream timeout")], ["retry", "reply"]),
    ([HANGS_UP, REPORTED], ["retry", "reply"]), ([Answer([b""], end="reset")], ["retry", "reply"]),
    ([BUSY, BUSY], ["rate", "reply"]), ([error(429, "")], ["rate", "reply"]),
    ([error(429, "", {"Retry-After": "0.02"})], ["rate", "reply"]),
    ([BUSY, GATEWAY, REPORTED], ["rate", "retry", "reply"]),
    ([NOTHING], ["reply"]), ([UNREADABLE], ["reply"]), ([NOTHING, UNREADABLE], ["reply"]),
]


@pytest.mark.parametrize(("script", "expected"), TRIED)
def test_what_may_pass_is_tried_again_with_the_same_bytes(script, expected):
    with FakeServer([*script, reply("done")]) as server:
        parts = run(steady(server))
        bodies = [chat.body for chat in server.chats]
    assert told(parts) == expected
    assert parts[-1].content == "done"
    assert bodies == [bodies[0]] * (len(script) + 1)


GIVEN_UP = [
    ([GATEWAY] * 4, ["retry", "bad_response"]), ([HANGS_UP] * 4, ["retry", "stream_error"]),
    ([BUSY] * 4, ["rate", "rate_limit"]), ([BUSY, BUSY, BOOM, BOOM], ["rate", "retry",
                                                                      "stream_error"]),
    ([NOTHING] * 2, ["bad_response"]), ([UNREADABLE] * 2, ["stream_error"]),
    ([error(401, "")], ["auth"]), ([error(400, {"error": "no"})], ["bad_request"]),
    ([error(404, "")], ["bad_request"]), ([error(413, "")], ["bad_request"]),
    ([error(200, "<html><title>Chat</title>", {"Content-Type": "text/html"})], ["bad_response"]),
    ([error(400, {"error": {"code": "context_length_exceeded"}})], ["context_overflow"]),
    ([error(500, {"error": "error loading model: bad file"})], ["stream_error"]),
    ([error(500, {"error": "Failed to parse tool call arguments"})], ["bad_request"]),
    ([error(501, "")], ["bad_response"]),
]


@pytest.mark.parametrize(("script", "expected"), GIVEN_UP)
def test_what_will_not_pass_is_raised(script, expected):
    with FakeServer(script) as server:
        assert told(run(steady(server))) == expected
        assert len(server.chats) == len(script)


def test_silence_is_not_tried_again():
    with FakeServer([Answer([chunk({"content": ""})], end="stall")]) as server:
        assert told(run(steady(server, idle_timeout=0.1))) == ["timeout"]


@pytest.mark.parametrize(("end", "kind"), [
    (event({"error": {"message": "boom"}}), "stream_error"), (b"", "stream_error"),
    (event({"error": {"message": "Loading model"}}), "server_loading"),
    (event({"error": {"message": "overloaded"}}), "rate_limit"),
])
def test_an_answer_is_not_tried_again_after_text(end, kind):
    with FakeServer([Answer([chunk({"content": "Step 1"}), end])]) as server:
        parts = run(steady(server))
    assert told(parts) == [kind]
    assert parts[0] == TextPart("Step 1")


@pytest.mark.parametrize("shown", [
    [chunk({"reasoning_content": "hm"})], [call_chunk(0, '{"pa', id="c", name="read")],
    [chunk({"reasoning_content": "hm"}), call_chunk(0, '{"pa', id="c", name="read")],
])
def test_thinking_and_pieces_of_calls_are_void_when_it_starts_again(shown):
    with FakeServer([Answer(shown), reply("done", reasoning="hm")]) as server:
        parts = run(steady(server))
        assert server.chats[0].body == server.chats[1].body
    assert told(parts) == ["restart", "retry", "reply"]
    first = parts.index(RestartPart("error.stream.ended", {}))
    assert {type(p) for p in parts[:first]} <= {ThinkPart, ArgsPart}
    assert (parts[-1].content, parts[-1].reasoning, parts[-1].tool_calls) == ("done", "hm", ())


def test_progress_of_reading_the_prompt_voids_nothing():
    progress = {"prompt_progress": {"processed": 1, "total": 2, "cache": 0, "time_ms": 1}}
    with FakeServer([Answer([event({"choices": [], **progress})]), reply("a")]) as server:
        parts = run(steady(server))
    assert told(parts) == ["retry", "reply"]
    assert parts[0] == PrefillPart(1, 2, 0, 1)


# -- how long


def test_waits_count_up_and_down():
    times = Times(tick=0.02, back_off=(0.07,))
    with FakeServer([BUSY, reply("a")]) as server:
        waits = [p for p in run(steady(server, times)) if type(p) is WaitPart]
    assert len(waits) >= 3
    assert [w.seconds for w in waits] == sorted(w.seconds for w in waits)
    assert all(w.why == "rate" and abs(w.seconds + w.left - 0.07) < 1e-6 for w in waits)
    assert waits[0].seconds < 0.02


def test_a_wait_that_is_too_long_is_told_and_not_waited_for():
    with FakeServer([error(429, {"error": "slow down"}, {"Retry-After": "301"})]) as server:
        [problem] = run(steady(server))
    assert (problem.kind, problem.key, problem.params) == (
        "rate_limit", "error.rate.long",
        {"message": "slow down", "retry_after_s": 301.0, "wait": "5 min 1 s"})


# -- a server that loads


@pytest.mark.parametrize("page", [True, False])
def test_a_loading_server_is_waited_for(page):
    polls = []

    def health(_):
        polls.append(1)
        return LOADING if len(polls) < 3 else ok({"status": "ok"})

    with FakeServer([LOADING, *([] if page else [LOADING]), reply("a")], health=None) as server:
        if page:
            server.routes["GET /health"] = health
        parts = run(steady(server))
        bodies = {chat.body for chat in server.chats}
    assert told(parts) == ["loading", "reply"]
    assert len(bodies) == 1
    assert len(polls) == (3 if page else 0)
    waits = [p for p in parts if type(p) is WaitPart]
    assert (waits[0].left, waits[0].seconds < 0.01) == (None, True)
    assert [w.seconds for w in waits] == sorted(w.seconds for w in waits)


@pytest.mark.parametrize("health", ["loading", None])
def test_a_server_that_never_loads_is_given_up(health):
    with FakeServer(lambda _: LOADING, health=health) as server:
        parts = run(steady(server, idle_timeout=0.1))
    assert told(parts) == ["loading", "server_loading"]
    assert parts[-2].seconds >= 0.1


# -- a server that died


def test_a_server_that_never_answered_is_an_error_at_once():
    with FakeServer() as server:
        pass
    assert told(run(steady(server))) == ["unreachable"]


def test_a_server_that_died_is_waited_for_and_given_up():
    with FakeServer([reply("a")]) as server:
        client = steady(server, Times(tick=0.01, down=0.05))
        assert told(run(client)) == ["reply"]
    parts = run(client)
    assert told(parts) == ["down", "unreachable"]
    assert parts[-1].key == "error.unreachable.gone" and set(parts[-1].params) == {"wait"}


def test_a_server_that_died_and_loads_again_is_waited_for():
    states = [error(502, ""), error(502, ""), LOADING, LOADING, ok({})]
    with FakeServer([Answer([chunk({"content": ""})], end="reset"), reply("a")]) as server:
        server.routes["GET /health"] = lambda _: states.pop(0)
        parts = run(steady(server))
        assert server.chats[0].body == server.chats[1].body
    assert told(parts) == ["down", "loading", "reply"]


# -- cancelling


@pytest.mark.parametrize(("answer", "health", "why"), [
    (BUSY, None, "rate"), (GATEWAY, None, "retry"), (LOADING, "loading", "loading"),
    (LOADING, None, "loading"),
])
def test_every_wait_can_be_cancelled(answer, health, why):
    cancel = Cancel()
    with FakeServer([answer], health=health) as server:
        parts = steady(server, Times(back_off=(60.0,), again=60.0)).stream(request(), cancel)
        assert next(parts).why == why
        threading.Timer(0.02, cancel.set).start()
        with pytest.raises(Cancelled):
            list(parts)


# -- what a server rejects


def test_text_that_goes_into_the_thinking_from_now_on_is_told_as_that():
    talk = (Message("user", "x"), Message("assistant", "a", reasoning="hm", tool_calls=(
        ToolCall("1", "ls", "{}"),)), Message("tool", "r", call_id="1", name="ls"))
    both = error(500, {"error": {"message": "Cannot pass both content and thinking"}})
    with FakeServer([both, reply("a")]) as server:
        parts = run(steady(server), request(messages=talk))
    assert parts[-1].warnings == ("folded",)


def test_rejected_fields_are_left_out_from_then_on():
    sampling = Sampling(min_p=0.1, top_k=5, extra=(("odd", 1),))
    refuse = [error(400, {"error": f"Unrecognized request argument supplied: {name}"})
              for name in ("min_p", "odd", "stream_options")]
    with FakeServer([*refuse, reply("a"), reply("b")]) as server:
        client = steady(server)
        parts = run(client, request(sampling=sampling))
        again = run(client, request(sampling=sampling))
        sent = [chat.json for chat in server.chats]
    assert told(parts) == told(again) == ["reply"]
    assert [w for w in parts[-1].warnings if ":" in w] == [
        "field_rejected:min_p", "field_rejected:odd", "field_rejected:stream_options"]
    assert not [w for w in again[-1].warnings if ":" in w]
    for before, after, name in zip(sent, sent[1:], ("min_p", "odd", "stream_options")):
        assert before.pop(name) and before == after
    assert sent[4] == sent[3]


def test_a_limit_that_has_another_name_gets_it():
    refused = error(400, {"error": {"message": "Unsupported parameter: 'max_tokens'. Use "
                                    "'max_completion_tokens' instead.", "param": "max_tokens"}})
    with FakeServer([refused, reply("a")]) as server:
        run(steady(server))
        sent = [chat.json for chat in server.chats]
    assert sent[1].pop("max_completion_tokens") == sent[0].pop("max_tokens") == 100
    assert sent[0] == sent[1]


def test_a_field_that_is_rejected_again_is_an_error():
    refused = error(400, {"error": "unknown field min_p"})
    with FakeServer([refused, refused]) as server:
        parts = run(steady(server), request(sampling=Sampling(min_p=0.1)))
        assert "min_p" not in server.chats[1].json
    assert told(parts) == ["bad_request"]


def test_text_beside_thinking_is_folded_where_the_template_refuses_both():
    said = Message("assistant", "text", reasoning="hm", reasoning_field="reasoning",
                   tool_calls=(ToolCall("c", "ls", "{}"),))
    asked = request(Message("user", "hi"), said, Message("tool", "x", name="ls", call_id="c"))
    refused = error(500, {"error": {"message": "Cannot pass both content and thinking in an "
                                    "assistant message with tool calls!"}})
    with FakeServer([refused, reply("a"), reply("b")]) as server:
        client = steady(server)
        assert [told(run(client, asked)) for _ in range(2)] == [["reply"]] * 2
        folded = [chat.json["messages"][2] for chat in server.chats]
    assert (folded[0]["content"], folded[0]["reasoning"]) == ("text", "hm")
    assert (folded[1]["content"], folded[1]["reasoning"]) == ("", "hm\n\ntext")
    assert folded[1] == folded[2]


# -- the window


@pytest.mark.parametrize(("n_ctx", "window"), [(4096, 4096), (3, 16384)])
def test_an_overflow_tells_the_window_of_its_model(n_ctx, window):
    full = error(400, {"error": {"message": "request (5000 tokens) exceeds the available context "
                                 f"size ({n_ctx} tokens)", "type": "exceed_context_size_error"}})
    with FakeServer([full, reply("a"), reply("b")]) as server:
        client = steady(server)
        assert client.window(Cancel()) == 16384
        assert told(run(client)) == ["context_overflow"]
        assert client.known_window == client.window(Cancel()) == window
        run(client)
        assert client.known_window == window
        run(client, request(model="other"))
        assert client.known_window == 16384

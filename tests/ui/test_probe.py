"""`probe`: one request, one line of JSON with every key, whatever came back."""

from __future__ import annotations

import json

import pytest

from tests.ai.test_quirks import ROWS, agrees
from tests.server import Answer, FakeServer, call_chunk, case, chunk, error, reply

KEYS = ["content", "reasoning", "tool_calls", "finish", "error_kind", "overflow", "retry_after_s",
        "usage", "warn"]
OVERFLOW = {"error": {"message": "too long", "type": "exceed_context_size_error",
                      "n_prompt_tokens": 9, "n_ctx": 8}}
PLAIN = dict(zip(KEYS, ("", "", [], "error", None, None, None, None, [])))

ANSWERS = {
    "text": (reply("Hé", reasoning="hm", usage={"prompt_tokens": 5, "completion_tokens": 2}),
             {"content": "Hé", "reasoning": "hm", "finish": "stop",
              "usage": {"prompt": 5, "completion": 2, "cached": None}}),
    "calls": (reply(calls=[("read", {"path": "é"}), ("ls", "no json")], usage=None),
              {"tool_calls": [{"name": "read", "arguments": {"path": "é"}},
                              {"name": "ls", "arguments": None}],
               "finish": "tool_calls", "warn": ["no_usage"]}),
    "repaired": (Answer([call_chunk(0, "{'path': 'a'}", id="c", name="READ"), chunk({}, "stop")]),
                 {"tool_calls": [{"name": "read", "arguments": {"path": "a"}}],
                  "finish": "tool_calls", "warn": ["name_fixed", "repaired_call", "no_usage"]}),
    "length": (reply("half", finish="length", usage=None),
               {"content": "half", "finish": "length", "warn": ["no_usage"]}),
    "overflow": (error(400, OVERFLOW), {"error_kind": "context_overflow",
                                        "overflow": {"prompt": 9, "limit": 8}}),
    "rate limit": (error(429, "", {"Retry-After": "7"}),
                   {"error_kind": "rate_limit", "retry_after_s": 7}),
    "loading": (error(503, {"error": {"message": "Loading model"}}),
                {"error_kind": "server_loading"}),
    "auth": (error(401, ""), {"error_kind": "auth"}),
    "refused": (error(400, {"error": "no"}), {"error_kind": "bad_request"}),
    "a web page": (error(200, "<html>"), {"error_kind": "bad_response"}),
    "a redirect": (Answer([], 307, {"Location": "http://elsewhere.example/"}),
                   {"error_kind": "bad_response"}),
    "broken": (Answer([chunk({"content": "half"}, usage={"prompt_tokens": 3})], end="reset"),
               {"content": "half", "error_kind": "stream_error",
                "usage": {"prompt": 3, "completion": None, "cached": None}}),
    "silent": (Answer([chunk({"content": "half"})], end="stall"),
               {"content": "half", "error_kind": "timeout"}),
}


def printed(ended):
    assert (ended.code, ended.err, ended.out.count("\n"), ended.raw.isascii()) == (0, "", 1, True)
    return json.loads(ended.out)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("answer", "expected"), ANSWERS.values(), ids=ANSWERS.keys())
def test_every_answer_is_one_line_with_every_key(program, answer, expected):
    with FakeServer([answer]) as server:
        program.setting(BASE_URL=server.base_url, MODEL="local", IDLE_TIMEOUT="0.5")
        body = printed(program.run("probe"))
        assert [(r.method, r.path) for r in server.requests] == [("POST", "/v1/chat/completions")]
    assert list(body) == KEYS
    assert body == {**PLAIN, **expected}
    assert program.sessions == []


@pytest.mark.parametrize("name", ["text-lfm2-53", "reasoning-harmony-bare-15", "tool-residue-40",
                                  "overflow-silent-ollama-20"])
def test_a_reported_answer_is_printed_as_it_is_understood(program, name):
    row = next(row for row in ROWS if row["id"] == name)
    task = " ".join(map(str, range(row.get("sent_prompt_tokens_est", 2) * 3 // 5)))
    with FakeServer([case(row)]) as server:
        program.setting(BASE_URL=server.base_url, MODEL="local")
        body = printed(program.run("probe", "--prompt", "-", stdin=task.encode()))
    warn = row["expect"].get("warn")
    assert agrees(body, row) and (warn is None or warn in body["warn"])


def test_a_server_that_is_not_there_is_an_answer_too(program):
    with FakeServer() as server:
        pass
    program.setting(BASE_URL=server.base_url, MODEL="local")
    assert printed(program.run("probe"))["error_kind"] == "unreachable"
    assert printed(program.run("probe", "--models")) == {"models": [], "error_kind": "unreachable"}


def test_the_request_holds_the_prompt_and_the_tools_of_a_session(program):
    with FakeServer([reply("a"), reply("b"), reply("c")]) as server:
        program.setting(BASE_URL=server.base_url, MODEL="local")
        program.run("probe", "--prompt", "你好")
        program.run("probe", "--no-tools", "--prompt", "-", stdin="from a pipe".encode())
        program.run("probe")
        one, two, three = (r.json for r in server.chats)
    assert one["messages"] == [{"role": "user", "content": "你好"}]
    assert [t["function"]["name"] for t in one["tools"]] == [
        "read", "write", "edit", "ls", "grep", "bash"]
    assert (two["messages"], "tools" in two) == ([{"role": "user", "content": "from a pipe"}],
                                                 False)
    assert three["messages"][0]["content"]
    assert (one["max_tokens"], one["temperature"], one["stream"]) == (4096, 0.3, True)


def test_without_a_model_the_only_one_served_is_asked(program):
    with FakeServer([reply("a")], models=("sole",)) as server:
        body = printed(program.setting(BASE_URL=server.base_url).run("probe"))
        assert server.chats[0].json["model"] == "sole"
    assert body["content"] == "a"


def test_the_stand_in_can_be_probed(program):
    program.setting(PROVIDER="demo")
    body = printed(program.run("probe", "--prompt", "read a.txt"))
    assert body["tool_calls"] == [{"name": "read", "arguments": {"path": "a.txt"}}]


def test_settings_that_cannot_be_used_are_an_error(program):
    ended = program.setting(BASE_URL="nowhere").run("probe")
    assert (ended.code, ended.out) == (2, "") and "nowhere" in ended.err


def test_an_answer_that_repeats_itself_is_a_cut_one(program):
    again = reply("", pieces=["Start. ", *["I will look at the file now. "] * 20])
    with FakeServer([again]) as server:
        program.setting(BASE_URL=server.base_url, MODEL="local", THINKING="off")
        body = printed(program.run("probe", "--prompt", "go"))
    assert (body["finish"], body["content"], body["warn"]) == (
        "length", "Start. I will look at the file now. ", ["no_usage"])

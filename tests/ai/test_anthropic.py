"""The Anthropic client: what it sends, how the body grows, and whole answers over real sockets."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from clinkai.ai.anthropic import VERSION, AnthropicClient, way
from clinkai.ai.anthropic_body import CACHED, NOTHING, AnthropicBody
from clinkai.ai.blocks import UNSIGNED
from clinkai.ai.failures import classify
from clinkai.ai.learned import OPTIONAL, rejected_field
from clinkai.ai.provider import Reply, TextPart, ThinkPart
from clinkai.ai.servers import list_models
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import ModelServerError
from clinkai.core.messages import Message, TokenCount, ToolCall
from clinkai.core.state import Sampling
from clinkai.core.value import replace
from tests.ai.chat import TOOLS, UNTIMED, request
from tests.server import Answer, FakeServer, anthropic_reply, error, ok, raw, reply

LIVE = Path(__file__).parent.parent / "cases/live"
KEY = "sk-SECRET-123456"
CALL = ToolCall("c1", "read", '{"path":  "é.txt", "n": 1.0}')
SIGNATURE = json.dumps([[0, 0, {"type": "thinking", "thinking": "hm", "signature": "S"}]])
USER = {"role": "user", "content": [{"type": "text", "text": "hi"}]}


def stream(client, asked=None):
    """The parts, the Reply or the error last; measured times taken out."""
    parts = []
    try:
        for part in client.stream(asked or request(), Cancel()):
            parts.append(part)
    except ModelServerError as problem:
        parts.append(problem)
    if isinstance(parts[-1], Reply):
        parts[-1] = replace(parts[-1], count=replace(parts[-1].count, **UNTIMED))
    return parts


def client_of(server, **options):
    return AnthropicClient(Transport(server.base_url, **options))


def sent(*messages, kind="", **changes):
    """The body of a request as an object."""
    body = AnthropicBody()
    body.kind = kind
    return json.loads(body.render(request(*messages, **changes)))


# -- the body


def test_the_body_says_all_of_it_with_the_messages_last():
    told = sent(
        Message("user", "你好"),
        Message("assistant", "I look.", reasoning="hm", reasoning_field="thinking",
                tool_calls=(CALL, replace(CALL, id="c2")), signature=SIGNATURE),
        Message("tool", "one line", call_id="c1", name="read"),
        Message("tool", "no", call_id="c2", name="read", ok=False),
        Message("assistant", "done"))
    tools = [{"name": t["function"]["name"], "description": t["function"]["description"],
              "input_schema": t["function"]["parameters"]} for t in TOOLS]
    tools[-1]["cache_control"] = CACHED
    assert told == {
        "model": "local", "max_tokens": 100, "stream": True, "cache_control": CACHED,
        "temperature": 0.3, "tools": tools,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": CACHED}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "你好"}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "S"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "c1", "name": "read",
                 "input": {"path": "é.txt", "n": 1.0}},
                {"type": "tool_use", "id": "c2", "name": "read",
                 "input": {"path": "é.txt", "n": 1.0}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "one line"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "no", "is_error": True}]},
            {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
        ],
    }
    assert list(told)[-1] == "messages"


def test_arguments_stand_as_they_are_kept():
    body = bytes(AnthropicBody().render(request(Message("assistant", "", tool_calls=(CALL,)))))
    assert f'"input":{CALL.arguments}}}'.encode() in body


THINK = Sampling(thinking="on")
HEADS = [
    ({}, "", {"temperature": 0.3}),
    ({"temperature": None}, "", {}),
    ({"sampling": Sampling(top_p=0.9, top_k=40, min_p=0.1, seed=1)}, "", {"top_p": 0.9,
                                                                          "top_k": 40}),
    ({"sampling": Sampling(top_p=0.9, top_k=40)}, "llama.cpp",
     {"temperature": 0.3, "top_p": 0.9, "top_k": 40}),
    ({"sampling": THINK}, "", {"thinking": {"type": "adaptive"}}),
    ({"sampling": Sampling(thinking="on", top_p=0.9, top_k=4)}, "",
     {"thinking": {"type": "adaptive"}}),
    ({"sampling": Sampling(thinking="on", top_p=0.97)}, "",
     {"thinking": {"type": "adaptive"}, "top_p": 0.97}),
    ({"sampling": Sampling(thinking="2048"), "max_tokens": 4096}, "",
     {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
    ({"sampling": Sampling(thinking="9000"), "max_tokens": 4096}, "",
     {"thinking": {"type": "enabled", "budget_tokens": 3072}}),
    ({"sampling": Sampling(thinking="off")}, "",
     {"thinking": {"type": "disabled"}, "temperature": 0.3}),
    ({"sampling": THINK, "max_tokens": 4096}, "llama.cpp",
     {"thinking": {"type": "enabled", "budget_tokens": 2048}, "temperature": 0.3,
      "chat_template_kwargs": {"enable_thinking": True}}),
    ({"sampling": Sampling(thinking="off")}, "llama.cpp",
     {"thinking": {"type": "disabled"}, "temperature": 0.3,
      "chat_template_kwargs": {"enable_thinking": False}}),
    ({"sampling": THINK, "tool_choice": "read"}, "",
     {"temperature": 0.3, "tool_choice": {"type": "tool", "name": "read"}}),
    ({"tool_choice": "required"}, "", {"temperature": 0.3, "tool_choice": {"type": "any"}}),
    ({"tool_choice": "none"}, "", {"temperature": 0.3, "tool_choice": {"type": "none"}}),
    ({"sampling": THINK, "tool_choice": "auto"}, "",
     {"thinking": {"type": "adaptive"}, "tool_choice": {"type": "auto"}}),
    ({"tools": (), "tool_choice": "required"}, "", {"temperature": 0.3, "tools": None}),
    ({"system": ""}, "", {"temperature": 0.3, "system": None}),
    ({"sampling": Sampling(extra=(("metadata", {"user_id": "u"}), ("messages", 1), ("model", "x"),
                                  ("thinking", {"display": "omitted"})), thinking="on")}, "",
     {"metadata": {"user_id": "u"}, "thinking": {"type": "adaptive", "display": "omitted"}}),
]


@pytest.mark.parametrize(("changes", "kind", "fields"), HEADS)
def test_the_head_has_what_is_asked_for(changes, kind, fields):
    told = sent(kind=kind, **changes)
    base = sent(temperature=None)
    expected = {**base, "max_tokens": changes.get("max_tokens", 100), **fields}
    assert told == {name: value for name, value in expected.items() if value is not None}
    assert list(told)[-1] == "messages"


def test_a_field_that_is_dropped_is_not_sent_again():
    client = AnthropicClient(Transport("http://127.0.0.1:1"))
    body = client._body
    body.render(request())
    assert client.drop("cache_control") and not client.drop("messages")
    told = json.loads(body.render(request()))
    assert "cache_control" not in told and told["system"][0]["cache_control"] == CACHED
    assert not client.drop("seed") and client.drop("temperature")
    assert "temperature" not in json.loads(body.render(request()))
    assert not client.drop("temperature")


def thinking(text, signature):
    return {"type": "thinking", "thinking": text, "signature": signature}


def text(said):
    return {"type": "text", "text": said}


USE = {"type": "tool_use", "id": "c", "name": "ls", "input": {}}
LS = (ToolCall("c", "ls", "{}"),)
TWO = json.dumps([[0, 0, thinking("a", "S")], [2, 0, {"type": "redacted_thinking", "data": "R"}],
                  [2, 1, thinking("", "T")]])
MESSAGES = [
    (Message("assistant", "a"), "", [text("a")]),
    (Message("assistant", ""), "", [text(NOTHING)]),
    (Message("assistant", " \n", tool_calls=LS), "", [USE]),
    (Message("assistant", "a", reasoning="hm"), "", [text("a")]),
    (Message("assistant", "a", reasoning="hm", reasoning_field="reasoning"), "", [text("a")]),
    (Message("assistant", "", reasoning="hm"), "", [text(NOTHING)]),
    (Message("assistant", "a", reasoning="hm"), "llama.cpp", [thinking("hm", ""), text("a")]),
    (Message("assistant", "a", reasoning="hm", signature=UNSIGNED), "",
     [thinking("hm", ""), text("a")]),
    (Message("assistant", "a", reasoning="hm", signature=SIGNATURE), "llama.cpp",
     [thinking("hm", "S"), text("a")]),
    (Message("assistant", "a", reasoning="changed", signature=SIGNATURE), "",
     [thinking("hm", "S"), text("a")]),
    (Message("assistant", "a", reasoning="hm", signature="of another wire"), "", [text("a")]),
    (Message("assistant", "", signature=SIGNATURE), "", [thinking("hm", "S")]),
    (Message("assistant", "hi!", tool_calls=LS, signature=TWO), "",
     [thinking("a", "S"), text("hi"), {"type": "redacted_thinking", "data": "R"}, USE,
      thinking("", "T"), text("!")]),
    (Message("assistant", "h", signature=TWO), "",
     [thinking("a", "S"), text("h"), {"type": "redacted_thinking", "data": "R"},
      thinking("", "T")]),
    (Message("assistant", "", tool_calls=(
        ToolCall("functions.read:0", "a b/é", '{"a":NaN}'),)), "", [
            {"type": "tool_use", "id": "functions_2eread_3a0", "name": "a_20b_2f_e9",
             "input": {}}]),
    (Message("user", ""), "", [text(NOTHING)]),
    (Message("user", "half \ud83d"), "", [text("half \ufffd")]),
    (Message("tool", "", call_id="a.b", name="ls"), "",
     [{"type": "tool_result", "tool_use_id": "a_2eb", "content": ""}]),
    (Message("tool", "", call_id="c", name="ls", ok=False), "",
     [{"type": "tool_result", "tool_use_id": "c", "content": NOTHING, "is_error": True}]),
]


@pytest.mark.parametrize(("message", "kind", "blocks"), MESSAGES)
def test_a_message_goes_over_the_wire(message, kind, blocks):
    role = "assistant" if message.role == "assistant" else "user"
    assert sent(message, kind=kind)["messages"] == [{"role": role, "content": blocks}]


def test_roles_alternate():
    messages = [Message("user", "a"), Message("user", "b"),
                Message("assistant", "c", tool_calls=LS),
                Message("tool", "d", call_id="c", name="ls"), Message("user", "e"),
                Message("assistant", "f"), Message("assistant", "g"), Message("user", "h")]
    assert [(m["role"], [b.get("text") or b["type"] for b in m["content"]])
            for m in sent(*messages)["messages"]] == [
        ("user", ["a", "b"]), ("assistant", ["c", "tool_use"]), ("user", ["tool_result", "e"]),
        ("assistant", ["f", "g"]), ("user", ["h"])]


def conversation(rounds, rng):
    """Rounds with one or several calls, turns in between, some broken off, all kinds of thinking."""
    for n in range(rounds):
        if n % 4 == 0:
            yield [Message("user", f"task {n}")]
        calls = tuple(ToolCall(f"c{n}{k}", "read", "{}") for k in range(rng.randrange(3)))
        yield [Message("assistant", rng.choice(["", "text"]), tool_calls=calls, reasoning="hm",
                       signature=rng.choice(["", UNSIGNED, SIGNATURE])),
               *(Message("tool", "r" * n, call_id=call.id, name="read") for call in calls)]
        if not calls:
            yield [Message("user", "go on")]


@pytest.mark.parametrize("seed", range(5))
def test_a_request_is_the_one_before_it_with_more_at_the_end(seed):
    body, before, messages = AnthropicBody(), b"", ()
    for news in conversation(40, random.Random(seed)):
        messages = (*messages, *news)
        asked = request(*messages)
        told = bytes(body.render(asked))
        assert told.startswith(before)
        assert told == bytes(AnthropicBody().render(asked))
        roles = [m["role"] for m in json.loads(told)["messages"]]
        assert all(a != b for a, b in zip(roles, roles[1:]))
        before = told.removesuffix(b"]}]}")


@pytest.mark.parametrize("changed", [
    {"messages": (Message("user", "x"),)}, {"messages": ()}, {"model": "other"}, {"system": ""},
    {"tool_choice": "required"}, {"max_tokens": 7},
    {"messages": (Message("assistant", "y"), Message("user", "x"))},
])
def test_after_a_break_the_body_is_what_a_new_one_would_be(changed):
    body = AnthropicBody()
    first = request(Message("user", "hi"), Message("assistant", "", tool_calls=LS),
                    Message("tool", "d", call_id="c", name="ls"))
    for asked in (first, replace(first, **changed), first):
        assert bytes(body.render(asked)) == bytes(AnthropicBody().render(asked))
    assert body.ids == {"c"}


# -- the client


def test_a_scripted_answer_of_every_kind():
    script = [reply("Hello there", reasoning="let me think", calls=[("read", {"path": "a"})])]
    with FakeServer(script) as server:
        parts = stream(client_of(server))
    call = ToolCall("call_0_read", "read", '{"path": "a"}')
    count = replace(parts[-1].count, prompt=len(server.chats[0].body) // 4)
    assert parts[-1] == Reply("Hello there", "let me think", "thinking", (call,), "tool_calls",
                              count, signature=UNSIGNED)
    assert (count.cached, [r.path for r in server.requests]) == (0, ["/v1/messages"])
    assert "".join(p.text for p in parts if isinstance(p, TextPart)) == "Hello there"


def test_signed_thinking_comes_back_unchanged_and_first():
    script = [anthropic_reply("", reasoning="let me", signature="Sig/+=",
                              calls=[("ls", {"path": "."})]), reply("done")]
    with FakeServer(script) as server:
        client = client_of(server)
        first = Message("user", "hi")
        *_, one = client.stream(request(first), Cancel())
        said = Message("assistant", one.content, reasoning=one.reasoning,
                       tool_calls=one.tool_calls, signature=one.signature)
        result = Message("tool", "a", call_id=one.tool_calls[0].id, name="ls")
        *_, two = client.stream(request(first, said, result), Cancel())
    before, after = (r.body for r in server.chats)
    assert after.startswith(before.removesuffix(b"]}"))
    assert server.chats[1].json["messages"][1]["content"][0] == thinking("let me", "Sig/+=")
    assert two.count.cached > 0


@pytest.mark.parametrize("path", ["", "/v1", "/v1/", "/anthropic", "/anthropic/v1"])
def test_the_address_may_end_in_v1_or_not(path):
    prefix = "/anthropic" if "anthropic" in path else ""
    with FakeServer([reply("hi")]) as server:
        client = AnthropicClient(Transport(f"http://127.0.0.1:{server.port}{path}"))
        assert stream(client)[-1].content == "hi"
        assert list_models(client.transport, Cancel()) == ("local",)
    assert [r.path for r in server.requests] == [f"{prefix}/v1/messages", f"{prefix}/v1/models"]


@pytest.mark.parametrize(("url", "key", "headers"), [
    ("http://127.0.0.1:1/v1", KEY, {"x-api-key": KEY, "Authorization": f"Bearer {KEY}"}),
    ("https://localhost", KEY, {"x-api-key": KEY, "Authorization": f"Bearer {KEY}"}),
    ("http://10.0.0.9:8000/v1", KEY, {"x-api-key": KEY, "Authorization": f"Bearer {KEY}"}),
    ("https://api.example.com", KEY, {"x-api-key": KEY}),
    ("http://127.0.0.1:1/v1", "local-3090",
     {"x-api-key": "local-3090", "Authorization": "Bearer local-3090"}),
    ("https://api.example.com", "local-3090", {}), ("http://10.0.0.9/v1", "local-3090", {}),
    ("https://api.example.com", "", {}),
])
def test_the_key_goes_where_it_is_known_and_nowhere_else(url, key, headers):
    plain = Transport(url, api_key=key)
    told = way(plain)._headers
    assert {n: v for n, v in told.items() if n in ("x-api-key", "Authorization")} == headers
    assert told["anthropic-version"] == VERSION
    assert "x-api-key" not in plain._headers
    assert way(way(plain))._headers == told


def test_the_headers_arrive_and_the_key_is_taken_out_of_errors():
    refused = {"type": "error", "error": {"type": "authentication_error",
                                          "message": f"invalid x-api-key {KEY}"}}
    with FakeServer([error(401, refused)]) as server:
        (problem,) = stream(client_of(server, api_key=KEY))
    headers = {name.lower(): value for name, value in server.chats[0].headers.items()}
    assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, VERSION)
    assert (problem.kind, problem.params["message"]) == ("auth", "invalid x-api-key ********")


def report(kind, message):
    return json.dumps({"type": "error", "error": {"type": kind, "message": message},
                       "request_id": "req_1"}).encode()


PROBLEMS = [
    (529, report("overloaded_error", "Overloaded"), "rate_limit", "error.rate"),
    (529, b"", "rate_limit", "error.rate"),
    (529, b"<html><title>Busy</title>", "rate_limit", "error.rate"),
    (429, report("rate_limit_error", "This request would exceed the rate limit of 30,000 input "
                 "tokens per minute"), "rate_limit", "error.rate"),
    (403, report("permission_error", "no"), "auth", "error.auth"),
    (404, report("not_found_error", "model: x"), "bad_request", "error.refused.missing"),
    (402, report("billing_error", "no"), "bad_request", "error.refused"),
    (413, report("request_too_large", "no"), "bad_request", "error.refused.large"),
    (500, report("api_error", "Internal server error"), "stream_error", "error.stream.reported"),
    (400, report("invalid_request_error", "max_tokens: 99 > 8"), "bad_request", "error.refused"),
    (400, report("invalid_request_error", "messages: roles must alternate between user and "
                 "assistant"), "bad_request", "error.refused.template"),
    (400, report("invalid_request_error", "messages.1.content.0: Invalid `signature` in `thinking` "
                 "block"), "bad_request", "error.refused"),
]


@pytest.mark.parametrize(("status", "body", "kind", "key"), PROBLEMS)
def test_an_error_of_the_service_is_known(status, body, kind, key):
    problem = classify(status, {}, body)
    assert (problem.kind, problem.key) == (kind, key)


@pytest.mark.parametrize(("message", "field"), [
    ("`temperature` is deprecated for this model.", "temperature"),
    ("cache_control: Extra inputs are not permitted", "cache_control"),
    ('"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
     '"output_config.effort" to control thinking behavior.', "thinking"),
    ("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024", None),
    ("`max_tokens` must be greater than `thinking.budget_tokens`.", None),
    ("messages.1.content.0: Invalid `signature` in `thinking` block", None),
])
def test_a_field_that_a_model_of_the_service_rejects_is_known(message, field):
    problem = classify(400, {}, report("invalid_request_error", message))
    assert rejected_field(problem, OPTIONAL) == field


@pytest.mark.parametrize(("message", "prompt", "limit"), [
    ("prompt is too long: 205000 tokens > 200000 maximum", 205000, 200000),
    ("input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease input "
     "length or `max_tokens` and try again", 198000, 200000),
])
def test_an_overflow_of_the_service_is_known(message, prompt, limit):
    problem = classify(400, {}, report("invalid_request_error", message))
    assert (problem.kind, problem.params["prompt"], problem.params["limit"]) == (
        "context_overflow", prompt, limit)


CHATS = {
    "anthropic": ("Say goodbye.", TokenCount(43, 17, 24)),
    "anthropic-tool": ("The AI Assistant is a powerful assistant that can", TokenCount(30, 1, 96)),
}


@pytest.mark.parametrize("name", CHATS)
def test_a_recorded_chat_is_read_however_it_is_cut(name):
    data = (LIVE / f"llamacpp-{name}.http").read_bytes()
    cuts = [raw(b"", pieces=[data[at:at + size] for at in range(0, len(data), size)])
            for size in (1, 7, 100_000)]
    words, count = CHATS[name]
    with FakeServer(cuts) as server:
        answers = [stream(client_of(server)) for _ in cuts]
    for *parts, last in answers:
        assert (last.finish, last.count, last.content) == ("length", count, answers[0][-1].content)
        assert "".join(part.text for part in parts if isinstance(part, TextPart)) == last.content
        assert words in last.content


def test_a_whole_answer_and_other_bodies():
    message = {"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "S"}, {"type": "text", "text": "hi"}],
        "usage": {"input_tokens": 3, "output_tokens": 2}}
    script = [ok(message), ok({"status": "ok"}), ok({"type": "error", "error": {
        "type": "overloaded_error", "message": "Overloaded"}}),
        Answer(["<!DOCTYPE html><title>Chat</title>"], headers={"Content-Type": "text/html"})]
    with FakeServer(script) as server:
        client = client_of(server)
        *parts, first = stream(client)
        others = [stream(client)[-1].key for _ in range(3)]
    assert parts == [ThinkPart("hm", "thinking"), TextPart("hi")]
    signature = json.dumps([[0, 0, thinking("hm", "S")]], separators=(",", ":"))
    assert first == Reply("hi", "hm", "thinking", (), "stop", TokenCount(3, None, 2),
                          signature=signature)
    assert others == ["error.bad_response.shape", "error.rate", "error.bad_response.html"]


def test_the_service_lists_its_models_and_says_no_window():
    rows = [{"type": "model", "id": "claude-x", "display_name": "Claude X", "created_at": "2026"}]
    with FakeServer() as server:
        server.n_ctx = None
        server.routes["GET /v1/models"] = ok({"data": rows, "has_more": False, "first_id": "a"})
        client = client_of(server)
        assert list_models(client.transport, Cancel()) == ("claude-x",)
        assert client.window(Cancel()) is None


def test_the_window_of_a_llama_server_is_known():
    with FakeServer(n_ctx=4096) as server:
        assert client_of(server).window(Cancel()) == 4096

"""The Ollama client over real sockets: what it sends, the window it settles, how it fails."""

from __future__ import annotations

import json
import threading

import pytest

from clinkai.ai.learned import FOLD, Learned
from clinkai.ai.ollama import OllamaClient
from clinkai.ai.ollama_body import KEEP_ALIVE, OllamaBody
from clinkai.ai.provider import Reply, TextPart
from clinkai.ai.steady import Steady
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import Cancelled, ModelServerError
from clinkai.core.messages import Message, TokenCount, ToolCall
from clinkai.core.state import Sampling
from clinkai.core.value import replace
from tests.ai.chat import TOOLS, UNTIMED, request
from tests.ai.test_body import conversation
from tests.server import Answer, FakeServer, error, line, ok, raw, reply

NDJSON = {"Content-Type": "application/x-ndjson"}
CALL = ToolCall("c1", "read", '{"path":  "é.txt"}')
TURN = (
    Message("user", "hi"),
    Message("assistant", "", reasoning="hm", reasoning_field="thinking", tool_calls=(CALL,)),
    Message("tool", "one line", call_id="c1", name="read"),
)


def client_of(server, model="local", idle_timeout=30.0, **options):
    return OllamaClient(Transport(server.base_url, idle_timeout=idle_timeout), model, **options)


def stream(client, asked=None):
    """The parts, the Reply or the error last; measured times taken out."""
    parts = []
    try:
        for part in client.stream(asked or request(), Cancel()):
            parts.append(part)
    except ModelServerError as error:
        parts.append(error)
    last = parts[-1]
    if isinstance(last, Reply):
        parts[-1] = replace(last, count=replace(last.count, **UNTIMED))
    return parts


def test_a_scripted_answer_of_every_kind():
    script = [reply("Hello there", reasoning="let me think", calls=[("read", {"path": "a"})])]
    with FakeServer(script, ollama=131_072) as server:
        *_, last = stream(client_of(server))
    call = ToolCall("call_0read", "read", '{"path":"a"}')
    count = TokenCount(len(server.chats[0].body) // 4, 0, 6)
    assert last == Reply("Hello there", "let me think", "thinking", (call,), "tool_calls", count)
    assert [r.path for r in server.requests] == ["/api/chat"]


# -- the body


def body_of(asked, num_ctx=8192, learned=None, **attributes):
    body = OllamaBody(learned)
    body.num_ctx = num_ctx
    body.__dict__.update(attributes)
    return json.loads(body.render(asked))


def test_the_body_says_all_of_it_with_the_messages_last():
    body = body_of(request(*TURN))
    assert body == {
        "model": "local", "stream": True, "keep_alive": KEEP_ALIVE, "truncate": False,
        "shift": False, "options": {"num_ctx": 8192, "num_predict": 100, "temperature": 0.3},
        "tools": list(TOOLS),
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [
                {"id": "c1", "function": {"name": "read", "arguments": {"path": "é.txt"}}}]},
            {"role": "tool", "content": "one line", "tool_name": "read", "tool_call_id": "c1"},
        ],
    }
    assert list(body)[-1] == "messages"


def test_arguments_go_back_as_the_very_text_that_is_kept_and_only_as_an_object():
    broken = replace(CALL, arguments="[1]", broken="x")
    half = ToolCall("c\ud83d", "ls", '{"path":"\ud83d"}')
    said = Message("assistant", "", tool_calls=(CALL, broken, half))
    body = bytes(OllamaBody().render(request(said)))
    assert b'"arguments":{"path":  "\xc3\xa9.txt"}}' in body
    assert [c["function"]["arguments"] for c in json.loads(body)["messages"][-1]["tool_calls"]] == [
        {"path": "é.txt"}, {}, {"path": "\ufffd"}]


@pytest.mark.parametrize(("sampling", "fields", "options"), [
    (Sampling(), {}, {}),
    (Sampling(top_p=0.9, top_k=40, min_p=0.05, seed=7, frequency_penalty=0.1), {},
     {"top_p": 0.9, "top_k": 40, "min_p": 0.05, "seed": 7, "frequency_penalty": 0.1}),
    (Sampling(thinking="on"), {"think": True}, {}),
    (Sampling(thinking="off"), {"think": False}, {}),
    (Sampling(thinking="2000"), {"think": True}, {}),
    (Sampling(thinking="0"), {"think": False}, {}),
    (Sampling(extra=(("think", "high"), ("format", "json"))), {"think": "high", "format": "json"},
     {}),
    (Sampling(extra=(("options", {"num_gpu": 9}), ("keep_alive", -1))), {"keep_alive": -1},
     {"num_gpu": 9}),
    (Sampling(extra=(("messages", []), ("model", "x"), ("stream", False))), {}, {}),
])
def test_samplers_stand_in_the_options_and_extra_fields_beside_them(sampling, fields, options):
    plain = body_of(request())
    assert body_of(request(sampling=sampling)) == {
        **plain, **fields, "options": {**plain["options"], **options}}


@pytest.mark.parametrize(("wanted", "level"), [
    ("on", True), ("off", False), ("0", False), ("500", "low"), ("1024", "low"),
    ("5000", "medium"), ("30000", "high"),
])
def test_a_budget_is_a_level_where_thinking_has_levels(wanted, level):
    assert body_of(request(sampling=Sampling(thinking=wanted)), levels=True)["think"] == level


def test_what_is_not_given_is_not_sent():
    body = body_of(request(temperature=None, tools=(), system="", tool_choice="none"))
    assert body["messages"] == [{"role": "user", "content": "hi"}]
    assert not {"tools", "tool_choice", "think"} & set(body)
    assert body["options"] == {"num_ctx": 8192, "num_predict": 100}


def test_a_template_that_refuses_text_beside_thinking_and_calls_gets_it_as_thinking():
    said = Message("assistant", "text", reasoning="hm", tool_calls=(CALL,))
    message = body_of(request(said), learned=Learned(fold=True))["messages"][-1]
    assert (message["thinking"], message["content"]) == ("hm\n\ntext", "")
    assert body_of(request(said))["messages"][-1]["content"] == "text"


def test_a_request_is_the_one_before_it_with_more_at_the_end():
    body, before, messages = OllamaBody(), b"", ()
    for message in conversation(20):
        messages = (*messages, message)
        sent = bytes(body.render(request(*messages)))
        assert sent.startswith(before)
        before = sent.removesuffix(b"]}")
    assert body.ids == {f"c{n}" for n in range(20)}


def test_a_field_that_was_sent_can_be_dropped_for_good():
    told = []
    learned = Learned({"min_p"}, remember=lambda known: told.append((known.rejects, known.fold)))
    said = Message("assistant", "text", reasoning="hm", tool_calls=(CALL,))
    asked = request(said, sampling=Sampling(thinking="on", min_p=0.1, top_p=0.9, seed=1))
    fields = ("think", "think", "seed", "min_p", "keep_alive", "tool_choice", "options", "stream",
              FOLD, FOLD)
    with FakeServer([reply("a"), reply("b")], ollama=4096) as server:
        client = client_of(server, learned=learned)
        stream(client, asked)
        dropped = [client.drop(field) for field in fields]
        stream(client, asked)
        first, second = (chat.json for chat in server.chats)
    assert dropped == [True, False, True, False, True, False, False, False, True, False]
    assert (first["think"], "min_p" in first["options"]) == (True, False)
    assert second["options"] == {"num_ctx": 94_208, "num_predict": 100, "temperature": 0.3,
                                 "top_p": 0.9}
    assert not {"think", "keep_alive"} & set(second)
    assert [m["messages"][1]["content"] for m in (first, second)] == ["text", ""]
    assert told == [(frozenset(x), fold) for x, fold in (
        ({"min_p", "seed"}, False), ({"min_p", "seed", "keep_alive"}, False),
        ({"min_p", "seed", "keep_alive"}, True))]


def test_a_model_that_cannot_think_says_nothing_of_the_next_one():
    asked = request(sampling=Sampling(thinking="off", extra=(("think", "low"),)))
    with FakeServer([reply("a"), reply("b"), reply("c")], ollama=4096) as server:
        client = client_of(server)
        stream(client, asked)
        assert client.drop("think")
        stream(client, asked)
        stream(client, replace(asked, model="other"))
    assert [chat.json.get("think") for chat in server.chats] == ["low", None, "low"]


# -- the window


@pytest.mark.parametrize(("budget", "max_tokens", "trained", "loaded", "num_ctx"), [
    (90_000, 4096, 131_072, None, 94_208),
    (90_000, 4096, 40_960, None, 40_960),
    (1_000, 16, 131_072, None, 4_096),
    (8_192, 4_096, 131_072, None, 12_288),
    (8_192, 4_097, 131_072, None, 16_384),
    (20_000, 4_096, 131_072, 65_536, 65_536),
    (20_000, 4_096, 131_072, 4_096, 24_576),
    (20_000, 4_096, 131_072, 262_144, 24_576),
])
def test_the_window_is_settled_before_the_first_request_and_kept(budget, max_tokens, trained,
                                                                 loaded, num_ctx):
    with FakeServer([reply("a"), reply("b")], ollama=trained) as server:
        server.loaded = {"local": loaded} if loaded else {}
        client = client_of(server, budget=budget, max_tokens=max_tokens)
        client.ready(Cancel())
        found = client.window(Cancel()), client.known_window
        for tokens in (100, 200):
            stream(client, request(max_tokens=tokens))
            server.loaded = {"local": 500_000}
        assert client.window(Cancel()) == num_ctx
    assert found == (num_ctx, num_ctx)
    assert [r.json["options"]["num_ctx"] for r in server.chats] == [num_ctx] * 2
    assert [r.path for r in server.requests] == ["/api/show", "/api/ps", "/api/chat", "/api/chat"]


def test_a_request_before_the_question_settles_the_value_and_the_question_tells_what_comes_of_it():
    with FakeServer([reply("a"), reply("b")], ollama=32_768) as server:
        client = client_of(server, model="")
        assert client.window(Cancel()) is None
        stream(client)
        assert client.window(Cancel()) == 32_768
        stream(client)
    assert [r.json["options"]["num_ctx"] for r in server.chats] == [94_208] * 2


def test_a_window_that_a_person_sets_is_the_window():
    sampling = Sampling(extra=(("options", {"num_ctx": 16_000}),))
    with FakeServer([reply("a")], ollama=32_768) as server:
        client = client_of(server)
        stream(client, request(sampling=sampling))
        assert client.window(Cancel()) == 16_000
    assert server.chats[0].json["options"]["num_ctx"] == 16_000


@pytest.mark.parametrize(("route", "answer", "window", "asks"), [
    ("POST /api/show", error(404, {"error": "model not found"}), None, 1),
    ("POST /api/show", ok([1]), 94_208, 2),
    ("POST /api/show", ok({"model_info": {"a.context_length": "9", "b.context_length": True}}),
     94_208, 2),
    ("POST /api/show", ok({"model_info": {"clip.context_length": 77, "x.context_length": 5_000}}),
     5_000, 2),
    ("POST /api/show", ok({"model_info": {"general.architecture": "x", "clip.context_length": 9_000,
                                          "x.context_length": 5_000}}), 5_000, 2),
    ("POST /api/show", raw(b"<html>"), None, 1),
    ("POST /api/show", error(503, {"error": "server busy"}), None, 2),
    ("GET /api/ps", error(404, "no"), 40_960, 2),
    ("GET /api/ps", ok({"models": [None, {"name": "local", "context_length": "x"}]}), 40_960, 2),
    ("GET /api/ps", ok({"models": None}), 40_960, 2),
])
def test_a_server_that_tells_little_is_no_defect(route, answer, window, asks):
    with FakeServer(ollama=40_960) as server:
        server.routes[route] = answer
        client = client_of(server)
        assert (client.window(Cancel()), client.window(Cancel())) == (window, window)
        assert len(server.requests) == asks


@pytest.mark.parametrize(("shown", "levels"), [
    ({"thinking": {"values": ["low", "medium", "high"], "default": "medium"}}, True),
    ({"thinking": {"values": [True, False]}, "model_info": {"general.architecture": "gptoss"}},
     False),
    ({"model_info": {"general.architecture": "gptoss"}}, True),
    ({"model_info": {"general.architecture": "qwen3"}}, False),
])
def test_the_server_tells_whether_thinking_has_levels(shown, levels):
    with FakeServer([reply("a")], ollama=4096) as server:
        server.routes["POST /api/show"] = ok(shown)
        client = client_of(server)
        client.ready(Cancel())
        stream(client, request(sampling=Sampling(thinking="9000")))
    assert server.chats[0].json["think"] == ("high" if levels else True)


# -- the counts


LONG = Message("user", "some words of a long text " * 1500)
MORE = Message("user", "more " * 100)


@pytest.mark.parametrize(("counts", "found"), [
    ([9_400, 9_600], [(9_400, False), (9_600, False)]),
    ([2_050, 2_050], [(2_050, True), (2_050, True)]),
    ([9_400, 90], [(9_400, False), (None, False)]),
    ([9_400, 2_050], [(9_400, False), (2_050, True)]),
    ([None, None], [(None, False), (None, False)]),
])
def test_a_prompt_that_was_cut_is_told_and_a_count_without_the_cached_part_is_not_believed(counts,
                                                                                           found):
    script = [reply("a", usage={"prompt_tokens": n, "completion_tokens": 3}) for n in counts]
    with FakeServer(script, ollama=131_072) as server:
        client = client_of(server)
        replies = [stream(client, request(*messages))[-1]
                   for messages in ((LONG,), (LONG, Message("assistant", "a"), MORE))]
    assert [(r.count.prompt, "prompt_truncated" in r.warnings) for r in replies] == found


def test_a_short_prompt_is_never_taken_for_cut():
    script = [reply("a", usage={"prompt_tokens": 1, "completion_tokens": 3})]
    with FakeServer(script, ollama=131_072) as server:
        assert stream(client_of(server), request(tools=()))[-1].warnings == ()


# -- failures


@pytest.mark.parametrize(("status", "body", "kind", "key"), [
    (400, '"local" does not support thinking', "bad_request", "error.refused"),
    (400, 'registry.ollama.ai/library/local does not support tools', "bad_request",
     "error.refused.tools"),
    (400, 'think value "low" is not supported for this model', "bad_request", "error.refused"),
    (400, "the prompt is longer than the context length currently available to the model; shorten "
          "the prompt, adjust the context length in settings, or use a model with a longer context "
          "length", "context_overflow", "error.overflow"),
    (400, "the input length exceeds the context length", "context_overflow", "error.overflow"),
    (404, "model 'local' not found", "bad_request", "error.refused.model"),
    (401, "unauthorized", "auth", "error.auth"),
    (500, "model requires more system memory (19.1 GiB) than is available (8.0 GiB)",
     "bad_request", "error.refused.memory"),
    (500, "llama runner process has terminated: exit status 2", "stream_error",
     "error.stream.reported"),
    (503, "server busy, please try again.  maximum pending requests exceeded", "rate_limit",
     "error.rate"),
])
def test_a_refusal_has_a_name(status, body, kind, key):
    with FakeServer([error(status, {"error": body})], ollama=4096) as server:
        (last,) = stream(client_of(server))
    assert (last.kind, last.key, last.params["message"]) == (kind, key, " ".join(body.split()))


def test_thinking_is_left_out_where_the_model_has_none():
    refused = error(400, {"error": '"local" does not support thinking'})
    with FakeServer([refused, reply("a")], ollama=4096) as server:
        steady = Steady(client_of(server))
        (*_, last) = steady.stream(request(sampling=Sampling(thinking="on")), Cancel())
        sent = [chat.json for chat in server.chats]
    assert (last.content, last.warnings) == ("a", ("field_rejected:think",))
    assert [body.pop("think", None) for body in sent] == [True, None]
    assert sent[0] == sent[1]


@pytest.mark.parametrize("begun", [False, True])
def test_cancelling_ends_the_answer_and_keeps_the_parts(begun):
    written, cancel, parts = threading.Event(), Cancel(), []
    half = line({"message": {"content": "half"}})
    answer = Answer([half, written.set] if begun else [written.set], headers=NDJSON, end="stall")
    with FakeServer([answer], ollama=4096) as server:
        thread = threading.Thread(target=lambda: written.wait(30) and cancel.set())
        thread.start()
        with pytest.raises(Cancelled):
            for part in client_of(server).stream(request(), cancel):
                parts.append(part)
        thread.join(30)
    assert parts in ([], [TextPart("half")] if begun else [])

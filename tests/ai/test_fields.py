"""Samplers, thinking and the choice of a tool, in the fields that each server understands."""

from __future__ import annotations

import json

import pytest

from clinkai.ai.body import Body
from clinkai.ai.fields import optional_fields, tool_choice, unheeded
from clinkai.ai.learned import FOLD, Learned
from clinkai.ai.ollama import OllamaClient
from clinkai.ai.openai import OpenAIClient
from clinkai.ai.provider import Request
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.messages import Message, ToolCall
from clinkai.core.state import Sampling
from tests.ai.chat import request
from tests.server import FakeServer, reply

ALL = Sampling(top_p=0.9, top_k=40, min_p=0.05, seed=7, frequency_penalty=0.5)
NUMBERS = {"top_p": 0.9, "top_k": 40, "min_p": 0.05, "seed": 7, "frequency_penalty": 0.5}


@pytest.mark.parametrize(("kind", "sampling", "fields"), [
    ("", Sampling(), {}),
    ("", ALL, NUMBERS),
    ("llama.cpp", Sampling(), {"return_progress": True}),
    ("llama.cpp", Sampling(thinking="on"),
     {"chat_template_kwargs": {"enable_thinking": True}, "return_progress": True}),
    ("llama.cpp", Sampling(thinking="2048"),
     {"chat_template_kwargs": {"enable_thinking": True}, "thinking_budget_tokens": 2048,
      "return_progress": True}),
    ("vllm", Sampling(thinking="2048"),
     {"chat_template_kwargs": {"enable_thinking": True}, "thinking_token_budget": 2048}),
    ("sglang", Sampling(thinking="64"),
     {"chat_template_kwargs": {"enable_thinking": True, "thinking_budget": 64}}),
    ("vllm", Sampling(thinking="off"), {"chat_template_kwargs": {"enable_thinking": False}}),
    ("ollama", Sampling(thinking="off"), {"reasoning_effort": "none"}),
    ("ollama", Sampling(thinking="on"), {"reasoning_effort": "medium"}),
    ("", Sampling(seed=1, extra=(("seed", 2), ("cache_prompt", True))),
     {"seed": 2, "cache_prompt": True}),
    ("vllm", Sampling(thinking="off", extra=(("chat_template_kwargs", {"style": "x"}),)),
     {"chat_template_kwargs": {"enable_thinking": False, "style": "x"}}),
])
def test_a_server_gets_the_fields_it_understands(kind, sampling, fields):
    assert optional_fields(kind, sampling) == fields


@pytest.mark.parametrize(("kind", "sampling", "thought", "names"), [
    ("ollama", ALL, False, ["top_k", "min_p"]),
    ("anthropic", ALL, True, ["min_p", "seed", "frequency_penalty"]),
    ("llama.cpp", ALL, False, []),
    ("", Sampling(thinking="off"), True, ["thinking"]),
    ("", Sampling(thinking="off"), False, []),
    ("", Sampling(thinking="on"), True, []),
    ("", Sampling(thinking="on"), False, ["thinking"]),
    ("", Sampling(thinking="512"), False, ["thinking"]),
])
def test_what_is_set_and_shows_no_effect_is_known(kind, sampling, thought, names):
    assert unheeded(kind, sampling, thought) == tuple(f"field_unheeded:{n}" for n in names)


@pytest.mark.parametrize(("sampling", "rejected", "names"), [
    (Sampling(top_k=5, seed=1), ("top_k", "stream_options"), ["top_k"]),
    (Sampling(thinking="off"), ("chat_template_kwargs",), ["thinking"]),
    (Sampling(extra=(("odd", 1), ("even", 2))), ("odd",), ["odd"]),
    (Sampling(seed=1, extra=(("seed", 2),)), ("seed",), ["seed"]),
    (Sampling(), ("top_k", "chat_template_kwargs", "odd"), []),
])
def test_what_is_set_and_was_rejected_before_is_known(sampling, rejected, names):
    assert unheeded("", sampling, False, rejected) == tuple(f"field_unheeded:{n}" for n in names)


@pytest.mark.parametrize("make", [
    lambda server, learned: OpenAIClient(Transport(server.base_url), "local", learned),
    lambda server, learned: OllamaClient(Transport(server.base_url), "local", learned=learned),
])
def test_a_setting_without_effect_is_told_once(make):
    asked = Request("local", "", (), (Message("user", "x"),), 100,
                    sampling=Sampling(top_k=5, thinking="off"))
    with FakeServer([reply("a", reasoning="hm")] * 3, ollama=8192) as server:
        client = make(server, Learned({"top_k"}))
        told = [list(client.stream(asked, Cancel()))[-1].warnings for _ in range(3)]
    assert told == [("field_unheeded:top_k", "field_unheeded:thinking"), (), ()]


@pytest.mark.parametrize(("kind", "choice", "sent"), [
    ("llama.cpp", "read", "required"),
    ("llama.cpp", "none", "none"),
    ("vllm", "read", {"type": "function", "function": {"name": "read"}}),
    ("", "auto", "auto"),
])
def test_the_choice_of_a_tool_is_said_as_the_server_takes_it(kind, choice, sent):
    assert tool_choice(kind, choice) == sent


def sent(body: Body, *messages: Message, **changes) -> dict:
    plain = {"model": "m", "system": "s", "tools": (), "messages": messages, "max_tokens": 9}
    return json.loads(body.render(Request(**{**plain, **changes})))


def test_a_rejected_field_is_left_out_or_renamed():
    body = Body(Learned({"return_progress", "max_tokens", "stream_options"}))
    body.kind = "llama.cpp"
    assert sent(body, sampling=Sampling(top_k=1)) == {
        "model": "m", "stream": True, "top_k": 1, "max_completion_tokens": 9,
        "messages": [{"role": "system", "content": "s"}]}


CALL = ToolCall("c", "ls", "{}")


@pytest.mark.parametrize(("message", "written"), [
    (Message("assistant", "text", reasoning="think", tool_calls=(CALL,)),
     {"content": "", "reasoning_content": "think\n\ntext"}),
    (Message("assistant", "text", reasoning="think", reasoning_field="reasoning",
             tool_calls=(CALL,)), {"content": "", "reasoning": "think\n\ntext"}),
    (Message("assistant", "", reasoning="think", tool_calls=(CALL,)),
     {"content": "", "reasoning_content": "think"}),
    (Message("assistant", "text", reasoning="think"),
     {"content": "text", "reasoning_content": "think"}),
    (Message("assistant", "text", tool_calls=(CALL,)), {"content": "text"}),
])
def test_text_beside_thinking_and_calls_is_folded_where_the_template_refuses_both(message, written):
    body = Body()
    sent(body, Message("user", "hi"), message)
    assert body.drop(FOLD) and not body.drop(FOLD)
    last = sent(body, Message("user", "hi"), message)["messages"][-1]
    assert {k: v for k, v in last.items() if k not in ("role", "tool_calls")} == written


def test_fields_are_those_of_the_server_that_was_recognised_before_the_first_request():
    with FakeServer([reply("one"), reply("two"), reply("three")], owner="llamacpp") as server:
        known, late = (OpenAIClient(Transport(server.base_url)) for _ in range(2))
        known.ready(Cancel())
        for client in (known, late):
            list(client.stream(request(), Cancel()))
        late.ready(Cancel())  # known now, but what was sent once does not change
        list(late.stream(request(), Cancel()))
        assert late.kind == "llama.cpp"
        assert ["return_progress" in chat.json for chat in server.chats] == [True, False, False]

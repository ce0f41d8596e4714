"""Thinking goes back where it came from: what stood in the text, between tags, stands there again,
so that a server that does not know it as thinking finds every token it made."""

from __future__ import annotations

import json

import pytest

from clinkai.ai.anthropic_body import AnthropicBody
from clinkai.ai.body import Body
from clinkai.ai.ollama_body import OllamaBody
from clinkai.ai.provider import Request
from clinkai.core.messages import Message, from_record, to_record
from tests.ai.chat import answered
from tests.server import chunk

END = chunk({}, "stop")


def said(*deltas: dict, finish: str = "stop") -> Message:
    """The message that is kept of an answer, after the log was read again."""
    reply = answered([*map(chunk, deltas), chunk({}, finish)])[-1]
    return from_record(to_record(Message(
        "assistant", reply.content, reasoning=reply.reasoning, finish=reply.finish,
        reasoning_field=reply.reasoning_field, signature=reply.signature)))


def sent(body: Body, message: Message) -> object:
    """The message in the next request."""
    asked = Request("m", "s", (), (Message("user", "hi"), message, Message("user", "x")), 9)
    return json.loads(body.render(asked))["messages"][-2]


@pytest.mark.parametrize("pieces", [
    ["<think>\nhm\n</think>\n\nyes"],
    ["<thi", "nk>hm", "</think", ">yes"],
    ["[THINK]hm[/THINK]yes ", "and no"],
    ["<think>one</think>\n<think>two</think>\n\nyes"],
    ["\n<thinking>\n你好\n</thinking>\n", "yes"],
])
def test_thinking_in_the_text_goes_back_in_the_text(pieces):
    message = said(*({"content": piece} for piece in pieces))
    assert "hm" in message.reasoning or message.reasoning
    assert sent(Body(), message) == {"role": "assistant", "content": "".join(pieces)}
    assert sent(OllamaBody(), message) == {"role": "assistant", "content": "".join(pieces)}
    assert sent(AnthropicBody(), message)["content"] == [
        {"type": "text", "text": "".join(pieces)}]


def test_thinking_whose_beginning_was_in_the_prompt_goes_back_in_the_text():
    message = said({"content": "hm. "}, {"content": "so</think>"}, {"content": "\n\nyes"})
    assert (message.content, message.reasoning) == ("yes", "hm. so")
    assert sent(Body(), message)["content"] == "hm. so</think>\n\nyes"


def test_thinking_that_was_cut_goes_back_in_the_text():
    message = said({"content": "<think>hm"}, {"content": " and"}, finish="length")
    assert sent(Body(), message)["content"] == "<think>hm and"


@pytest.mark.parametrize("deltas", [
    [{"reasoning_content": "hm"}, {"content": "yes"}],
    [{"content": "<|channel|>analysis<|message|>hm<|end|>"},
     {"content": "<|start|>assistant<|channel|>final<|message|>yes"}],
], ids=["a field", "harmony, which its template refuses in a text"])
def test_other_thinking_goes_back_in_a_field(deltas):
    assert sent(Body(), said(*deltas)) == {
        "role": "assistant", "content": "yes", "reasoning_content": "hm"}

"""The request body: what it says, and that it only ever grows at its end."""

from __future__ import annotations

import json
import random

import pytest

from clinkai.ai.body import Body
from clinkai.core.messages import Message, ToolCall
from clinkai.core.value import replace
from tests.ai.chat import TOOLS, request

USER = Message("user", "你好 \"quoted\"\n")
CALL = ToolCall("c1", "read", '{"path":  "a.txt"}')
ASSISTANT = Message("assistant", "", reasoning="hm", reasoning_field="reasoning",
                    tool_calls=(CALL,),
                    finish="tool_calls")
RESULT = Message("tool", "one line", call_id="c1", name="read", ok=False, decision="once", ms=4)


def test_the_body_says_all_of_it_with_the_messages_last():
    body = bytes(Body().render(request(USER, ASSISTANT, RESULT)))
    assert json.loads(body) == {
        "model": "local", "stream": True, "stream_options": {"include_usage": True},
        "max_tokens": 100, "temperature": 0.3, "tools": list(TOOLS),
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "你好 \"quoted\"\n"},
            {"role": "assistant", "content": "", "reasoning": "hm", "tool_calls": [
                {"id": "c1", "type": "function",
                 "function": {"name": "read", "arguments": '{"path":  "a.txt"}'}}]},
            {"role": "tool", "tool_call_id": "c1", "name": "read", "content": "one line"},
        ],
    }
    assert list(json.loads(body))[-1] == "messages"
    assert "你好".encode() in body


@pytest.mark.parametrize(("changes", "key", "value"), [
    ({"temperature": None}, "temperature", None),
    ({"tools": ()}, "tools", None),
    ({"tool_choice": None}, "tool_choice", None),
    ({"tool_choice": "required"}, "tool_choice", "required"),
    ({"tool_choice": "read"}, "tool_choice", {"type": "function", "function": {"name": "read"}}),
    ({"system": ""}, "messages", [{"role": "user", "content": "hi"}]),
])
def test_what_is_not_given_is_not_sent(changes, key, value):
    assert json.loads(Body().render(request(**changes))).get(key) == value


@pytest.mark.parametrize(("message", "sent"), [
    (Message("assistant", "a"), {"role": "assistant", "content": "a"}),
    (Message("assistant", "a", reasoning="b", reasoning_field="reasoning_content"),
     {"role": "assistant", "content": "a", "reasoning_content": "b"}),
    (Message("assistant", "a", reasoning="b"),
     {"role": "assistant", "content": "a", "reasoning_content": "b"}),
    (Message("assistant", "a", reasoning="", reasoning_field="reasoning"),
     {"role": "assistant", "content": "a"}),
    (Message("tool", "", call_id="x", name="ls"),
     {"role": "tool", "tool_call_id": "x", "name": "ls", "content": ""}),
    (Message("user", "half \ud83d and \ude00, joined \ud83d\ude00"),
     {"role": "user", "content": "half \ufffd and \ufffd, joined \U0001f600"}),
])
def test_a_message_goes_over_the_wire(message, sent):
    body = json.loads(Body().render(request(message)))
    assert body["messages"][1:] == [sent]


def conversation(rounds, seed=0):
    """A long conversation, message by message."""
    rng = random.Random(seed)
    messages = []
    for n in range(rounds):
        if n % 5 == 0:
            messages.append(Message("user", f"task {n} " + "ü" * rng.randrange(50)))
        call = ToolCall(f"c{n}", "read", json.dumps({"path": f"f{n}"}))
        messages.append(Message("assistant", "x" * rng.randrange(9), tool_calls=(call,),
                                reasoning="r" * rng.randrange(3)))
        messages.append(Message("tool", "y" * rng.randrange(2000), call_id=f"c{n}", name="read"))
        if n % 5 == 4:
            messages.append(Message("assistant", "done"))
    return messages


def test_a_request_is_the_one_before_it_with_more_at_the_end():
    body, before, messages = Body(), b"", ()
    for message in conversation(40):
        messages = (*messages, message)
        sent = bytes(body.render(request(*messages)))
        assert sent.startswith(before)
        assert sent == bytes(Body().render(request(*messages)))
        before = sent.removesuffix(b"]}")
    assert body.ids == {f"c{n}" for n in range(40)}


def test_messages_are_encoded_once():
    class Counted(Message):
        """A message that counts how often it is looked at."""

        seen = 0

        def __getattribute__(self, name):
            if name == "content":
                Counted.seen += 1
            return super().__getattribute__(name)

    messages = tuple(Counted("user", f"message {n}") for n in range(100))
    body = Body()
    for end in range(1, 101):
        body.render(request(*messages[:end]))
    assert Counted.seen == 100


@pytest.mark.parametrize("changed", [
    {"messages": (USER, RESULT)}, {"messages": (RESULT,)}, {"messages": ()},
    {"messages": (replace(USER), ASSISTANT, RESULT)}, {"model": "other"}, {"max_tokens": 7},
    {"system": "other and longer " * 9}, {"tools": TOOLS[:1]}, {"temperature": None},
    {"tool_choice": "none", "messages": (USER, ASSISTANT, RESULT, USER)},
])
def test_after_a_break_the_body_is_what_a_new_one_would_be(changed):
    body = Body()
    first = request(USER, ASSISTANT, RESULT)
    asked = replace(first, **changed)
    body.render(first)
    assert bytes(body.render(asked)) == bytes(Body().render(asked))
    assert bytes(body.render(first)) == bytes(Body().render(first))

"""An answer that repeats itself is ended by the client, with what stood before."""

from __future__ import annotations

import json

import pytest

from clinkai.ai.blocks import Blocks
from clinkai.ai.provider import Reply, TextPart, ThinkPart
from clinkai.core.messages import TokenCount
from tests.ai.chat import answered, stream
from tests.server import Answer, FakeServer, call_chunk, chunk, named, ok, words

BEGIN = "The file is there. "
LOOP = "I should look at the whole folder again before I go on. "


def repeating(field, copies=6):
    return [chunk({field: piece}) for piece in words(BEGIN + LOOP * copies)]


def stopped(content, reasoning=""):
    return Reply(content, reasoning, "reasoning_content" if reasoning else "", (), "repeat",
                 TokenCount(), "", ("no_usage",))


@pytest.mark.parametrize(("field", "kind", "expected"), [
    ("content", TextPart, stopped(BEGIN + LOOP)),
    ("reasoning_content", ThinkPart, stopped("", BEGIN + LOOP)),
])
def test_a_repetition_ends_the_answer_and_its_connection(field, kind, expected):
    with FakeServer([Answer(repeating(field), end="stall")]) as server:
        *parts, last = stream(server)
        assert server.chats[0].gone.wait(5)
    assert last == expected
    shown = "".join(part.text for part in parts if isinstance(part, kind))
    assert shown.startswith(BEGIN + LOOP)
    assert (BEGIN + LOOP * 6).startswith(shown)


def test_no_call_is_run_that_stands_beside_a_repetition():
    pieces = [call_chunk(0, '{"path":"a"}', id="c1", name="read"), *repeating("content")]
    assert answered(pieces)[-1] == stopped(BEGIN + LOOP)


def test_what_comes_after_it_in_the_same_bytes_changes_nothing():
    late = [chunk({}, "stop"), chunk({"content": "more"}), 'data: {"error": {"message": "x"}}\n\n']
    assert answered(["".join([*repeating("content"), *late])])[-1] == stopped(BEGIN + LOOP)


def test_the_text_before_a_thinking_that_repeats_itself_is_kept():
    pieces = [chunk({"content": "Yes."}), *repeating("reasoning_content")]
    assert answered(pieces)[-1] == stopped("Yes.", BEGIN + LOOP)


@pytest.mark.parametrize("unit", [
    '<tool_call>\n{"name": "read", "arguments": {"path": "a.py"}}\n</tool_call>\n',
    '{"name": "read", "arguments": {"path": "a.py"}}\n',
    "<function=read>\n<parameter=path>\na.py\n</parameter>\n</function>\n",
    "<|im_end|>\n<|im_start|>user\n",
])
@pytest.mark.parametrize("begin", ["Well. ", '<tool_call>\n{"name": "write", "arguments": {"a": "'])
def test_calls_written_again_and_again_are_a_repetition(unit, begin):
    last = answered([chunk({"content": p}) for p in words(begin + unit * 200)], end="stall")[-1]
    assert (last.finish, last.tool_calls) == ("repeat", ())


def test_an_answer_that_comes_as_a_whole_is_cut_too():
    choice = {"message": {"content": BEGIN + LOOP * 5}, "finish_reason": "stop"}
    with FakeServer([ok({"choices": [choice]})]) as server:
        assert stream(server) == [TextPart(BEGIN + LOOP), stopped(BEGIN + LOOP)]


LINE = json.dumps("        return self.value  # as it was before\n")[1:-1]
WRITE = '{"path":"a.py","content":"'


@pytest.mark.parametrize(("lines", "finish", "calls"), [(300, "tool_calls", 1), (400, "repeat", 0)])
def test_a_call_that_goes_on_for_ever_is_stopped_and_never_run(lines, finish, calls):
    written = [WRITE, *[LINE] * lines, '"}']
    native = [call_chunk(0, "", id="c1", name="write"), *(call_chunk(0, p) for p in written)]
    text = [chunk({"content": piece}) for piece in
            ['<tool_call>\n{"name": "write", "arguments": ', *written, "}\n</tool_call>"]]
    for pieces, label in ((native, "tool_calls"), (text, "stop")):
        last = answered([*pieces, chunk({}, label)])[-1]
        assert (last.finish, len(last.tool_calls), last.cut_call) == (finish, calls, "")
    blocks = Blocks(("write",))
    start = {"type": "tool_use", "id": "c1", "name": "write", "input": {}}
    for body in [named("content_block_start", index=0, content_block=start), *(
            named("content_block_delta", index=0,
                  delta={"type": "input_json_delta", "partial_json": p}) for p in written)]:
        blocks.take(body.partition("data: ")[2].strip())
    assert (blocks.finish == "repeat") == (finish == "repeat")


def test_a_call_made_again_and_again_is_a_repetition():
    pieces = [call_chunk(n, '{"path":"src/main.py"}', id=f"c{n}", name="read") for n in range(400)]
    last = answered(pieces, end="stall")[-1]
    assert (last.finish, last.tool_calls) == ("repeat", ())

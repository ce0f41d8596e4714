from __future__ import annotations

import json
from functools import reduce

import pytest

from clinkai.core.errors import SessionError
from clinkai.core.messages import Message, ToolCall, from_record, to_record
from clinkai.core.state import State, fold, open_calls, step

CALL = ToolCall("c1", "read", '{"path":"a"}')
READ = {"type": "function", "function": {"name": "read"}}
RECORDS = [
    {"seq": 1, "type": "init", "workspace": "/w", "model": "m", "provider": "openai", "lang": "en",
     "mode": "auto", "system": "S", "tools": [READ], "agents_md": []},
    {"seq": 2, "type": "user", "content": "hello"},
    {"seq": 3, "type": "assistant", "content": "", "reasoning": "hm", "reasoning_field": "reasoning",
     "tool_calls": [{"id": "c1", "name": "read", "arguments": '{"path":"a"}'}], "finish": "tool_calls"},
    {"seq": 4, "type": "meta", "kind": "usage", "prompt": 100, "out": 20},
    {"seq": 5, "type": "meta", "kind": "before", "path": "a", "sha": None},
    {"seq": 6, "type": "tool", "call_id": "c1", "name": "read", "ok": True, "decision": "allow",
     "content": "1 x", "ms": 3},
    {"seq": 7, "type": "meta", "kind": "grant", "grant": {"kind": "command", "command": "make"}},
    {"seq": 8, "type": "meta", "kind": "of a later version"},
    {"seq": 9, "type": "assistant", "content": "done", "tool_calls": [], "finish": "stop"},
]


def test_a_state_is_the_fold_of_its_records():
    state = fold(RECORDS)
    assert state == State(
        workspace="/w", model="m", provider="openai", system="S", tools=(READ,),
        messages=(
            Message("user", "hello"),
            Message("assistant", "", reasoning="hm", reasoning_field="reasoning", tool_calls=(CALL,),
                    finish="tool_calls"),
            Message("tool", "1 x", call_id="c1", name="read", ms=3),
            Message("assistant", "done", finish="stop"),
        ),
        seqs=(2, 3, 6, 9), calls=1, numbers=(1,), counted=120, counted_at=2, prompt=100,
        scale=(pytest.approx(1.0172, abs=1e-4), 1.0), title="hello", last_seq=9,
        grants=({"kind": "command", "command": "make"},),
    )


@pytest.mark.parametrize("cut", range(len(RECORDS) + 1))
def test_folding_in_two_parts_gives_the_same(cut):
    assert reduce(step, RECORDS[cut:], fold(RECORDS[:cut])) == fold(RECORDS)


def test_messages_come_back_from_their_records_after_json():
    for message in fold(RECORDS).messages:
        assert from_record(json.loads(json.dumps(to_record(message)))) == message


def test_open_calls_are_those_without_a_result():
    assert (open_calls(fold(RECORDS[:4])), open_calls(fold(RECORDS))) == ((CALL,), ())


@pytest.mark.parametrize(("ids", "answered", "open_ids"), [
    ("aa", "", "aa"), ("aa", "a", "a"), ("aa", "aa", ""), ("aba", "ab", "a"), ("ab", "b", "a"),
])
def test_calls_that_share_an_id_need_a_result_each(ids, answered, open_ids):
    calls = [{"id": id, "name": "read", "arguments": "{}"} for id in ids]
    records = [{"type": "assistant", "content": "", "tool_calls": calls, "finish": "tool_calls"}]
    records += [{**RECORDS[5], "call_id": id} for id in answered]
    records = [{k: v for k, v in r.items() if k != "seq"} for r in records]
    assert "".join(c.id for c in open_calls(fold(records))) == open_ids


@pytest.mark.parametrize("record", [
    {"type": "later"}, {"type": "user"}, {"type": "user", "content": 3}, {"type": "assistant"},
    {"type": "assistant", "content": "", "tool_calls": [{}], "finish": ""}, {"type": "meta"},
    {"type": "init"}, {"type": "tool", "content": "x"}, {"type": "meta", "kind": "grant"},
    {"type": "user", "content": "x", "seq": "9"}, {"type": "meta", "kind": "grant", "grant": "all"},
    {"type": "meta", "kind": "usage", "prompt": "9"}, {"type": "meta", "kind": "mode", "mode": 1},
    {**RECORDS[0], "lang": "xx"}, {**RECORDS[0], "tools": [{}]}, {**RECORDS[0], "workspace": None},
])
def test_records_that_make_no_sense_are_session_errors(record):
    with pytest.raises(SessionError):
        step(State(), record)

from __future__ import annotations

import json

from eval.trace import Call, Trace, read, read_lines

RECORDS = [
    {"type": "init", "system": "You ...", "tools": [{"a": 1}], "agents_md": [], "workspace": "/w"},
    {"type": "user", "content": "do it"},
    {"type": "meta", "kind": "run.start"},
    {"type": "assistant", "content": "Looking.", "finish": "tool_calls", "tool_calls": [
        {"id": "c1", "name": "read", "arguments": '{"path": "a"}'},
        {"id": "c2", "name": "bash", "arguments": "not json"}]},
    {"type": "meta", "kind": "usage", "n": 1, "prompt": 10, "cached": 0},
    {"type": "tool", "call_id": "c1", "name": "read", "ok": True, "decision": "allow"},
    {"type": "tool", "call_id": "c2", "name": "bash", "ok": False, "decision": "deny"},
    {"type": "assistant", "content": "The port ", "finish": "length", "tool_calls": []},
    {"type": "user", "content": "Continue", "auto": "notice.ask.continue"},
    {"type": "assistant", "content": "is 5.", "finish": "stop", "tool_calls": []},
    {"type": "meta", "kind": "usage", "n": 3, "prompt": 30, "cached": 20},
    {"type": "meta", "kind": "archived"},
    {"type": "meta", "kind": "run.end", "reason": "cap", "denied": 1},
]


def test_a_log_becomes_a_trace():
    assert read(RECORDS) == Trace(
        calls=(Call("read", {"path": "a"}, True, "allow"), Call("bash", {}, False, "deny")),
        final_text="The port is 5.", rounds=2, denied=1, breakers=("cap",), compressions=1,
        usage=(RECORDS[4], RECORDS[10]), system="You ...", tools=({"a": 1},),
    )


def test_a_second_prompt_begins_a_new_answer():
    more = [{"type": "user", "content": "and now?"},
            {"type": "assistant", "content": "7", "tool_calls": []}]
    assert read([*RECORDS, *more]).final_text == "7"


def test_a_torn_line_and_foreign_output_are_passed_over():
    data = b"".join(json.dumps(r).encode() + b"\n" for r in RECORDS)
    assert read_lines(b"hello\n" + data + b'[1]\n{"type": "meta", "ki') == RECORDS
    assert read([]) == Trace()

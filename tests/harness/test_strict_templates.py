"""What is sent is taken by the strictest chat templates that people reported, after every kind of
turn. The rules stand in the cases of the area `template` in `tests/cases/quirks.jsonl`."""

from __future__ import annotations

import pytest

from clinkai.core.events import ApprovalOpen
from tests.harness.agents import Run
from tests.server import Answer, FakeServer, error, reply


def system_first(messages):
    """System message must be at the beginning."""
    return [m["role"] for m in messages].count("system") == 1 and messages[0]["role"] == "system"


def roles_alternate(messages):
    """Conversation roles must alternate user and assistant, except for tool calls and results."""
    spoken = [m["role"] for m in messages[1:] if m["role"] != "tool" and not m.get("tool_calls")]
    return spoken == ["user", "assistant"] * (len(spoken) // 2) + ["user"] * (len(spoken) % 2)


def content_is_text(messages):
    """'content' field must be a string or an array of objects."""
    return all(isinstance(m["content"], str) for m in messages)


def nothing_is_empty(messages):
    """No assistant message without anything in it; no empty list of calls, no empty thinking."""
    return all(
        m["role"] != "assistant" or ((m["content"] or m.get("tool_calls")
                                      or m.get("reasoning_content"))
                                     and m.get("tool_calls") != []
                                     and "" not in (m.get("reasoning_content"), m.get("reasoning")))
        for m in messages)


def each_call_is_answered(messages):
    """Every tool call has one result, right after it and in its order; no result without a call."""
    expected: list[str] = []
    for m in messages:
        if m["role"] == "tool":
            if not expected or m["tool_call_id"] != expected.pop(0):
                return False
        elif expected:
            return False
        else:
            expected = [call["id"] for call in m.get("tool_calls") or ()]
    return not expected


def ends_with_a_question(messages):
    """The last message is the user's or a tool result."""
    return messages[-1]["role"] in ("user", "tool")


RULES = [system_first, roles_alternate, content_is_text, nothing_is_empty, each_call_is_answered,
         ends_with_a_question]


def strict(replies):
    """A script that refuses what breaks a rule, as a template does; what it refused is kept."""
    left, refused = list(replies), []

    def answer(body):
        broken = [rule.__doc__ for rule in RULES if not rule(body["messages"])]
        if broken:
            refused.append((broken, body["messages"]))
            return error(500, {"error": {"code": 500, "message": f"Jinja Exception: {broken[0]}"}})
        return left.pop(0)

    return answer, refused


def broken_off():
    """Half an answer, then the connection is gone."""
    made = reply("half an answer", pieces=["half ", "an answer"])
    return Answer(made.pieces[:2], 200, made.headers, end="reset")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("replies", [
    [reply("", calls=[("read", {"path": "none"}), ("nothing", {}), ("ls", {"x": 1})]),
     reply("done")],
    [reply("Let me see.", reasoning="hm", calls=[("bash", {"command": "rm -r ws"})]), reply("well")],
    [reply("half ", finish="length"), reply("whole")],
    [reply("", finish="length"), reply("whole")],
    [reply("", calls=[("write", '{"path":"a","content":"cut o')], finish="length"), reply("done")],
    [reply("", calls=[("read", "{broken")]), reply("done")],
    [reply("", reasoning="only thinking"), reply("done")],
    [broken_off(), reply("the rest")],
], ids=["mistakes", "refusal", "cut text", "cut at once", "cut call", "broken call", "thinking",
        "broken off"])
def test_every_kind_of_turn_is_taken_by_strict_templates(tmp_path, replies):
    script, refused = strict([*replies, reply("second"), reply("third")])
    with FakeServer(script) as server:
        with Run(tmp_path, base_url=server.base_url) as run:
            run.say("first task")
            run.say("second task")
            path = run.agent.session.path
        with Run(tmp_path, base_url=server.base_url, resume=path) as run:
            run.say("third task")
    assert refused == []


@pytest.mark.parametrize("moment", ["while it is asked", "while it answers"])
def test_a_turn_that_was_stopped_is_taken_by_strict_templates(tmp_path, moment):
    asked = reply("", calls=[("bash", {"command": "touch x"}), ("ls", {})])
    script, refused = strict([asked, reply("second")] if moment == "while it is asked"
                             else [stopped := reply("half an ", pieces=["half ", "an "]),
                                   reply("second")])
    with FakeServer(script) as server, Run(tmp_path, base_url=server.base_url, asks=True) as run:
        if moment == "while it is asked":
            run.agent.add_sink(lambda event, _: isinstance(event, ApprovalOpen)
                               and run.agent.cancel())
        else:
            stopped.pieces.insert(2, run.agent.cancel)
            stopped.pieces, stopped.end, stopped.chunked = stopped.pieces[:3], "stall", False
            stopped.usage = None
        assert run.say("first task").reason == "cancelled"
        assert run.say("second task").reason == "done"
    assert refused == []

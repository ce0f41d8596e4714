"""What was sent once never changes by a byte for the rest of the session."""

from __future__ import annotations

import json
import threading

import pytest

from clinkai.harness.session import read_log
from tests.harness.agents import Run, extends
from tests.server import FakeServer, reply


def bodies(server) -> list[bytes]:
    return [chat.body for chat in server.chats]


def assert_a_chain(sent: list[bytes]) -> None:
    broken = [n for n, pair in enumerate(zip(sent, sent[1:]), 1) if not extends(*pair)]
    assert broken == []


def twenty_rounds() -> list:
    made = []
    for n in range(10):
        made.append(reply(reasoning=f"look at {n}", calls=[("read", {"path": f"in{n}.txt"})]))
        made.append(reply("next", calls=[("write", {"path": f"out{n}.txt", "content": "é" * 800})]))
    return [*made, reply("all done")]


def test_twenty_rounds_of_reading_and_writing(tmp_path):
    (tmp_path / "ws").mkdir()
    for n in range(10):
        (tmp_path / "ws" / f"in{n}.txt").write_text("some text here\n" * 133)
    with FakeServer(twenty_rounds()) as server, Run(tmp_path, base_url=server.base_url,
                                                    max_rounds=30) as run:
        server.n_ctx = 65_536
        end = run.say("do it")
        assert (end.reason, end.exit) == ("done", 0)
        assert len(server.chats) == 21
        assert_a_chain(bodies(server))
        assert list(server.chats[0].json)[-1] == "messages"
    assert (tmp_path / "ws" / "out9.txt").read_text() == "é" * 800


@pytest.mark.parametrize("replies", [
    [reply("", calls=[("read", {"path": "none"}), ("nothing", {}), ("ls", {"x": 1})]), reply("done")],
    [reply("", calls=[("bash", {"command": "rm -r ws"})]), reply("well")],
    [reply("half ", finish="length"), reply("whole")],
    [reply("", calls=[("write", '{"path":"a","content":"cut o')], finish="length"), reply("done")],
    [reply("", calls=[("read", "{broken")]), reply("done")],
    [reply("", reasoning="only thinking"), reply("done")],
    [reply("", reasoning="t", field="reasoning", calls=[("ls", {})]), reply("done")],
    [reply("text \u2028 你好 😀", calls=[("ls", {"path": "."})]), reply("done")],
], ids=["mistakes", "refusal", "cut text", "cut call", "broken call", "thinking", "field", "unicode"])
def test_every_kind_of_turn_and_its_resumption(tmp_path, replies):
    with FakeServer([*replies, reply("second"), reply("third")]) as server:
        with Run(tmp_path, base_url=server.base_url) as run:
            run.say("first task")
            run.say("second task")
            path = run.agent.session.path
        (tmp_path / "ws" / "AGENTS.md").write_text("New rules.")
        with Run(tmp_path, base_url=server.base_url, resume=path, lang="zh") as run:
            assert run.agent.workspace.path == str((tmp_path / "ws").resolve())
            assert run.say("third task").reason == "done"
        # A cut call asks again with another max_tokens: there only tools and messages are compared.
        sent = bodies(server)
        if any(chat.json["max_tokens"] != server.chats[0].json["max_tokens"] for chat in server.chats):
            for before, after in zip(server.chats, server.chats[1:]):
                assert after.json["tools"] == before.json["tools"]
                assert after.json["messages"][: len(before.json["messages"])] == before.json["messages"]
        else:
            assert_a_chain(sent)


def test_two_sessions_in_one_workspace_share_system_prompt_and_tools(tmp_path):
    with FakeServer([reply("one"), reply("two")]) as server:
        for text in ("one", "two"):
            with Run(tmp_path, base_url=server.base_url) as run:
                run.say(text)
        first, second = bodies(server)
        common = first[: first.index(b'"one"')]
        assert second.startswith(common)


def test_a_server_that_dies_in_the_middle_loses_nothing_acknowledged(tmp_path):
    entered = threading.Event()
    write = ("write", {"path": "a.json", "content": '{"x": 1}'})
    answer = reply("a long answer", pieces=["a long ", "answer"])
    answer.pieces.insert(3, entered.set)
    answer.pieces, answer.end, answer.chunked, answer.usage = answer.pieces[:4], "reset", False, None
    with FakeServer([reply("", calls=[write]), answer]) as server:
        with Run(tmp_path, base_url=server.base_url) as run:
            end = run.say("write it")
            assert (end.reason, end.exit) == ("error", 3)
            path = run.agent.session.path
        sent = bodies(server)
    assert json.loads((tmp_path / "ws" / "a.json").read_text()) == {"x": 1}
    with FakeServer([reply("went on")]) as server:
        with Run(tmp_path, base_url=server.base_url, resume=path) as run:
            assert run.say("go on").reason == "done"
        sent += bodies(server)
    assert_a_chain(sent)
    kinds = [r["type"] for r in read_log(path).records if r["type"] != "meta"]
    assert kinds == ["init", "user", "assistant", "tool", "assistant", "user", "assistant"]


def test_an_unanswered_message_is_closed_before_the_next(tmp_path):
    with FakeServer([reply("hello")]) as server:
        with Run(tmp_path, base_url="http://127.0.0.1:9/v1") as run:
            assert run.say("anybody there?").exit == 3
            path = run.agent.session.path
        with Run(tmp_path, base_url=server.base_url, resume=path) as run:
            run.say("again")
        roles = [(m["role"], m["content"]) for m in server.chats[0].json["messages"][1:]]
    assert roles == [("user", "anybody there?"), ("assistant", "[interrupted]"), ("user", "again")]

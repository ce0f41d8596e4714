"""What was sent once never changes by a byte for the rest of the session."""

from __future__ import annotations

import json

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.events import Archived, RoundStart, Usage, Window
from clinkai.harness.session import read_log
from tests.harness.agents import Run, extends
from tests.harness.wires import LACKING, QUICK, WIRES, broken, fields, server, spoken
from tests.server import FakeServer, error, reply


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


@pytest.mark.parametrize("wire", WIRES)
def test_twenty_rounds_of_reading_and_writing(tmp_path, wire):
    (tmp_path / "ws").mkdir()
    for n in range(10):
        (tmp_path / "ws" / f"in{n}.txt").write_text("some text here\n" * 133)
    with server(wire, twenty_rounds(), n_ctx=65_536) as fake, Run(
            tmp_path, **spoken(wire, fake), max_rounds=30) as run:
        end = run.say("do it")
        assert (end.reason, end.exit) == ("done", 0)
        assert len(fake.chats) == 21
        assert_a_chain(bodies(fake))
        assert list(fake.chats[0].json)[-1] == "messages"
    assert (tmp_path / "ws" / "out9.txt").read_text() == "é" * 800


SENTENCE = "The same words come again and again without any end. "
REPEATED = {"temperature", "frequency_penalty"}


def changes(chats) -> list[set]:
    """The fields, `messages` aside, in which each request differs from the first."""
    heads = [fields(chat.json) for chat in chats]
    first = heads[0]
    return [{k for k in first.keys() | head.keys() if first.get(k) != head.get(k)} for head in heads]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("wire", QUICK)
@pytest.mark.parametrize(("replies", "retries"), [
    ([reply("", calls=[("read", {"path": "none"}), ("nothing", {}), ("ls", {"x": 1})]), reply("done")], {}),
    ([reply("", calls=[("bash", {"command": "rm -r ws"})]), reply("well")], {}),
    ([reply("half ", finish="length"), reply("whole")], {}),
    ([reply("", calls=[("write", '{"path":"a","content":"cut o')], finish="length"), reply("done")],
     {1: {"max_tokens"}}),
    ([reply("", calls=[("read", "{broken")]), reply("done")], {1: {"max_tokens"}}),
    ([reply("", calls=[("read", {"path": 1})]), reply("", calls=[("read", {"path": "a"})]), reply("done")],
     {1: {"tool_choice"}}),
    ([broken("half "), reply("whole")], {}),
    ([reply(SENTENCE * 9), reply("the end")], {1: REPEATED}),
    ([reply(reasoning=SENTENCE * 9), reply("the end")], {1: REPEATED}),
    ([reply("", reasoning="only thinking"), reply("done")], {}),
    ([reply("", reasoning="t", field="reasoning", calls=[("ls", {})]), reply("done")], {}),
    ([reply("text \u2028 你好 😀", calls=[("ls", {"path": "."})]), reply("done")], {}),
], ids=["mistakes", "refusal", "cut text", "cut call", "broken call", "invalid call", "broken answer",
        "repeated text", "repeated thinking", "thinking", "field", "unicode"])
def test_every_kind_of_turn_and_its_resumption(tmp_path, replies, retries, wire):
    """retries: in the documented ones, by their number, these fields differ, and only there."""
    with server(wire, [*replies, reply("second"), reply("third")]) as fake:
        with Run(tmp_path, **spoken(wire, fake)) as run:
            run.say("first task")
            run.say("second task")
            path = run.agent.session.path
        (tmp_path / "ws" / "AGENTS.md").write_text("New rules.")
        with Run(tmp_path, **spoken(wire, fake), resume=path, lang="zh") as run:
            assert run.agent.workspace.path == str((tmp_path / "ws").resolve())
            assert run.say("third task").reason == "done"
        assert len(fake.chats) == len(replies) + 2
        assert changes(fake.chats) == [retries.get(n, set()) - LACKING.get(wire, set())
                                       for n in range(len(fake.chats))]
        assert_a_chain([chat.body for n, chat in enumerate(fake.chats) if n not in retries])
        for before, after in zip(fake.chats, fake.chats[1:]):
            sent = before.json["messages"]
            assert after.json["messages"][: len(sent)] == sent
            assert json.dumps(after.json["tools"]) == json.dumps(before.json["tools"])


def test_two_sessions_in_one_workspace_share_system_prompt_and_tools(tmp_path):
    with FakeServer([reply("one"), reply("two")]) as server:
        for text in ("one", "two"):
            with Run(tmp_path, base_url=server.base_url) as run:
                run.say(text)
        first, second = bodies(server)
        common = first[: first.index(b'"one"')]
        assert second.startswith(common)


@pytest.mark.parametrize("times", [1, 4])
def test_a_server_that_dies_in_the_middle_loses_nothing_acknowledged(tmp_path, times):
    """It is asked to go on three times, and the turn ends with the error after that."""
    write = ("write", {"path": "a.json", "content": '{"x": 1}'})
    script = [reply("", calls=[write]), *[broken("a long ", "answer")] * times, reply("went on")]
    goes_on = times < 4
    with FakeServer(script[:5]) as server:
        with Run(tmp_path, base_url=server.base_url) as run:
            end = run.say("write it")
            assert (end.reason, end.exit) == (("done", 0) if goes_on else ("error", 3))
            path = run.agent.session.path
        sent = bodies(server)
    assert json.loads((tmp_path / "ws" / "a.json").read_text()) == {"x": 1}
    with FakeServer([reply("went on")]) as server:
        with Run(tmp_path, base_url=server.base_url, resume=path) as run:
            assert run.say("go on").reason == "done"
        sent += bodies(server)
    assert_a_chain(sent)
    kinds = [r["type"] for r in read_log(path).records if r["type"] != "meta"]
    assert kinds == ["init", "user", "assistant", "tool", *["assistant", "user"] * (times + goes_on), "assistant"]


def test_an_unanswered_message_is_closed_before_the_next(tmp_path):
    with FakeServer([reply("hello")]) as server:
        with Run(tmp_path, base_url="http://127.0.0.1:9/v1") as run:
            assert run.say("anybody there?").exit == 3
            path = run.agent.session.path
        with Run(tmp_path, base_url=server.base_url, resume=path) as run:
            run.say("again")
        roles = [(m["role"], m["content"]) for m in server.chats[0].json["messages"][1:]]
    assert roles == [("user", "anybody there?"), ("assistant", "[interrupted]"), ("user", "again")]


ASK = Strings("en")("archive.ask", words=0)[:60]
BREAKS = ("archived", "window", "model", "status")
OVERFLOW = error(400, {"error": {"code": 400, "message": "too large", "n_prompt_tokens": 9000,
                                 "n_ctx": 8192, "type": "exceed_context_size_error"}})


def working(rounds: int, summary: str = "in short", odd: dict | None = None):
    """A model that writes a file in each of `rounds` rounds; odd: other answers, by the round."""
    left = list(range(rounds))

    def answer(body):
        if ASK in json.dumps(body["messages"][-1], ensure_ascii=False):
            return reply(summary)
        if not left:
            return reply("done")
        n = left.pop(0)
        if odd and n in odd:
            return odd[n]
        return reply("", reasoning=f"step {n}", calls=[
            ("write", {"path": f"f{n}.txt", "content": f"{n} text\n" * 120})])

    return answer


def assert_explained(chats, usages, announced) -> None:
    """Each request extends the one before, or its figures name a cause that was announced; an
    archive's differs from those around it in its last message and in what it may call."""
    told = [usage.cause for usage in usages if usage.cause in BREAKS]
    assert [cause for cause in told if cause in ("archived", "window")] == announced
    own = [c for c in chats if ASK not in json.dumps(c.json["messages"][-1], ensure_ascii=False)]
    broken = [n for n, (a, b) in enumerate(zip(own, own[1:])) if not extends(a.body, b.body)]
    assert len(broken) == len(told)
    for before, after in zip(chats, chats[1:]):
        if after not in own and before in own:
            sent = before.json["messages"]
            assert after.json["messages"][: len(sent)] == sent
            assert json.dumps(after.json["tools"]) == json.dumps(before.json["tools"])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("wire", QUICK)
@pytest.mark.parametrize(("script", "options"), [
    ({}, {}),
    ({"summary": ""}, {}),
    ({"odd": {9: OVERFLOW}}, {"ctx_budget": 90_000}),
    ({"odd": {5: reply("", calls=[("bash", {"command": "rm -r ws"})])}}, {}),
    ({"odd": {7: reply("half ", finish="length")}}, {}),
    ({}, {"model": "other"}),
    ({}, {"cancel": 9}),
    ({}, {"status": "ephemeral"}),
], ids=["archive", "window", "overflow", "denial", "cut text", "another model", "cancel", "ephemeral"])
def test_each_break_of_the_chain_is_announced_with_its_cause(tmp_path, script, options, wire):
    budget = {"ctx_budget": options.get("ctx_budget", 4000), "max_tokens": 500, "max_rounds": 40,
              "status": options.get("status", "pinned")}
    with server(wire, working(14, **script)) as fake:
        usages, announced = [], []
        for resume in (None, "auto"):
            more = {"model": options["model"]} if resume and "model" in options else {}
            with Run(tmp_path, **spoken(wire, fake), resume=resume, **budget, **more) as run:
                stop = options.get("cancel")
                run.agent.add_sink(lambda event, stamp: stop and type(event) is RoundStart
                                   and event.n == stop and run.agent.cancel())
                run.say("first")
                run.say("second")
                usages += run.of(Usage)
                announced += [e.type for e in run.events if type(e) in (Archived, Window)
                              and not getattr(e, "failed", "")]
        assert announced
        if options.get("status") != "ephemeral":
            assert_explained(fake.chats, usages, announced)

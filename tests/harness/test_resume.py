"""A session goes on from every point at which its file can end, and never differs from its file."""

from __future__ import annotations

import json
import os

import pytest

from clinkai.ai.body import Body
from clinkai.ai.scripted import ScriptedProvider
from clinkai.core.errors import Cancelled, SessionError, StreamBroken
from clinkai.core.events import ApprovalOpen, Delta, Notice, ToolEnd, ToolStart
from clinkai.core.state import fold
from clinkai.core.value import replace
from clinkai.harness.session import read_log
from tests.harness.agents import Run, extends
from tests.loop.turns import call, say


def recorded(*replies):
    """A provider with that script, and the list of the requests it gets."""
    requests: list = []
    script = iter(replies)

    def answer(request):
        requests.append(request)
        return next(script)

    return ScriptedProvider(answer), requests


def body(request) -> bytes:
    """The request as bytes, with the one number left alone that a retry may change."""
    return bytes(Body().render(replace(request, max_tokens=1)))


def assert_well_formed(messages: tuple) -> None:
    """Begins with a user message, no two of them in a row, each call followed by its result."""
    waiting: list[str] = []
    before = "assistant"
    for message in messages:
        if message.role == "tool":
            assert waiting and waiting.pop(0) == message.call_id
        else:
            assert waiting == [] and message.role != before
            waiting = [made.id for made in message.tool_calls]
        before = message.role
    assert waiting == []


def assert_the_file_says_the_same(agent) -> None:
    log = read_log(agent.session.path)
    assert (log.bad, log.torn) == ((), 0)
    assert [r["seq"] for r in log.records] == list(range(1, len(log.records) + 1))
    assert fold(log.records) == agent.session.state


def everything() -> list:
    """Two turns with everything that a turn can hold."""
    return [
        say("look", call("a", "ls", path="."), call("b", "read", path="pkg/a.txt"), think="hm"),
        say("", call("c", "write", path="new.txt", content="1\n" * 9000), call("d", "nothing")),
        say("", call("e", "bash", command="cat new.txt"), call("f", "read", broken="{oops")),
        say("", call("g", "bash", command="touch x"), call("h", "edit", path="new.txt", old="1", new="2")),
        say("half ", finish="length", think="long"), say("whole"),
        say("", finish="length", cut="write"), say("", think="only"), say("done \ud800 你好 \u2028"),
    ]


@pytest.fixture
def ws(tmp_path):
    (tmp_path / "ws/pkg").mkdir(parents=True)
    (tmp_path / "ws/pkg/AGENTS.md").write_text("Nested rule.")
    (tmp_path / "ws/pkg/a.txt").write_text("x\n")
    return tmp_path / "ws"


@pytest.mark.slow
def test_a_session_goes_on_from_after_every_record(tmp_path, ws):
    provider, sent = recorded(*everything())
    with Run(tmp_path, provider=provider) as run:
        assert (run.say("first").reason, run.say("second").reason) == ("done", "done")
        path = run.agent.session.path
        assert_the_file_says_the_same(run.agent)
    with open(path, "rb") as file:
        lines = file.readlines()
    records = read_log(path).records
    for end in range(1, len(lines) + 1):
        with open(path, "wb") as file:
            file.writelines(lines[:end])
        kept = sum(r["type"] in ("user", "assistant", "tool") for r in records[:end])
        provider, more = recorded(say("went on"))
        with Run(tmp_path, provider=provider, resume=path) as run:
            assert run.say("go on").reason == "done"
            assert_the_file_says_the_same(run.agent)
        assert_well_formed(more[0].messages)
        assert more[0].messages[-1].content == "go on"
        for request in sent:
            if len(request.messages) <= kept:
                assert extends(body(request), body(more[0])), f"after record {end}"


def stopped_at(kind, **match):
    """Cancel at the first event of that kind whose fields are such."""
    def watch(run, event):
        if isinstance(event, kind) and all(getattr(event, k) == v for k, v in match.items()):
            run.agent.cancel()
    return watch


@pytest.mark.sampled(2)
@pytest.mark.parametrize("watch", [
    stopped_at(Delta), stopped_at(ToolStart, call="a"), stopped_at(ToolEnd, call="a"),
    stopped_at(ApprovalOpen), stopped_at(ToolStart, call="h"), stopped_at(Notice),
    stopped_at(Delta, ch="args"), stopped_at(Delta, ch="think"),
], ids=["text", "a call", "between", "a question", "a later call", "a notice", "args", "thinking"])
def test_a_turn_stopped_anywhere_is_closed_and_the_next_one_follows(tmp_path, ws, watch):
    provider, sent = recorded(*everything()[:6])
    with Run(tmp_path, provider=provider, asks=True) as run:
        run.agent.add_sink(lambda event, stamp: watch(run, event))
        run.agent.add_sink(lambda event, stamp: isinstance(event, ApprovalOpen)
                           and run.agent.answer(event.aid, "once", event.digest))
        assert run.say("first").reason == "cancelled"
        assert run.say("second").reason in ("done", "cancelled")
        assert_the_file_says_the_same(run.agent)
        started = [e.call for e in run.of(ToolStart)]
        assert started == [e.call for e in run.of(ToolEnd)]
    for before, after in zip(sent, sent[1:]):
        assert_well_formed(after.messages)
        assert extends(body(before), body(after))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("last", [
    StreamBroken("error.stream.ended"), Cancelled(), ValueError("a defect"), "nothing more",
], ids=["broken", "cancelled", "defect", "no answer"])
def test_whatever_ends_a_turn_the_file_says_what_the_session_knows(tmp_path, ws, last):
    replies = [*everything()[:4], last] if last != "nothing more" else everything()[:3]
    provider, _ = recorded(*replies)
    with Run(tmp_path, provider=provider) as run:
        run.say("x")
        assert_the_file_says_the_same(run.agent)


def test_an_answer_that_breaks_by_a_defect_keeps_what_was_said(tmp_path):
    class Defective(ScriptedProvider):
        def stream(self, request, cancel):
            yield next(super().stream(request, cancel))
            raise ZeroDivisionError

    with Run(tmp_path, provider=Defective([say("some words")])) as run:
        assert run.say("x").exit == 1
        assert [m.content for m in run.agent.session.state.messages] == ["x", "some words"]


def test_the_model_is_spoken_to_in_the_language_of_the_session(tmp_path, ws):
    with Run(tmp_path, provider=recorded(say("一"))[0], lang="zh") as run:
        run.say("x")
        path, system = run.agent.session.path, run.agent.session.state.system
    provider, sent = recorded(say("", call("a", "read", path="none.txt")), say("二"))
    with Run(tmp_path, provider=provider, resume=path, lang="en") as run:
        run.say("y")
        assert run.agent.say.lang == "zh" and sent[0].system == system
        result = run.agent.session.state.messages[-2].content
    assert any("\u4e00" <= c <= "\u9fff" for c in result)


def test_only_the_tools_of_the_session_are_there(tmp_path, ws):
    with Run(tmp_path, provider=recorded(say("one"))[0], tools=("read", "ls")) as run:
        run.say("x")
        path = run.agent.session.path
    provider, sent = recorded(say("", call("a", "bash", command="ls")), say("done"))
    with Run(tmp_path, provider=provider, resume=path) as run:
        run.say("y")
        assert [s["function"]["name"] for s in sent[0].tools] == ["read", "ls"]
        assert "bash" in run.agent.session.state.messages[-2].content
        assert not run.agent.session.state.messages[-2].ok


def test_the_mode_is_that_of_the_run_and_is_kept(tmp_path, ws):
    write = say("", call("a", "write", path="f", content="x"))
    with Run(tmp_path, provider=recorded(write, say("one"))[0], mode="plan") as run:
        assert run.say("x").denied == 1
        path = run.agent.session.path
    with Run(tmp_path, provider=recorded(write, say("two"))[0], resume=path, mode="auto") as run:
        assert run.say("y").denied == 0
        assert run.agent.session.state.mode == "auto"
        assert_the_file_says_the_same(run.agent)


INIT = {"v": 1, "seq": 1, "ts": 1, "type": "init", "workspace": "/", "model": "m",
        "provider": "demo", "lang": "en", "mode": "auto", "system": "S", "tools": [],
        "agents_md": []}


@pytest.mark.parametrize(("lines", "key"), [
    ([{**INIT, "lang": "fr"}], "error.session.line"),
    ([{**INIT, "tools": [{}]}], "error.session.line"),
    ([{**INIT, "workspace": None}], "error.session.line"),
    ([{**INIT, "seq": "1"}], "error.session.line"),
    ([INIT, {"type": "user", "seq": 2}], "error.session.line"),
    ([INIT, {"type": "meta", "seq": 2, "kind": "grant", "grant": "all"}], "error.session.line"),
    ([INIT, {"type": "of a later version", "seq": 2}], "error.session.later"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_a_file_that_makes_no_sense_is_an_error_that_names_it(tmp_path, lines, key):
    path = tmp_path / "20260101-000000-aa.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(SessionError) as caught:
        Run(tmp_path, provider=recorded()[0], resume=str(path))
    assert (caught.value.key, caught.value.params["path"]) == (key, str(path))


def test_unknown_meta_records_are_passed_over(tmp_path):
    path = tmp_path / "20260101-000000-aa.jsonl"
    later = {"type": "meta", "seq": 2, "kind": "of a later version", "x": [1]}
    path.write_text("".join(json.dumps(line) + "\n" for line in (INIT, later)))
    with Run(tmp_path, provider=recorded(say("one"))[0], resume=str(path),
             workspace=tmp_path / "ws") as run:
        assert run.say("x").reason == "done"


def test_what_is_no_regular_file_is_no_session(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(SessionError) as caught:
        Run(tmp_path, provider=recorded()[0], resume=str(tmp_path / "pipe.jsonl"))
    assert caught.value.key == "error.session.init"

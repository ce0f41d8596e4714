"""The mode of a session: how a switch reaches the gate, the model, the log and people."""

from __future__ import annotations

import pytest

from clinkai.ai.scripted import ScriptedProvider
from clinkai.core.catalogue import Strings
from clinkai.core.errors import SessionError, UsageError
from clinkai.core.events import Notice, ToolEnd
from clinkai.core.state import fold
from clinkai.harness import modes
from clinkai.harness.sandbox.wall import missing
from clinkai.harness.session import read_log
from clinkai.harness.settings import load
from tests.harness.agents import Run
from tests.loop.turns import call, say

EN = Strings("en")
GRANT = {"kind": "command", "command": "make"}


def told(mode: str) -> str:
    return "\n\n" + EN(f"notice.told.{mode}")


def recording(script):
    """A provider with the requests it got. script(n, request) is the n-th answer."""
    requests = []

    def answer(request):
        requests.append(request)
        return script(len(requests), request)

    return ScriptedProvider(answer), requests


def asked(requests: list) -> list[str]:
    """What the person said, as the model got it in the last request."""
    return [m.content for m in requests[-1].messages if m.role == "user"]


@pytest.mark.parametrize(("kept", "flags", "environ", "stored", "trusted", "mode"), [
    ("plan", {}, {}, "", True, "plan"),
    ("sandbox", {}, {}, "", True, "sandbox"),
    ("plan", {"mode": "auto"}, {}, "", True, "auto"),
    ("plan", {}, {"CLINKAI_MODE": "ask"}, "", True, "ask"),
    ("plan", {}, {}, "mode = 'ask'", True, "plan"),
    ("later", {}, {}, "mode = 'ask'", True, "ask"),
    ("sandbox", {}, {}, "", False, "auto"),
    ("sandbox", {}, {}, "mode = 'ask'", False, "ask"),
    ("plan", {}, {}, "", False, "plan"),
    ("plan", {"mode": "sandbox"}, {}, "", False, "sandbox"),
])
def test_a_session_goes_on_in_its_mode_unless_this_run_asks_for_another(
        tmp_path, kept, flags, environ, stored, trusted, mode):
    (tmp_path / "config.toml").write_text(stored)
    settings = load(flags, environ, str(tmp_path))
    assert modes.chosen(kept, settings, trusted) == mode


def test_a_switch_is_told_once_and_changes_nothing_that_was_sent(tmp_path):
    provider, requests = recording(lambda n, request: say(f"answer {n}"))
    with Run(tmp_path, provider=provider) as run:
        run.say("one")
        run.agent.set_mode("plan")
        run.say("two")
        run.say("three")
        run.agent.set_mode("ask")
        run.agent.set_mode("plan")
        run.say("four")
        path, state = run.agent.session.path, run.agent.session.state
        assert [n.key for n in run.of(Notice)] == [
            "notice.mode.plan", "notice.mode.ask", "notice.mode.plan"]
    assert asked(requests) == ["one", "two" + told("plan"), "three", "four"]
    assert all((r.system, r.tools) == (requests[0].system, requests[0].tools) for r in requests)
    for before, after in zip(requests, requests[1:]):
        assert after.messages[:len(before.messages)] == before.messages
    records = read_log(path).records
    assert [r["mode"] for r in records if r.get("kind") == "mode"] == ["plan", "ask", "plan"]
    assert fold(records) == state and (state.mode, state.told) == ("plan", "plan")
    with Run(tmp_path, provider=provider, resume=path) as run:
        run.say("five")
        run.agent.set_mode("auto")
        run.say("six")
        assert [n.key for n in run.of(Notice)] == ["notice.mode.plan", "notice.mode.auto"]
    assert asked(requests)[4:] == ["five", "six" + told("auto")]


@pytest.mark.parametrize(("began", "option", "words"), [
    ("auto", "auto", ""), ("plan", "plan", told("plan")), ("ask", "ask", told("ask")),
])
def test_a_mode_that_was_asked_for_at_the_start_is_told_with_the_first_message(
        tmp_path, began, option, words):
    provider, requests = recording(lambda n, request: say("done"))
    with Run(tmp_path, provider=provider, mode=option) as run:
        run.say("one")
        run.say("two")
        assert run.of(Notice) == []
    assert asked(requests) == ["one" + words, "two"]


def test_an_option_on_a_session_that_goes_on_is_a_switch(tmp_path):
    provider, requests = recording(lambda n, request: say("done"))
    with Run(tmp_path, provider=provider) as run:
        run.say("one")
        path = run.agent.session.path
    with Run(tmp_path, provider=provider, resume=path, mode="plan") as run:
        run.say("two")
        run.say("three")
        assert [n.key for n in run.of(Notice)] == ["notice.mode.plan"]
        assert run.agent.session.state.mode == "plan"
    assert asked(requests) == ["one", "two" + told("plan"), "three"]


def test_a_switch_in_a_turn_holds_from_the_next_decision_on(tmp_path):
    def script(n, request):
        if n == 2:
            run.agent.set_mode("plan")
        name = {1: "a.txt", 2: "b.txt"}.get(n)
        return say("", call(f"c{n}", "write", path=name, content="x")) if name else say("done")

    provider, requests = recording(script)
    with Run(tmp_path, provider=provider) as run:
        assert run.say("go").denied == 1
        run.say("more")
        assert [e.decision for e in run.of(ToolEnd)] == ["allow", "deny"]
    assert sorted(p.name for p in run.workspace.iterdir()) == ["a.txt"]
    assert asked(requests) == ["go", "more" + told("plan")]


def test_a_mode_chosen_before_the_first_message_is_the_one_it_begins_in(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(say("done"))) as run:
        run.agent.set_mode("plan")
        run.say("x")
        first = read_log(run.agent.session.path).records[0]
    assert (first["type"], first["mode"]) == ("init", "plan")


def test_the_kernel_sandbox_follows_a_switch(tmp_path, scripted):
    with Run(tmp_path, provider=scripted()) as run:
        found = []
        for mode in ("sandbox", "auto", "sandbox", "plan"):
            run.agent.set_mode(mode)
            found.append((run.agent.mode, run.agent.gate.policy.confined))
    there = not missing()
    assert found == [("sandbox", there), ("auto", False), ("sandbox", there), ("plan", False)]


def test_a_sandbox_that_is_not_to_be_had_is_said_to_people_and_the_model_is_told_nothing(tmp_path):
    provider, requests = recording(lambda n, request: say("done"))
    with Run(tmp_path, provider=provider, workspace=tmp_path) as run:  # it holds CLINKAI_HOME
        run.agent.set_mode("sandbox")
        run.say("one")
        run.say("two")
        why = "notice.sandbox" if missing() else "notice.sandbox.wide"
        assert [n.key for n in run.of(Notice)] == ["notice.mode.sandbox", why]
    assert asked(requests) == ["one", "two"]


@pytest.mark.parametrize("mode", ["plan", "ask", "auto", "sandbox"])
def test_a_home_in_the_workspace_is_written_in_no_mode(tmp_path, mode, scripted):
    shell = ["echo x > home/policy.toml", "cp a home/policy.toml", "make"]
    calls = [*(call(f"w{n}", tool, path="home/policy.toml", **more) for n, (tool, more) in enumerate(
                 [("write", {"content": "x"}), ("edit", {"old": "x", "new": "y"}), ("read", {})])),
             *(call(f"b{n}", "bash", command=line) for n, line in enumerate(shell))]
    with Run(tmp_path, provider=scripted(say("", *calls), say("done")), workspace=tmp_path, mode=mode) as run:
        assert run.say("x").denied == len(calls)
    assert not (tmp_path / "home" / "policy.toml").exists()


def test_what_is_no_mode_changes_nothing(tmp_path, scripted):
    with Run(tmp_path, provider=scripted()) as run:
        with pytest.raises(UsageError, match="setting.error.choice"):
            run.agent.set_mode("yolo")
        assert (run.agent.mode, run.events) == ("auto", [])
    with pytest.raises(SessionError):
        run.agent.set_mode("plan")


def kept(tmp_path, scripted, **flags) -> str:
    """The log of a session in the mode sandbox with a grant."""
    with Run(tmp_path, provider=scripted(say("done")), mode="sandbox", **flags) as run:
        run.say("x")
        run.agent._keep_grant(GRANT)
        return run.agent.session.path


def test_grants_and_the_mode_come_back_with_the_session(tmp_path, scripted):
    path = kept(tmp_path, scripted)
    with Run(tmp_path, provider=scripted(), resume=path) as run:
        assert (run.agent.mode, run.agent.gate.policy.grants) == ("sandbox", (GRANT,))


def test_a_log_in_the_workspace_loosens_nothing(tmp_path, scripted):
    path = kept(tmp_path, scripted)
    (tmp_path / "ws" / "logs").mkdir()
    with open(path, "rb") as file:
        inside = tmp_path / "ws" / "logs" / "s-12345678.jsonl"
        inside.write_bytes(file.read())
    with Run(tmp_path, provider=scripted(), resume=str(inside)) as run:
        assert (run.agent.mode, run.agent.gate.policy.grants) == ("auto", ())


def test_a_grant_is_for_the_workspace_it_was_given_in(tmp_path, scripted):
    path = kept(tmp_path, scripted)
    with Run(tmp_path, provider=scripted(say("done")), resume=path, workspace=tmp_path / "other") as run:
        run.say("y")
        run.agent._keep_grant({"kind": "command", "command": "other"})
        assert run.agent.gate.policy.grants == ()
    with Run(tmp_path, provider=scripted(), resume=path) as run:
        assert run.agent.gate.policy.grants == (GRANT,)

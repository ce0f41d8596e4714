"""Questions, answers, stopping and closing from several threads at once."""

from __future__ import annotations

import sys
import threading

import pytest

from clinkai.ai.scripted import ScriptedProvider
from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.errors import Cancelled, SessionError
from clinkai.core.events import ApprovalDone, ApprovalOpen, RunEnd, ToolEnd
from clinkai.harness.permission import Answer, SessionGate
from clinkai.harness.policy import Policy
from clinkai.harness.session import read_log
from tests.harness.agents import Run
from tests.loop.turns import call, say

DEADLINE = 20


def touch(id: str, command: str = "touch made"):
    return say("", call(id, "bash", command=command))


def scripted(*replies) -> ScriptedProvider:
    return ScriptedProvider(replies)


def gate() -> SessionGate:
    return SessionGate(Policy(), Strings("en"), "/w", asks=True, keep=lambda grant: None)


def test_an_answer_that_won_is_the_one_that_counts_also_when_stopped_at_that_moment():
    for n in range(300):
        asking, cancel, told, won = gate(), Cancel(), [], []

        def emit(event):
            told.append(event)
            if isinstance(event, ApprovalOpen):
                both = [threading.Thread(target=cancel.set), threading.Thread(target=lambda: won.append(
                    asking.answer(event.aid, Answer("once", "t"), event.digest)))]
                threads.extend(both if n % 2 else reversed(both))
                for thread in threads:
                    thread.start()

        threads: list = []
        try:
            allowed = asking.more_rounds(3, emit, cancel)
        except Cancelled:
            allowed = False
        for thread in threads:
            thread.join()
        assert won == [allowed]
        assert told[-1].decision == ("once" if allowed else "deny")
        assert asking.pending() == []


def test_a_question_that_cannot_be_told_does_not_stay_open():
    def emit(event):
        raise SessionError("error.session.write", path="x", why="full")

    asking = gate()
    with pytest.raises(SessionError):
        asking.more_rounds(3, emit, Cancel())
    assert asking.pending() == []


def test_a_question_and_its_answer_are_in_the_file(tmp_path):
    with Run(tmp_path, provider=scripted(touch("a"), say("done")), asks=True) as run:
        run.agent.add_sink(lambda event, stamp: isinstance(event, ApprovalOpen) and run.agent.answer(
            event.aid, "deny", event.digest, "no"))
        run.say("x")
        kept = [r for r in read_log(run.agent.session.path).records
                if r.get("kind", "").startswith("approval.")]
        opened, done = run.of(ApprovalOpen)[0], run.of(ApprovalDone)[0]
    assert [r["kind"] for r in kept] == ["approval.open", "approval.done"]
    assert (kept[0]["what"], kept[0]["command"], kept[0]["digest"]) == ("bash", "touch made", opened.digest)
    assert (kept[1]["decision"], kept[1]["reason"]) == (done.decision, "no")


@pytest.mark.parametrize("decision", ["session", "prefix"])
def test_a_command_put_in_place_of_another_runs_once_and_grants_nothing(tmp_path, decision):
    with Run(tmp_path, provider=scripted(touch("a"), touch("b"), say("done")), asks=True) as run:
        answers = iter([(decision, "touch other"), ("deny", None)])
        run.agent.add_sink(lambda event, stamp: isinstance(event, ApprovalOpen) and run.agent.answer(
            event.aid, (said := next(answers))[0], event.digest, command=said[1]))
        run.say("x")
        assert [e.decision for e in run.of(ToolEnd)] == ["once", "deny"]
        assert run.agent.session.state.grants == ()
        assert "touch other" in run.agent.session.state.messages[2].content
    assert (tmp_path / "ws/other").exists() and not (tmp_path / "ws/made").exists()


@pytest.mark.parametrize("command", ["touch made && rm -r x", " \n"], ids=["forbidden", "empty"])
def test_a_command_put_in_place_of_another_is_judged_too(tmp_path, command):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/policy.toml").write_text('deny = ["rm"]')
    with Run(tmp_path, provider=scripted(touch("a"), say("done")), asks=True) as run:
        run.agent.add_sink(lambda event, stamp: isinstance(event, ApprovalOpen) and run.agent.answer(
            event.aid, "once", event.digest, command=command))
        assert (run.say("x").denied, len(run.of(ApprovalOpen))) == (1, 1)
        assert [e.decision for e in run.of(ToolEnd)] == ["deny"]
    assert list((tmp_path / "ws").iterdir()) == []


def test_closing_while_a_question_is_open_ends_the_turn(tmp_path):
    with Run(tmp_path, provider=scripted(touch("a")), asks=True) as run:
        opened = threading.Event()
        run.agent.add_sink(lambda event, stamp: isinstance(event, ApprovalOpen) and opened.set())
        run.agent.submit("x")
        assert opened.wait(DEADLINE)
        run.agent.close()
        assert (run.agent.wait().reason, run.agent.gate.pending()) == ("cancelled", [])
        assert [e.call for e in run.of(ToolEnd)] == ["a"]


@pytest.mark.parametrize("before", [0, 1], ids=["new", "used"])
def test_nothing_is_submitted_to_a_closed_agent(tmp_path, before):
    with Run(tmp_path, provider=scripted(say("one"))) as run:
        for _ in range(before):
            run.say("x")
        run.agent.close()
        with pytest.raises(SessionError) as caught:
            run.agent.submit("y")
        assert caught.value.key == "error.session.closed"
    assert len(list(tmp_path.glob("home/sessions/*/*.jsonl"))) == before


def test_closing_and_submitting_at_once_leave_no_turn_running(tmp_path):
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for n in range(20):
            top = tmp_path / str(n)
            top.mkdir()
            with Run(top, provider=ScriptedProvider(lambda request: say("done"))) as run:
                def submit():
                    try:
                        run.agent.submit("x")
                    except SessionError as error:
                        refused.append(error.key)

                refused: list = []
                thread = threading.Thread(target=submit)
                thread.start()
                run.agent.close()
                thread.join(DEADLINE)
                assert not run.agent.busy
                assert refused == ["error.session.closed"] or run.of(RunEnd)
    finally:
        sys.setswitchinterval(interval)


def test_the_next_message_may_come_as_soon_as_the_end_is_told(tmp_path):
    with Run(tmp_path, provider=ScriptedProvider(lambda request: say("done"))) as run:
        ended = threading.Semaphore(0)
        run.agent.add_sink(lambda event, stamp: isinstance(event, RunEnd) and ended.release())
        for n in range(50):
            run.agent.submit(f"{n}")
            assert ended.acquire(timeout=DEADLINE)
        run.agent.wait()
        assert [e.reason for e in run.of(RunEnd)] == ["done"] * 50


def test_stopping_between_two_turns_stops_neither(tmp_path):
    with Run(tmp_path, provider=scripted(say("one"), say("two"))) as run:
        run.agent.cancel()
        assert run.say("x").reason == "done"
        run.agent.cancel()
        assert run.say("y").reason == "done"


def test_a_stalled_watcher_does_not_keep_answers_and_stopping_from_the_turn(tmp_path):
    entered, go = threading.Event(), threading.Event()

    def stalled(event, stamp):
        if isinstance(event, ApprovalOpen):
            entered.set()
            go.wait(DEADLINE)

    with Run(tmp_path, provider=scripted(touch("a"), say("done")), asks=True) as run:
        run.agent.add_sink(stalled)
        run.agent.submit("x")
        assert entered.wait(DEADLINE)
        (opened,) = run.agent.gate.pending()
        assert run.agent.answer(opened.aid, "deny", opened.digest)
        run.agent.cancel()
        go.set()
        assert run.agent.wait().reason == "cancelled"

from __future__ import annotations

import os
import threading
from contextlib import ExitStack

import pytest

from clinkai.ai.scripted import ScriptedProvider
from clinkai.core.errors import SessionError, UsageError, WorkspaceError
from clinkai.core.events import ApprovalDone, ApprovalOpen, Notice, RunEnd, RunStart, ToolEnd
from clinkai.core.state import fold
from clinkai.harness.permission import Answer
from clinkai.harness.sandbox.wall import missing
from clinkai.harness.session import Session, read_log
from tests.harness.agents import Run, files_end_at, settings_for
from tests.loop.turns import call, say


def test_a_task_is_done_and_kept(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(say("", call("a", "write", path="x/y.txt", content="hi")),
                                         say("done"))) as run:
        end = run.say("write it")
        assert (end.reason, end.exit, end.denied) == ("done", 0, 0)
        assert (tmp_path / "ws/x/y.txt").read_text() == "hi"
        assert fold(read_log(run.agent.session.path).records) == run.agent.session.state
        assert run.of(RunStart)[0].workspace == str((tmp_path / "ws").resolve())


def test_every_event_comes_with_its_json_and_the_ids(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(say("done"))) as run:
        run.say("x")
        assert {(b["v"], b["sid"], b["rid"]) for b in run.bodies} == {
            (1, run.agent.sid, f"{run.agent.sid}-1")}
        assert [b["type"] for b in run.bodies] == [e.type for e in run.events]


def test_nothing_is_written_before_the_first_prompt(tmp_path, scripted):
    with Run(tmp_path, provider=scripted()) as run:
        assert run.agent.session is None and not os.path.exists(tmp_path / "home/sessions")


def test_a_blank_prompt_and_a_second_turn_are_errors(tmp_path):
    entered, go = threading.Event(), threading.Event()

    def answer(request):
        entered.set()
        go.wait()
        return say("done")

    with Run(tmp_path, provider=ScriptedProvider(answer)) as run:
        with pytest.raises(UsageError):
            run.agent.submit(" \n")
        run.agent.submit("x")
        entered.wait()
        with pytest.raises(UsageError):
            run.agent.submit("y")
        go.set()
        assert run.agent.wait().reason == "done"


def test_a_failing_sink_is_dropped_and_nothing_is_lost(tmp_path, scripted):
    def broken(event, stamp):
        raise ZeroDivisionError

    with Run(tmp_path, provider=scripted(say("done"), say("again"))) as run:
        run.agent.add_sink(broken)
        assert run.say("x").reason == "done"
        assert run.say("y").reason == "done"


def test_a_defect_ends_the_turn_with_words(tmp_path):
    with Run(tmp_path, provider=ScriptedProvider(lambda request: 1 / 0)) as run:
        end = run.say("x")
        assert (end.reason, end.exit) == ("error", 1)
        assert "ZeroDivisionError" in end.detail
    assert "Traceback" in (tmp_path / "home/defect.txt").read_text()


# -- questions


def answering(run: Run, *answers: Answer, digest: str = "") -> None:
    """Answer each question that opens, in order."""
    left = iter(answers)

    def sink(event, stamp):
        if isinstance(event, ApprovalOpen):
            answer = next(left)
            threading.Thread(target=run.agent.answer,
                             args=(event.aid, answer.decision, digest or event.digest,
                                   answer.note, answer.command, answer.by)).start()

    run.agent.add_sink(sink)


def runs(*ids: str, command: str = "touch made") -> list:
    return [say("", call(i, "bash", command=command)) for i in ids]


def test_once_is_asked_again_and_a_session_grant_is_not(tmp_path, scripted):
    replies = [*runs("a", "b", "c"), say("done")]
    with Run(tmp_path, provider=scripted(*replies), asks=True) as run:
        answering(run, Answer("once", "test"), Answer("session", "test"))
        end = run.say("x")
        # Three equal rounds in a row are a breaker's business: the third result ends the turn.
        assert end.reason == "breaker"
        assert [e.decision for e in run.of(ToolEnd)] == ["once", "session", "session"]
        assert [e.decision for e in run.of(ApprovalDone)] == ["once", "session"]
    assert (tmp_path / "ws/made").exists()


def test_grants_come_back_with_the_session_but_not_from_the_workspace(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(*runs("a"), say("done")), asks=True) as run:
        answering(run, Answer("session", "test"))
        run.say("x")
        path = run.agent.session.path
    with Run(tmp_path, provider=scripted(*runs("b"), say("done")), resume=path) as run:
        run.say("y")
        assert [e.decision for e in run.of(ToolEnd)] == ["session"]
    inside = tmp_path / "ws" / os.path.basename(path)
    os.rename(path, inside)
    log = call("d", "write", path=inside.name, content="")
    with Run(tmp_path, provider=scripted(*runs("c"), say("", log), say("done")), resume=str(inside)) as run:
        run.say("z")
        assert [e.decision for e in run.of(ToolEnd)] == ["deny", "deny"]
        assert fold(read_log(str(inside)).records) == run.agent.session.state


def test_a_denial_reaches_the_model_with_the_persons_words(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(*runs("a"), say("done")), asks=True) as run:
        answering(run, Answer("deny", "test", "use make instead"))
        end = run.say("x")
        assert (end.reason, end.denied) == ("done", 1)
        assert "use make instead" in run.agent.session.state.messages[2].content
    assert not (tmp_path / "ws/made").exists()


def test_nobody_to_ask_is_a_refusal(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(*runs("a"), say("done"))) as run:
        assert run.say("x").denied == 1
        assert run.of(ApprovalOpen) == []
        assert "touch" in run.agent.session.state.messages[2].content


def test_an_answer_counts_once_and_only_for_what_was_shown(tmp_path, scripted):
    outcome = []

    def sink(event, stamp):
        if isinstance(event, ApprovalOpen):
            def late():
                outcome.append(run.agent.answer(event.aid, "once", "other", by="a"))
                outcome.append(run.agent.answer(event.aid, "deny", event.digest, by="b"))
                outcome.append(run.agent.answer(event.aid, "once", event.digest, by="c"))
            threading.Thread(target=late).start()

    with Run(tmp_path, provider=scripted(*runs("a"), say("done")), asks=True) as run:
        run.agent.add_sink(sink)
        run.say("x")
        assert [e.by for e in run.of(ApprovalDone)] == ["b"]
    assert outcome[:2] == [False, True]


def test_cancelling_closes_the_question(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(*runs("a")), asks=True) as run:
        run.agent.add_sink(lambda e, stamp: isinstance(e, ApprovalOpen) and run.agent.cancel())
        assert run.say("x").reason == "cancelled"
        assert [(e.decision, e.reason) for e in run.of(ApprovalDone)] == [("deny", "cancelled")]
        assert run.agent.gate.pending() == []


def test_the_round_cap_can_be_lifted_by_a_person(tmp_path, scripted):
    replies = [say("", call(f"c{n}", "ls", path=".")) if n % 2 else say("", call(f"c{n}", "read", path="a"))
               for n in range(4)]
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/a").write_text("x")
    with Run(tmp_path, provider=scripted(*replies, say("done")), asks=True, max_rounds=2) as run:
        answering(run, Answer("once", "t"), Answer("once", "t"))
        assert run.say("x").reason == "done"
        assert [e.kind for e in run.of(ApprovalOpen)] == ["rounds", "rounds"]


# -- resuming


def test_resuming_goes_on_with_the_same_session(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(say("one"))) as run:
        run.say("first")
        path = run.agent.session.path
    with Run(tmp_path, provider=scripted(say("two")), resume="auto") as run:
        run.say("second")
        assert run.agent.session.path == path
        assert [m.content for m in run.agent.session.state.messages] == ["first", "one", "second", "two"]


def test_a_call_without_a_result_gets_one_that_says_what_became_of_the_file(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(say("", call("a", "write", path="f.txt", content="new")),
                                         say("done"))) as run:
        run.say("x")
        path = run.agent.session.path
    log = read_log(path).records
    cut = next(n for n, r in enumerate(log) if r["type"] == "tool")
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    with open(path, "wb") as file:
        file.write(b"\n".join(lines[:cut]) + b"\n")
    with Run(tmp_path, provider=scripted(say("ok")), resume=path) as run:
        run.say("go on")
        state = run.agent.session.state
        assert [m.role for m in state.messages] == [
            "user", "assistant", "tool", "assistant", "user", "assistant"]
        assert state.messages[2].content.endswith(run.agent.say("notice.tool.file_changed"))


def test_another_workspace_is_announced(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(say("one"))) as run:
        run.say("x")
        path = run.agent.session.path
    with Run(tmp_path, provider=scripted(say("two")), resume=path, workspace=tmp_path / "other") as run:
        assert [n.key for n in run.of(Notice)] == ["notice.workspace"]
        assert run.agent.workspace.path == str((tmp_path / "other").resolve())


def test_a_torn_line_is_announced(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(say("one"))) as run:
        run.say("x")
        path = run.agent.session.path
    with open(path, "ab") as file:
        file.write(b'{"torn')
    with Run(tmp_path, provider=scripted(), resume=path) as run:
        assert [n.key for n in run.of(Notice)] == ["notice.session.torn"]


@pytest.mark.parametrize(("name", "key"), [
    ("none", "error.workspace.missing"), ("file", "error.workspace.file"),
])
def test_a_workspace_that_cannot_be_used_is_an_error(tmp_path, name, key, scripted):
    (tmp_path / "file").write_text("")
    from clinkai.harness.agent import Agent, Start

    with pytest.raises(WorkspaceError) as caught:
        Agent(settings_for(tmp_path), Start(str(tmp_path / name)), [], scripted())
    assert caught.value.key == key


def test_a_session_in_use_is_an_error_and_stays_open_for_its_owner(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(say("one"), say("two"))) as run:
        run.say("x")
        with pytest.raises(SessionError):
            Session.open(run.agent.session.path)
        assert run.say("y").reason == "done"


def test_unreadable_instructions_are_announced(tmp_path, scripted):
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/AGENTS.md").write_text("word\n" * 9000)
    with Run(tmp_path, provider=scripted(say("one"))) as run:
        run.say("x")
        assert [n.key for n in run.of(Notice)] == ["notice.agents_md.cut"]


def test_a_disk_that_is_full_ends_the_turn_with_exit_2(tmp_path):
    def answer(request):
        full.enter_context(files_end_at(os.path.getsize(run.agent.session.path) + 10))
        return say("an answer that does not fit")

    with Run(tmp_path, provider=ScriptedProvider(answer)) as run, ExitStack() as full:
        end = run.say("x")
        full.close()
        assert (end.reason, end.exit) == ("error", 2)
        assert isinstance(run.events[-1], RunEnd) and run.agent.session.path in end.detail


def test_nested_instructions_come_with_the_first_touch_of_their_folder(tmp_path, scripted):
    (tmp_path / "ws/pkg").mkdir(parents=True)
    (tmp_path / "ws/pkg/AGENTS.md").write_text("Nested rule.")
    (tmp_path / "ws/pkg/a.txt").write_text("x")
    replies = [say("", call("a", "read", path="pkg/a.txt"), call("b", "ls", path="pkg")),
               say("", call("c", "read", path="pkg/a.txt")), say("done")]
    with Run(tmp_path, provider=scripted(*replies)) as run:
        run.say("x")
        results = [m.content for m in run.agent.session.state.messages if m.role == "tool"]
        path = run.agent.session.path
        assert [path for path, _ in run.agent.session.state.noted] == ["pkg/AGENTS.md"]
    assert ["Nested rule." in r for r in results] == [True, False, False]
    with Run(tmp_path, provider=scripted(replies[1], say("done")), resume=path) as run:
        run.say("y")
        assert "Nested rule." not in run.agent.session.state.messages[-2].content


def test_a_cut_result_can_be_read_in_full(tmp_path, scripted):
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/big.txt").write_text("".join(f"line {n}\n" for n in range(5000)))
    replies = [say("", call("a", "grep", pattern="line", path="big.txt")),
               say("", call("b", "bash", command="cat big.txt")),
               say("", call("c", "read", path="out:2", offset=3000, limit=2)), say("done")]
    with Run(tmp_path, provider=scripted(*replies)) as run:
        run.say("x")
        results = [m.content for m in run.agent.session.state.messages if m.role == "tool"]
    assert all(len(r) <= 8192 + 200 for r in results) and "out:2" in results[1]
    assert "line 2999" in results[2] and "line 3000" in results[2]


def test_an_equal_look_in_one_turn_is_answered_by_a_pointer(tmp_path, scripted):
    (tmp_path / "ws").mkdir()
    target = tmp_path / "ws/a.txt"
    target.write_text("some words\n" * 100)
    look = {"name": "read", "path": "a.txt"}
    replies = [say("", call("a", **look), call("b", **look)),
               say("", call("c", "edit", path="a.txt", old="some words\n" * 100, new="x\n" * 300),
                   call("d", **look), call("e", **look)), say("done"),
               say("", call("f", **look)), say("done")]
    with Run(tmp_path, provider=scripted(*replies)) as run:
        run.say("x")
        run.say("again")
        results = [m.content for m in run.agent.session.state.messages if m.role == "tool"]
        pointer = [run.agent.say("tool.repeat", n=n) for n in (1, 4)]
    assert [results[1], results[4]] == pointer
    assert all("words" in results[0] and "x" in r for r in (results[3], results[5]))
    assert results[3] == results[5]


@pytest.mark.parametrize(("flags", "mode"), [({}, "plan"), ({"mode": "auto"}, "auto")])
def test_a_session_keeps_its_mode_unless_another_is_asked_for(tmp_path, flags, mode, scripted):
    with Run(tmp_path, provider=scripted(say("one")), mode="plan") as run:
        run.say("x")
        path = run.agent.session.path
    with Run(tmp_path, provider=scripted(say("two")), resume=path, **flags) as run:
        run.say("y")
        assert (run.agent.gate.policy.mode, run.agent.session.state.mode) == (mode, mode)


def test_what_is_not_listed_runs_unasked_in_the_sandbox_or_not_at_all(tmp_path, scripted):
    commands = ["echo a > made; cat made; cat ../outside", "touch ../new", "git init -q; "
                "printf x > .git/hooks/post-commit"]
    (tmp_path / "outside").write_text("outside")
    replies = [*(say("", call(c, "bash", command=c)) for c in commands), say("done")]
    with Run(tmp_path, provider=scripted(*replies), mode="sandbox") as run:
        end = run.say("x")
        results = [(m.decision, m.content) for m in run.agent.session.state.messages if m.role == "tool"]
    if missing():
        assert end.denied == 3 and not (tmp_path / "ws/made").exists()
        return
    note = run.agent.say("tool.bash.confined")
    assert [decision for decision, _ in results] == ["sandbox"] * 3
    assert results[0][1].startswith("a\ncat: ") and results[0][1].endswith(note)
    assert not (tmp_path / "new").exists()
    hook = run.agent.say("tool.bash.restored", paths=".git/hooks/post-commit")
    assert hook in results[2][1] and not (tmp_path / "ws/.git/hooks/post-commit").exists()


def test_a_result_keeps_what_people_saw_of_it(tmp_path, scripted):
    replies = [say("", call("a", "bash", command="cat none"), call("b", "write", path="n", content="x")),
               say("done")]
    with Run(tmp_path, provider=scripted(*replies)) as run:
        run.say("x")
        records = [r for r in read_log(run.agent.session.path).records if r["type"] == "tool"]
    assert records[0]["exit"] == 1 and "+x" in records[1]["diff"]


NO_SANDBOX = ["notice.sandbox"] if missing() else []


@pytest.mark.parametrize(("mode", "keys"), [("auto", []), ("sandbox", NO_SANDBOX)])
def test_a_missing_sandbox_is_told_once(tmp_path, mode, keys, scripted):
    replies = [*runs("a"), say("done"), say("done")]
    with Run(tmp_path, provider=scripted(*replies), mode=mode) as run:
        assert run.say("x").denied == (mode == "auto" or bool(NO_SANDBOX))
        run.say("y")
        assert [n.key for n in run.of(Notice)] == keys

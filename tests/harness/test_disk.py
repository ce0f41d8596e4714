"""A disk that refuses, at every moment of a run: words, exit 2, whole records, and a way on."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import ExitStack

import pytest

from clinkai.ai.scripted import ScriptedProvider
from clinkai.core.errors import SessionError
from clinkai.core.events import ApprovalOpen, MsgEnd, RunEnd
from clinkai.core.state import fold
from clinkai.harness.session import read_log
from tests.harness.agents import Run, files_end_at
from tests.harness.test_resume import assert_well_formed
from tests.loop.turns import call, say

REPLIES = [
    say("", call("a", "write", path="f.txt", content="x" * 200), call("b", "ls"), think="hm"),
    say("", call("c", "bash", command="touch made")), say("half", finish="length"), say("whole"),
]


def scripted(replies: list, sent: list | None = None) -> ScriptedProvider:
    def answer(request):
        if sent is not None:
            sent.append(request)
        return replies.pop(0)

    return ScriptedProvider(answer)


def yes(run: Run) -> None:
    """Answer each question with: for the session."""
    run.agent.add_sink(lambda event, stamp: isinstance(event, ApprovalOpen) and run.agent.answer(
        event.aid, "session", event.digest, by="test"))


def ends_of_records(tmp_path) -> list[int]:
    """Where each record of the run ends in its file, after the first prompt."""
    tmp_path.mkdir()
    with Run(tmp_path, provider=scripted([*REPLIES]), asks=True) as run:
        yes(run)
        assert run.say("task").reason == "done"
        with open(run.agent.session.path, "rb") as file:
            lines = file.readlines()
    return [sum(map(len, lines[:n])) for n in range(2, len(lines) + 1)]


@pytest.mark.slow
def test_whichever_record_the_disk_refuses_the_session_goes_on(tmp_path):
    for number, end in enumerate(ends_of_records(tmp_path / "whole")):
        top = tmp_path / str(number)
        top.mkdir()
        sent, replies = [], [*REPLIES]
        with Run(top, provider=scripted(replies, sent), asks=True) as run:
            yes(run)
            told = None
            with files_end_at(end - 40):  # sizes differ by a few digits between two runs
                try:
                    told = run.say("task")
                except SessionError as error:
                    assert error.exit_code == 2
            ends = run.of(RunEnd)
            assert told is None or (ends == [told] and (told.reason, told.exit) == ("error", 2))
            assert not os.path.exists(top / "home/defect.txt")
            path = run.agent.session.path
            log = read_log(path)
            assert (log.bad, log.torn) == ((), 0)
            replies[:] = [say("on")]
            assert run.say("go on").reason == "done"
            assert sent[-1].messages[-1].content == "go on"
            assert_well_formed(sent[-1].messages)
            assert fold(read_log(path).records) == run.agent.session.state


def test_no_file_can_be_made_at_all(tmp_path):
    with Run(tmp_path, provider=scripted([say("done")])) as run:
        with files_end_at(100), pytest.raises(SessionError):
            run.agent.submit("task")
        assert not any(names for _, _, names in os.walk(tmp_path / "home/sessions"))
        assert run.say("task").reason == "done"


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_session_deleted_while_it_runs_ends_with_words(tmp_path, what):
    def answer(request):
        path = run.agent.session.path
        os.unlink(path) if what == "file" else shutil.rmtree(tmp_path / "home/sessions")
        return say("", call("a", "write", path="f", content="x"))

    with Run(tmp_path, provider=ScriptedProvider(answer)) as run:
        end = run.say("x")
        assert (end.reason, end.exit) == ("error", 2) and run.agent.session.path in end.detail
        with pytest.raises(SessionError) as caught:
            run.agent.submit("y")
        assert caught.value.key == "error.session.gone"
    assert not (tmp_path / "ws/f").exists()


def test_a_signal_while_a_record_is_written_leaves_file_and_state_alike(tmp_path):
    class Signal(BaseException):
        pass

    def at_fsync(frame, event, function):
        if event == "c_return" and function is os.fsync:
            sys.setprofile(None)
            raise Signal

    with Run(tmp_path, provider=scripted([say("one"), say("two")])) as run:
        run.say("x")
        session, before = run.agent.session, run.agent.session.state
        sys.setprofile(at_fsync)  # as a signal handler: between two steps of the main thread
        with pytest.raises(Signal):
            run.agent.submit("y")
        assert session.state == before == fold(read_log(session.path).records)
        assert run.say("y").reason == "done"
        assert fold(read_log(session.path).records) == session.state


def test_a_flush_that_fails_while_the_caller_goes_on_is_raised_by_the_next_one(tmp_path):
    with Run(tmp_path, provider=scripted([say("one")])) as run:
        run.say("x")
        session = run.agent.session
        unflushable, other_end = os.pipe()  # EINVAL
        os.dup2(other_end, session._fd)
        session.append({"type": "meta", "kind": "before", "path": "f", "sha": None})
        session.sync(wait=False)
        with pytest.raises(SessionError) as caught:
            session.sync()
        assert caught.value.key == "error.session.write"
        os.close(unflushable), os.close(other_end)


def test_a_failed_end_is_told_once_and_is_no_defect(tmp_path):
    def fill(event, stamp):
        if isinstance(event, MsgEnd) and event.record["type"] == "assistant":
            # The figures of the round still fit, the end of the turn does not.
            full.enter_context(files_end_at(os.path.getsize(run.agent.session.path) + 340))

    with Run(tmp_path, provider=scripted([say("done")])) as run, ExitStack() as full:
        run.agent.add_sink(fill)
        end = run.say("x")
        full.close()
        assert [type(e).__name__ for e in run.events[-2:]] == ["Usage", "RunEnd"]
        assert (end.reason, end.exit, run.of(RunEnd)) == ("error", 2, [end])

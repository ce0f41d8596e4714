"""When records are on the disk: before a request leaves, before a command runs, before a file
changes; those of one round together. Calls are seen with Python's own profiling hook."""

from __future__ import annotations

import threading

import pytest

from clinkai.ai.scripted import ScriptedProvider
from clinkai.core.events import ApprovalOpen
from clinkai.harness.sandbox import walls
from tests.harness.agents import Run
from tests.loop.turns import call, say

SEEN = {"fsync": "sync", "fork_exec": "run", "replace": "change", "rename": "change"}
READ = call("a", "read", path="f.txt")
LIST = call("b", "ls")
WRITE = call("c", "write", path="g.txt", content="new\n")
RUN = call("d", "bash", command="cat f.txt")
ASKED = call("e", "bash", command="touch made")


@pytest.mark.parametrize(("calls", "expected"), [
    ([READ], ["sync"]),
    ([READ, LIST], ["sync"]),
    ([RUN], ["sync", "run", "sync"]),
    ([ASKED], ["sync", "sync", "run", "sync"]),
    ([WRITE], ["sync", "sync", "change", "sync"]),
    ([READ, RUN, LIST], ["sync", "run", "sync"]),
], ids=["a look", "two looks", "a command", "a command that is asked for", "a file",
        "looks around a command"])
def test_a_round_is_synced_before_anything_follows_from_it(tmp_path, calls, expected):
    happened: list[str] = []
    replies = [say("", *calls), say("done")]

    def answer(request):
        happened.append("request")
        return replies.pop(0)

    def watch(frame, event, function):
        if event == "c_call" and function.__name__ in SEEN:
            happened.append(SEEN[function.__name__])

    walls.close()  # the helper of a sandbox is started with the command, and counts as it
    with Run(tmp_path, provider=ScriptedProvider(answer), asks=True) as run:
        (run.workspace / "f.txt").write_text("old\n")
        grant = lambda event, _: isinstance(event, ApprovalOpen) and run.agent.answer(
            event.aid, "once", event.digest, by="test")
        run.agent.add_sink(grant)
        threading.setprofile(watch)
        try:
            run.say("task")
        finally:
            threading.setprofile(None)
    first = happened.index("request")
    second = happened.index("request", first + 1)
    assert happened[first + 1:second] == expected

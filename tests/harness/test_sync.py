"""When records are on the disk: before a command runs, before a file changes, at the end of a turn;
those of one round together, while the next request is made. Calls are seen with Python's own
profiling hook."""

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
EDIT = call("f", "edit", path="f.txt", old="old", new="new")
KEPT = ["sync", "sync", "sync"]
"""The first content that is kept: itself, its name, its folder."""
LISTED = ["sync", "change", "sync"]
"""The list of all files: itself, its name."""
RUN = call("d", "bash", command="cat f.txt")
ASKED = call("e", "bash", command="touch made")


@pytest.mark.parametrize(("calls", "expected"), [
    ([READ], ["soon"]),
    ([READ, LIST], ["soon"]),
    ([RUN], ["sync", "run", "soon"]),
    ([ASKED], ["sync", "sync", *KEPT, *LISTED, "run", "sync", "soon"]),
    ([WRITE], ["sync", "change", "soon"]),
    ([EDIT], ["sync", *KEPT, "sync", "change", "soon"]),
    ([READ, RUN, LIST], ["sync", "run", "soon"]),
], ids=["a look", "two looks", "a command", "a command that is asked for", "a new file",
        "a change", "looks around a command"])
def test_a_round_is_synced_before_anything_follows_from_it(tmp_path, calls, expected):
    happened: list[str] = []
    replies = [say("", *calls), say("", LIST), say("done")]

    def answer(request):
        happened.append("request")
        return replies.pop(0)

    def watch(frame, event, function):
        here = frame.f_code.co_qualname
        if event == "call" and here == "Flusher.begin":
            happened.append("soon")
        if event == "c_call" and function.__qualname__ in SEEN and here != "Flusher._try":
            happened.append(SEEN[function.__qualname__])

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
    rounds = " ".join(happened).split("request")
    assert [each.split() for each in rounds[1:]] == [expected, ["soon"], ["sync"]]

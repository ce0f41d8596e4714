"""A yes is for what was shown: what leads elsewhere, or says something else, when it runs is refused.

Each case swaps something between the question and the answer; the races do it all the time.
Not covered: a command that is running; what its words lead to then is up to the kernel sandbox.
"""

from __future__ import annotations

import json
import os
import threading

import pytest

from clinkai.core.cancel import Cancel
from clinkai.core.events import ApprovalOpen
from clinkai.core.messages import ToolCall
from clinkai.harness.agents_md import in_force
from clinkai.harness.permission import Answer, SessionGate
from clinkai.harness.policy import Policy
from clinkai.loop.gate import Settled
from tests.harness.tools.context import Desk

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links")
ROUNDS = 300


class Asked:
    """A desk with a person who says yes. swap: done while the person is thinking."""

    def __init__(self, folder) -> None:
        self.desk = Desk(folder)
        self.outside = folder / "outside"
        self.outside.mkdir()
        (self.outside / "secret.txt").write_text("OUTSIDE")
        for path, content in (("notes.txt", "notes"), (".env", "SECRET"), ("other/a.txt", "other"),
                              ("sub/a.txt", "mine"), ("b.txt", "b")):
            self.desk.put(path, content)
        (self.desk.root / "link").symlink_to("notes.txt")
        (self.desk.root / "way").symlink_to("sub")
        self.grants: list[dict] = []
        self.questions: list[ApprovalOpen] = []
        self.gate = SessionGate(Policy("ask"), self.desk.say, "/w", asks=True,
                                keep=self.grants.append)
        self.count = 0

    def call(self, name: str, args: dict, swap=lambda: None, **answer: str):
        call = self.desk.box.prepare(ToolCall("c", name, json.dumps(args)))

        def emit(event) -> None:
            if isinstance(event, ApprovalOpen):
                self.questions.append(event)
                swap()
                said = Answer(answer.get("decision", "once"), "test")
                self.gate.answer(event.aid, said, event.digest)

        settled = self.gate.settle(call, self.gate.decide(call), emit, Cancel())
        self.count += 1
        return self.desk.box.run(call, settled, self.count, emit, Cancel())

    def put_link(self, path: str, target: str) -> None:
        place = self.desk.root / path
        if place.is_dir() and not place.is_symlink():
            place.rename(self.desk.root / "former")
        else:
            place.unlink()
        place.symlink_to(target)

    def seen(self, *paths: str) -> Asked:
        """Have the files read before."""
        for path in paths:
            self.desk.text("read", path=path)
        return self

    def state(self) -> dict:
        files = [p for top in (self.desk.root, self.outside) for p in sorted(top.rglob("*"))]
        return {p.name + p.parent.name: p.read_text() for p in files if p.is_file()}


@pytest.fixture
def asked(tmp_path):
    made = Asked(tmp_path)
    with made.desk:
        yield made


SWAPS = [
    ("write", {"path": "notes.txt", "content": "x"}, "notes.txt", ".env", "tool.path.elsewhere"),
    ("write", {"path": "notes.txt", "content": "x"}, "notes.txt", "b.txt", "tool.path.elsewhere"),
    ("write", {"path": "notes.txt", "content": "x"}, "notes.txt", "../outside/secret.txt",
     "tool.path.outside"),
    ("write", {"path": "sub/a.txt", "content": "x"}, "sub", "other", "tool.path.elsewhere"),
    ("write", {"path": "sub/new.txt", "content": "x"}, "sub", "other", "tool.path.elsewhere"),
    ("write", {"path": "sub/new.txt", "content": "x"}, "sub", "../outside", "tool.path.outside"),
    ("write", {"path": "link", "content": "x"}, "link", "b.txt", "tool.path.elsewhere"),
    ("write", {"path": "way/../notes.txt", "content": "x"}, "way", "other/a.txt",
     "tool.path.elsewhere"),
    ("edit", {"path": "way/a.txt", "old": "mine", "new": "x"}, "way", "other",
     "tool.path.elsewhere"),
    ("edit", {"path": ".env", "old": "SECRET", "new": "x"}, ".env", "../outside/secret.txt",
     "tool.path.outside"),
    ("read", {"path": ".env"}, ".env", "../outside/secret.txt", "tool.path.outside"),
    ("read", {"path": ".env"}, ".env", "notes.txt", "tool.path.elsewhere"),
    ("grep", {"pattern": "S", "path": ".env"}, ".env", "b.txt", "tool.path.elsewhere"),
    ("bash", {"command": "cp notes.txt copy"}, "notes.txt", "../outside/secret.txt",
     "tool.bash.changed"),
    ("bash", {"command": "cp notes.txt copy"}, "notes.txt", ".env", "tool.bash.changed"),
    ("bash", {"command": "cat sub/a.txt > copy"}, "sub", "../outside", "tool.bash.changed"),
    ("bash", {"command": "cp 'link' copy"}, "link", ".env", "tool.bash.changed"),
    ("bash", {"command": "cp way/../notes.txt copy"}, "way", "../outside", "tool.bash.changed"),
    ("bash", {"command": "dd if=link of=copy"}, "link", ".env", "tool.bash.changed"),
    ("bash", {"command": "cat notes.txt | tee copy"}, "notes.txt", ".env", "tool.bash.changed"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("tool", "args", "path", "target", "key"), SWAPS)
def test_what_leads_elsewhere_than_it_was_approved_for_is_refused(asked, tool, args, path, target,
                                                                 key):
    asked.seen("notes.txt", "sub/a.txt")
    after: dict = {}
    result = asked.call(tool, args, lambda: (asked.put_link(path, target),
                                             after.update(asked.state())))
    words = asked.desk.say(key, path=args.get("path"))
    assert (result.ok, result.output) == (False, words)
    assert asked.state() == after and len(asked.questions) == 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("tool", "args"), [(tool, args) for tool, args, *_ in SWAPS])
def test_the_same_without_a_swap_is_done(asked, tool, args):
    asked.seen("notes.txt", "sub/a.txt")
    assert asked.call(tool, args).ok and len(asked.questions) == 1


@pytest.mark.parametrize(("before", "after"), [
    ("notes", "notes, and what nobody was shown"), ("notes", "notes\nmore\n"), ("nothing", "notes"),
])
def test_a_change_that_is_not_the_one_that_was_shown_is_refused(asked, before, after):
    asked.desk.put("notes.txt", before)
    result = asked.call("edit", {"path": "notes.txt", "old": "notes", "new": "x"},
                        lambda: asked.desk.put("notes.txt", after))
    assert (result.ok, asked.desk.get("notes.txt")) == (False, after.encode())


@pytest.mark.parametrize(("tool", "args", "path", "target"), [
    ("write", {"path": "link", "content": "x"}, "link", "b.txt"),
    ("bash", {"command": "cp link copy"}, "link", "b.txt"),
    ("bash", {"command": "cp b.txt copy"}, "b.txt", ".env"),
    ("bash", {"command": "cat sub/a.txt > copy"}, "sub", "other"),
])
def test_a_grant_of_the_session_holds_for_the_place_it_was_given_for(asked, tool, args, path,
                                                                    target):
    asked.seen("notes.txt", "b.txt")
    assert asked.call(tool, args, decision="session").ok
    assert asked.call(tool, args).ok and len(asked.questions) == 1
    kept = json.loads(json.dumps(asked.grants))  # as a log gives them back
    asked.gate.policy = Policy("ask", grants=tuple(kept))
    assert asked.call(tool, args).ok and len(asked.questions) == 1
    asked.put_link(path, target)
    asked.call(tool, args)
    assert len(asked.questions) == 2


RACES = [
    ("write", {"path": "sub/new.txt", "content": "x"}, "sub", "../outside"),
    ("write", {"path": "sub/new.txt", "content": "x"}, "sub", "other"),
    ("edit", {"path": "sub/a.txt", "old": "mine", "new": "mine"}, "sub", "other"),
    ("read", {"path": "notes.txt"}, "notes.txt", ".env"),
    ("read", {"path": "notes.txt"}, "notes.txt", "../outside/secret.txt"),
    ("grep", {"pattern": "SECRET|OUTSIDE", "path": "notes.txt"}, "notes.txt", ".env"),
    ("grep", {"pattern": "OUTSIDE", "path": "sub"}, "sub", "../outside"),
    ("ls", {"path": "sub"}, "sub", "../outside"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "args", "path", "target"), RACES)
def test_while_another_thread_swaps_it_nothing_else_is_reached(asked, tool, args, path, target):
    place, spare = asked.desk.root / path, asked.desk.root / "spare"
    calls = [asked.desk.box.prepare(ToolCall("c", tool, json.dumps(args))) for _ in range(ROUNDS)]
    before = asked.state()
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            try:
                os.rename(place, spare)
                os.symlink(target, place)
                os.unlink(place)
                os.rename(spare, place)
            except OSError:
                pass  # the tool made the name anew in between

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        results = [asked.desk.box.run(call, Settled("once"), number, lambda event: None, Cancel())
                   for number, call in enumerate(calls, 1)]
    finally:
        stop.set()
        thread.join()
    said = "".join(result.output for result in results)
    assert "SECRET" not in said and "OUTSIDE" not in said and "secret.txt" not in said
    after = asked.state()
    kept = ("secret.txtoutside", ".envws", "a.txtother", "b.txtws")
    assert [after[name] for name in kept] == [before[name] for name in kept]
    assert not {"new.txtoutside", "new.txtother"} & after.keys()


@pytest.mark.slow
def test_instructions_that_are_swapped_for_a_link_are_not_read_through_it(asked):
    asked.desk.put("AGENTS.md", "ours")
    place, spare, stop = asked.desk.root / "AGENTS.md", asked.desk.root / "spare", threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(place, spare)
            os.symlink("../outside/secret.txt", place)
            os.unlink(place)
            os.rename(spare, place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        found = [file.text for _ in range(10 * ROUNDS) for file in in_force(asked.desk.workspace)]
    finally:
        stop.set()
        thread.join()
    assert set(found) == {"ours"}

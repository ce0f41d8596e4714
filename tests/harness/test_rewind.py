"""A session goes on from any of its points as if nothing had followed that; nothing is lost by it."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from clinkai.ai.scripted import ScriptedProvider
from clinkai.core.branches import live
from clinkai.core.catalogue import Strings
from clinkai.core.errors import SessionError, UsageError
from clinkai.core.events import ApprovalOpen, Notice, RoundStart, Usage
from clinkai.core.state import fold
from clinkai.core.value import replace
from clinkai.harness import commands
from clinkai.harness.session_file import read_log
from clinkai.harness.store import Store
from tests.harness.agents import Run, extends
from tests.harness.test_cache_rule import ASK, assert_a_chain, bodies
from tests.harness.test_images import PNG
from tests.harness.test_resume import (
    assert_the_file_says_the_same, assert_well_formed, body, everything, recorded, ws,
)
from tests.loop.turns import call, say
from tests.server import FakeServer, reply

__all__ = ["ws"]
EN = Strings("en")


def long_work():
    """A model that writes files, and sums up when asked to."""
    left = iter(range(9))

    def answer(request):
        if ASK in request.messages[-1].content:
            return say("in short")
        n = next(left, None)
        return say("done") if n is None else say("", call(f"c{n}", "write", path=f"f{n}.txt",
                                                          content=f"{n} text\n" * 120))

    return ScriptedProvider(answer)


def all_kinds(tmp_path):
    with Run(tmp_path, provider=ScriptedProvider(everything()), asks=True) as run:
        run.agent.add_sink(lambda event, stamp: isinstance(event, ApprovalOpen)
                           and run.agent.answer(event.aid, "session", event.digest))
        run.agent.submit("first", (PNG,))
        run.agent.wait(60)
        run.say("second")
        return run.agent.session.path, {}


def archives(tmp_path):
    small = {"ctx_budget": 4000, "max_tokens": 500}
    with Run(tmp_path, provider=long_work(), **small) as run:
        run.say("first")
        run.say("second")
        return run.agent.session.path, small


def changes_of_model(tmp_path):
    path = None
    for model in ("one", "two", "three"):
        with Run(tmp_path, provider=recorded(say(model))[0], resume=path, model=model) as run:
            run.say(model)
            path = run.agent.session.path
    return path, {"model": "three"}


def branches(tmp_path):
    with Run(tmp_path, provider=recorded(*everything())[0]) as run:
        run.say("first")
        run.agent.rewind(run.agent.session.state.last_seq // 2)
        run.say("second")
        return run.agent.session.path, {}


def of_the_point(state):
    """What of a state is not about the file, but about the conversation."""
    return replace(state, last_seq=0, broke="", title="", calls=0, seqs=(), numbers=(), noted=tuple(
        path for path, _ in state.noted), told_at=0, limits=None)


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("made", [all_kinds, archives, changes_of_model, branches])
def test_the_next_request_is_the_one_of_that_point(tmp_path, ws, made, every):
    """Going back to a record, and cutting the file off after it, lead to the same request."""
    path, flags = made(tmp_path)
    with open(path, "rb") as file:
        lines = file.readlines()
    for end in range(1, len(lines) + 1, every):
        found = []
        for kept in (lines[:end], lines):
            with open(path, "wb") as file:
                file.writelines(kept)
            provider, sent = recorded(say("went on"))
            with Run(tmp_path, provider=provider, resume=path, **flags) as run:
                if kept is lines:
                    run.agent.rewind(end)
                assert run.say("go on").reason == "done"
                assert_the_file_says_the_same(run.agent)
                found.append((body(sent[0]), of_the_point(run.agent.session.state)))
            assert_well_formed(sent[0].messages)
        assert found[0] == found[1], f"after record {end}"
        with open(path, "rb") as file:
            assert file.readlines()[:len(lines)] == lines


def test_the_cache_serves_up_to_the_point(tmp_path):
    script = [reply("", calls=[("ls", {})]), reply("one"), reply("two"), reply("another"), reply("end")]
    with FakeServer(script) as fake, Run(tmp_path, base_url=fake.base_url) as run:
        run.say("first")
        to = run.agent.session.state.last_seq
        run.say("second")
        run.agent.rewind(to)
        run.say("instead")
        run.say("and on")
        sent = bodies(fake)
        assert_a_chain([*sent[:2], *sent[3:]])
        assert not extends(sent[2], sent[3])
        assert [usage.cause for usage in run.of(Usage)] == ["", "", "", "rewind", ""]
        assert [m.content for m in run.agent.session.state.messages if m.role == "user"] == [
            "first", "instead", "and on"]


def test_the_mode_stays_and_what_was_granted_since_is_asked_for_again(tmp_path, ws):
    touch = say("", call("a", "bash", command="touch x"))
    provider, sent = recorded(say("one"), touch, say("two"), touch, say("three"))
    with Run(tmp_path, provider=provider, asks=True, mode="ask") as run:
        run.agent.add_sink(lambda event, stamp: isinstance(event, ApprovalOpen)
                           and run.agent.answer(event.aid, "session", event.digest))
        run.say("first")
        to = run.agent.session.state.last_seq
        run.say("second")
        assert len(run.agent.gate.policy.grants) == 1
        run.agent.set_mode("plan")
        run.agent.rewind(to)
        state = run.agent.session.state
        assert (run.agent.mode, state.mode, state.grants) == ("plan", "plan", ())
        assert run.agent.gate.policy.grants == ()
        run.agent.set_mode("ask")
        run.say("third")
        assert len(run.of(ApprovalOpen)) == 2
    assert "plan" not in sent[-1].messages[-1].content


def test_a_stricter_mode_outlives_going_back_and_the_process(tmp_path):
    with Run(tmp_path, provider=recorded(say("one"))[0]) as run:
        run.say("first")
        run.agent.set_mode("plan")
        run.agent.rewind(1)
        path = run.agent.session.path
    with Run(tmp_path, provider=recorded(say("two"))[0], resume=path) as run:
        assert run.agent.mode == "plan"


def test_what_was_read_of_files_counts_as_at_the_point(tmp_path, ws):
    """The model may overwrite the version that it has seen, and none other."""
    file = ws / "a"
    file.write_text("old")
    read, write = say("", call("a", "read", path="a")), say("", call("b", "write", path="a", content="new"))
    provider, _ = recorded(read, say("seen"), *[write, say("done")] * 4)
    with Run(tmp_path, provider=provider) as run:
        run.say("read")
        point, oks = run.agent.session.state.last_seq, []
        for found, to in (("old", point), ("other", point), ("old", 1), ("old", 1)):
            file.write_text(found)
            run.say("write")
            oks.append(run.agent.session.state.messages[-2].ok)
            run.agent.rewind(to)
    assert oks == [True, False, True, False]


@pytest.mark.parametrize("act", ["rewind", "fork"])
def test_files_are_restored_where_nobody_changed_them_since(tmp_path, ws, act):
    """What is undone stands in the branch that is left: the model is told nothing it cannot know."""
    replies = [made for n in (1, 2, 3) for made in (
        say("", call("a", "write", path=f"f{n}", content=f"{n}\n"), call("b", "write", path="both",
                                                                        content=f"{n}\n")), say("done"))]
    provider, sent = recorded(*replies, say("on"))
    with Run(tmp_path, provider=provider) as run:
        run.say("1")
        to = run.agent.session.state.last_seq
        run.say("2")
        run.say("3")
        (ws / "f3").write_text("mine")
        getattr(run.agent, act)(to, files="restore")
        found = {name: (ws / name).exists() and (ws / name).read_text() for name in ("f1", "f2", "f3", "both")}
        assert found == {"f1": "1\n", "f2": False, "f3": "mine", "both": "1\n"}
        assert_the_file_says_the_same(run.agent)
        if act == "rewind":
            reports = run.agent.rewind(to, files="restore")
            assert reports == ()
            run.say("go on")
            assert sent[-1].messages[-1].content == "go on"


def first(store: Store, number: int) -> str:
    """The first line of an output that was kept."""
    return Path(store.output_path(number)).read_text().splitlines()[0]


def test_outputs_of_both_branches_stay(tmp_path, ws):
    (ws / "big").write_text("".join(f"{n} line\n" for n in range(4000)))
    (ws / "large").write_text("".join(f"{n} other\n" for n in range(4000)))
    cat = [say("", call("a", "bash", command=f"cat {name}")) for name in ("big", "large")]
    provider, sent = recorded(cat[0], say("one"), cat[1], say("two"))
    with Run(tmp_path, provider=provider) as run:
        run.say("first")
        run.agent.rewind(1)
        run.say("second")
        store = Store(run.agent.session)
        assert [first(store, n) for n in (1, 2)] == ["0 line", "0 other"]
        assert "out:2" in run.agent.session.state.messages[-2].content
        made = run.agent.fork()
    with Run(tmp_path, provider=recorded(say("on"))[0], resume=made.id) as run:
        assert first(Store(run.agent.session), 2) == "0 other"


def test_an_image_that_is_gone_is_given_up_again(tmp_path):
    with Run(tmp_path, provider=recorded(say("one"))[0]) as run:
        run.agent.submit("look", (PNG,))
        run.agent.wait(60)
        path, to = run.agent.session.path, run.agent.session.state.last_seq
    side = path.removesuffix(".jsonl") + ".d"
    for name in os.listdir(side):
        os.unlink(os.path.join(side, name))
    with Run(tmp_path, provider=recorded(say("two"))[0], resume=path) as run:
        run.say("again")
        run.agent.rewind(to)
        assert run.agent.session.state.messages[0].images == ()
        assert [n.key for n in run.of(Notice)].count("notice.image.lost") == 2


def test_a_running_turn_is_not_taken_back(tmp_path):
    tried = []

    def meanwhile(event, stamp):
        if isinstance(event, RoundStart):
            for act in (lambda: run.agent.rewind(1), run.agent.fork):
                try:
                    act()
                except UsageError as error:
                    tried.append(error.key)

    with Run(tmp_path, provider=recorded(say("one"))[0]) as run:
        run.agent.add_sink(meanwhile)
        run.say("first")
    assert tried == ["error.busy", "error.busy"]


@pytest.mark.parametrize(("act", "error"), [
    (lambda agent: agent.rewind(0), "error.session.point"),
    (lambda agent: agent.rewind(99), "error.session.point"),
    (lambda agent: agent.rewind(1, files="burn"), "error.rewind.files"),
    (lambda agent: agent.fork(99), "error.session.point"),
])
def test_no_point_changes_nothing(tmp_path, act, error):
    with Run(tmp_path, provider=recorded(say("one"))[0]) as run:
        with pytest.raises(UsageError, match="error.rewind.nothing"):
            run.agent.rewind(1)
        run.say("first")
        before = run.agent.session.state
        with pytest.raises((SessionError, UsageError), match=error):
            act(run.agent)
        assert run.agent.session.state == before
        assert len(run.agent.sessions.paths()) == 1


def test_commands_go_back_by_messages(tmp_path):
    with Run(tmp_path, provider=recorded(*map(say, "abcd"))[0]) as run:
        for text in ("one\nmore", "two", "three"):
            run.say(text)
        done = commands.run("/rewind", run.agent, EN)
        assert (done.draft, done.text) == ("three", EN("command.rewind", text="three"))
        made = commands.run("/fork 1", run.agent, EN)
        done = commands.run("/rewind 2", run.agent, EN)
        assert (done.draft, done.text) == ("one\nmore", EN("command.rewind", text="one"))
        assert run.agent.session.state.messages == ()
        with pytest.raises(UsageError, match="error.rewind.count"):
            commands.run("/rewind", run.agent, EN)
        assert commands.run("/rewind x", run.agent, EN).text == EN("command.number", word="x")
        run.say("other")
        ids = {entry.id: entry.title for entry in run.agent.sessions.list()}
        assert ids.pop(run.agent.sid) == "other"
        assert list(ids.values()) == ["one"] and list(ids)[0] in made.text
    with Run(tmp_path, provider=recorded(say("e"))[0], resume=list(ids)[0]) as run:
        assert [m.content for m in run.agent.session.state.messages] == ["one\nmore", "a"]


def test_a_command_goes_back_with_the_files(tmp_path, ws):
    write = say("", call("a", "write", path="f", content="1"))
    with Run(tmp_path, provider=recorded(write, say("done"), say("no"), write, say("done"))[0]) as run:
        run.say("make f")
        run.say("thanks")
        done = commands.run("/rewind 2 restore", run.agent, EN)
        assert done.draft == "make f" and not (ws / "f").exists()
        assert done.text.splitlines()[0] == EN("command.rewind", text="make f") and "f" in done.text.splitlines()[-1]
        run.say("make f")
        assert commands.run("/rewind", run.agent, EN).draft == "make f" and (ws / "f").exists()
        for line in ("/rewind restore 1", "/rewind 1 2", "/rewind x restore"):
            assert EN("command.number", word="")[2:] in commands.run(line, run.agent, EN).text


def test_what_a_mode_had_added_to_a_message_is_not_offered_again(tmp_path):
    with Run(tmp_path, provider=recorded(say("one"))[0], mode="plan") as run:
        run.say("first")
        assert run.agent.session.state.messages[0].content != "first"
        assert commands.run("/rewind", run.agent, EN).draft == "first"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_model_of_branches_agrees(tmp_path, seed):
    """Turns, going back, forks and resuming at random, against a list of messages for each point."""
    chance = random.Random(seed)
    provider = ScriptedProvider(lambda request: say(f"re {request.messages[-1].content}"))
    points: dict[str, dict[int, list[str]]] = {}
    sid, count = None, 0
    run = Run(tmp_path, provider=provider)
    try:
        for _ in range(40):
            step = chance.choice(("turn", "turn", "rewind", "fork", "resume")) if sid else "turn"
            known = points.get(sid, {})
            if step == "turn":
                now = known[run.agent.session.state.last_seq] if sid else []
                run.say(f"m{count}")
                sid, now = run.agent.sid, [*now, f"m{count}", f"re m{count}"]
                points.setdefault(sid, {})[run.agent.session.state.last_seq] = now
                count += 1
            elif step == "rewind":
                at = chance.choice(list(known))
                run.agent.rewind(at)
                known[run.agent.session.state.last_seq] = known[at]
            else:
                target = chance.choice(list(points))
                if step == "fork":
                    at = chance.choice(list(known))
                    made = run.agent.fork(at)
                    points[made.id] = {n: said for n, said in known.items() if n <= at}
                    points[made.id][at + 1] = known[at]
                    target = chance.choice([sid, made.id])
                run.agent.close()
                run, sid = Run(tmp_path, provider=provider, resume=target), target
                newest = max(points[sid])
                points[sid][run.agent.session.state.last_seq] = points[sid][newest]
            state = run.agent.session.state
            assert [m.content for m in state.messages] == points[sid][state.last_seq]
            assert_the_file_says_the_same(run.agent)
        for sid, known in points.items():
            records = read_log(run.agent.sessions.find(sid, "")).records
            for at, said in known.items():
                assert [m.content for m in fold(live(records, at)).messages] == said
    finally:
        run.agent.close()

"""A session whose context fills up: over the wires, with real tools, on disk, and after a resume."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.errors import ContextFull
from clinkai.core.events import Archived, Notice, RunEnd, Usage, Window
from clinkai.core.state import fold
from clinkai.harness.facts import facts
from clinkai.harness.session import read_log
from tests.harness.agents import Run
from tests.harness.wires import QUICK, server, spoken
from tests.server import case, error, reply

ASK = Strings("en")("archive.ask", words=0)[:60]


def is_archive(body: dict) -> bool:
    return ASK in json.dumps(body["messages"][-1], ensure_ascii=False)


def worker(rounds: int, summary: str = "the summary"):
    """A model that writes `rounds` files, reads one again each time, and then is done."""
    left = list(range(rounds))

    def answer(body):
        if is_archive(body):
            return reply(summary)
        if not left:
            return reply("done")
        n = left.pop(0)
        call = ("write", {"path": f"f{n}.txt", "content": f"{n} some text of a file\n" * 40})
        return reply("", reasoning=f"step {n}", calls=[call, ("read", {"path": f"f{n}.txt"})])

    return answer


def cuts(run) -> list:
    return [type(e).__name__ for e in run.events if type(e) in (Archived, Window)]


def tokens(chat) -> int:
    return len(chat.body) // 4


@pytest.mark.slow
@pytest.mark.parametrize("wire", QUICK)
def test_sixty_rounds_in_a_window_of_16k(tmp_path, wire):
    with server(wire, worker(60), n_ctx=16_384) as fake, Run(
            tmp_path, **spoken(wire, fake), max_rounds=70, ctx_budget=16_384 - 5120) as run:
        end = run.say("write sixty files")
        assert (end.reason, end.exit) == ("done", 0)
        made = cuts(run)
        assert made[0] == "Archived" and set(made[1:]) == {"Window"}
        assert len(made) <= 60 // 5
        assert all(tokens(chat) <= 16_384 - 4096 for chat in fake.chats)
        assert len([c for c in fake.chats if is_archive(c.json)]) == 1
        first = json.dumps(fake.chats[0].json["messages"])[:60]
        assert all(json.dumps(c.json["messages"]).startswith(first[:-10]) for c in fake.chats)
        last = json.dumps(fake.chats[-1].json["messages"])
        assert "write sixty files" in last and "the summary" in last
        assert "Files created: " in last and "f50.txt" in last
        path, live = run.agent.session.path, run.agent.session.state
    assert fold(read_log(path).records) == live
    assert (tmp_path / "ws" / "f59.txt").exists()
    with server(wire, [reply("again")]) as fake, Run(tmp_path, **spoken(wire, fake), resume=path) as run:
        assert run.say("and now?").reason == "done"
        sent = fake.chats[0].json["messages"]
        assert "the summary" in json.dumps(sent)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("n_ctx", "least"), [(4096, 1), (8192, 3)])
def test_a_long_task_in_a_small_window(tmp_path, n_ctx, least):
    with server("openai", worker(25), n_ctx=n_ctx) as fake, Run(
            tmp_path, base_url=fake.base_url, max_rounds=40) as run:
        assert run.say("write files").reason == "done"
        assert all(tokens(chat) <= n_ctx for chat in fake.chats)
        assert len(cuts(run)) >= least


def test_after_a_cut_what_left_is_read_anew_and_what_was_cut_is_still_found(tmp_path):
    ws = tmp_path / "ws"
    ws.mkdir()
    (ws / "a.txt").write_text("alpha line\n" * 60)
    (ws / "sub").mkdir()
    (ws / "sub" / "AGENTS.md").write_text("Rules of the folder.")
    (ws / "sub" / "b.txt").write_text("beta line\n" * 60)
    (ws / "long.txt").write_text("".join(f"{n} needle\n" for n in range(900)))
    read = ("read", {"path": "a.txt"})
    calls = [
        [read, read], [("read", {"path": "sub/b.txt"})], [("grep", {"pattern": "needle"})],
        *[[("write", {"path": f"n{n}.txt", "content": "word " * 400})] for n in range(8)],
    ]
    after = [[read], [read], [("read", {"path": "sub/b.txt"})],
             [("read", {"path": "out:4", "offset": 1, "limit": 2})],
             [("write", {"path": "long.txt", "content": "gone"})]]
    script = iter([*calls, *after])
    seen: list = []

    def answer(body):
        seen.append(body["messages"])
        if is_archive(body):
            return reply("in short")
        made = next(script, None)
        return reply("done") if made is None else reply("", calls=made)

    with server("openai", answer) as fake, Run(
            tmp_path, base_url=fake.base_url, ctx_budget=5000, max_tokens=300, max_rounds=40) as run:
        assert run.say("look").reason == "done"
        assert "Archived" in cuts(run)
        results = [r["content"] for r in read_log(run.agent.session.path).records if r["type"] == "tool"]
    pointer = Strings("en")("tool.repeat", n=1)
    assert pointer in results[1]
    again = results[12:]
    assert "alpha line" in again[0] and pointer not in again[0]
    assert Strings("en")("tool.repeat", n=13) in again[1]
    assert "Rules of the folder." in results[2] and "Rules of the folder." in again[2]
    assert "needle" in again[3]
    assert "read" in again[4] and (ws / "long.txt").read_text() != "gone"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_was_done_is_taken_from_the_log(lang):
    def round_of(name, arguments, **result):
        call = {"id": "c", "name": name, "arguments": json.dumps(arguments)}
        return [{"type": "assistant", "tool_calls": [call]}, *result.pop("between", []),
                {"type": "tool", "call_id": "c", "name": name, "ok": True, "decision": "allow", **result}]

    before = [{"type": "meta", "kind": "before", "path": "new.py", "sha": None}]
    records = [
        *round_of("read", {"path": "a.py"}), *round_of("read", {"path": "b.py"}),
        *round_of("read", {"path": "none.py"}, ok=False), *round_of("read", {"path": "out:1"}),
        *round_of("write", {"path": "new.py"}, between=before), *round_of("edit", {"path": "new.py"}),
        *round_of("edit", {"path": "b.py"}), *round_of("edit", {"path": "c.py"}, ok=False),
        *round_of("bash", {"command": "make test\nx"}, ok=True, exit=2),
        *round_of("bash", {"command": "rm -r x"}, ok=False, decision="deny"),
        *round_of("bash", {"command": "sleep 900"}, ok=False), *round_of("ls", {"path": "."}),
    ]
    say = Strings(lang)
    assert facts(records, say, 500).splitlines() == [
        say("archive.facts.changed", items="b.py"), say("archive.facts.created", items="new.py"),
        say("archive.facts.commands", items="make test -> 2; sleep 900"),
        say("archive.facts.read", items="a.py"),
    ]


def test_facts_are_cut_to_their_room_the_newest_first():
    records = []
    for n in range(300):
        call = {"id": "c", "name": "read", "arguments": json.dumps({"path": f"some/file{n}.py"})}
        records += [{"type": "assistant", "tool_calls": [call]},
                    {"type": "tool", "call_id": "c", "name": "read", "ok": True, "decision": "allow"}]
    text = facts(records, Strings("en"), 100)
    assert text.endswith("some/file298.py, some/file299.py") and "earlier ones" in text
    assert len(text) < 500
    assert facts([], Strings("en"), 100) == ""


CASES = Path(__file__).parents[1] / "cases"
OVERFLOWS = [row for name in ("quirks", "quirks_more")
             for row in map(json.loads, (CASES / f"{name}.jsonl").read_text("utf-8").splitlines())
             if row["expect"].get("error_kind") == "context_overflow"]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("row", OVERFLOWS, ids=lambda row: row["id"])
def test_every_servers_overflow_gets_one_pass_and_one_retry(tmp_path, row):
    script = iter([*[reply("", calls=[("write", {"path": f"f{n}", "content": f"{n} text\n" * 300})])
                     for n in range(6)], case(row), reply("well done")])
    with server("openai", lambda body: reply("short") if is_archive(body) else next(script),
                n_ctx=1_000_000) as fake, Run(tmp_path, base_url=fake.base_url, max_tokens=500) as run:
        end = run.say("go")
        assert (end.reason, end.exit) == ("done", 0), end.detail
        assert len(cuts(run)) == 1
        assert fake.chats[-1].json["messages"][-1]["role"] in ("tool", "user")


def test_an_overflow_that_stays_ends_with_6_and_loses_nothing(tmp_path):
    full = error(400, {"error": {"code": 400, "type": "exceed_context_size_error", "message": "too large",
                                 "n_prompt_tokens": 9000, "n_ctx": 8192}})
    writes = [reply("", calls=[("write", {"path": f"f{n}", "content": f"{n} text\n" * 300})])
              for n in range(6)]
    with server("openai", [*writes, full, full, reply("yes")]) as fake, Run(
            tmp_path, base_url=fake.base_url, max_tokens=500) as run:
        end = run.say("go")
        assert (end.reason, end.exit) == ("context", 6)
        assert "9000" in end.detail and "8192" in end.detail
        assert run.say("are you there?").reason == "done"
        records = read_log(run.agent.session.path).records
    assert len([r for r in records if r["type"] == "tool"]) == 6


@pytest.mark.parametrize(("text", "key"), [
    ("long " * 3000, "error.context.message"), ("你好" * 2000, "error.context.message"),
])
def test_a_message_that_alone_does_not_fit_is_refused_before_it_is_kept(tmp_path, text, key):
    with server("openai", [reply("hi"), reply("yes")]) as fake, Run(
            tmp_path, base_url=fake.base_url, ctx_budget=3000) as run:
        with pytest.raises(ContextFull) as caught:
            run.agent.submit(text)
        assert (caught.value.key, caught.value.exit_code) == (key, 6)
        assert run.agent.session is None and fake.chats == []
        assert run.say("short").reason == "done"
        size = len(read_log(run.agent.session.path).records)
        with pytest.raises(ContextFull):
            run.agent.submit(text)
        assert len(read_log(run.agent.session.path).records) == size
        assert run.say("shorter").reason == "done"


def test_instructions_that_alone_do_not_fit_are_refused_with_their_size(tmp_path):
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "AGENTS.md").write_text("Many rules. " * 1500)
    with server("openai", []) as fake, Run(tmp_path, base_url=fake.base_url, ctx_budget=3000) as run:
        with pytest.raises(ContextFull) as caught:
            run.agent.submit("hello")
        assert caught.value.key == "error.context.prefix" and run.agent.session is None


def test_a_summary_by_hand_is_a_run_and_the_next_turn_builds_on_it(tmp_path):
    script = [*[reply(f"answer {n} " + "word " * 100) for n in range(5)], reply("in short"), reply("yes")]
    with server("openai", script) as fake, Run(tmp_path, base_url=fake.base_url) as run:
        assert run.agent.compact("x") == ""
        for n in range(5):
            run.say(f"task {n}")
        run.agent.compact("keep the names")
        assert run.agent.wait(60).reason == "done"
        assert [type(e) for e in run.events][-2:] == [Archived, RunEnd]
        assert [e for e in run.of(Notice) if e.level == "error"] == []
        assert run.say("and?").reason == "done"
        asked, after = fake.chats[5].json["messages"], fake.chats[6].json["messages"]
        assert asked[:-1][: len(fake.chats[4].json["messages"])] == fake.chats[4].json["messages"]
        assert "keep the names" in asked[-1]["content"]
        assert "in short" in after[1]["content"] and after[1]["content"].endswith("task 2")
        assert run.of(Usage)[-1].cause == "archived"
        assert [u.of for u in run.of(Usage)] == [""] * 5 + ["archive", ""]

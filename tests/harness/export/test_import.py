"""Files made into sessions: what comes along, what does not, and what is said of a wrong file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.errors import UsageError
from clinkai.core.messages import Message, ToolCall
from clinkai.harness.export.exporting import export
from clinkai.harness.export.importing import bring
from clinkai.harness.export.redact import Redactor
from clinkai.harness.session import Session
from clinkai.harness.session_file import read_log
from tests.harness.agents import Run, settings_for
from tests.harness.export import schema
from tests.harness.export.sessions import HOSTILE, INIT, PLAIN, answer, end, result, usage, write
from tests.loop.turns import say

SAY = Strings("en")


def brought(folder: Path, text: str | bytes):
    """What comes of importing a file with that content."""
    path = folder / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (folder / "ws").mkdir(exist_ok=True)
    return bring(str(path), str(folder / "ws"), settings_for(folder), SAY)


def state_of(done):
    session = Session.open(done.path)
    session.close()
    return session.state


def said(state) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in state.messages]


def lines(*records: dict) -> str:
    return "".join(f"{json.dumps({'v': 1, 'seq': n, 'ts': 5.0 + n, **record})}\n"
                   for n, record in enumerate(records, 1))


def trajectory(*steps: dict, **more: object) -> str:
    numbered = [{"step_id": n, "message": "", **step} for n, step in enumerate(steps, 1)]
    return json.dumps({"schema_version": "ATIF-v1.6", "agent": {"name": "other", "version": "2"},
                       "steps": numbered, **more})


@pytest.mark.parametrize("redactor", [None, Redactor()], ids=["whole", "redacted"])
def test_our_own_records_come_back_as_they_were(tmp_path, redactor):
    done = brought(tmp_path, export(write(tmp_path, PLAIN), "jsonl", SAY, redactor).text)
    state = state_of(done)
    text = export(done.path, "jsonl", SAY, redactor).text
    again = [json.loads(line) for line in text.splitlines()]
    kept = [(r["type"], r.get("kind"), r["seq"], r["ts"]) for r in again[1:-1]]
    wanted = [(r["type"], r.get("kind"), n, 1_760_000_000.5 + n) for n, r in enumerate(PLAIN, 1)
              if r.get("kind") not in ("grant", "before", "mode")]
    assert kept == wanted[1:]
    assert (done.format, done.messages, done.notes) == ("jsonl", 8, ())
    assert state.title.startswith("fix a.py in")
    assert (state.workspace, state.mode, state.grants, state.before) == (
        str(tmp_path / "ws"), "auto", (), ())
    assert (state.model, state.proof, state.broke) == ("", "", "model")


def test_a_trajectory_of_ours_comes_back_and_says_the_same(tmp_path):
    records = [*PLAIN[:14], answer("Well."), end("cap", "Enough.")]
    first = export(write(tmp_path, records), "atif", SAY).text
    done = brought(tmp_path, first)
    assert (done.format, done.messages) == ("atif", 7)
    state = state_of(done)
    assert state.system == "You work in /home/alice/app." and len(state.tools) == 2
    again = json.loads(export(done.path, "atif", SAY).text)
    assert schema.errors(again) == [] and schema.broken_rules(again) == []
    own = ("cut", "stop")
    wanted = [step for step in json.loads(first)["steps"]
              if step.get("extra", {}).get("kind") not in own]
    for step in (*wanted, *again["steps"]):
        step.pop("step_id")
    del wanted[1]["extra"]  # the image
    assert again["steps"] == wanted


def test_roles_alternate_whatever_the_trajectory_does(tmp_path):
    call = {"tool_call_id": "1", "function_name": "ls", "arguments": {"a": "ä"}}
    state = state_of(brought(tmp_path, trajectory(
        {"source": "system", "message": "Be good."}, {"source": "system", "message": "Be brief."},
        {"source": "agent", "message": "Hello."},
        {"source": "agent", "message": "Still here.", "reasoning_content": "Hm."},
        {"source": "user", "message": [{"type": "text", "text": "one"}, {
            "type": "image", "source": {"media_type": "image/png", "path": "a.png"}}]},
        {"source": "user", "message": "two"},
        {"source": "agent", "tool_calls": [call, {**call, "tool_call_id": "2"}],
         "observation": {"results": [{"source_call_id": "2", "content": "second"},
                                     {"source_call_id": "9", "content": "loose"}]}},
        {"source": "system", "message": "Time is short."},
        {"source": "user", "message": "three"},
        {"source": "agent", "message": "ran", "observation": {"results": [{"content": "out"}]}},
        {"source": "system", "message": "The end."},
    )))
    gap, lost = "[continue]", "[the imported file has no result for this call]"
    assert state.system == "Be good.\n\nBe brief."
    assert said(state) == [
        ("user", gap), ("assistant", "Hello."), ("user", gap), ("assistant", "Still here."),
        ("user", "one\n[not imported: a.png]"), ("assistant", "[interrupted]"), ("user", "two"),
        ("assistant", ""), ("tool", lost), ("tool", "second\nloose"),
        ("assistant", "[interrupted]"), ("user", "Time is short.\n\nthree"), ("assistant", "ran"), ("user", "out"),
        ("assistant", "[interrupted]"), ("user", "The end.")]
    assert state.messages[3] == Message("assistant", "Still here.", "Hm.", "reasoning_content",
                                        finish="stop")
    assert state.messages[7].tool_calls == (ToolCall("1", "ls", '{"a": "ä"}'),
                                            ToolCall("2", "ls", '{"a": "ä"}'))


def test_a_file_without_prompt_and_tools_gets_those_of_here(tmp_path):
    done = brought(tmp_path, trajectory({"source": "user", "message": "hi"}))
    state = state_of(done)
    names = [tool["function"]["name"] for tool in state.tools]
    assert names == ["read", "write", "edit", "ls", "grep", "bash"]
    assert str(tmp_path / "ws") in state.system and done.notes == ()


def test_tools_and_sub_agents_that_are_not_here_are_named(tmp_path):
    tools = [{"type": "function", "function": {"name": "fly"}}]
    done = brought(tmp_path, trajectory(
        {"source": "user", "message": "hi"}, subagent_trajectories=[{}], later=1,
        agent={"name": "x", "version": "1", "tool_definitions": tools}))
    assert done.notes == (("export.import.subagents", {"n": 1}),
                          ("export.import.tools", {"names": "fly"}))
    assert all(SAY(key, **params) for key, params in done.notes)


def test_records_of_a_later_version_are_left_out_and_counted(tmp_path):
    done = brought(tmp_path, lines(
        {**INIT, "v": 7, "lang": "fr", "more": 1},
        {"type": "user", "content": "hi", "mode": "plan", "new": 2},
        {"type": "hologram"}, {"type": "meta", "kind": "aura"}, answer("ho", think_ms=4, wire=[1]),
        usage(1, 10, 5, 2, later=[1]), INIT, end()))
    assert done.notes == (("export.import.skipped", {"n": 2}),)
    state = state_of(done)
    assert said(state) == [("user", "hi"), ("assistant", "ho")]
    assert (state.told, state.lang) == ("plan", "en")
    assert [sorted(record) for record in read_log(done.path).records[2:3]] == [
        sorted(["v", "seq", "ts", "type", "content", "tool_calls", "finish", "think_ms"])]


def test_the_branch_in_force_comes_along_with_the_title(tmp_path):
    done = brought(tmp_path, lines(
        INIT, USER, answer("one"), {"type": "meta", "kind": "title", "title": "My work"},
        {"type": "user", "content": "no"}, {"type": "meta", "kind": "rewind", "to": 3},
        {"type": "user", "content": "yes"}, {"type": "meta", "kind": "rewind", "to": 5}, answer("so")))
    state = state_of(done)
    assert said(state) == [("user", "hi"), ("assistant", "one"), ("user", "no"), ("assistant", "so")]
    assert state.title == "My work"


def test_an_imported_session_goes_on(tmp_path, scripted):
    text = lines({**INIT, "provider": "demo"}, USER, answer("", ("1", "read", "{}")))
    done = brought(tmp_path, text)
    with Run(tmp_path, resume=done.id, provider=scripted(say("Hello."))) as run:
        assert run.say("hello").reason == "done"
        roles = [message.role for message in run.agent.session.state.messages]
    assert roles == ["user", "assistant", "tool", "assistant", "user", "assistant"]


USER = {"type": "user", "content": "hi"}
CALL = {"tool_call_id": "1", "function_name": "x", "arguments": {}}
STEP = {"source": "agent", "tool_calls": [CALL]}
WRONG = [
    (b"", "export.error.empty", {}),
    (b" \n ", "export.error.empty", {}),
    (b"\xff\xfe", "export.error.text", {"at": 0}),
    (b"# Title\n", "export.error.json", {"line": 1}),
    (b'{"a": 1,\n "b": }', "export.error.json", {"line": 2}),
    (b"[" * 100_000, "export.error.json", {"line": 1}),
    (b"[]", "export.error.kind", {"place": "$"}),
    (b"3", "export.error.kind", {"place": "$"}),
    (b"{}", "export.error.missing", {"place": "agent"}),
    (lines(USER), "export.error.init", {"line": 1}),
    (lines({**INIT, "tools": [{}]}), "export.error.line", {"line": 1, "why": '"tools"'}),
    (lines({**INIT, "system": 3}), "export.error.line", {"line": 1, "why": '"system"'}),
    (lines({**INIT, "agents_md": "x"}), "export.error.line", {"line": 1, "why": '"agents_md"'}),
    (lines(INIT, USER) + '{"broken\n' + lines(USER), "export.error.line", {"line": 3}),
    (lines(INIT) + "[]\n", "export.error.line", {"line": 2, "why": '"type"'}),
    (lines(INIT, {"type": "user"}), "export.error.line", {"line": 2}),
    (lines(INIT, {"type": "user", "content": 4}), "export.error.line", {"line": 2}),
    (lines(INIT, {"type": "meta"}), "export.error.line", {"line": 2}),
    (lines(INIT, usage(1, "many", 0, 1)), "export.error.line", {"line": 2}),
    (lines(INIT, {**end(), "times": 3}), "export.error.line", {"line": 2}),
    (lines(INIT, {**USER, "seq": 1}), "export.error.line", {"line": 2, "why": '"seq": 1'}),
    (lines(INIT, {**USER, "seq": "2"}), "export.error.line", {"line": 2}),
    (lines(INIT, {**USER, "images": [{"sha": "../x", "mime": "image/png"}]}), "export.error.line",
     {"line": 2}),
    (lines(*HOSTILE), "export.error.line", {"line": 6}),
    (trajectory(), "export.error.steps", {}),
    (trajectory(USER, schema_version="ATIF-v2"), "export.error.version", {"version": "ATIF-v2"}),
    (trajectory(USER, schema_version=3), "export.error.version", {"version": "3"}),
    (trajectory(USER, agent=3), "export.error.kind", {"place": "agent"}),
    (trajectory(USER), "export.error.missing", {"place": "steps[0].source"}),
    (trajectory({"source": "me"}), "export.error.kind", {"place": "steps[0].source"}),
    (trajectory({"source": "user"}, {"source": "user", "message": 4}), "export.error.kind",
     {"place": "steps[1].message"}),
    (trajectory({"source": "user", "message": [3]}), "export.error.kind",
     {"place": "steps[0].message[0]"}),
    (trajectory({**STEP, "tool_calls": 3}), "export.error.kind", {"place": "steps[0].tool_calls"}),
    (trajectory({**STEP, "tool_calls": [{"tool_call_id": "1"}]}), "export.error.missing",
     {"place": "steps[0].tool_calls[0].arguments"}),
    (trajectory({**STEP, "observation": {"results": {}}}), "export.error.kind",
     {"place": "steps[0].observation.results"}),
    (trajectory({**STEP, "observation": {"results": [{"content": 4}]}}), "export.error.kind",
     {"place": "steps[0].observation.results[0].content"}),
    (trajectory(STEP, agent={"name": "x", "version": "1", "tool_definitions": [{}]}),
     "export.error.kind", {"place": "agent.tool_definitions[0]"}),
]


@pytest.mark.parametrize(("content", "key", "params"), WRONG)
def test_a_wrong_file_is_told_with_its_place_and_leaves_nothing(tmp_path, content, key, params):
    with pytest.raises(UsageError) as caught:
        brought(tmp_path, content)
    error = caught.value
    assert (error.key, error.exit_code) == (key, 2)
    assert {name: error.params[name] for name in params} == params
    assert error.text(SAY) and error.advice(SAY) and error.text(Strings("zh"))
    assert not (tmp_path / "home" / "sessions").exists()


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    for path in (tmp_path / "none", tmp_path, "a\0b"):
        with pytest.raises(UsageError) as caught:
            bring(str(path), str(tmp_path), settings_for(tmp_path), SAY)
        assert caught.value.key == "export.error.file"


def test_what_a_stranger_wrote_grants_nothing(tmp_path):
    grant = {"type": "meta", "kind": "grant", "grant": {"kind": "prefix", "rule": ["rm"]}}
    done = brought(tmp_path, lines(
        {**INIT, "workspace": "/", "mode": "sandbox"}, grant,
        {"type": "meta", "kind": "mode", "mode": "sandbox"},
        {"type": "meta", "kind": "before", "path": "/etc/passwd", "sha": None}, USER,
        answer("", ("1", "read", "{}")), {**result("1", "read", "x"), "noted": ["/etc/x"]},
        {"type": "meta", "kind": "notice", "level": "warn", "key": "no.such", "params": 3}))
    state = state_of(done)
    assert (state.workspace, state.mode, state.grants, state.before, state.noted) == (
        str(tmp_path / "ws"), "auto", (), (), ())
    kinds = [record.get("kind", record["type"]) for record in read_log(done.path).records]
    assert kinds == ["init", "user", "assistant", "tool", "model"]

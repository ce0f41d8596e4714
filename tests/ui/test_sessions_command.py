"""`sessions`: every sub-command as people and as scripts call it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from clinkai.core.catalogue import Strings
from clinkai.harness import curate
from clinkai.harness.session import Session
from clinkai.harness.sessions import Sessions
from clinkai.harness.store import Kept, Store
from clinkai.ui import cli, commands_sessions, commands_sessions_search
from clinkai.ui.call import Call
from clinkai.ui.terminal import Screen
from tests.harness.agents import settings_for
from tests.harness.sessions import INIT, add, answer, keep, result, turn

EDIT = (answer("", ("a", "write", {"path": "new.py", "content": "x"}), ("b", "read", {"path": "old.py"}),
               ("c", "bash", {"command": "make test\nmore"})),
        {"type": "meta", "kind": "before", "path": "new.py", "sha": None},
        result("a", "write", "made"), result("b", "read", "text"), result("c", "bash", "no", exit=2))


class Here:
    """`python clinkai.py` in this process: cheap, as many calls as it takes."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace

    def run(self, *words: str):
        out, err = io.StringIO(), io.StringIO()
        code = cli.main([*words], stdin=io.StringIO(""), stdout=out, stderr=err)
        assert "Traceback" not in err.getvalue()
        return SimpleNamespace(code=code, out=out.getvalue(), err=err.getvalue())


@pytest.fixture
def program(tmp_path, monkeypatch) -> Here:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("CLINKAI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLINKAI_LANG", "en")
    return Here(tmp_path / "work")


@pytest.fixture
def folder(tmp_path) -> Sessions:
    return Sessions(str(tmp_path / "home" / "sessions"))


def id_of(path: str) -> str:
    return path[-14:-6]


def run(program: Here, *words: str, code: int = 0):
    """What it prints as JSON; or the error it ends with."""
    ended = program.run("sessions", *words, "--json")
    assert ended.code == code, ended
    return json.loads(ended.out) if code == 0 else ended.err


def test_the_list_is_by_workspace(program, folder):
    here = os.path.realpath(program.workspace)
    one, two = keep(folder, *turn("one")), keep(folder, *turn("two"), workspace=here)
    three = keep(folder, *turn("three"))
    people = program.run("sessions").out.splitlines()
    assert people[0] == "/w" and people[3] == here
    assert [line.split()[0] for line in (*people[1:3], people[4])] == [*map(id_of, (three, one, two))]
    assert "done, rounds: 1" in people[1] and people[1].endswith("three")
    assert [e["path"] for e in run(program, "list", "--workspace", here)] == [two]
    assert len(run(program, "--workspace", here, "--all")) == len(run(program)) == 3


def test_a_long_list_is_cut_for_people(program, folder, monkeypatch):
    for n in range(3):
        keep(folder, *turn(str(n)))
    monkeypatch.setattr(commands_sessions, "SHOWN", 2)
    out = io.StringIO()
    settings = settings_for(program.workspace, sessions=folder.folder)
    for options, lines in (({}, 4), ({"all": True}, 4)):
        out.truncate(out.seek(0))
        screen = Screen(out, io.StringIO(), {})
        commands_sessions.run(Call("sessions", (), options, settings, Strings("en"), screen, None, {}))
        assert len(out.getvalue().splitlines()) == lines
        assert ("--all" in out.getvalue()) is not bool(options)


def test_a_session_is_named_pinned_and_let_go(program, folder):
    path = keep(folder, *turn("one"))
    assert run(program, "rename", id_of(path)[:5], "  mine ") == {
        "id": id_of(path), "path": path, "title": "mine"}
    for verb, pinned in (("pin", True), ("pin", True), ("unpin", False)):
        assert run(program, verb, id_of(path))["pinned"] is pinned
        assert [(e["title"], e["pinned"]) for e in run(program)] == [("mine", pinned)]
    with open(path, encoding="utf-8") as file:
        assert sum('"pinned","pinned"' in line for line in file) == 2


def test_what_is_found_is_shown_with_its_session(program, folder):
    one, two = keep(folder, *turn("look for the Needle")), keep(folder, *turn("a needle", *EDIT))
    keep(folder, *turn("nothing"))
    body = run(program, "search", "needle")
    assert [(s["path"], [r["seq"] for r in s["records"]]) for s in body["found"]] == [(two, [2]), (one, [2])]
    assert body["more"] is False and list(body["found"][0])[:8] == list(run(program)[0])[:8]
    people = program.run("sessions", "search", "NEEDLE").out.splitlines()
    assert people[1].strip() == "2  you: a «needle»" and people[0].startswith(id_of(two))
    assert "No session" in program.run("sessions", "search", "NEEDLE", "--case").out
    assert len(run(program, "search", r"ne+dle\b", "--regex")["found"]) == 2
    assert "regular expression" in run(program, "search", "(", "--regex", code=2)


def test_output_of_a_search_is_bounded(program, folder, monkeypatch):
    monkeypatch.setattr(commands_sessions_search, "OF_ONE", 2)
    monkeypatch.setattr(commands_sessions_search, "OF_ALL", 4)
    for _ in range(3):
        keep(folder, *(record for n in range(3) for record in turn(f"needle {n}")))
    body = run(program, "search", "needle")
    assert body["more"] and [len(s["records"]) for s in body["found"]] == [2, 2]
    assert all(s["more"] for s in body["found"])


def test_what_each_turn_did_is_shown_from_the_log(program, folder):
    path = keep(folder, *turn("first\nmore", *EDIT), *turn("second"))
    first, second = run(program, "show", id_of(path), "--files")["turns"]
    assert (first, second["prompt"]) == (
        {"seq": 2, "prompt": "first", "changed": [], "created": ["new.py"], "read": ["old.py"],
         "deleted": [], "commands": ["make test -> 2"]}, "second")
    people = program.run("sessions", "show", id_of(path), "--files").out
    assert "› first" in people and "new.py" in people and "make test -> 2" in people


def test_deleting_takes_a_yes(program, folder):
    path, other = keep(folder, *turn("one")), keep(folder, *turn("two"))
    assert "--yes" in run(program, "rm", id_of(path), code=2) and os.path.exists(path)
    assert "--yes" in program.run("sessions", "rm", id_of(path)).err and os.path.exists(path)
    assert [g["path"] for g in run(program, "rm", id_of(path), "--yes")["removed"]] == [path]
    assert folder.paths() == [other]


@pytest.mark.parametrize(("typed", "left"), [(b"y\n", 0), (b"yes\n", 0), (b"n\n", 1), (b"\n", 1)])
def test_a_person_is_asked(tmp_path, typed, left):
    folder = Sessions(str(tmp_path / "s"))
    path = keep(folder, *turn("one"))
    ours, theirs = os.openpty()
    with open(theirs, "r+b", buffering=0) as raw, io.TextIOWrapper(raw) as line:
        os.write(ours, typed)
        screen = Screen(io.StringIO(), line, {"TERM": "dumb"})
        call = Call("sessions", ("rm", id_of(path)), {}, settings_for(tmp_path, sessions=folder.folder),
                    Strings("en"), screen, line, {})
        assert commands_sessions.run(call) == 0
    os.close(ours)
    assert len(folder.paths()) == left


def test_the_old_ones_are_thinned_out(program, folder):
    paths = [keep(folder, *turn(str(n))) for n in range(4)]
    curate.note(paths[0], curate.pin_record(True))
    used = Session.open(paths[1])
    would = run(program, "prune", "--count", "1", "--dry-run")
    assert [item["path"] for item in would["would"]] == [paths[2]] and len(folder.paths()) == 4
    assert "--yes" in run(program, "prune", "--count", "1", code=2)
    assert [i["path"] for i in run(program, "prune", "--count", "1", "--yes")["removed"]] == [paths[2]]
    used.close()
    assert sorted(folder.paths()) == sorted([paths[0], paths[1], paths[3]])


BAD = [
    # words, what the error names
    (("prune",), "--age"), (("prune", "--age", "soon"), "soon"), (("prune", "--age", "-1"), "-1"),
    (("prune", "--size", "9" * 30), "9" * 30), (("list", "--yes"), "--yes"), (("pin", "--cache", "x"), "--cache"),
    (("rename", "x"), "TITLE"), (("rename", "ffff", "  "), "empty"), (("search",), "TEXT"),
    (("search", ""), "empty"), (("rm",), "ID"), (("rm", "ffff"), "ffff"), (("drop",), "prune"),
]


@pytest.mark.parametrize(("words", "named"), BAD)
def test_what_makes_no_sense_is_said(program, words, named):
    ended = program.run("sessions", *words)
    assert ended.code == 2 and named in ended.err and not ended.out


def test_no_file_but_a_session_is_deleted_or_changed(program, folder):
    keep(folder, *turn("one"))
    notes = program.workspace / "notes.jsonl"
    notes.write_text('{"my": "notes"}\n')
    for words in (("rm", str(notes), "--yes"), ("pin", str(notes)), ("rename", str(notes), "x")):
        assert "notes.jsonl" in run(program, *words, code=2)
    assert notes.read_text() == '{"my": "notes"}\n'


def test_several_with_the_same_beginning_are_named(program, folder):
    paths = [keep(folder, *turn(f"task {n}")) for n in range(17)]  # two of them begin alike
    ids = sorted(map(id_of, paths))
    first = next(a[0] for a, b in zip(ids, ids[1:]) if a[0] == b[0])
    error = run(program, "rm", first, "--yes", code=2)
    named = [id for id in ids if id.startswith(first)]
    assert all(id in error for id in named[:10]) and "task" in error and len(folder.paths()) == 17


LATER = b'{"v":2,"seq":7,"ts":1,"type":"dream"}\n'


@pytest.mark.parametrize("tail", [b"", b'{"v":1,"se', b"damaged\n" + LATER[:9], LATER, b"\x00\n\x00\n"])
def test_whatever_state_a_session_is_in_it_can_be_looked_at(program, folder, tail):
    path = add(keep(folder, *turn("needle", *EDIT)), tail)
    name = id_of(path)
    assert [e["title"] for e in run(program)] == ["needle"]
    assert [s["path"] for s in run(program, "search", "needle")["found"]] == [path]
    assert run(program, "show", name)["records"][0]["content"] == "needle"
    assert run(program, "show", name, "--files")["turns"][0]["read"] == ["old.py"]
    assert [g["path"] for g in run(program, "rm", name, "--yes")["removed"]] == [path]


ODD = [
    {"v": 1, "seq": 2, "ts": "x", "type": "user", "content": 5, "images": [{}]},
    {"type": "assistant", "tool_calls": 5, "content": None}, {"type": "assistant", "tool_calls": [5]},
    {"type": "tool"}, {"type": "meta"}, {"type": "meta", "kind": ["a"]}, {"type": "meta", "kind": "title"},
    {"type": "meta", "kind": "usage", "prompt": "x", "sum": 5}, {"type": "meta", "kind": "archived", "text": 5},
    {"type": "meta", "kind": "run.end", "sum": {"rounds": "x"}}, {"type": "meta", "kind": "pinned", "pinned": 1},
    {"v": "two", "seq": None, "ts": None, "type": "user", "content": None},
    {"v": 1, "seq": 2, "ts": 10**30, "type": "user", "content": ""},
    {"v": 1, "seq": 2, "ts": -1e18, "type": "user", "content": ""},
    {"v": 1, "seq": 2, "ts": float("inf"), "type": "user", "content": ""},
]
LOOKS = [("list",), ("search", "needle"), ("show", "ID"), ("show", "ID", "--files"), ("show", "ID", "--cache"),
         ("prune", "--age", "1", "--dry-run"), ("pin", "ID"), ("rename", "ID", "x")]


@pytest.mark.parametrize("records", [*([odd] for odd in ODD), ODD], ids=str)
def test_records_that_make_no_sense_stop_nothing(program, folder, records):
    path = keep(folder)
    add(path, "".join(json.dumps(record) + "\n" for record in records).encode())
    for words in LOOKS:
        words = [id_of(path) if word == "ID" else word for word in words]
        assert program.run("sessions", *words).code == 0
        assert program.run("sessions", *words, "--json").code == 0
    assert [item["path"] for item in run(program, "list")] == [path]
    assert run(program, "prune", "--age", "1", "--dry-run")["would"] == []


def test_a_session_in_use_is_listed_and_stays(program, folder):
    session = folder.create(INIT)
    name = id_of(session.path)
    assert [e["state"] for e in run(program)] == ["running"] and "in use" in program.run("sessions").out
    for words in (("rm", name, "--yes"), ("pin", name), ("rename", name, "x")):
        assert "Another process" in run(program, *words, code=2)
    assert run(program, "prune", "--count", "0", "--yes") == {"removed": []}
    session.close()


def test_a_turn_is_taken_back_and_shown_as_a_patch(program, folder):
    path = keep(folder, *turn("make it"), workspace=str(program.workspace))
    file = program.workspace / "new.py"
    file.write_text("x\n")
    session = Session.open(path)
    session.append({"type": "user", "content": "make it\nnow"})
    Store(session).keep_before("new.py", Kept(None), Kept(b"x\n"))
    session.close()
    assert "+x" in program.run("sessions", "diff", id_of(path)).out.splitlines()
    done = run(program, "undo", id_of(path))
    assert (done["turn"], done["prompt"], done["files"][0]["done"]) == (2, "make it", True)
    assert not file.exists() and "no files" in program.run("sessions", "diff", id_of(path)).err
    assert program.run("sessions", "undo", id_of(path)).code == 2
    assert "new.py" in program.run("sessions", "redo", id_of(path)).out and file.exists()
    file.write_text("mine\n")
    left = program.run("sessions", "undo", id_of(path), "--turn", "2")
    assert left.code == 1 and "+mine" in left.out and file.read_text() == "mine\n"
    assert program.run("sessions", "undo", id_of(path), "--turn", "two").code == 2
    assert run(program, "diff", id_of(path))["missing"] == []
    program.run("sessions", "diff", id_of(path), "-o", "p.diff")
    assert "+x" in (program.workspace / "p.diff").read_text().splitlines()

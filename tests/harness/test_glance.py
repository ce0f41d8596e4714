"""What a list shows is what reading all of a session would show."""

from __future__ import annotations

import os

import pytest

from clinkai.harness import glance
from clinkai.harness.curate import pin_record, title_record
from clinkai.harness.glance import Glance, describe
from clinkai.harness.session import Session
from clinkai.harness.session_file import read_log
from clinkai.harness.sessions import Sessions
from tests.harness.sessions import END, INIT, USAGE, add, answer, keep, result, turn, user

LONG = "x" * 300_000
ROUND = (answer("", ("a", "read", {"path": "f"})), USAGE, result("a", "read", "text"))

SESSIONS = [
    # records after init, (title, rounds, state, pinned)
    ((), ("", 0, "interrupted", False)),
    ((user("\n  the task \nmore"),), ("the task", 0, "interrupted", False)),
    (turn("one"), ("one", 1, "done", False)),
    ((*turn("one"), user("two")), ("one", 1, "interrupted", False)),
    ((*turn("one"), user("two"), *ROUND), ("one", 2, "interrupted", False)),
    ((user("one"), *ROUND, *ROUND, answer("half")), ("one", 3, "interrupted", False)),
    ((user("one"), {**END, "reason": "error"}), ("one", 0, "interrupted", False)),
    ((user("a" * 200), *ROUND), ("a" * 79 + "…", 1, "interrupted", False)),
    ((*turn("one"), title_record("mine")), ("mine", 1, "done", False)),
    ((*turn("one"), title_record("mine"), *turn("two")), ("mine", 2, "done", False)),
    ((*turn("one"), pin_record(True), *turn("two")), ("one", 2, "done", True)),
    ((*turn("one"), pin_record(True), *turn("two"), pin_record(False)), ("one", 2, "done", False)),
    ((*turn("one"), {"type": "meta", "kind": "what is to come"}), ("one", 1, "done", False)),
    ((user(LONG), *ROUND), ("x" * 79 + "…", 1, "interrupted", False)),
    ((user("one"), answer("", ("a", "read", {})), result("a", "read", LONG)),
     ("one", 1, "interrupted", False)),
    ((*turn("one"), title_record("mine"), user("two"), answer(LONG)), ("mine", 2, "interrupted", False)),
]


@pytest.fixture
def folder(tmp_path) -> Sessions:
    return Sessions(str(tmp_path / "s"))


@pytest.mark.parametrize(("records", "shown"), SESSIONS)
def test_an_entry_says_what_the_whole_file_says(folder, records, shown):
    path = keep(folder, *records)
    entry = describe(path)
    assert (entry.title, entry.rounds, entry.state, entry.pinned) == shown
    work = [r["ts"] for r in read_log(path).records if r.get("kind") not in glance.LABELS]
    assert (entry.workspace, entry.last, entry.bytes) == ("/w", work[-1], os.path.getsize(path))
    whole = Glance()
    with open(path, "rb") as file:
        whole.forth(file)
    assert (whole.title, whole.rounds, whole.state, whole.pinned, whole.last) == (*shown, work[-1])


@pytest.mark.parametrize("tail", [b'{"v":1,"seq":9,"ty', b"\x00" * 9000, b"{\n", b"garbage\nmore\n"])
def test_what_is_torn_or_damaged_is_passed_over(folder, tail):
    path = add(keep(folder, *turn("one")), tail)
    entry = describe(path)
    assert (entry.title, entry.rounds, entry.state) == ("one", 1, "done")


def test_only_the_ends_of_a_long_session_are_read(folder, monkeypatch):
    path = keep(folder, *turn("one", *ROUND), user(LONG), answer("x"), USAGE, *turn("two"))
    monkeypatch.setattr(Glance, "forth", lambda *_: pytest.fail("the whole file was read"))
    read, real = [], os.read
    monkeypatch.setattr(os, "read", lambda fd, n: read.append(n) or real(fd, n))
    assert describe(path).rounds == 4 and sum(read) <= 1 << 16


@pytest.mark.parametrize("data", [b"", b"\n", b"nothing\n", b'{"type":"user","content":"x"}\n',
                                  b'{"v":1,"seq":1,"ts":1,"type":"init","workspace":"/w'])
def test_what_has_no_first_record_is_no_session(tmp_path, data):
    path = tmp_path / "20260101-000000-aa.jsonl"
    path.write_bytes(data)
    assert describe(str(path)) is None


def test_a_pipe_and_a_folder_are_no_sessions(tmp_path):
    os.mkfifo(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").mkdir()
    assert [describe(str(tmp_path / name)) for name in ("a.jsonl", "b.jsonl", "c.jsonl")] == [None] * 3


def test_lists_do_not_mistake_each_other_for_a_writer(folder):
    path = keep(folder, *turn("one"))
    with open(path, "rb") as file:
        assert not glance.is_taken(file.fileno())
        assert describe(path).state == "done"


def test_what_a_session_says_of_itself_is_what_it_was_opened_with(folder):
    path = keep(folder, *turn("one"), title_record("mine"))
    session = Session.open(path)
    assert session.state.title == "mine"
    assert session.append(END)["sum"] == {"rounds": 1, "title": "mine"}
    session.close()
    assert INIT["workspace"] == describe(path).workspace

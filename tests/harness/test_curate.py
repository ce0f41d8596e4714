"""Naming, pinning, deleting and thinning out sessions."""

from __future__ import annotations

import json
import os

import pytest

from clinkai.core.errors import SessionError
from clinkai.harness import curate
from clinkai.harness.curate import Limit, pin_record, title_record
from clinkai.harness.glance import describe
from clinkai.harness.session import Session
from clinkai.harness.session_file import read_log
from clinkai.harness.sessions import Sessions
from tests.harness.agents import files_end_at
from tests.harness.sessions import INIT, add, keep, turn, user

BYTES = 100
"""Kept beside each session."""


@pytest.fixture
def folder(tmp_path) -> Sessions:
    return Sessions(str(tmp_path / "s"))


def dated(folder: Sessions, *days: float) -> list[str]:
    """Sessions whose last work was so many days before day 100, newest last."""
    paths = []
    for age in days:
        path = keep(folder, user(f"{age}", ts=(100 - age) * curate.DAY))
        os.mkdir(curate.beside(path))
        with open(os.path.join(curate.beside(path), "out-1.txt"), "wb") as file:
            file.write(bytes(BYTES))
        paths.append(path)
    return paths


def surplus(folder: Sessions, **limit: float) -> list[str]:
    found = curate.surplus(folder.list(), Limit(**limit), 100 * curate.DAY)
    return [item.entry.title for item in found]


def test_a_note_is_one_more_record_of_the_session(folder):
    path = keep(folder, *turn("one"))
    curate.note(path, title_record("mine"))
    curate.note(path, pin_record(True))
    records = read_log(path).records
    assert [r["seq"] for r in records] == list(range(1, len(records) + 1))
    session = Session.open(path)
    session.close()
    assert (session.remarks, session.state.title) == ((), "mine")


@pytest.mark.parametrize(("tail", "whole"), [
    (b'{"v":1,"seq":9,"type":"us', True), (b"\x00" * 70_000, True), (b"damaged\n", True),
    (b"damaged\nmore\n", False), (b"damaged\nmore", False),
])
def test_a_note_cuts_off_what_opening_would(folder, tail, whole):
    path = add(keep(folder, *turn("one")), tail)
    before = [r["seq"] for r in read_log(path).records]
    curate.note(path, title_record("mine"))
    log = read_log(path)
    assert [r["seq"] for r in log.records] == [*before, before[-1] + 1]
    assert (describe(path).title, log.torn, bool(log.bad)) == ("mine", 0, not whole)


def test_a_damaged_line_in_the_middle_stays_where_it_is(folder):
    path = keep(folder, *turn("one"))
    with open(path, "rb") as file:
        first, *rest = file.readlines()
    with open(path, "wb") as file:
        file.writelines([first, b"damaged\n", *rest])
    curate.note(path, title_record("mine"))
    with open(path, "rb") as file:
        assert file.readlines()[:-1] == [first, b"damaged\n", *rest]


@pytest.mark.parametrize(("line", "key"), [
    ({"v": 2, "seq": 9, "ts": 1.0, "type": "user", "content": "x"}, "error.session.newer"),
    ({"v": 2, "seq": 9, "ts": 1.0, "type": "of later"}, "error.session.newer"),
])
def test_nothing_is_added_to_a_session_of_a_later_version(folder, line, key):
    path = add(keep(folder, *turn("one")), json.dumps(line).encode() + b"\n")
    with open(path, "rb") as file:
        before = file.read()
    for change in (lambda: curate.note(path, title_record("mine")), lambda: Session.open(path)):
        with pytest.raises(SessionError) as caught:
            change()
        assert caught.value.key == key
    with open(path, "rb") as file:
        assert file.read() == before
    assert len(read_log(path).records) == 6 and describe(path).title == "one"


def test_a_full_disk_leaves_the_session_as_it_was(folder):
    path = keep(folder, *turn("one"))
    size = os.path.getsize(path)
    with files_end_at(size + 10), pytest.raises(SessionError) as caught:
        curate.note(path, title_record("mine"))
    assert (caught.value.key, os.path.getsize(path)) == ("error.session.write", size)


def test_a_session_in_use_is_neither_changed_nor_deleted(folder):
    session = folder.create(INIT)
    for change in (lambda: curate.note(session.path, title_record("mine")),
                   lambda: curate.remove(session.path)):
        with pytest.raises(SessionError) as caught:
            change()
        assert caught.value.key == "error.session.locked"
    session.append(user("still here"))
    session.close()
    assert len(read_log(session.path).records) == 2


def test_a_deleted_session_takes_along_what_is_beside_it(folder, tmp_path):
    one, other = dated(folder, 5, 3)
    assert curate.weight(one) == os.path.getsize(one) + BYTES
    curate.remove(one)
    assert sorted(os.listdir(os.path.dirname(other))) == sorted(
        [os.path.basename(other), os.path.basename(curate.beside(other))])
    curate.remove(other)
    assert os.listdir(folder.folder) == []


def test_a_link_beside_a_session_is_deleted_and_not_followed(folder, tmp_path):
    path = keep(folder, *turn("one"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").write_text("x")
    os.symlink(tmp_path / "mine", curate.beside(path))
    curate.remove(path)
    assert (tmp_path / "mine/file").read_text() == "x" and folder.paths() == []


@pytest.mark.parametrize("data", [b"", b"damaged\n", b'{"v":1,"seq":1'])
def test_what_is_no_session_any_more_can_be_deleted(folder, data):
    path = keep(folder, *turn("one"))
    with open(path, "wb") as file:
        file.write(data)
    curate.remove(path)
    assert folder.paths() == []


@pytest.mark.parametrize(("limit", "goes"), [
    ({}, []),
    ({"age": 4}, ["9", "7", "5"]), ({"age": 5}, ["9", "7"]), ({"age": 99}, []),
    ({"count": 2}, ["9", "7", "5"]), ({"count": 0}, ["9", "7", "5", "3", "1"]), ({"count": 9}, []),
    ({"size": 10**9}, []), ({"size": 0}, ["9", "7", "5", "3", "1"]),
    ({"age": 8, "count": 3}, ["9", "7"]),
])
def test_what_is_beyond_a_limit_goes_oldest_first(folder, limit, goes):
    dated(folder, 9, 7, 5, 3, 1)
    assert surplus(folder, **limit) == goes


def test_the_newest_that_fit_stay(folder):
    sizes = [curate.weight(path) for path in dated(folder, 9, 7, 5)]
    assert surplus(folder, size=sizes[2] + sizes[1]) == ["9"]
    assert surplus(folder, size=sizes[2] + sizes[1] - 1) == ["9", "7"]


def test_pinned_sessions_and_those_in_use_stay_and_do_not_count(folder):
    old, *_ = dated(folder, 9, 7, 5)
    curate.note(old, pin_record(True))
    used = Session.open(dated(folder, 8)[0])
    assert surplus(folder, count=1) == ["7"] and surplus(folder, age=1) == ["7", "5"]
    used.close()
    assert surplus(folder, count=1) == ["8", "7"]

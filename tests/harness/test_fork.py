"""A fork has what the session had at the point, and neither needs the other."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from clinkai.core.branches import live
from clinkai.core.errors import SessionError
from clinkai.core.state import fold
from clinkai.core.value import replace
from clinkai.harness.fork import fork
from clinkai.harness.session import Session
from clinkai.harness.session_file import read_log
from clinkai.harness.sessions import Sessions
from clinkai.harness.store import Store
from tests.harness.sessions import INIT, add, answer, keep, result, turn

EDIT = (answer("", ("a", "write", {"path": "f", "content": "x"})), result("a", "write", "made"))
SHA = "0" * 63


@pytest.fixture
def folder(tmp_path) -> Sessions:
    return Sessions(str(tmp_path / "sessions"))


def branched(folder: Sessions) -> str:
    """Two turns, the second of which was taken back, and another in its place."""
    path = keep(folder, *turn("one", *EDIT), *turn("two", *EDIT))
    session = Session.open(path)
    session.rewind(8, "auto")
    for record in turn("three"):
        session.append(record)
    session.close()
    return path


def test_a_fork_of_every_point_has_the_state_of_that_point(folder):
    path = branched(folder)
    records = read_log(path).records
    for at in range(1, len(records) + 1):
        made = fork(path, folder, at)
        copied = read_log(made.path).records
        assert copied[0] == {**records[0], "parent": {"id": path[-14:-6], "seq": at}}
        assert copied[1:at] == records[1:at] and made.seq == at
        point = fold(live(records, at))
        again = Session.open(made.path)
        again.close()
        assert again.state == replace(point, last_seq=at + 1, broke="rewind", title=again.state.title,
                                      calls=max(r.get("calls", 0) for r in copied))
        assert again.state == fold(copied)
    with pytest.raises(SessionError, match="error.session.point"):
        fork(path, folder, at + 1)
    assert fork(path, folder).seq == at


def test_what_lies_beside_a_session_comes_along_and_stays(folder):
    path = keep(folder, *turn("one"))
    side = path.removesuffix(".jsonl") + ".d"
    os.mkdir(side)
    names = {SHA + "1": b"before", "out-1.txt": b"output", "files.pack": b"pack"}
    for name, data in {**names, f"{SHA}2.0a1b2c3d": b"half"}.items():
        with open(os.path.join(side, name), "wb") as file:
            file.write(data)
    made = fork(path, folder)
    with open(os.path.join(side, "files.pack"), "ab") as file:
        file.write(b" goes on")
    beside = made.path.removesuffix(".jsonl") + ".d"
    shutil.rmtree(side)
    os.unlink(path)
    found = {}
    for name in os.listdir(beside):
        with open(os.path.join(beside, name), "rb") as file:
            found[name] = file.read()
    assert found == names
    assert os.stat(beside).st_mode & 0o777 == 0o700


def test_where_there_are_no_links_there_are_copies(folder, monkeypatch):
    def refused(*_: object) -> None:
        raise OSError(1, "not here")

    session = folder.create(INIT)
    digest = Store(session).keep_image(b"GIF89a")
    session.close()
    monkeypatch.setattr(os, "link", refused)
    again = Session.open(fork(session.path, folder).path)
    assert Store(again).image(digest) == b"GIF89a"
    assert os.stat(os.path.join(Store(again).folder, digest)).st_nlink == 1
    again.close()


def test_a_session_that_another_process_writes_can_be_forked_but_not_taken_back(folder):
    path = keep(folder, *turn("one"))
    held = Session.open(path)
    assert fork(path, folder).seq == 5
    with pytest.raises(SessionError, match="error.session.locked"):
        Session.open(path)
    held.close()


@pytest.mark.parametrize(("line", "key"), [
    ({"v": 2, "seq": 6, "type": "meta"}, "error.session.newer"),
    ({"v": 1, "seq": 6, "type": "dream"}, "error.session.later"),
    ({"v": 1, "seq": 6, "type": "user"}, "error.session.line"),
    ({"v": 1, "seq": 6, "type": "meta", "kind": "rewind", "to": 9}, "error.session.line"),
    ("damaged", "error.session.line"),
])
def test_nothing_after_the_point_need_be_known(folder, line, key):
    path = keep(folder, *turn("one"))
    more = {"v": 1, "seq": 7, "type": "meta", "kind": "x"}
    add(path, (json.dumps(line) + "\n" + json.dumps(more) + "\n").encode())
    for at in (None, 6, 7):
        with pytest.raises(SessionError, match=key):
            fork(path, folder, at)
    assert len(read_log(fork(path, folder, 5).path).records) == 6
    assert len(os.listdir(os.path.dirname(path))) == 2


def test_a_torn_end_does_not_come_along(folder):
    path = keep(folder, *turn("one"))
    add(path, b'{"v":1,"seq":6,"ty')
    assert fork(path, folder).seq == 5 and read_log(fork(path, folder).path).torn == 0


def test_a_fork_that_cannot_be_written_leaves_nothing(folder, monkeypatch):
    path = keep(folder, *turn("one"))
    os.mkdir(path.removesuffix(".jsonl") + ".d")
    before = sorted(os.listdir(os.path.dirname(path)))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("clinkai.harness.fork.sync_folder", full)
    with pytest.raises(SessionError, match="error.session.create"):
        fork(path, folder)
    assert sorted(os.listdir(os.path.dirname(path))) == before

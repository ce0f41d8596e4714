"""What a machine can do to a session, item by item: nothing acknowledged is lost, nobody is misled."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading

import pytest

from clinkai.core.errors import SessionError
from clinkai.core.events import Notice
from clinkai.core.state import fold
from clinkai.harness import session as session_module
from clinkai.harness import session_lock
from clinkai.harness.glance import describe
from clinkai.harness.session import Session
from clinkai.harness.session_file import read_log
from clinkai.harness.sessions import Sessions
from tests.harness.agents import Run
from tests.harness.sessions import END, INIT, USAGE, add, answer, keep, result, turn, user
from tests.harness.test_disk import scripted
from tests.loop.turns import say
from tests.source import TOP


@pytest.fixture
def folder(tmp_path) -> Sessions:
    return Sessions(str(tmp_path / "s"))


def system_calls(monkeypatch) -> list[tuple[str, int]]:
    """What `os` is asked to do from here on, by name; a write with its length."""
    asked: list[tuple[str, int]] = []
    write, fsync = os.write, os.fsync
    monkeypatch.setattr(os, "write", lambda fd, data: asked.append(("write", len(data))) or write(fd, data))
    monkeypatch.setattr(os, "fsync", lambda fd: asked.append(("fsync", 0)) or fsync(fd))
    return asked


FLUSHED = [
    # record, whether it is on the disk when `append` returns
    (user("x"), True), (answer("x"), False), (result("a", "ls", "x"), False), (USAGE, False), (END, True),
    ({"type": "meta", "kind": "notice", "level": "info", "key": "k", "params": {}}, False),
    ({"type": "meta", "kind": "before", "path": "f", "sha": "0" * 64}, True),
    ({"type": "meta", "kind": "before", "path": "f", "sha": None}, False),
    ({"type": "meta", "kind": "grant", "grant": {}}, True), ({"type": "meta", "kind": "title", "title": "t"}, True),
]


@pytest.mark.parametrize(("record", "flushed"), FLUSHED)
def test_a_record_is_one_write_and_flushed_before_it_is_acknowledged(folder, monkeypatch, record, flushed):
    session = folder.create(INIT)
    session.append(user("task"))
    before = os.path.getsize(session.path)
    asked = system_calls(monkeypatch)
    session.append(record)
    written = os.path.getsize(session.path) - before
    assert asked == [("write", written)] + [("fsync", 0)] * flushed
    session.close()


def test_the_name_of_a_new_session_is_flushed_too(folder, monkeypatch):
    folder.create(INIT).close()
    asked = system_calls(monkeypatch)
    folder.create(INIT).close()
    assert [name for name, _ in asked] == ["write", "fsync", "fsync"]  # the file, then its folder


OWNER = """
import os, sys
sys.path.insert(0, {top!r})
from clinkai.harness.session import Session
session = Session.open({path!r})
print(os.spawnvp(os.P_NOWAIT, "sleep", ["sleep", "60"]), flush=True)
sys.stdin.read()
"""


def test_the_lock_of_a_dead_owner_is_free_though_its_command_still_runs(folder):
    path = keep(folder, *turn("one"))
    owner = subprocess.Popen([sys.executable, "-S", "-c", OWNER.format(top=str(TOP), path=path)],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    command = int(owner.stdout.readline())
    try:
        with pytest.raises(SessionError) as caught:
            Session.open(path)
        assert caught.value.key == "error.session.locked" and describe(path).state == "running"
        assert len(read_log(path).records) == 5  # to be read all the same
        owner.kill()
        owner.wait()
        Session.open(path).close()
        assert describe(path).state == "done"
    finally:
        os.kill(command, 9)
        owner.stdin.close(), owner.stdout.close()


@pytest.mark.parametrize(("number", "taken"), [
    (errno.EWOULDBLOCK, True), (errno.EACCES, True), (errno.EDEADLK, True), (errno.ENOLCK, False),
    (errno.ENOSYS, False), (errno.EOPNOTSUPP, False), (errno.EINVAL, False), (errno.EBADF, False),
])
def test_a_disk_without_locks_is_told_from_a_lock_that_is_taken(tmp_path, folder, monkeypatch, number, taken):
    def refuse(fd: int, *, shared: bool) -> None:
        raise OSError(number, "no")

    path = keep(folder, *turn("one"))
    monkeypatch.setattr(session_lock, "_lock", refuse)
    monkeypatch.setattr(session_lock, "PAUSE", 0)
    assert describe(path).state == ("running" if taken else "done")
    if taken:
        with pytest.raises(SessionError):
            Session.open(path)
        return
    session = Session.open(path)
    session.close()
    assert session.remarks == (("notice.session.unlocked", {"path": path}),)
    for resume in (None, path):
        with Run(tmp_path, provider=scripted([say("hi")]), resume=resume, workspace=tmp_path) as run:
            run.say("x")
            assert [n.key for n in run.of(Notice)].count("notice.session.unlocked") == 1


def test_a_clock_that_goes_backwards_changes_no_order(folder, monkeypatch):
    clock = iter(range(2_000_000_000, 0, -1_000_000))
    monkeypatch.setattr(session_module.time, "time", lambda: float(next(clock)))
    session = folder.create(INIT)
    for record in turn("one"):
        session.append(record)
    session.close()
    again = Session.open(session.path)
    again.close()
    log = read_log(session.path)
    assert [r["seq"] for r in log.records] == [1, 2, 3, 4, 5] and again.state == fold(log.records)
    assert [r["ts"] for r in log.records] == sorted((r["ts"] for r in log.records), reverse=True)
    assert (describe(session.path).state, folder.find("auto", "/w")) == ("done", session.path)


def test_two_that_start_in_the_same_moment_with_the_same_name_get_two_files(folder, monkeypatch):
    names = iter([b"\0\0\0\1"] * 8 + [b"\0\0\0\2"] * 8 + [bytes([n] * 4) for n in range(9, 99)])
    lock, real = threading.Lock(), os.urandom

    def drawn(n: int) -> bytes:
        with lock:
            return next(names) if n == 4 else real(n)

    monkeypatch.setattr(os, "urandom", drawn)
    monkeypatch.setattr("clinkai.harness.sessions.time.strftime", lambda *_: "20260101-000000")
    made: list[Session] = []
    threads = [threading.Thread(target=lambda n=n: made.append(folder.create({**INIT, "model": f"m{n}"})))
               for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({session.path for session in made}) == 6
    for session in made:
        session.close()
        [init] = read_log(session.path).records
        assert init["model"] == session.state.model
    assert {name.rpartition(".")[2] for name in os.listdir(os.path.dirname(made[0].path))} == {"jsonl"}


def test_a_name_that_is_taken_is_never_taken_over(folder, monkeypatch):
    path = keep(folder, *turn("one"))
    with open(path, "rb") as file:
        before = file.read()
    for no_links in (False, True):
        if no_links:
            def refuse(*_):
                raise PermissionError(errno.EPERM, "no links here")

            monkeypatch.setattr(os, "link", refuse)
        with pytest.raises(FileExistsError):
            Session.create(path, INIT)
        with open(path, "rb") as file:
            assert file.read() == before
        assert not os.path.exists(path + ".new")
    fresh = path.replace(".jsonl", "2.jsonl")
    Session.create(fresh, INIT).close()
    assert os.listdir(os.path.dirname(fresh)) and len(read_log(fresh).records) == 1


@pytest.mark.slow
def test_a_record_of_more_than_ten_megabytes(folder):
    text = "0123456789 \u4e2d" * 800_000
    session = folder.create(INIT)
    session.append(user(text))
    session.append(answer("yes"))
    session.close()
    assert os.path.getsize(session.path) > 11_000_000
    again = Session.open(session.path)
    again.close()
    assert again.state == session.state and again.state.messages[0].content == text
    assert (describe(session.path).title, describe(session.path).rounds) == ("0123456789 \u4e2d" * 6 + "0123456…", 1)
    with open(session.path, "r+b") as file:
        file.truncate(9_000_000)
    torn = Session.open(session.path)
    torn.close()
    assert torn.remarks[0][0] == "notice.session.torn" and torn.state.messages == ()


@pytest.mark.parametrize("place", ["/proc/self/sessions", "/dev/null/sessions"])
def test_a_folder_in_which_nothing_can_be_made(place):
    with pytest.raises(SessionError) as caught:
        Sessions(place).create(INIT)
    assert (caught.value.key, caught.value.exit_code) == ("error.session.create", 2)
    assert Sessions(place).list() == [] and Sessions(place).paths() == []


LATER = [
    ({"v": 2, "seq": 6, "ts": 1.0, "type": "user", "content": "x"}, "error.session.newer"),
    ({"v": 1, "seq": 6, "ts": 1.0, "type": "dream"}, "error.session.later"),
    ({"v": 2, "seq": 6, "ts": 1.0, "type": "dream"}, "error.session.newer"),
]


@pytest.mark.parametrize(("record", "key"), LATER)
def test_a_session_of_a_later_version_is_read_and_never_written(folder, record, key):
    path = add(keep(folder, *turn("one")), json.dumps(record).encode() + b"\n" + b'{"torn')
    with open(path, "rb") as file:
        before = file.read()
    with pytest.raises(SessionError) as caught:
        Session.open(path)
    assert caught.value.key == key and path == caught.value.params["path"]
    with open(path, "rb") as file:
        assert file.read() == before
    assert read_log(path).records[-1] == record

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time

import pytest

from clinkai.core.errors import SessionError
from clinkai.core.state import fold
from clinkai.harness.glance import describe
from clinkai.harness.session import Session, read_log
from clinkai.harness.sessions import Sessions, slug
from clinkai.harness.store import Kept, Store
from tests.harness.agents import files_end_at
from tests.source import TOP

INIT = {"type": "init", "workspace": "/w", "model": "m", "provider": "openai", "lang": "en",
        "mode": "auto", "system": "S", "tools": [], "agents_md": []}
USER = {"type": "user", "content": "hello 你好 \ud800 \u2028 end"}


@pytest.fixture
def folder(tmp_path) -> Sessions:
    return Sessions(str(tmp_path / "sessions"))


@pytest.fixture
def session(folder):
    made = folder.create(INIT)
    made.append(USER)
    yield made
    made.close()


def test_a_session_lies_in_the_folder_of_its_workspace_for_its_owner_alone(session, folder):
    relative = os.path.relpath(session.path, folder.folder)
    assert relative.split(os.sep)[0] == slug("/w") == "w-" + slug("/w")[-8:]
    assert stat.S_IMODE(os.stat(session.path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(session.path)).st_mode) == 0o700


def test_the_state_is_the_fold_of_the_file(session):
    log = read_log(session.path)
    assert fold(log.records) == session.state
    assert [r["seq"] for r in log.records] == [1, 2] and {r["v"] for r in log.records} == {1}
    assert session.state.messages[0].content == USER["content"]


def test_a_second_writer_is_refused(session):
    with pytest.raises(SessionError) as caught:
        Session.open(session.path)
    assert caught.value.key == "error.session.locked"


def test_a_closed_session_takes_no_records(session):
    session.close()
    with pytest.raises(SessionError):
        session.append(USER)


@pytest.mark.parametrize("tail", [
    b'{"v":1,"seq":3,"type":"us', b"{", b"\xff\xfe", b'{"half":1}\n', b"\x00" * 50, b"[1]\n", b"[" * 9999,
])
def test_a_torn_last_line_is_cut_off(session, tail):
    session.close()
    before = session.state
    with open(session.path, "ab") as file:
        file.write(tail)
    again = Session.open(session.path)
    assert (again.state, again.remarks) == (
        before, (("notice.session.torn", {"bytes": len(tail)}),))
    again.append({"type": "user", "content": "more"})
    again.close()
    assert read_log(session.path).bad == ()


@pytest.mark.parametrize(("line", "bad"), [(b"garbage\n", 2), (b"\n", 2), (b'{"type":3}\n', 2)])
def test_another_bad_line_is_an_error_that_names_its_line(session, line, bad):
    session.close()
    with open(session.path, "rb") as file:
        first, second = file.readlines()
    with open(session.path, "wb") as file:
        file.writelines([first, line, second])
    with pytest.raises(SessionError) as caught:
        Session.open(session.path)
    assert (caught.value.key, caught.value.params["line"]) == ("error.session.line", bad)
    assert len(read_log(session.path).records) == 2


@pytest.mark.parametrize("content", [b"", b"\n", b'{"type":"user","content":"x"}\n'])
def test_a_file_without_init_is_no_session(tmp_path, content):
    path = tmp_path / "20260101-000000-aa.jsonl"
    path.write_bytes(content)
    with pytest.raises(SessionError):
        Session.open(str(path))


def test_a_full_disk_is_an_error_and_leaves_whole_records(folder):
    session = folder.create(INIT)
    size = os.path.getsize(session.path)
    with files_end_at(size + 20), pytest.raises(SessionError) as caught:
        session.append(USER)
    assert caught.value.key == "error.session.write"
    assert os.path.getsize(session.path) == size
    session.append(USER)
    session.close()
    assert len(read_log(session.path).records) == 2


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SessionError) as caught:
        Sessions(str(tmp_path / "file")).create(INIT)
    assert caught.value.key == "error.session.create"


def make(folder: Sessions, workspace: str, ts: float) -> str:
    session = folder.create({**INIT, "workspace": workspace})
    session.append({"type": "user", "content": f"task {ts}", "ts": ts})
    session.close()
    return session.path


def test_auto_is_the_newest_last_record_of_this_workspace(folder):
    now = time.time()
    make(folder, "/w", now - 5)
    newest = make(folder, "/w", now + 50)
    make(folder, "/w", now - 9)
    make(folder, "/other", now + 99)
    assert folder.find("auto", "/w") == newest


def test_sessions_are_found_by_id_prefix_and_path(folder):
    path = make(folder, "/w", 5)
    name = describe(path).id
    assert {folder.find(w, "/x") for w in (name, name[:6], path)} == {path}


@pytest.mark.parametrize(("wanted", "key"), [
    ("auto", "error.session.none_here"), ("ffffffff", "error.session.none"), ("nope!", "error.session.name"),
])
def test_what_cannot_be_found_is_an_error(folder, wanted, key):
    with pytest.raises(SessionError) as caught:
        folder.find(wanted, "/w")
    assert caught.value.key == key


def test_an_ambiguous_prefix_names_the_sessions(folder):
    ids = [describe(make(folder, "/w", n)).id for n in range(40)]
    first = ids[0][:1]
    if sum(i.startswith(first) for i in ids) < 2:
        first = next(i[:1] for i in ids if sum(j.startswith(i[:1]) for j in ids) > 1)
    with pytest.raises(SessionError) as caught:
        folder.find(first, "/w")
    assert caught.value.key == "error.session.many"


def test_the_list_is_newest_first_and_passes_over_what_is_no_session(folder):
    old, new = make(folder, "/w", 100.0), make(folder, "/v", 200.0)
    with open(os.path.join(os.path.dirname(old), "x.jsonl"), "w") as file:
        file.write("nothing\n")
    assert [(e.path, e.title, e.last, e.rounds, e.state) for e in folder.list()] == [
        (new, "task 200.0", 200.0, 0, "interrupted"), (old, "task 100.0", 100.0, 0, "interrupted"),
    ]


def test_a_session_in_use_is_listed_as_running(session, folder):
    assert [e.state for e in folder.list()] == ["running"]


def test_files_are_kept_as_they_were(session):
    store = Store(session)
    store.keep_before("a.txt", Kept(b"old\x00", 0o100644), Kept(None))
    store.keep_before("new.txt", Kept(None), Kept(b"new"))
    digests = [digest for _, digest in session.state.before]
    assert digests[1] is None and store.before(digests[0]) == b"old\x00"
    assert stat.S_IMODE(os.stat(store.folder).st_mode) == 0o700


def test_full_outputs_are_kept_by_number(session):
    store = Store(session)
    assert store.output_path(3) is None and store.keep_output(3, "all of it")
    with open(store.output_path(3), encoding="utf-8") as file:
        assert file.read() == "all of it"


WRITER = """
import sys
sys.path.insert(0, {top!r})
from clinkai.harness.sessions import Sessions
session = Sessions({folder!r}).create({init!r})
print(session.path, flush=True)
n = 0
while True:
    n += 1
    session.append({{"type": "user", "content": f"{{n}} " + "x" * (n % 5000)}})
    print(n, flush=True)
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(3))
def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path, seed):
    source = WRITER.format(top=str(TOP), folder=str(tmp_path / "s"), init=INIT)
    child = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE)
    path = child.stdout.readline().decode().strip()
    for _ in range(20 + 37 * seed):
        child.stdout.readline()
    child.kill()
    acknowledged = 20 + 37 * seed + child.stdout.read().count(b"\n")
    child.wait()
    child.stdout.close()
    session = Session.open(path)
    said = [int(m.content.split()[0]) for m in session.state.messages]
    session.close()
    assert said == list(range(1, len(said) + 1)) and len(said) >= acknowledged


def test_lines_end_at_newlines_only(session):
    with open(session.path, "rb") as file:
        assert [json.loads(line)["seq"] for line in file.read().split(b"\n")[:-1]] == [1, 2]

"""Attempts to get out of the sandbox, with no rule of ours in front of it: the kernel says no."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from clinkai.harness.sandbox import landlock
from clinkai.harness.sandbox.paths import SECRETS
from tests.harness.sandbox.places import Place, run

SIGNALS = ("end another", "ask after another by signal", "ask after a group by signal",
           "a signal by descriptor", "a signal with a value")
"""Those that Landlock knows from version 6 on."""

SCRIPT = Path(__file__).with_name("attempts.py")


def setuid(place: Place) -> str:
    """A program that runs as somebody else where it may; only root can make one."""
    if os.geteuid():
        return ""
    program = place.home / ".tools" / "bin" / "who"
    shutil.copy(shutil.which("id"), program)
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    assert subprocess.check_output([program, "-u"], text=True) == "65534\n"
    return str(program)


@pytest.fixture(scope="module", params=[True, False], ids=["writing", "reading"])
def outcomes(request, tmp_path_factory):
    place = Place(tmp_path_factory.mktemp("escape"))
    victim = subprocess.Popen(["sleep", "600"])
    tcp, udp, unix = socket.socket(), socket.socket(type=socket.SOCK_DGRAM), socket.socket(socket.AF_UNIX)
    abstract, name = socket.socket(socket.AF_UNIX), os.urandom(8).hex()
    try:
        for one in (tcp, udp):
            one.bind(("127.0.0.1", 0))
        tcp.listen()
        unix.bind(str(place.root / "s"))
        unix.listen()
        abstract.bind("\0" + name)
        abstract.listen()
        (place.private / "history").write_text("private")
        told = {"secret": str(place.secret), "outside": str(place.outside), "home": str(place.home),
                "tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1],
                "unix": str(place.root / "s"), "victim": victim.pid, "abstract": name,
                "private": str(place.private / "history"), "setuid": setuid(place)}
        (place.root / "attempts.py").write_bytes(SCRIPT.read_bytes())
        code, text, _ = run(place.wall(request.param), sys.executable, "attempts.py", json.dumps(told))
        assert code == 0, text
        yield json.loads(text), place, victim
    finally:
        for one in (tcp, udp, unix, abstract):
            one.close()
        victim.kill()
        victim.wait()
        place.close()


@pytest.mark.sampled(2)
def test_every_attempt_fails_in_the_kernel(outcomes):
    found, place, victim = outcomes
    spared = set() if landlock().abi >= 6 else set(SIGNALS)
    assert {name for name, how in found.items() if how == "done"} - spared == set()
    assert len(found) > 120
    denied = {"EACCES", "EPERM", "ENOSYS", "EXDEV", "EROFS"}
    assert {name: how for name, how in found.items() if how not in denied | {"done"}} == {}


def test_nothing_outside_was_changed(outcomes):
    _, place, victim = outcomes
    assert place.outside.read_text() == "outside"
    assert sorted(os.listdir(place.home)) == [".clinkai", ".ssh", ".tools", "notes.txt", "work"]
    if landlock().abi >= 6:
        assert victim.poll() is None


@pytest.mark.parametrize("name", ["io_uring_setup", "clone3"])
def test_what_has_an_older_way_is_answered_as_missing(outcomes, name):
    assert outcomes[0][name] == "ENOSYS"


READ_ALL = """
import json, os, sys
found = []
for path in json.loads(sys.argv[1]):
    for way in (path, path + "/inside"):
        try:
            open(way, "rb").read(1)
            found.append(way)
        except OSError:
            pass
    try:
        os.listdir(path)
        found.append(path)
    except OSError:
        pass
print(json.dumps(found))
"""


@pytest.mark.slow
@pytest.mark.parametrize("writes", [True, False], ids=["writing", "reading"])
@pytest.mark.parametrize("kind", ["files", "folders", "links"])
def test_no_entry_of_the_table_of_secrets_can_be_read_and_what_lies_beside_can(tmp_path, writes, kind):
    place = Place(tmp_path)
    try:
        secret, beside = [], []
        for name in (*SECRETS, "id_rsa", "prod.pem", ".env"):
            path = place.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            open_one = path.with_name(path.name + "-beside")
            if kind == "files" and not path.exists():
                path.write_text("secret")
            elif kind == "links" and not path.exists():
                kept = tmp_path / "kept" / name
                kept.mkdir(parents=True, exist_ok=True)
                (kept / "inside").write_text("secret")
                path.symlink_to(kept)
                secret.append(str(kept))
            elif not path.exists():
                path.mkdir()
            if path.is_dir() and not (path / "inside").exists():
                (path / "inside").write_text("secret")
            open_one.write_text("open")
            secret.append(str(path))
            if "/" in name:
                beside.append(str(open_one))
        secret.append(str(place.private))
        wall = place.wall(writes)
        told = [run(wall, sys.executable, "-c", READ_ALL, json.dumps(paths))[1]
                for paths in (secret, beside)]
        assert json.loads(told[0]) == []
        closed = {path for path in beside if any(path.startswith(one + "/") for one in secret)}
        assert set(json.loads(told[1])) == set(beside) - closed and len(beside) > len(closed)
    finally:
        place.close()


MODES = """
import os, sys
for action in (lambda: os.chmod(sys.argv[1], 0o777), lambda: os.utime(sys.argv[1], (0, 0)),
               lambda: os.chown(sys.argv[1], os.getuid(), os.getgid()),
               lambda: os.setxattr(sys.argv[1], "user.x", b"x"), lambda: os.mkfifo("/dev/shm/mine")):
    try:
        action()
        print("done", end=" ")
    except OSError as error:
        print(error.errno == 30, end=" ")
print(os.listdir("/dev/shm"))
"""


def test_modes_times_and_shared_memory_of_others_where_there_is_a_namespace(tmp_path):
    place = Place(tmp_path)
    try:
        wall = place.wall(True)
        wall.check()
        if wall.namespaces:
            told = run(wall, sys.executable, "-c", MODES, str(place.outside))
            assert told == (0, "True True True True done ['mine']\n", ())
    finally:
        place.close()

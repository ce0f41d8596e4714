"""Attempts to get out of the sandbox, with no rule of ours in front of it: the kernel says no."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from clinkai.harness.sandbox import landlock
from tests.harness.sandbox.places import Place, run

SCRIPT = Path(__file__).with_name("attempts.py")


@pytest.fixture(scope="module", params=[True, False], ids=["writing", "reading"])
def outcomes(request, tmp_path_factory):
    place = Place(tmp_path_factory.mktemp("escape"))
    victim = subprocess.Popen(["sleep", "600"])
    tcp, udp, unix = socket.socket(), socket.socket(type=socket.SOCK_DGRAM), socket.socket(socket.AF_UNIX)
    try:
        for one in (tcp, udp):
            one.bind(("127.0.0.1", 0))
        tcp.listen()
        unix.bind(str(place.root / "s"))
        unix.listen()
        told = {"secret": str(place.secret), "outside": str(place.outside), "home": str(place.home),
                "tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1],
                "unix": str(place.root / "s"), "victim": victim.pid}
        (place.root / "attempts.py").write_bytes(SCRIPT.read_bytes())
        code, text, _ = run(place.wall(request.param), sys.executable, "attempts.py", json.dumps(told))
        assert code == 0, text
        yield json.loads(text), place, victim
    finally:
        for one in (tcp, udp, unix):
            one.close()
        victim.kill()
        victim.wait()
        place.close()


def test_every_attempt_fails_in_the_kernel(outcomes):
    found, place, victim = outcomes
    spared = set() if landlock().abi >= 6 else {"end another"}
    assert {name for name, how in found.items() if how == "done"} - spared == set()
    assert len(found) > 60
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

"""What the gate allows is harmless: thousands of command lines, seen from the kernel's side.

Every line that runs without a question is run as the product runs it, in a workspace that does what
it can to have programs started and files written: once under a tracer, once in the read-only
sandbox. Not covered: programs that are not installed where the test runs.
"""

from __future__ import annotations

import base64
import os
import random
import re
import shutil
import socket
import sys

import pytest

from clinkai.harness.sandbox.wall import missing
from clinkai.harness.workspace import Workspace
from tests.harness.shell import lines, lines_values, recorder, trace
from tests.harness.shell.hostile import SECRETS, Hostile
from tests.harness.shell.repository import NAMING, POWERLESS

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="traced on Linux"),
    pytest.mark.skipif(not shutil.which("strace") or not shutil.which("git"), reason="no strace or git"),
]

PARTS, MIXED = 12, 200
"""Tests that share the lines made from the tables; random lines of each."""

CHANCE = re.compile(r"sort.* (-\w*R|--random)|\bdf\b|stat.* (-\w*f|--file-sys)|-(writ|read|execut)able")
"""Lines whose output is chance or how full the disk is, or that ask for the rights of root, who has
none in the sandbox."""

AFTER = {key: value for key, value in NAMING.items()
         if not key.startswith(("filter", "core.worktree", "remote", "extensions"))}
"""Settings the gate asks about, and that must be powerless all the same once a line runs: there
from the moment it was allowed. Those left out cannot be switched off: that is why it asks."""


@pytest.fixture(scope="module")
def listener():
    """A socket that nothing may connect to."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture
def hostile(tmp_path, listener):
    return Hostile(tmp_path.resolve(), listener.getsockname()[1])


def part(number: int, hostile: Hostile) -> list[str]:
    """The lines of one test: its share of all, and a mixture of its own."""
    fixed = [*lines.sweep(random.Random(1)), *lines.tricks(str(hostile.top), hostile.port)]
    return list(dict.fromkeys((*fixed[number::PARTS], *lines.mixed(random.Random(number), MIXED))))


def drive(hostile: Hostile, some: list[str], how, **more: object):
    """What `how` gives for a job; nothing the workspace or its neighbours hold may have changed."""
    plain = hostile.config.read_text()
    job = {"root": str(hostile.root), "lines": some, "walled": False, **more,
           "config": hostile.set_config(AFTER)}
    hostile.config.write_text(plain)
    before = hostile.manifest()
    found = how(hostile.top, job, hostile.environment())
    assert hostile.config.read_text() == job["config"]
    hostile.config.write_text(plain)
    assert hostile.manifest() == before
    return found


def faults(hostile: Hostile, some: list[str], results: list, calls: dict) -> list[tuple[str, str]]:
    """(line, what it did that no reader does)."""
    shut = (hostile.outside, hostile.canary, hostile.home / ".netrc", "/etc/hostname",
            *(hostile.root / name for name in SECRETS))
    closed = tuple(os.path.realpath(path) for path in shut)
    git = trace.allowed_programs(["git"], [shutil.which("git")])
    found = []
    for (what, at), made in calls.items():
        done = results[at] if what == "run" else None
        programs = trace.allowed_programs(done["names"], done["programs"]) if done else git
        found += [(some[at], fault) for call in made if (fault := trace.fault(call, programs, closed))]
    return found


def seen(line: str, done: dict) -> dict:
    """What came of a line. Which program of a pipeline, which thread of rg writes first is chance."""
    output = re.split(rb"([\n\0])", base64.b64decode(done["output"]))
    return {**done, "output": sorted(output) if "|" in line or "rg " in line else output}


@pytest.mark.slow
@pytest.mark.parametrize("number", range(PARTS))
def test_what_is_allowed_only_reads_and_does_so_in_the_sandbox_too(hostile, listener, number):
    hostile.set_config(POWERLESS)
    some = part(number, hostile)
    results, calls = drive(hostile, some, trace.run)
    assert faults(hostile, some, results, calls) == []
    listed = {line: done for line, done in zip(some, results) if done}
    assert [line for line, done in listed.items() if done["stopped"] or done["left"]] == []
    assert len(listed) > len(some) // 3
    if not missing():
        walled = dict(zip(listed, drive(hostile, list(listed), trace.drive, walled=True)))
        other = [line for line, done in listed.items()
                 if seen(line, walled[line]) != seen(line, done) and not CHANCE.search(line)]
        # The time: what is not the same twice is no difference.
        again = dict(zip(other, drive(hostile, other, trace.drive)))
        assert {line: walled[line] for line in other
                if seen(line, again[line]) == seen(line, listed[line])} == {}
    assert not (hostile.canary / "fired").exists()
    with pytest.raises(BlockingIOError):
        listener.accept()


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/bin/bash"), reason="no bash")
def test_bash_passes_on_the_same_words_of_lines_that_were_tampered_with(hostile, tmp_path):
    """Nothing is run but the recorder."""
    chance = random.Random(3)
    every = [line for line in (*lines.mixed(chance, 3000), *lines.tricks(str(hostile.top), hostile.port))
             if "git " not in line or chance.random() < 0.2]
    workspace = Workspace(hostile.root)
    plain = list(recorder.wanted(every, workspace))
    wanted = recorder.wanted(
        [*plain, *(recorder.mutated(chance, chance.choice(plain)) for _ in range(5000))], workspace)
    got = recorder.passed_on(list(wanted), hostile.root, tmp_path)
    assert {text: got[text] for text in wanted if got[text] != wanted[text]} == {}
    assert len(wanted) > 1200
    assert not (hostile.canary / "fired").exists()


def test_every_kind_of_value_has_samples():
    kinds = {kind[1:] for _, spec in lines.specs() for kind in (*spec.short.values(), *spec.long.values()) if kind}
    kinds |= {kind for _, spec in lines.specs() for kind, _, _ in spec.operands}
    assert kinds - {"PATH", "FILE", "OBJECT"} - lines_values.VALUES.keys() == set()


def test_the_tracer_sees_what_is_wrong():
    """The measure itself: calls as strace writes them, and what they are taken for."""
    text = """
        1 rmdir("/no-such-folder-run-0") = -1 ENOENT (No such file or directory)
        2 openat(AT_FDCWD</w>, "a", O_RDONLY|O_CLOEXEC) = 3</w/a>
        2 openat(AT_FDCWD</w>, "O_WRONLY", O_RDONLY) = 3</w/O_WRONLY>
        2 openat(AT_FDCWD</w>, "/dev/null", O_RDWR) = 3</dev/null>
        2 openat(AT_FDCWD</w>, "x", O_WRONLY|O_CREAT, 0666 <unfinished ...>
        3 execve("/bin/true", ["true"], 0x1 /* 2 vars */) = 0
        2 <... openat resumed>) = 3</w/x>
        2 openat(AT_FDCWD</w>, "l", O_RDONLY) = 3</secret/y>
        3 execve("/w/bin/ls", ["ls"], 0x1 /* 2 vars */) = -1 EACCES (Permission denied)
        1 openat(AT_FDCWD</w>, "own", O_RDWR|O_CREAT, 0600) = 3</w/own>
        2 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(80)}, 16) = -1 EPERM
        2 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT
        2 unlink("x") = 0
    """
    calls = trace.read([line.strip() for line in text.strip().splitlines()])
    made = calls.pop(("run", 0))
    assert calls == {}
    found = [trace.fault(call, {os.path.realpath("/bin/true")}, ("/secret",)).split("<")[0] for call in made]
    assert [fault for fault in found if fault] == [
        "opens for writing x", "reads /secret/y", "starts /w/bin/ls", "connect(3", 'unlink("x") = 0']

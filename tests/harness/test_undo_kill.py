"""Killed at any moment of any change: what stands in the workspace can be taken back."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from clinkai.core.errors import UsageError
from clinkai.harness.crashed import recover
from clinkai.harness.session import Session
from clinkai.harness.undo import undo
from clinkai.harness.workspace import Workspace
from tests.harness.test_undo import tree
from tests.source import TOP

WORKER = """
import sys
sys.path.insert(0, {top!r})
from pathlib import Path
from clinkai.harness.undo import undo
from tests.harness.tools.context import Desk
from tests.harness.test_undo import edit, sh, turn, write
with Desk(Path({folder!r})) as desk:
    print(desk.session.path, flush=True)
    for n in range(10_000):
        turn(desk, edit("a", "end", f"{{n}} end"), write(f"n{{n}}", "x" * 500),
             sh(f"echo {{n}} >> b; mv a c; mv c a; rm n{{n}}; echo > made{{n}}; sleep 0.01"),
             ("move", {{"path": f"made{{n}}", "to": f"d/{{n}}"}}), ("delete", {{"path": f"d/{{n}}"}}))
        if n % 3 == 2:
            undo(desk.session, desk.workspace)
            undo(desk.session, desk.workspace, redo=True)
"""


def wait_for_nobody_in(root) -> None:
    """A command is in a group of its own, and ends a moment later."""
    here = os.path.realpath(root)
    while here in map(cwd_of, filter(str.isdigit, os.listdir("/proc"))):
        time.sleep(0.01)


def cwd_of(pid: str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_what_a_kill_leaves_can_be_taken_back(tmp_path, seed):
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a").write_text("end\n")
    (root / "b").write_text("b\n")
    before = tree(root)
    worker = subprocess.Popen([sys.executable, "-c", WORKER.format(top=str(TOP), folder=str(tmp_path))],
                              stdout=subprocess.PIPE, text=True, start_new_session=True)
    path = worker.stdout.readline().strip()
    time.sleep(random.Random(seed).uniform(0, 0.6))
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    worker.stdout.close()
    wait_for_nobody_in(root)
    workspace, session = Workspace(root, (tmp_path / "home",)), Session.open(path)
    try:
        recover(session, workspace)
        while True:
            assert undo(session, workspace).whole
    except UsageError:
        pass
    finally:
        session.close()
    assert {p: data for p, data in tree(root).items() if not p.endswith(".tmp")} == before

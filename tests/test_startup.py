"""What a run pays before its first request: nothing that it does not need.

Durations are not asserted here; tests/bench/startup.py prints them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from clinkai.harness import glance
from tests.server import FakeServer, reply
from tests.ui.program import DEADLINE, Program

NOT_NEEDED = {
    "argparse", "asyncio", "concurrent.futures", "ctypes", "dataclasses", "difflib", "http.server",
    "importlib.resources", "inspect", "locale", "logging", "multiprocessing", "optparse", "pydoc",
    "readline", "shutil", "socketserver", "statistics", "subprocess", "tempfile", "tomllib",
    "traceback", "unittest", "webbrowser", "xml", "zipfile",
}
PART_OF_OTHERS = {"locale"}
"""`locale` comes with `calendar`, which `http.client` needs by way of `email.utils`."""


def imported(*argv: str, env: dict | None = None, cwd: object = None) -> set[str]:
    """The modules a process imports."""
    done = subprocess.run([sys.executable, "-X", "importtime", *argv], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=DEADLINE, env=env, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return set(re.findall(r"import time:.*\| +(\S+)$", done.stderr, re.MULTILINE))


@pytest.fixture
def program(tmp_path) -> Program:
    return Program(tmp_path)


def test_a_run_imports_only_what_it_needs(program):
    with FakeServer([reply("ok")], owner="llamacpp") as server:
        program.setting(BASE_URL=server.base_url, MODEL="local")
        modules = imported(*program.argv("hello")[1:], env=program.environ, cwd=program.workspace)
        assert [(r.method, r.path) for r in server.requests] == [
            ("GET", "/props"), ("POST", "/v1/chat/completions")]
    always = imported("-c", "pass", env=program.environ, cwd=program.workspace)
    assert (modules - always) & (NOT_NEEDED - PART_OF_OTHERS) == set()


def test_looking_things_up_does_not_load_the_agent(program):
    modules = imported(*program.argv("--version")[1:], env=program.environ)
    heavy = ("clinkai.ai.", "clinkai.harness.agent", "http")
    assert {module for module in modules if module.startswith(heavy)} == set()


def test_the_demo_works_on_a_fresh_machine(program):
    task = "create notes/hello.md with Hello, then read it back"
    bare = {"PATH": program.environ["PATH"], "HOME": str(program.home)}
    ended = program.run("demo", task, env=bare)
    assert ended.code == 0 and "stand-in" in ended.out.splitlines()[0]
    assert (program.workspace / "notes" / "hello.md").read_text().strip() == "Hello"
    [path] = program.sessions
    assert (program.home / ".clinkai").stat().st_mode & 0o777 == 0o700
    assert glance.describe(str(path)).state == "done"


@pytest.mark.slow
def test_a_demo_session_goes_on_without_being_told_of_the_demo(program):
    program.run("demo", "create a.txt with Hello")
    ended = program.run("--resume", "auto", "read a.txt")
    assert ended.code == 0 and "stand-in" in ended.out and len(program.sessions) == 1


@pytest.mark.slow
def test_the_label_is_on_every_screen(program):
    assert "stand-in" in program.run("demo", "-p", "read a.txt").err
    lines = program.run("demo", "--json", "read a.txt")
    assert "stand-in" in lines.err and all(map(json.loads, lines.out.splitlines()))
    assert "替身" in program.run("demo", "--lang", "zh", "读取 a.txt").out

"""More hostile paths than the published ones, each through the real gate and the real tools."""

from __future__ import annotations

import os
import sys

import pytest

from clinkai.harness.settings import load
from clinkai.harness.tool_run import ToolRun
from clinkai.harness.workspace import Workspace
from tests.harness import fence_cases as cases

POSIX = pytest.mark.skipif(sys.platform != "linux", reason="links, pipes and /proc")


def lines(text: str) -> list[str]:
    return text.strip("\n").split("\n")


class Ground:
    def __init__(self, top) -> None:
        self.top = top
        self.fill = {"{WS}": str(top / "ws"), "{OUT}": str(top / "outside"), "{NAME}": "ws",
                     "{LONG}": "n" * 300, "{DEEP}": "d/" * 2500 + "x",
                     "{ENDLESS}": "../" * 20_000, "{ENDLESS_LINKS}": "l_self/" * 10_000}

    def call(self, tool: str, path: str, **args: str) -> tuple[str, str]:
        for name, value in self.fill.items():
            path = path.replace(name, value)
        answer = self.box.call(tool, {"path": path, **args})
        if answer["decision"] != "allow":
            return "denied", answer["output"]
        return ("ok" if answer["ok"] else "error"), answer["output"]

    def outside(self) -> dict:
        found = {str(p): p.read_bytes() for p in self.top.rglob("*")
                 if p.is_file() and "/ws/" not in str(p) and "/home/" not in str(p)}
        return {**found, "": sorted(os.listdir(self.top)), "o": sorted(os.listdir(self.top / "outside"))}


@pytest.fixture
def ground(tmp_path, monkeypatch):
    (tmp_path / "ws").mkdir()
    monkeypatch.chdir(tmp_path / "ws")
    made = Ground(tmp_path)
    sockets = cases.lay(tmp_path)
    settings = load({}, {"CLINKAI_HOME": str(tmp_path / "home")}, str(tmp_path / "home"))
    with ToolRun(settings, str(tmp_path / "ws")) as made.box:
        yield made
    for one in sockets:
        one.close()


def wrong(ground: Ground, found: list, tool: str, path: str, wanted: str, **args: str) -> None:
    """Note a call that ended otherwise than wanted, or told what it must not."""
    outcome, output = ground.call(tool, path, **args)
    if outcome not in wanted.split("|") or "-SECRET" in output or "secret.txt\t" in output:
        found.append((tool, path, outcome, output))


@pytest.mark.sampled(3)
@POSIX
@pytest.mark.parametrize(("group", "reads", "others"), [
    ("READS", "denied", "denied"), ("OPENS", "ok", "ok|error|denied"), ("ERRORS", "error", "error|ok"),
])
def test_reading(ground, group, reads, others):
    before, found = ground.outside(), []
    for path in lines(getattr(cases, group)):
        wrong(ground, found, "read", path, reads)
        wrong(ground, found, "grep", path, others, pattern="-SECRET")
        wrong(ground, found, "ls", path, others)
        wrong(ground, found, "edit", path, others, old="OUTSIDE-SECRET", new="x")
    assert (found, ground.outside()) == ([], before)


@POSIX
def test_changing(ground):
    before, found = ground.outside(), []
    for line in lines(cases.WRITES):
        wanted, _, path = line.partition(" ")
        wrong(ground, found, "write", path, wanted, content="x")
        if wanted == "denied":
            wrong(ground, found, "edit", path, wanted, old="OUTSIDE-SECRET", new="x")
    assert (found, ground.outside()) == ([], before)
    assert not os.path.lexists("/tmp/clinkai-fence-never")
    assert (ground.top / "ws/.git/config").read_text() == "[core]\n"


@POSIX
def test_folders(ground):
    before, found = ground.outside(), []
    for line in lines(cases.FOLDERS):
        wanted, _, path = line.partition(" ")
        wrong(ground, found, "ls", path, wanted)
        wrong(ground, found, "ls", path + "/*", wanted + "|error")
        wrong(ground, found, "grep", path, wanted, pattern="-SECRET")
    assert (found, ground.outside()) == ([], before)


def test_windows_names_are_refused_by_their_text_alone(tmp_path):
    space = Workspace(tmp_path, platform="win32")
    paths = [line.replace("\\x20", " ") for line in lines(cases.WINDOWS)]
    assert [path for path in paths if space.place(path).zone != "bad"] == []

"""The published path cases, each through the real gate and the real tool (`clinkai.py tool`)."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from pathlib import Path

import pytest

from clinkai.harness.settings import load
from clinkai.harness.tool_run import ToolRun
from clinkai.harness.workspace import Workspace
from tests.source import TOP

CASES = [
    json.loads(line)
    for line in (TOP / "tests/cases/path_fence.jsonl").read_text("utf-8").splitlines()
]
HERE = {"any", "windows" if sys.platform == "win32" else "posix"}
CALLS = 200


class Ground:
    """A workspace beside a folder that must stay as it is."""

    def __init__(self, folder: Path) -> None:
        self.ws = folder / "ws"
        self.outside = folder / "outside"
        self.ws.mkdir()
        self.outside.mkdir()
        (self.outside / "secret.txt").write_text("OUTSIDE-SECRET\n")
        self.home = folder / "home"
        self.sockets: list[socket.socket] = []

    def fill(self, value):
        if isinstance(value, str):
            for name, real in (("WSNAME", self.ws.name), ("WS", self.ws), ("OUTSIDE", self.outside)):
                value = value.replace("{" + name + "}", str(real))
        return value

    def set_up(self, kind: str, *args) -> None:
        args = [self.fill(arg) for arg in args]
        path = self.ws / args[1 if kind == "symlink" else 0]
        path.parent.mkdir(parents=True, exist_ok=True)
        match kind:
            case "mkdir":
                path.mkdir(parents=True, exist_ok=True)
            case "file":
                path.write_bytes(args[1].encode())
            case "hex":
                path.write_bytes(bytes.fromhex(args[1]))
            case "symlink":
                path.symlink_to(args[0])
            case "hardlink":
                os.link(self.ws / args[0], self.ws / args[1])
            case "fifo":
                os.mkfifo(path)
            case "socket":
                listener = socket.socket(socket.AF_UNIX)
                self.sockets.append(listener)
                listener.bind(os.path.relpath(path))
            case "sparse":
                with path.open("wb") as file:
                    file.truncate(args[1])
            case "race_symlink":
                pass
            case _:
                raise AssertionError(kind)

    def outside_now(self) -> dict[str, bytes]:
        return {str(p): p.read_bytes() if p.is_file() else b"" for p in self.outside.rglob("*")}


@pytest.fixture
def ground(tmp_path, monkeypatch):
    made = Ground(tmp_path)
    monkeypatch.chdir(made.ws)  # socket names are short
    yield made
    for listener in made.sockets:
        listener.close()


def tools(ground: Ground) -> ToolRun:
    return ToolRun(load({}, {"CLINKAI_HOME": str(ground.home)}, str(ground.home)), str(ground.ws))


def outcome(answer: dict) -> str:
    if answer["decision"] != "allow":
        return "denied"
    return "ok" if answer["ok"] else "error"


def races(case: dict) -> bool:
    return any(step[0] == "race_symlink" for step in case["setup"])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", [
    pytest.param(case, id=case["id"]) for case in CASES if case["platform"] in HERE and not races(case)
])
def test_case(case, ground):
    for step in case["setup"]:
        ground.set_up(*step)
    before = ground.outside_now()
    args = {name: ground.fill(value) for name, value in case["args"].items()}
    with tools(ground) as box:
        answer = box.call(case["tool"], args)
    assert (outcome(answer), ground.outside_now()) == (case["expect"], before), answer
    assert case.get("must_not", "\0") not in answer["output"]
    if case["id"] == "pf-107":
        assert (ground.ws / "l1.txt").read_bytes() == b"caf\xe9\nold\n"


@pytest.mark.parametrize("case", [
    pytest.param(case, id=case["id"]) for case in CASES if case["platform"] in HERE and races(case)
])
def test_race(case, ground):
    for step in case["setup"]:
        ground.set_up(*step)
    before = ground.outside_now()
    link = ground.ws / next(step[1] for step in case["setup"] if step[0] == "race_symlink")
    target = next(step[2] for step in case["setup"] if step[0] == "race_symlink")
    spare = link.with_name("spare")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            try:
                os.rename(link, spare)
                os.symlink(target, link)
                os.unlink(link)
                os.rename(spare, link)
            except OSError:
                pass  # the tool made the name anew in between

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        with tools(ground) as box:
            answers = [box.call(case["tool"], case["args"]) for _ in range(CALLS)]
    finally:
        stop.set()
        thread.join()
    assert ground.outside_now() == before
    assert not [a for a in answers if "OUTSIDE-SECRET" in a["output"] or "defect" in a["output"]]


WINDOWS = [case for case in CASES if case["platform"] == "windows"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in WINDOWS])
def test_windows_name_is_judged_without_the_disk(case, tmp_path):
    """By the name alone, on any platform; what is left needs the disk and is listed here."""
    needs_disk = {"pf-179", "pf-186", "pf-224", "pf-225", "pf-226"}
    (tmp_path / "ws").mkdir()
    place = Workspace(tmp_path / "ws", platform="win32").place(case["args"]["path"])
    assert (place.zone == "bad") == (case["id"] not in needs_disk), place

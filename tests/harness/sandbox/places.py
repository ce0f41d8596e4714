"""A made-up home with secrets and tools, a workspace in it, and commands behind its wall."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from clinkai.harness.sandbox.wall import Wall


class Place:
    """top: a folder outside of everything."""

    def __init__(self, top: Path) -> None:
        self.patch = pytest.MonkeyPatch()
        self.home = top / "home"
        self.root = self.home / "work" / "project"
        self.private = self.home / ".clinkai"
        for folder in (self.root, self.private, self.home / ".ssh", self.home / ".tools" / "bin"):
            folder.mkdir(parents=True)
        self.secret = self.home / ".ssh" / "id_ed25519"
        self.secret.write_text("secret")
        self.outside = self.home / "notes.txt"
        self.outside.write_text("outside")
        (self.root / "own.txt").write_text("own")
        tool = self.home / ".tools" / "bin" / "tool"
        tool.write_text("#!/bin/sh\necho tool\n")
        tool.chmod(0o755)
        pythons = {os.path.dirname(sys.executable), os.path.join(sys.base_prefix, "bin")}
        self.patch.setenv("HOME", str(self.home))
        self.patch.setenv("PATH", os.pathsep.join([*pythons, os.environ["PATH"]]))
        self.walls: list[Wall] = []

    def wall(self, writes: bool) -> Wall:
        made = Wall(str(self.root), (str(self.private),), writes)
        self.walls.append(made)
        return made

    def close(self) -> None:
        for one in self.walls:
            one.close()
        self.patch.undo()

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.root,
                       check=True, stdout=subprocess.DEVNULL)


def run(wall: Wall, *argv: str, env: dict | None = None) -> tuple[int, str, tuple]:
    """(exit code, output with errors, what was put back) of a command in the workspace."""
    made, name = tempfile.mkstemp(dir=wall.temp or None)
    output = os.open(name, os.O_RDWR | os.O_APPEND)
    os.close(made)
    os.unlink(name)
    empty = os.open(os.devnull, os.O_RDONLY)
    program = {"path": shutil.which(argv[0]) or argv[0], "argv": argv,
               "env": {**os.environ, **(env or {})}, "cwd": wall._root}
    wall.begin()
    try:
        code = wall.start(program, (empty, output, output)).wait()
    finally:
        changed = wall.end()
        os.close(empty)
        text = os.pread(output, 1_000_000, 0).decode()
        os.close(output)
    return code, text, changed

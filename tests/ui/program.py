"""Running the real program: clinkai.py in a process of its own, with an empty home."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests import warm

TOP = Path(__file__).resolve().parent.parent.parent
DEADLINE = 60.0
"""Seconds; ten times what the slowest of these runs takes."""


@cache
def loaded() -> warm.Warm:
    """The process that has the program loaded, for all tests."""
    process = warm.Warm()
    atexit.register(process.close)
    return process


class Program:
    """`folder` holds the home and the workspace of one test."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.workspace = folder / "work"
        self.home.mkdir()
        self.workspace.mkdir()
        self.environ = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8",
            "PYTHONWARNINGS": "error",
        }

    def setting(self, **values: str) -> Program:
        """Set CLINKAI_ variables."""
        self.environ.update({f"CLINKAI_{name}": value for name, value in values.items()})
        return self

    def argv(self, *args: str) -> list[str]:
        """The program needs no site-packages; what is installed there may take long to load."""
        return [sys.executable, "-S", str(TOP / "clinkai.py"), *args]

    def run(self, *args: str, stdin: bytes | None = None, **options: object) -> Ended:
        """Run to the end; standard input is `stdin`, or empty. In a process that has the program
        loaded (`tests/warm.py`), where that is the same."""
        cwd, env = options.pop("cwd", self.workspace), options.pop("env", self.environ)
        argv = self.argv(*args)
        if not options and argv == Program.argv(self, *args) and warm.can_run(env):
            return Ended(loaded().run(args, stdin or b"", cwd, env))
        return Ended(subprocess.run(argv, input=stdin or b"", capture_output=True,
                                    timeout=DEADLINE, cwd=cwd, env=env, **options))

    def start(self, *args: str, **options: object) -> subprocess.Popen:
        """Start it with pipes; the caller ends it."""
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(self.argv(*args), cwd=self.workspace, env=self.environ,
                                **{**streams, **options})

    @property
    def sessions(self) -> list[Path]:
        """The session files, oldest first."""
        return sorted((self.home / ".clinkai" / "sessions").glob("*/*.jsonl"))


class Ended:
    """How a run ended: code, out, err (text), raw (bytes of standard output)."""

    def __init__(self, done: subprocess.CompletedProcess) -> None:
        self.code = done.returncode
        self.raw = done.stdout
        self.out = done.stdout.decode("utf-8", "replace")
        self.err = done.stderr.decode("utf-8", "replace")
        assert "Traceback" not in self.out + self.err, self.err

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"

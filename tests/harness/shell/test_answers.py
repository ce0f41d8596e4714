from __future__ import annotations

import shutil
import subprocess

import pytest

from clinkai.harness.shell.answers import answer

BASH = shutil.which("bash")

SAID = [
    ("echo",), ("echo", "a", "b"), ("echo", "-n", "a"), ("echo", "-e", "a\\tb\\x41\\0101\\u4f60\\\\"),
    ("echo", "-e", "a\\cb"), ("echo", "-ne", "a\\nb"), ("echo", "-E", "a\\n"), ("echo", "a\\n"),
    ("echo", "-x", "a"), ("echo", "-", "a"), ("echo", "--", "a"), ("echo", "-nEe", "\\a\\e[0m"),
    ("echo", "-e", "\\xff\\0377"), ("echo", "a", "-n"), ("echo", "-e", "\\q\\08"), ("echo", "-e", "\\"),
    ("true",), ("false",), ("type", "-t", "cd", "sh"), ("type", "cd"), ("command", "-v", "cd"),
    ("type", "-t", "nosuch-program"), ("command", "-v", "nosuch-program"),
]


@pytest.mark.skipif(not BASH, reason="no bash")
@pytest.mark.parametrize("argv", SAID, ids=repr)
def test_the_answer_is_that_of_bash(argv):
    done = subprocess.run((BASH, "-c", '"$@"', "x", *argv), capture_output=True, check=False,
                          env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"})
    assert answer(argv, "/") == (done.stdout, done.returncode)


def test_where_programs_are(tmp_path):
    shell = shutil.which("sh")
    assert answer(("which", "sh"), "/") == (f"{shell}\n".encode(), 0)
    assert answer(("which", "-a", "sh", "nosuch-program"), "/") == (f"{shell}\n".encode(), 1)
    assert answer(("type", "sh"), "/") == (f"sh is {shell}\n".encode(), 0)
    assert answer(("type", "-p", "sh", "cd"), "/") == (f"{shell}\n".encode(), 0)
    assert answer(("type", "nosuch-program"), "/") == (b"nosuch-program: not found\n", 1)
    assert answer(("command", "-V", "sh"), "/") == (f"sh is {shell}\n".encode(), 0)
    assert answer(("pwd",), str(tmp_path)) == (f"{tmp_path}\n".encode(), 0)
    assert answer(("ls",), "/") is None

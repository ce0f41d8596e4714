"""README says what is so: its settings table, its commands and its exit codes are held by the code."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

from clinkai.core import errors
from clinkai.core.catalogue import Strings
from clinkai.harness.settings_table import markdown
from clinkai.ui.options import COMMANDS
from tests.source import TOP

README = (TOP / "README.md").read_text(encoding="utf-8")


def test_the_settings_table_is_the_generated_one():
    assert markdown(Strings("en")) in README


def test_every_command_is_shown():
    shown = set(re.findall(r"^python clinkai\.py (\w+)", README, re.MULTILINE))
    assert set(COMMANDS) - shown == set()


def test_the_exit_codes_are_those_of_the_code():
    listed = re.search(r"^Exit codes:(.*?)\n\n", README, re.MULTILINE | re.DOTALL).group(1)
    codes = {0, errors.DEFECT, errors.USAGE, errors.SERVER, errors.ROUND_CAP, errors.BREAKER,
             errors.CONTEXT, errors.INTERRUPTED, errors.TERMINATED}
    assert {int(code) for code in re.findall(r"(?:^|·)\s*(\d+)\s", listed)} == codes


def test_the_two_first_commands_are_the_ones_that_everything_else_relies_on():
    block = re.search(r"```\n(.*?)```", README, re.DOTALL).group(1)
    assert block.splitlines() == [
        'python clinkai.py demo "create notes/hello.md with Hello, then read it back"',
        "python -m pip install pytest && python -m pytest tests -q",
    ]


def test_the_transcript_is_what_is_printed(tmp_path):
    transcript = re.search(r"```\n(\$ .*?)\n```", README, re.DOTALL).group(1)
    commands = re.findall(r"^\$ python clinkai\.py (.*)$", transcript, re.MULTILINE)
    printed: list[str] = []
    (tmp_path / "work").mkdir()
    for command in commands:
        done = subprocess.run(
            [sys.executable, str(TOP / "clinkai.py"), *shlex.split(command)], cwd=tmp_path / "work",
            env={"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        assert done.returncode == 0
        printed += done.stdout.decode().splitlines()
    shown = [line for line in transcript.splitlines() if line != "..." and not line.startswith("$ ")]
    assert [line for line in map(timeless, shown) if line not in set(map(timeless, printed))] == []


def timeless(line: str) -> str:
    return re.sub(r"\d+(\.\d+)? (ms|s)\b", "TIME", line)


def test_no_line_names_what_only_we_know():
    assert re.findall(r"/root/|/work/|/tmp/", README) == []

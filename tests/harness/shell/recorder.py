"""What bash makes of a line, with a recorder in the place of every program."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from pathlib import Path

from clinkai.harness.shell import programs
from clinkai.harness.shell.judge import judge
from clinkai.harness.workspace import Workspace

BITS = (
    " ", "  ", ";", "|", "||", "&&", "&", ">", "<", "2>&1", ">/dev/null", "2>/dev/null", " 2>", '"',
    "'", '""', "''", "\\", "\\\\", '\\"', "\\'", "$", "$x", "$(x)", "`", "{", "}", "{a,b}", "(", ")",
    "#", " #", "~", " ~", "=~", ":~", "!", " ! ", "*", "?", "[", "]", "[a]", "[a-z]*", "-", " -- ", "=",
    "@{1}", "%", "^", "+", ",", ".", "..", "/", "é", "你", "\u00a0", "\u200b", "\n", "\t", "\x01", "1>",
    "2", "3>", '$"', '"$', "\\$", "$'", "|&", ";;", ">|",
)
RECORDER = """#!/bin/sh
printf '%s\\0' "${0##*/}" "$@" > "$OUT/$$"
"""
OFF = "enable -n cd echo pwd true false type command printf\n"
EACH = 'at=0; for line; do (export OUT="$TOP/$at"; eval "$line"); at=$((at + 1)); done'
"""Every line in a shell of its own, but not in a program of its own."""


def mutated(chance: random.Random, text: str) -> str:
    """`text` with up to three bits put in or characters left out."""
    for _ in range(chance.randint(0, 3)):
        at = chance.randrange(len(text) + 1)
        if chance.random() < 0.15:
            text = text[:at] + text[at + 1:]
        else:
            text = text[:at] + chance.choice(BITS) + text[at:]
    return text


def expected(script) -> Counter:
    """The argvs that run when every command succeeds."""
    found, skipped = Counter(), False
    for join, part in zip((";", *script.joins), script.parts):
        skipped = join == "||" or skipped and join == "|"
        if not skipped:
            found[part.argv] += 1
    return found


def wanted(texts: list[str], workspace: Workspace) -> dict[str, Counter]:
    """The argvs of those texts that run without a question."""
    scripts = (judge(text, "posix", workspace) for text in texts)
    return {script.text: expected(script) for script in scripts if script.listed}


def passed_on(texts: list[str], folder: Path, top: Path) -> dict[str, Counter]:
    """The argvs that programs get from bash for each text. top: a folder to record in."""
    tools, out = top / "recorders", top / "recorded"
    tools.mkdir()
    for name in (*programs.TABLE.names(), "git", "x"):
        (tools / name).write_text(RECORDER)
        (tools / name).chmod(0o755)
    for number in range(len(texts)):
        (out / str(number)).mkdir(parents=True)
    subprocess.run(
        ("/bin/bash", "-c", OFF + EACH, "bash", *texts), cwd=folder, stdin=subprocess.DEVNULL,
        env={"PATH": str(tools), "TOP": str(out), "LC_ALL": "C.UTF-8"}, capture_output=True, check=False,
        timeout=120,
    )
    return {
        text: Counter(
            tuple(w.decode("utf-8", "surrogateescape") for w in f.read_bytes().split(b"\0")[:-1])
            for f in (out / str(number)).iterdir()
        )
        for number, text in enumerate(texts)
    }

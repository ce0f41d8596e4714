from __future__ import annotations

import json
import os
import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from clinkai.harness.shell import posix, programs
from clinkai.harness.shell.judge import judge
from clinkai.harness.shell.script import Refused
from clinkai.harness.workspace import Workspace
from tests.harness.shell import project

CASES = Path(__file__).parents[2] / "cases" / "bash_policy.jsonl"

WORDS = [
    ("a b", ["a", "b"]),
    ("  a   b  ", ["a", "b"]),
    ("'a b' \"c d\"", ["a b", "c d"]),
    ("a'b'\"c\"d", ["abcd"]),
    (r"a\ b \\ \' \"", ["a b", "\\", "'", '"']),
    (r'"a\$b" "a\\b" "a\nb" "a\"b"', ["a$b", "a\\b", "a\\nb", 'a"b']),
    ("'' \"\"", ["", ""]),
    ("HEAD~1 HEAD^ stash@{0} @{u} a#b a=b", ["HEAD~1", "HEAD^", "stash@{0}", "@{u}", "a#b", "a=b"]),
    ("find . ! -name x", ["find", ".", "!", "-name", "x"]),
    ('"foo$" "a$|b" "$ x"', ["foo$", "a$|b", "$ x"]),
    ("cat 文档.md '错误：'", ["cat", "文档.md", "错误："]),
    ("'$HOME `x` \\'", ["$HOME `x` \\"]),
]

REFUSED = [
    ("", "empty"), ("   ", "empty"), ("ls\nls", "newline"), ("ls\r", "newline"), ("ls\tx", "char"),
    ("ls\x00", "char"), ("ls\x1b[0m", "char"), ("ls\u00a0x", "char"), ("cat a\u200bb", "char"),
    ("cat \u202eb", "char"), ("cat \ufe0fx", "char"), ("cat \u3164", "char"), ("ls \ud800", "char"),
    ("cat ；", "char"), ("ls " + " " * 40 + "x", "padding"), ("echo '", "quote"),
    ('echo "a', "quote"), ("ls \\", "escape"), ("ls &", "operator"), ("ls |& cat", "operator"),
    ("ls;;ls", "operator"), ("; ls", "operator"), ("ls &&", "operator"), ("ls | | wc", "operator"),
    ("ls > x", "redirect"), ("ls >> x", "redirect"), ("ls 3>/dev/null", "redirect"),
    ("ls < x", "redirect"), ("ls >/dev/nullx", "redirect"), ("ls 2>&12", "redirect"),
    ("ls >&2", "redirect"), ("ls 2>&-", "redirect"), ("cat <<EOF", "redirect"),
    ("ls >/dev/null/x", "redirect"), ("ls 2>&1x", "redirect"), ("> /dev/null", "operator"),
    ("ls; > /dev/null", "operator"), ("echo $x", "substitution"), ("echo `x`", "substitution"),
    ('echo "$x"', "substitution"), ('echo "$(x)"', "substitution"), ("echo $'x'", "substitution"),
    ('echo "a$', "substitution"), ("echo {a,b}", "brace"), ("echo }", "brace"),
    ("echo @{a,b}", "brace"), ("echo x{1}", "brace"), ("ls ~", "tilde"), ("echo a=~", "tilde"),
    ("echo a:~", "tilde"), ("ls # x", "comment"), ("echo hi!", "bang"), ("ls [!a]", "bang"),
    ("(ls)", "group"), ("ls (x", "group"), ("f() ls", "group"),
]

STREAMS = [
    ("ls", (False, False, False)),
    ("ls 2>&1", (True, False, False)),
    ("ls >/dev/null", (False, True, False)),
    ("ls 2>/dev/null", (False, False, True)),
    ("ls 2> /dev/null x", (False, False, True)),
    ("ls >/dev/null 2>&1", (False, True, True)),
    ("ls 2>&1 >/dev/null", (True, True, False)),
    ("ls &>/dev/null", (False, True, True)),
    ("2>/dev/null ls", (False, False, True)),
    ("ls a2>/dev/null", (False, True, False)),
]


@pytest.mark.parametrize(("text", "words"), WORDS)
def test_words_are_what_a_shell_makes_of_them(text, words):
    line = posix.parse(text)
    assert [word.text for word in line.commands[0].words] == words


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_is_not_understood_is_refused(text, why):
    with pytest.raises(Refused) as caught:
        posix.parse(text)
    assert caught.value.key == f"gate.shell.{why}"


@pytest.mark.parametrize(("text", "flags"), STREAMS)
def test_harmless_redirections(text, flags):
    command = posix.parse(text).commands[0]
    assert (command.merge, command.null_out, command.null_err) == flags


def test_operators_join_commands():
    line = posix.parse("a|b && c ; d||e;")
    assert [c.words[0].text for c in line.commands] == list("abcde")
    assert (line.joins, line.compound) == (("|", "&&", ";", "||"), "|")


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
OFF = "enable -n echo pwd true false type command printf\n"
EACH = 'at=0; for line; do (export OUT="$TOP/$at"; eval "$line"); at=$((at + 1)); done'
"""Every line in a shell of its own, but not in a program of its own."""


def mutated(random: random.Random, text: str) -> str:
    for _ in range(random.randint(0, 3)):
        at = random.randrange(len(text) + 1)
        if random.random() < 0.15:
            text = text[:at] + text[at + 1:]
        else:
            text = text[:at] + random.choice(BITS) + text[at:]
    return text


def expected(script) -> Counter:
    """The argvs that run when every command succeeds."""
    found, skipped = Counter(), False
    for join, part in zip((";", *script.joins), script.parts):
        skipped = join == "||" or skipped and join == "|"
        if not skipped:
            found[part.argv] += 1
    return found


@pytest.mark.skipif(not os.path.exists("/bin/bash"), reason="no bash")
def test_bash_passes_on_the_same_words(tmp_path):
    ws = project.make(tmp_path)
    tools, out = tmp_path / "bin", tmp_path / "out"
    tools.mkdir()
    for name in (*programs.TABLE.names(), "git", "x"):
        (tools / name).write_text(RECORDER)
        (tools / name).chmod(0o755)
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    lines = [r["command"] for r in rows if r["dialect"] == "posix" and r["expect"] == "allow"]
    lines += ["ls && pwd", "cat README.md; echo done", "ls 2>&1 | head -5", "ls src/[ab]*", "ls *.*"]
    chance = random.Random(7)
    workspace, wanted = Workspace(ws), {}
    for _ in range(700):
        text = mutated(chance, chance.choice(lines))
        script = judge(text, "posix", workspace)
        if script.listed:
            wanted[text] = expected(script)
    for number in range(len(wanted)):
        (out / str(number)).mkdir(parents=True)
    subprocess.run(
        ("/bin/bash", "-c", OFF + EACH, "bash", *wanted), cwd=ws, stdin=subprocess.DEVNULL, check=False,
        env={"PATH": str(tools), "TOP": str(out), "LC_ALL": "C.UTF-8"}, capture_output=True, timeout=60,
    )
    for number, (text, argvs) in enumerate(wanted.items()):
        got = Counter(
            tuple(w.decode("utf-8", "surrogateescape") for w in f.read_bytes().split(b"\0")[:-1])
            for f in (out / str(number)).iterdir()
        )
        assert got == argvs, text
    assert len(wanted) > 120

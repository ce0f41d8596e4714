from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from clinkai.harness.shell import posix
from clinkai.harness.shell.script import Refused
from clinkai.harness.workspace import Workspace
from tests.harness.shell import project, recorder

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


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/bin/bash"), reason="no bash")
def test_bash_passes_on_the_same_words(tmp_path):
    workspace = Workspace(project.make(tmp_path))
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    lines = [r["command"] for r in rows if r["dialect"] == "posix" and r["expect"] == "allow"]
    lines += ["ls && pwd", "cat README.md; echo done", "ls 2>&1 | head -5", "ls src/[ab]*", "ls *.*"]
    chance = random.Random(7)
    texts = [recorder.mutated(chance, chance.choice(lines)) for _ in range(700)]
    wanted = recorder.wanted(texts, workspace)
    assert recorder.passed_on(list(wanted), workspace.root, tmp_path) == wanted
    assert len(wanted) > 120

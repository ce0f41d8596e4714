"""grep: what is found and shown, what is left out, limits in size and time."""

from __future__ import annotations

import os
import random
import re
import threading
import time

import pytest

from clinkai.core.cancel import Cancel
from clinkai.core.errors import Cancelled
from clinkai.harness.tools.grep import GREP, GrepArgs, search
from clinkai.harness.tools.matching import STEPS, Matcher, TimeUp
from clinkai.harness.tools.pattern import led, shape
from tests.harness.tools.context import Desk, told

LIMIT = 5.0
CATASTROPHE = GrepArgs("(a+)+$", ".", "", False)


@pytest.fixture
def tree(desk):
    for path, content in (
        ("a.py", "import os\n\ndef total(items):\n    return sum(items)  # TODO\n"),
        ("sub/b.py", "class Total:\n    pass\n"), ("sub/c.txt", "total\r\nTOTAL\r\n"),
        ("sub/gb.txt", "\u4f60\u597d total\n".encode("gb18030")),
        ("sub/wide.txt", "\ufefftotal \u4f60\n".encode("utf-16-le")),
        ("bin", b"total\0\1"), ("x.log", "total\n"), (".gitignore", "*.log\nbuild/\n"),
        ("build/out.py", "total\n"), (".git/config", "total\n"), (".env", "total=1\n"),
    ):
        desk.put(path, content)
    (desk.root.parent / "outside").mkdir()
    (desk.root.parent / "outside/secret.txt").write_text("total\n")
    (desk.root / "out").symlink_to("../outside")
    (desk.root / "linked.py").symlink_to("a.py")
    os.mkfifo(desk.root / "pipe")
    return desk


ALL = ["a.py:3: def total(items):", "sub/c.txt:1: total", "sub/gb.txt:1: \u4f60\u597d total",
       "sub/wide.txt:1: total \u4f60"]
SECRET = " secret files not searched: 1"


@pytest.mark.parametrize(("args", "lines", "note"), [
    ({"pattern": "total"}, ALL, "lines: 4, files: 4" + SECRET),
    ({"pattern": "^total$"}, ["sub/c.txt:1: total"], "lines: 1, files: 1" + SECRET),
    ({"pattern": "TOTAL", "ignore_case": True, "path": "sub"},
     ["sub/b.py:1: class Total:", "sub/c.txt:1: total", "sub/c.txt:2: TOTAL", *ALL[2:]], "lines: 5, files: 4"),
    ({"pattern": "(?i)TOTAL", "path": "sub/c.txt"}, ["sub/c.txt:1: total", "sub/c.txt:2: TOTAL"],
     "lines: 2, files: 1"),
    ({"pattern": r"def \w+\("}, ALL[:1], "lines: 1, files: 1" + SECRET),
    ({"pattern": r"(?<=def )\w+"}, ALL[:1], "lines: 1, files: 1" + SECRET),
    ({"pattern": "\u4f60"}, ALL[2:], "lines: 2, files: 2" + SECRET),
    ({"pattern": "total", "glob": "*.py"}, ALL[:1], "lines: 1, files: 1"),
    ({"pattern": "total", "glob": "*.{py,txt}"}, ALL, "lines: 4, files: 4"),
    ({"pattern": "total", "glob": "sub/*"}, ALL[1:], "lines: 3, files: 3"),
    ({"pattern": "total", "glob": "!*.txt"}, ALL[:1], "lines: 1, files: 1" + SECRET),
    ({"pattern": "total", "glob": "*.txt", "path": "sub"}, ALL[1:], "lines: 3, files: 3"),
    ({"pattern": "total", "path": "build"}, ["build/out.py:1: total"], "lines: 1, files: 1"),
    ({"pattern": "total", "path": "x.log"}, ["x.log:1: total"], "lines: 1, files: 1"),
    ({"pattern": "total", "path": "linked.py"}, ["a.py:3: def total(items):"], "lines: 1, files: 1"),
    ({"pattern": "zebra"}, [], "no match, files searched: 6" + SECRET),
    ({"pattern": r"a\nb", "path": "sub"}, [], r"no match, files searched: 4 (one line at a time: \n never matches)"),
    ({"pattern": "^$"}, ["a.py:2: "], "lines: 1, files: 1" + SECRET),
    ({"pattern": "$", "path": "sub/b.py"}, ["sub/b.py:1: class Total:", "sub/b.py:2:     pass"],
     "lines: 2, files: 1"),
    ({"pattern": r"\s+$", "path": "sub/c.txt"}, [], "no match, files searched: 1"),
])
def test_searches(tree, args, lines, note):
    assert tree.text("grep", **args).split("\n") == [*lines, f"[{note}]"]


@pytest.mark.parametrize(("args", "said"), [
    ({"pattern": "(a"}, "Not a valid regular expression: missing ), unterminated subpattern at position 0. "
                        "To find ( [ { * + ? . as they are, put \\ before them."),
    ({"pattern": "a" * 2001}, "The pattern is longer than 2000 characters."),
    ({"pattern": ""}, "The pattern is empty."),
    ({"pattern": "x", "path": "nope"}, "There is no nope."),
    ({"pattern": "x", "path": "bin"}, "bin is not text."),
    ({"pattern": "x", "path": "pipe"}, "pipe is a pipe, not a file."),
    ({"pattern": "x", "path": "out"}, "deny"), ({"pattern": "x", "path": ".git"}, "deny"),
    ({"pattern": "x", "path": ".env"}, "ask"), ({"pattern": "x", "path": ""}, "The path is empty."),
    ({"pattern": 1}, "pattern must be a string, not an integer."),
    ({}, "Argument pattern is missing. There are: pattern, path, glob, ignore_case"),
    ({"pattern": "x", "case": True}, "Unknown argument case. There are: pattern, path, glob, ignore_case"),
])
def test_what_cannot_be_searched(tree, args, said):
    assert tree.error("grep", **args) == said


def test_a_secret_is_searched_when_somebody_said_so(tree):
    assert tree.call("grep", "once", pattern="total", path=".env").output.startswith(".env:1: total=1\n")


def test_many_hits_are_counted_and_the_first_shown(desk):
    desk.put("a", "hit\n" * 700)
    desk.put("b", "hit\n")
    lines = desk.call("grep", pattern="hit").output.split("\n")
    assert lines[-1] == "[the first 500 of 701 lines in 2 files; narrow path or glob]"


def test_a_long_line_is_cut_around_the_match(desk):
    desk.put("a", "x" * 5000 + "needle" + "y" * 5000 + "\n")
    line = desk.text("grep", pattern="needle").split("\n")[0]
    assert line.startswith("a:1: …xxx") and line.endswith("yyy…") and "needle" in line
    assert len(line) == 307


def test_a_large_file_is_searched_in_portions(desk):
    filler = "nothing in this line of text\n" * 50_000
    desk.put("big", filler + "needle one\n" + filler + "needle two\n" + "z" * 2_500_000 + "needle three")
    lines = desk.text("grep", pattern="needle \\w+").split("\n")
    assert [line[:20] for line in lines[:2]] == ["big:50001: needle on", "big:100002: needle t"]
    assert lines[2].endswith("needle three") and lines[3] == "[lines: 3, files: 1]"


def test_a_sparse_file_costs_nothing(desk):
    with (desk.root / "sparse.log").open("wb") as file:
        file.write(b"needle\n" * 10_000)
        file.truncate(5_000_000_000)
    assert desk.text("grep", pattern="needle").endswith("[the first 500 of 10000 lines in 1 files; "
                                                        "narrow path or glob]")


CATASTROPHIC = [r"(a+)+$", r"(a|a)*$", r"(a|aa)+$", r"(.*a){20}$", r"^(([a-z])+.)+[A-Z]([a-z])+$",
                r"(\w+\s?)*$", r"(?=(a+)+$)a", r"(a*)*$"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("pattern", CATASTROPHIC)
def test_a_catastrophic_expression_ends_at_the_limit(desk, pattern):
    desk.put("a", "a" * 60 + "!\n")
    desk.put("0", "aaa\n")
    args = GrepArgs(pattern, ".", "", False)
    result = search(told(GREP, args, desk.context), args, 0.2)
    assert "stopped after 0.2 s" in result.output or "lines:" in result.output


def test_a_catastrophic_expression_is_cancelled_at_once(desk):
    desk.put("a", "a" * 60 + "!\n")
    cancel = Cancel()
    started = time.monotonic()
    threading.Timer(0.2, cancel.set).start()
    with pytest.raises(Cancelled):
        search(told(GREP, CATASTROPHE, desk.context, cancel=cancel), CATASTROPHE, 60.0)
    assert time.monotonic() - started < LIMIT


def test_nothing_is_left_behind_by_a_killed_search(desk):
    desk.put("a", "a" * 60 + "!\n")
    before = threading.active_count(), children()
    search(told(GREP, CATASTROPHE, desk.context), CATASTROPHE, 0.2)
    assert (threading.active_count(), children()) == before


def children() -> set[str]:
    """The processes that this one has started, also those that ended and wait to be noticed."""
    found = set()
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children", encoding="ascii") as file:
            found |= set(file.read().split())
    return found


@pytest.mark.parametrize(("pattern", "expected"), [
    ("foo", ("foo",)), ("foo|bar", ("foo", "bar")), (r"def \w+\(", ("def ",)), ("fo+", ("f",)),
    ("(foo)?bar", ("bar",)), ("a.c", ("a",)), ("x*", ()), ("[ab]", ()), ("function() {", ("function {",)),
    ("foo|x*", ()), ("a{2}b", ("a",)), (r"\.get", (".get",)),
])
def test_texts_that_every_match_contains(pattern, expected):
    assert shape(pattern).literals == expected


@pytest.mark.parametrize("pattern", [*CATASTROPHIC, r"(a)\1", "(?=a)b", "(?!a)b", "(?P=x)a", "(?>a)b", "a++",
                                     "a?" * 30 + "a" * 30, "(x+x+)+y", r"\Aa", "(?s)a.b", "(?:a{2,9}){2,9}"])
def test_what_has_no_bound_is_left_to_the_child(pattern):
    assert not shape(pattern).known


@pytest.mark.parametrize(("pattern", "faster"), [
    ("[0-9]{4}x", "[0-9][0-9]{3}x"), (r"\d+", r"\d\d*"), (r"\w+?a", r"\w\w*?a"), ("[]a]{2,}", "[]a][]a]{1,}"),
    ("[^a]{2,5}b", "[^a][^a]{1,4}b"), ("[a]*", "[a]*"), ("a+", "a+"), ("[a]{1,2}", "[a]{1,2}"),
    (r"\.+", r"\.+"), ("[a]", "[a]"), ("[a]{2}{", "[a][a]{1}{"),
])
def test_a_repeat_at_the_beginning_is_written_so_that_it_is_found_faster(pattern, faster):
    assert led(pattern) == faster


ATOMS = ["a", "b", "ab", ".", "[ab]", "[^a]", r"\w", r"\s", r"\d", "(a|b)", "(?:ab|a)", "(a)", "^", "$", r"\b",
         "a|b", "x", " ", "(ab)", r"\W"]
REPEATS = ["", "", "", "*", "+", "?", "{2}", "{1,3}", "*?", "+?"]


@pytest.mark.slow
def test_all_ways_of_searching_find_the_same():
    """Random expressions over random lines: in this process, portion by portion, in the child, and
    line by line with nothing but `re`."""
    rng = random.Random(5)
    checked = 0
    for _ in range(120):
        pattern = "".join(rng.choice(ATOMS) + rng.choice(REPEATS) for _ in range(rng.randint(1, 4)))
        folds = rng.random() < 0.3
        try:
            regex = re.compile(pattern, re.IGNORECASE if folds else 0)
        except re.error:
            continue
        lines = ["".join(rng.choice("aabbxAB \t1\u4f60") for _ in range(rng.randint(0, 12)))
                 for _ in range(20)]
        text = "\n".join(lines) + rng.choice(["", "\n"])
        every = text.removesuffix("\n").split("\n") if text else []  # a last line end begins none
        wanted = [line for line in every if regex.search(line)]
        for steps in (STEPS, rng.choice([0, 3, 50])):
            with Matcher(pattern, folds, 30.0, Cancel(), steps) as matcher:
                found = [text[first:last] for first, last, _, _ in matcher.spans(text)]
                assert found == wanted, (pattern, folds, steps, text)
                assert not wanted or matcher.may_match(text.encode()), (pattern, folds, text)
        checked += 1
    assert checked > 60


def test_where_a_bound_is_given_it_holds():
    """Random expressions with a bound, on the lines that are worst for backtracking: none of them
    may run on when its bound says it is quick."""
    rng = random.Random(6)
    deadline = time.monotonic() + 10 * LIMIT
    for _ in range(150):
        pattern = "".join(rng.choice(ATOMS) + rng.choice(REPEATS) for _ in range(rng.randint(1, 6)))
        try:
            regex = re.compile(pattern)
        except re.error:
            continue
        known = shape(pattern)
        if not known.known:
            continue
        for unit in ("a", "ab", "aab ", "x"):
            length = 3
            while known.factor * (length * 2) ** (known.degree + 1) < 300_000 and length < 20_000:
                length *= 2
            regex.search(unit * (length // len(unit) + 1) + "!")
    assert time.monotonic() < deadline


@pytest.mark.slow
def test_a_search_that_is_late_says_what_it_has(desk):
    desk.put("a", "hit\n")
    desk.put("b", "a" * 60 + "!\n")
    args = GrepArgs("(a+)+$|hit", ".", "", False)
    result = search(told(GREP, args, desk.context), args, 0.3)
    assert result.output.startswith("a:1: hit\n[lines: 1, files: 1 stopped after 0.3 s")


def test_time_is_up_at_once_where_there_is_none():
    with Matcher("a", False, -1.0, Cancel()) as matcher, pytest.raises(TimeUp):
        matcher.spans("a")


def test_chinese(tmp_path):
    with Desk(tmp_path, lang="zh") as desk:
        desk.put("a", "hit\n")
        assert desk.text("grep", pattern="hit") == "a:1: hit\n[1 行，1 个文件]"
        assert desk.error("grep", pattern=1) == "pattern 必须是字符串，不能是整数。"
        assert desk.error("grep", pattern="(").startswith("不是有效的正则表达式：")

"""The unified diff: what `diff -u` says, in bounded size and time."""

from __future__ import annotations

import random
import time
from difflib import unified_diff

import pytest

from clinkai.harness.tools.diff import unified

LIMIT = 20.0


def reference(before: str, after: str) -> list[str]:
    lines = [text.split("\n")[:-1] for text in (before, after)]
    return list(unified_diff(*lines, "a/f", "b/f", lineterm=""))


@pytest.mark.parametrize(("before", "after", "diff"), [
    ("a\n", "a\n", ""), (None, "", "--- /dev/null\n+++ b/f\n"),
    ("", "a\n", "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"),
    ("a\n", "", "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a\n"),
    ("a", "a\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
])
def test_small_changes(before, after, diff):
    assert unified(before, after, "f") == diff


def test_hunks_are_those_of_the_reference_where_one_run_of_lines_changes():
    rng = random.Random(3)
    for _ in range(200):
        old = [f"line {n}" for n in range(rng.randint(0, 40))]
        start = rng.randint(0, len(old))
        end = rng.randint(start, len(old))
        new = old[:start] + [f"new {n}" for n in range(rng.randint(0, 5))] + old[end:]
        before, after = ("".join(line + "\n" for line in lines) for lines in (old, new))
        assert unified(before, after, "f").split("\n")[:-1] == reference(before, after)


def test_applying_the_diff_gives_the_new_text():
    rng = random.Random(4)
    for _ in range(200):
        old = [rng.choice("abcdef") for _ in range(rng.randint(0, 60))]
        new = [line for line in old if rng.random() < 0.8]
        for _ in range(rng.randint(0, 6)):
            new.insert(rng.randint(0, len(new)), rng.choice("xyz"))
        before, after = ("".join(line + "\n" for line in lines) for lines in (old, new))
        assert applied(old, unified(before, after, "f").split("\n")[2:-1]) == new


def applied(old: list[str], diff: list[str]) -> list[str]:
    result: list[str] = []
    at = 0
    for line in diff:
        if line.startswith("@@"):
            first, _, count = line.split()[1][1:].partition(",")
            start = int(first) - (count != "0")
            result += old[at:start]
            at = start
        elif line[0] == "+":
            result.append(line[1:])
        else:
            assert old[at] == line[1:]
            at += 1
            result += [line[1:]] if line[0] == " " else []
    return result + old[at:]


def test_large_changes_take_bounded_time():
    started = time.monotonic()
    before = "".join(f"{n % 7}\n" for n in range(100_000))
    after = "".join(f"{n % 5}\n" for n in range(100_000))
    assert unified(before, after, "f").endswith("… 199486\n")
    assert time.monotonic() - started < LIMIT


def test_long_lines_are_cut():
    assert max(map(len, unified("x" * 90_000, "y" * 90_000, "f").split("\n"))) == 1001

"""Asking at the terminal: what is drawn, and which keys mean what. The keys come from a table here;
tests/ui/test_terminal.py types them at a real terminal."""

from __future__ import annotations

import io

import pytest

from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.core.events import ApprovalOpen
from clinkai.core.value import replace
from clinkai.ui.approve import DIFF_LINES, Question, Timing
from clinkai.ui.terminal import Screen

COMMAND = ApprovalOpen("q1", "c1", "bash", "make is not on the list", "make all", None, None,
                       "/work", "low", "make", "d")
HIGH = replace(COMMAND, command="rm -rf build", risk="high", rule=None)
DIFF = "--- a\n+++ b\n@@ -1 +1 @@\n-old\tx\n+new\n"
EDIT = replace(COMMAND, kind="edit", command=None, path="a.txt", diff=DIFF, rule=None)
ROUNDS = replace(COMMAND, kind="rounds", command=None, cwd="", rule=None)

QUIET = None


class Typed:
    """Keys as `keys.open_keys` gives them: bytes, or QUIET for a silence of the asked length."""

    def __init__(self, *pieces: bytes | None) -> None:
        self.left = list(pieces)
        self.waits: list[float] = []

    def read(self, seconds: float) -> bytes | None:
        self.waits.append(seconds)
        return self.left.pop(0) if self.left else b""


def ask(asked: ApprovalOpen, *pieces: bytes | None, lang: str = "en") -> tuple[str, str]:
    """(verdict, what was drawn)."""
    err = io.StringIO()
    screen = Screen(io.StringIO(), err, {}, no_color=True)
    keys = Typed(*pieces)
    verdict = Question(asked, screen, Strings(lang)).ask(keys, Timing())
    assert keys.left == [], "keys left over"
    return verdict, err.getvalue()


ANSWERS = [
    (COMMAND, [QUIET, b"y"], "once"),
    (COMMAND, [QUIET, b"Y"], "once"),
    (COMMAND, [QUIET, b"y\r"], "once"),
    (COMMAND, [QUIET, b"n"], "deny"),
    (COMMAND, [QUIET, b"a"], "session"),
    (COMMAND, [QUIET, b"p"], "prefix"),
    (COMMAND, [QUIET, b"\x1b", QUIET], "deny"),
    (COMMAND, [QUIET, b""], "deny"),
    (COMMAND, [QUIET, b"\r", b"\n", b"n"], "deny"),
    # What was typed before the keyboard was silent is dropped.
    (COMMAND, [b"yes do it\n", b"y", QUIET, b"n"], "deny"),
    # A paste is no answer, and arms the question anew.
    (COMMAND, [QUIET, b"yes do it\n", b"y", QUIET, b"n"], "deny"),
    # An arrow is no Esc, whole or in two pieces.
    (COMMAND, [QUIET, b"\x1b[A", QUIET, b"y"], "once"),
    (COMMAND, [QUIET, b"\x1b", b"[A", QUIET, b"y"], "once"),
    # Keys that are not offered: no rule, no long diff.
    (EDIT, [QUIET, b"p", QUIET, b"d", QUIET, b"a"], "session"),
    (ROUNDS, [QUIET, b"a", QUIET, b"y"], "once"),
    # High risk.
    (HIGH, [QUIET, b"y", b"e", b"s", b"\r"], "once"),
    (HIGH, [QUIET, b"yes\n"], "once"),
    (HIGH, [QUIET, b"yex", b"\x7f", b"s", b"\r"], "once"),
    (HIGH, [QUIET, b"y", b"\r", QUIET, b"n", b"\r"], "deny"),
    (HIGH, [QUIET, b"a", b"\r", QUIET, b"\x1b", QUIET], "deny"),
    (HIGH, [QUIET, b"\r", b"\x1b[A", b"no\r"], "deny"),
    (HIGH, [b"yes\r", QUIET, b"\x1b", QUIET], "deny"),
]


@pytest.mark.parametrize(("asked", "pieces", "verdict"), ANSWERS)
def test_keys(asked, pieces, verdict):
    assert ask(asked, *pieces)[0] == verdict


def test_a_command_is_drawn_whole_with_reason_folder_and_rules():
    command = "make " + "x" * 300 + " \x1b[8m\nsecond line"
    drawn = ask(replace(COMMAND, command=command), QUIET, b"n")[1]
    assert drawn == (
        "? make is not on the list\n"
        f"    make {'x' * 300} \\x1b[8m\n"
        "    second line\n"
        "  in /work\n"
        f"  a would allow, for this session: make {'x' * 300} \\x1b[8m\\x0asecond line\n"
        "  p would allow, for this session, everything that begins with: make\n"
        "  y once · n no · a this session · p the rule, this session refused\n"
    )


def test_a_change_is_drawn_as_its_diff():
    drawn = ask(EDIT, QUIET, b"n")[1]
    assert drawn == (
        "? make is not on the list\n"
        "    a.txt\n"
        "  in /work\n"
        "    --- a\n    +++ b\n    @@ -1 +1 @@\n    -old\tx\n    +new\n"
        "  a would allow, for this session: a.txt\n"
        "  y once · n no · a this session refused\n"
    )


def test_a_long_diff_is_cut_until_it_is_asked_for():
    diff = "@@\n" + "".join(f"+line {n}\n" for n in range(DIFF_LINES * 2))
    cut = ask(replace(EDIT, diff=diff), QUIET, b"n")[1]
    assert f"line {DIFF_LINES * 2 - 1}" not in cut and "41 more lines" in cut
    whole = ask(replace(EDIT, diff=diff), QUIET, b"d", b"n")[1]
    assert f"line {DIFF_LINES * 2 - 1}" in whole


@pytest.mark.parametrize("lang", LANGUAGES)
def test_high_risk_asks_for_the_word(lang):
    verdict, drawn = ask(HIGH, QUIET, b"yes\r", lang=lang)
    assert verdict == "once" and " yes " in drawn
    assert "y once" not in drawn and "a would" not in drawn
    assert drawn.endswith("yes " + Strings(lang)("cli.ask.once") + "\n")


def test_the_question_waits_for_silence_then_for_as_long_as_it_takes():
    keys = Typed(b"x", QUIET, b"y")
    screen = Screen(io.StringIO(), io.StringIO(), {}, no_color=True)
    Question(COMMAND, screen, Strings("en")).ask(keys, Timing(arming=0.5))
    assert keys.waits == [0.5, 0.5, 0.5]

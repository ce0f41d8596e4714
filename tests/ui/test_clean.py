"""The filter between foreign text and a terminal."""

from __future__ import annotations

import pytest

from clinkai.ui.clean import Filter, clean, exact, one_line

CASES = [
    ("plain text\n\tand 中文 é", "plain text\n\tand 中文 é"),
    ("a\x1b[31mred\x1b[0mb", "aredb"),
    ("\x1b[2J\x1b[3J\x1b[?1049hx", "x"),
    ("a\x1b]0;title\x07b", "ab"),
    ("a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"),
    ("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
    ("a\x1bP1$q\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e", "abcde"),
    ("a\x9b2Jb\x9d0;t\x9cc\x90q\x9cd", "abcd"),
    ("a\x1b(Bb\x1bcc\x1b7d", "abcd"),
    ("a\x00\x07\x08\x0b\x0c\r\x7f\x85b", "ab"),
    ("bell\rover", "bellover"),
    ("a\u202eb\u200bc\u2066d\ufeffe", "a<U+202E>b<U+200B>c<U+2066>d<U+FEFF>e"),
    ("tag\U000e0041x", "tag<U+E0041>x"),
    ("half\ud83d.", "half<U+D83D>."),
    ("cut\x1b", "cut"),
    ("cut\x1b[12", "cut"),
    ("cut\x1b]0;long", "cut"),
    ("title\x1b]0;never closed\nanswer", "title\nanswer"),
]


@pytest.mark.parametrize(("text", "shown"), CASES)
def test_control_sequences_are_dropped_and_hidden_characters_shown(text, shown):
    stream = Filter()
    assert stream.feed(text) == shown
    assert clean(text + "\n").removesuffix("\n") == shown or "cut" in text


@pytest.mark.parametrize(("text", "shown"), CASES)
def test_the_borders_of_a_stream_make_no_difference(text, shown):
    for cut in range(len(text) + 1):
        stream = Filter()
        assert stream.feed(text[:cut]) + stream.feed(text[cut:]) == shown
    stream = Filter()
    assert "".join(map(stream.feed, text)) == shown


def test_an_endless_sequence_is_not_kept():
    stream = Filter()
    stream.feed("\x1b]0;")
    for _ in range(100):
        stream.feed("x" * 100)
    assert stream.feed("\x07after") == "after"


def test_closing_forgets_an_unfinished_sequence():
    stream = Filter()
    stream.feed("a\x1b[3")
    stream.close()
    assert stream.feed("1m") == "1m"


@pytest.mark.parametrize(("text", "line"), [
    ("a\nb\t c", "a b c"),
    ("x\x1b[2Jy", "xy"),
    ("z" * 500, "z" * 399 + "…"),
])
def test_one_line(text, line):
    assert one_line(text) == line


@pytest.mark.parametrize(("text", "shown"), [
    ("rm -rf x", "rm -rf x"),
    ("echo \x1b[8mhidden\x1b[0m", r"echo \x1b[8mhidden\x1b[0m"),
    ("a\rb\tc\x07", r"a\x0db\x09c\x07"),
    ("rm \u202ex\u200b \U000e0041", r"rm \u202ex\u200b \U000e0041"),
    ("two\nlines", "two\nlines"),
])
def test_what_is_approved_is_shown_with_nothing_dropped(text, shown):
    assert exact(text) == shown

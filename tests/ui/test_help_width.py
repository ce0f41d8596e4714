"""The help on narrow and wide screens: every word there, no line wider than the screen."""

from __future__ import annotations

import pytest

from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.ui.help_text import cells, help_text, screen_width
from clinkai.ui.options import COMMANDS

LONGEST = 36
"""Columns of the longest word that cannot be folded, with its indent."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("width", [LONGEST, 40, 63, 64, 80, 200])
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_no_line_is_wider_than_the_screen_and_nothing_is_lost(name, lang, width):
    say = Strings(lang)
    text = help_text(name, say, width)
    assert [line for line in text.split("\n") if cells(line) > width] == []
    assert "".join(text.split()) == "".join(help_text(name, say, 10_000).split())


def test_chinese_marks_do_not_begin_a_line():
    text = help_text("", Strings("zh"), 40)
    assert [line for line in text.split("\n") if line.strip()[:1] in set("，。；：、）”")] == []


@pytest.mark.parametrize(("environ", "width"), [
    ({"COLUMNS": "40"}, 40), ({"COLUMNS": "0"}, 80), ({"COLUMNS": "x"}, 80), ({}, 80)])
def test_the_width_is_that_of_the_screen(environ, width):
    with open("/dev/null", "w") as nowhere:
        assert screen_width(nowhere, environ) == width

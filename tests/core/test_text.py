from __future__ import annotations

import pytest

from clinkai.core.text import amount, cut_middle, duration, estimate_tokens, first_line, size


def test_text_within_the_limit_is_not_cut():
    assert cut_middle("abc", 3, "[{hidden}]") == "abc"


@pytest.mark.parametrize("text", ["x" * 5000, "line of text\n" * 500, "é\n" * 3000])
@pytest.mark.parametrize("limit", [200, 1000, 1999])
def test_a_cut_keeps_head_and_tail_within_the_limit_and_counts_what_is_hidden(text, limit):
    cut = cut_middle(text, limit, "<cut {hidden}>")
    head, _, rest = cut.partition("<cut ")
    hidden, _, tail = rest.partition(">")
    assert len(cut) <= limit
    assert text.startswith(head) and text.endswith(tail)
    assert len(head) + int(hidden) + len(tail) == len(text)
    assert len(head) + len(tail) > limit // 3


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("你好", 2), ("12", 3),
                                             ("a = 1\n", 4)])
def test_estimates(text, tokens):
    assert estimate_tokens(text) == tokens


@pytest.mark.parametrize(("made", "words"), [
    (size(0), "0 B"), (size(999), "999 B"), (size(1234), "1.2 kB"), (size(5_000_000_000), "5.0 GB"),
    (amount(950), "950"), (amount(18_240), "18.2k"), (duration(4), "4 ms"), (duration(2100), "2.1 s"),
    (duration(200_000), "3 min 20 s"), (first_line("\n  a b \nc"), "a b"),
    (first_line("x" * 100, 10), "x" * 9 + "…"), (first_line(""), ""),
])
def test_figures_for_people(made, words):
    assert made == words

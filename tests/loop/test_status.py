from __future__ import annotations

from clinkai.core.catalogue import Strings
from clinkai.loop.status import Status


def test_only_changes_that_matter_are_told_and_each_once():
    status = Status(Strings("en"))
    told = [bool(status.news(n, 15, tokens, 100)) for n, tokens in [
        (1, 10), (2, 49), (3, 50), (4, 60), (5, 71), (6, 71), (12, 72), (13, 72), (14, 72), (14, 96),
    ]]
    assert told == [False, False, True, False, True, False, True, False, True, True]


def test_the_line_names_round_and_context():
    assert Status(Strings("en")).line(3, 15, 500, 1000) == "[status: round 3 of 15, context 50%]"


def test_a_context_without_room_is_full():
    assert "100%" in Status(Strings("zh")).line(1, 2, 5, 0)


def test_a_cap_of_one_round_says_nothing_about_rounds():
    assert Status(Strings("en")).news(1, 1, 0, 100) == ""

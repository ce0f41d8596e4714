"""Which records of a session are in force."""

from __future__ import annotations

import pytest

from clinkai.core.branches import Way, goes_back, live
from clinkai.core.errors import SessionError
from clinkai.core.state import fold


def log(*rewinds: int) -> list[dict]:
    """A record for each number; not 0: one that goes back to that record."""
    return [{"type": "meta", "kind": "rewind" if to else "x", "to": to, "seq": seq}
            for seq, to in enumerate(rewinds, 1)]


@pytest.mark.parametrize(("rewinds", "end", "seqs"), [
    ((), None, []),
    ((0, 0, 0), None, [1, 2, 3]),
    ((0, 0, 0), 2, [1, 2]),
    ((0, 0, 0, 1), None, [1, 4]),
    ((0, 0, 0, 1, 0), None, [1, 4, 5]),
    ((0, 0, 0, 3, 0), None, [1, 2, 3, 4, 5]),
    ((0, 0, 0, 1, 0, 3, 0), None, [1, 2, 3, 6, 7]),
    ((0, 0, 0, 1, 0, 3, 0), 5, [1, 4, 5]),
    ((0, 0, 0, 1, 0, 5, 4, 0), None, [1, 4, 7, 8]),
    ((0, 0, 1, 0, 2, 0, 3), None, [1, 3, 7]),
    ((0, 0, 9), None, [1, 2, 3]),
    ((0, 0, 3), None, [1, 2, 3]),
])
def test_the_way_to_a_record(rewinds, end, seqs):
    assert [record["seq"] for record in live(log(*rewinds), end)] == seqs


@pytest.mark.parametrize("record", [
    {"to": 1}, {"seq": 2}, {"to": "1", "seq": 2}, {"to": True, "seq": 2}, {"to": 0, "seq": 2},
    {"to": 2, "seq": 2}, {"to": -1, "seq": 2}, {"to": 1, "seq": 2, "kind": "title"},
    {"to": 1, "seq": 2, "type": "user"},
])
def test_what_does_not_go_back(record):
    assert goes_back({"type": "meta", "kind": "rewind", **record}) is None


def test_the_way_of_many_branches_is_found_quickly():
    way = Way(((seq, seq - 2) for seq in range(3, 9_001, 3)), 9_001)
    assert [seq for seq in range(1, 9_002) if not way.has(seq)] == list(range(2, 9_000, 3))


@pytest.mark.parametrize("changed", [{"to": 0}, {"to": 3}, {"to": "1"}, {"calls": "1"}, {"mode": 1},
                                     {"title": 1}])
def test_a_rewind_that_makes_no_sense_is_a_session_error(changed):
    records = [{"seq": 1, "type": "user", "content": "x"}, {"seq": 2, "type": "meta", "kind": "y"},
               {"seq": 3, "type": "meta", "kind": "rewind", "to": 1, **changed}]
    with pytest.raises(SessionError, match="error.session.record"):
        fold(records)

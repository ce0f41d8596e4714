"""Many pieces become few, and stay the same text."""

from __future__ import annotations

from clinkai.core.pieces import MANY, Pieces


def test_pieces_are_packed_and_stay_the_same_text():
    pieces, text = Pieces(), ""
    for number in range(3 * MANY):
        pieces.append(f"{number} ")
        text += f"{number} "
        pieces.pack()
    assert "".join(pieces) == text
    assert len(pieces) <= MANY + 3


def test_a_list_that_was_emptied_or_cut_goes_on():
    pieces = Pieces()
    for number in range(2 * MANY):
        pieces.append("a")
        pieces.pack()
    pieces[:] = ["b"]
    for number in range(2 * MANY):
        pieces.append("c")
        pieces.pack()
    assert "".join(pieces) == "b" + "c" * 2 * MANY
    assert len(pieces) <= MANY + 3

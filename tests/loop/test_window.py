"""Which messages leave a full context: a table of conversations in letters.

u: a message of the user, a: an answer, c: an answer with a call, r: its result, x: the harness
asks to go on. Each has 100 tokens by the server's count.
"""

from __future__ import annotations

import pytest

from clinkai.core.messages import Message, ToolCall
from clinkai.core.state import State
from clinkai.loop.window import choose, measure, size_from

WORDS = "word " * 100
CALLS = (ToolCall("1", "echo", "{}"),)
KINDS = {
    "u": Message("user", WORDS), "a": Message("assistant", WORDS, finish="stop"),
    "c": Message("assistant", WORDS, tool_calls=CALLS, finish="tool_calls"),
    "r": Message("tool", WORDS, call_id="1"), "x": Message("user", WORDS, auto="notice.ask.continue"),
}


def state(letters: str, block: str = "") -> State:
    messages = tuple(KINDS[letter] for letter in letters)
    return State(messages=messages, counted=100 * len(letters), counted_at=len(letters),
                 seqs=tuple(range(len(letters))), block=block)


@pytest.mark.parametrize(("letters", "half", "room", "fewest", "left"), [
    ("uauauau", 500, 0, 0, "ua"),              # whole turns, the oldest
    ("uauauaua", 500, 0, 0, "uaua"),           # no more than it takes
    ("uauauau", 100, 600, 0, "ua"),            # three rounds stay where there is room
    ("uauauau", 100, 110, 0, "uauaua"),        # else none has to, before a new message
    ("ucrcrcrcrcr", 900, 0, 0, "ucr"),         # the message of the turn always stays
    ("ucrcrcrcrcr", 700, 700, 3, "ucrcr"),
    ("ucrcrcrcrcr", 699, 699, 3, None),
    ("ucrcrcrcrcr", 500, 0, 0, "ucrcrcr"),     # two rounds, where three leave too much
    ("ucrcrcrcrcr", 100, 300, 0, "ucrcrcrcr"),  # one
    ("ucrcrcrcrcr", 100, 299, 0, None),        # the newest round alone has no room
    ("ucrcrauaucrcrcr", 800, 0, 0, "ucrcraua"),  # the turns before, no round of this one
    ("ucrcraucrcrcrcrcr", 800, 0, 0, "ucrcraucrcr"),
    ("ucrcrcraxau", 100, 600, 0, "ucrcrcr"),       # an answer that goes on stays with its beginning
    ("u", 0, 0, 0, None), ("ua", 0, 0, 0, None), ("ucr", 0, 200, 0, None), ("", 0, 0, 0, None),
])
def test_what_leaves(letters, half, room, fewest, left):
    at = choose(state(letters), 0, half, room, fewest)
    assert (letters[:at] if at else None) == left


def test_the_size_that_is_left_counts_the_task_and_the_block_once():
    before = state("ucrcr", "old " * 50)
    sizes = measure(before)
    head = size_from(before, sizes, 1, 0)
    assert head == round(500 - sizes.block)
    assert size_from(before, sizes, 3, 70) == round(300 - sizes.block) + 70
    assert size_from(state("uaua"), measure(state("uaua")), 2, 70) == 270

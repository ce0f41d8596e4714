"""The window layer: which of the oldest messages leave when the context has no room.

Pure. Complete turns go first, then the oldest rounds of the turn they leave; a round is a message
of the model with all its results. The prefix and the message of the user that the rest answers
always stay, and the newest rounds, three where they leave room for something new.
Not covered: when it is cut (`context.py`), what stands for what left (`archive.py`).
"""

from __future__ import annotations

import json

from clinkai.core.state import State, task_of
from clinkai.core.text import estimate_tokens
from clinkai.core.value import Value
from clinkai.loop.size import message_tokens

ROUNDS = 3
"""Newest rounds that stay."""

CORRECTIONS = (0.3, 3.0)
"""Between these our estimate is corrected by what the server counted."""


class Measured(Value):
    """Estimated tokens: of system prompt and tools, of each message, of the block before the
    first."""

    prefix: float
    messages: tuple
    block: float


def measure(state: State) -> Measured:
    """What the parts of the next request have: together, for what the server has counted, as many
    as it said."""
    prefix = prefix_tokens(state)
    sizes = [message_tokens(message, state.scale) for message in state.messages]
    ratio = 1.0
    if state.counted:
        least, most = CORRECTIONS
        known = prefix + sum(sizes[:state.counted_at])
        ratio = min(most, max(least, state.counted / known))
        sizes[:state.counted_at] = (size * ratio for size in sizes[:state.counted_at])
    return Measured(prefix * ratio, tuple(sizes), estimate_tokens(state.block) * ratio)


def prefix_tokens(state: State) -> int:
    """The estimated tokens of system prompt and tools."""
    return estimate_tokens(state.system + json.dumps(state.tools, ensure_ascii=False))


def size_from(state: State, sizes: Measured, at: int, block: int) -> int:
    """Tokens of the context where the messages from `at` on stay, behind a block of so many."""
    task = task_of(state.messages, at)
    tokens = sizes.prefix + block + sum(sizes.messages[at:])
    if task < at:
        tokens += sizes.messages[task]
    if task == 0:
        tokens -= sizes.block
    return round(tokens)


def choose(state: State, block: int, half: float, room: float, fewest: int = 0) -> int | None:
    """The first message that stays; None where nothing can leave that helps.

    The least that brings the context to `half` tokens leaves; where nothing does, all but the
    newest rounds, if `room` tokens are enough for that. block: tokens of what will stand for what
    left; fewest: so many rounds stay at the least.
    """
    sizes = measure(state)
    for rounds in range(ROUNDS, fewest - 1, -1):
        options = _options(state.messages, rounds)
        for at in options:
            if size_from(state, sizes, at, block) <= half:
                return at
        deepest = max(options, default=0)
        if deepest and size_from(state, sizes, deepest, block) <= room:
            return deepest
    return None


def _options(messages: tuple, rounds: int) -> list[int]:
    """Where it can be cut so that the newest rounds stay: before turns, oldest first, then before
    rounds of the last of these."""
    last = len(messages) - 1
    if last < 1:
        return []
    answers = [at for at in range(1, last + 1) if _begins_round(messages, at)]
    if rounds:
        newest = answers[-rounds] if len(answers) >= rounds else 0
    else:
        newest = last if _is_task(messages, last) else 0
    turns = [at for at in range(1, newest + 1) if _is_task(messages, at)]
    within = task_of(messages, newest)
    return [*turns, *(at for at in answers if within + 1 < at <= newest)]


def _is_task(messages: tuple, at: int) -> bool:
    return task_of(messages, at) == at


def _begins_round(messages: tuple, at: int) -> bool:
    """True for an answer that does not go on with the one before."""
    return messages[at].role == "assistant" and not messages[at - 1].auto

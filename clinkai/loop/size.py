"""How large the next request is, in tokens: the last real count plus an estimate of what is new.

A pure estimate was 2.7 times too low on real sessions (seed); the server's own count is not.
"""

from __future__ import annotations

import math

from clinkai.core.messages import Message
from clinkai.core.state import Limits, State, added
from clinkai.core.tokens import IMAGE, NEUTRAL, weigh_message


def request_tokens(state: State) -> int:
    """Tokens of the next request; exact for what the server has counted, estimated for the rest."""
    plain, other = added(state)
    scale = state.scale
    images = sum([IMAGE * len(m.images) for m in state.messages[state.counted_at:] if m.images])
    return state.counted + math.ceil(scale[0] * plain + scale[1] * other) + images


def message_tokens(message: Message, scale: tuple = NEUTRAL) -> int:
    """The estimated tokens of one message as sent."""
    plain, other = weigh_message(message)
    return math.ceil(scale[0] * plain + scale[1] * other) + IMAGE * len(message.images)


def budget(limits: Limits) -> int:
    """The most tokens a request may have: CTX_BUDGET, or what the window leaves for it.

    The room kept for the answer is at most half the window: with the default MAX_TOKENS a window
    of 4,096 would have none left for the question.
    """
    if limits.window is None:
        return limits.budget
    reserve = min(limits.max_tokens, limits.window // 2) + max(128, limits.window // 16)
    return min(limits.budget, max(0, limits.window - reserve))

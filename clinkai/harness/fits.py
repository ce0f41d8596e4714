"""Whether a message can be sent at all: found before it is kept, so that it can be shortened.

Not covered: a conversation that fills up (`loop/context.py`).
"""

from __future__ import annotations

from clinkai.ai.provider import Provider
from clinkai.core.cancel import Cancel
from clinkai.core.errors import Cancelled, ContextFull
from clinkai.core.messages import Message
from clinkai.core.state import Limits, State
from clinkai.harness.settings import Settings
from clinkai.loop.context import ASK_WINDOW_FROM
from clinkai.loop.size import budget, message_tokens
from clinkai.loop.window import prefix_tokens


DOUBTFUL = (0.5, 2.0)
"""Shares of the budget between which an estimate may be wrong about what fits: there the server is
asked, where it counts."""


def check(state: State, text: str, settings: Settings, provider: Provider, cancel: Cancel) -> None:
    """Raises ContextFull where `text`, or system prompt and tools of `state`, do not fit alone."""
    prefix = prefix_tokens(state)
    tokens = message_tokens(Message("user", text), state.scale)
    window = provider.known_window
    if window is None and prefix + tokens > ASK_WINDOW_FROM:
        try:
            window = provider.window(cancel)
        except Cancelled:
            return  # the turn that begins now sees it, and says so
    most = budget(Limits(max_tokens=settings.max_tokens, budget=settings.ctx_budget, window=window))
    if DOUBTFUL[0] * most < prefix + tokens < DOUBTFUL[1] * most:
        tokens = _counted(text, provider, cancel) or tokens
    if prefix >= most:
        raise ContextFull("error.context.prefix", tokens=prefix, budget=most)
    if prefix + tokens > most:
        raise ContextFull("error.context.message", tokens=tokens, prefix=prefix, budget=most)


def _counted(text: str, provider: Provider, cancel: Cancel) -> int | None:
    try:
        return provider.extras.count(text, cancel)
    except Cancelled:
        return None

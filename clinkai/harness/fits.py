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
    if prefix >= most:
        raise ContextFull("error.context.prefix", tokens=prefix, budget=most)
    if prefix + tokens > most:
        raise ContextFull("error.context.message", tokens=tokens, prefix=prefix, budget=most)

"""Reading ahead: what the next request begins with is read by the server while a person types.

When a conversation opens, that is the frozen prefix or, of a resumed one, the history; after a
turn only where the template leaves old thinking out, since the server else has it all. A message
that stands for the next one goes with it (some templates refuse none), and one token comes back.
Nothing is sent where the server uses the slot, or does not say so; nothing is recorded, but what
was read stands in the figures of the round that comes next. What the server has read when it is
cancelled it keeps.
Not covered: when (`harness/agent.py`); which servers it pays with (`ai/llamacpp.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from clinkai.ai.provider import PrefillPart, Provider, Reply, Request
from clinkai.core.cancel import Cancel
from clinkai.core.errors import ClinkError
from clinkai.core.messages import Message
from clinkai.core.state import State
from clinkai.core.value import replace

NEXT = Message("user", "?")
"""Stands for what the person is about to send."""

GRACE = 1.0
"""Seconds that a turn waits at most for a cancelled request to let go; it takes milliseconds."""


UNDER_WAY: set[Cancel] = set()
"""Of this process: a turn in one session ends the reading ahead of all others too, which may have
the slot that it needs."""


class Warm:
    """The reading ahead of one session."""

    def __init__(self) -> None:
        self._took = False
        """A request left: what the server has in its cache is not what the session's last answer
        says."""
        self._read = 0
        """Tokens of prompts that the server read, as far as it said."""
        self._cancel = Cancel()
        self._thread: threading.Thread | None = None

    def start(self, provider: Provider, prepare: Callable[[Cancel], Request | None]) -> None:
        """Send, in a thread, what `prepare` returns there, if anything. It may raise members of
        the error tree: nobody waits for this, so nobody is told."""
        self.stop()
        self._cancel = Cancel()
        UNDER_WAY.add(self._cancel)
        self._thread = threading.Thread(target=self._run, args=(provider, prepare, self._cancel),
                                        name="warm", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Cancel what is under way here, at once."""
        thread, self._thread = self._thread, None
        self._cancel.set()
        if thread is not None:
            thread.join(GRACE)

    def told(self, state: State) -> State:
        """`state` with what was done since this was last called, once a turn takes it."""
        took, read, self._took, self._read = self._took, self._read, False, 0
        return replace(state, broke=state.broke or "ahead", ahead=read) if took else state

    def wait(self, seconds: float) -> None:
        """Wait for what is under way, at most so long."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, provider: Provider, prepare: Callable[[Cancel], Request | None],
             cancel: Cancel) -> None:
        try:
            request = prepare(cancel)
            twin = provider.twin()
            if request is None or twin is None:
                return
            cancel.check()
            self._took, before = True, self._read
            for part in twin.stream(request, cancel):
                self._read = max(self._read, before + _fresh(part))
        except ClinkError:
            pass
        finally:
            UNDER_WAY.discard(cancel)


def _fresh(part: object) -> int:
    """Tokens of the prompt that were read until then; 0 where the part says nothing of it."""
    if type(part) is PrefillPart:
        return part.done - part.cached
    if type(part) is Reply and part.count.prompt is not None:
        return part.count.prompt - (part.count.cached or 0)
    return 0


def stop_others() -> None:
    """Cancel what is under way in any session of this process."""
    for cancel in tuple(UNDER_WAY):
        cancel.set()


def worth_it(state: State, opening: bool, thinking: str) -> bool:
    """True where the server would have to read again what is before the next message, or may not
    have read it at all. opening: no turn was run here yet; thinking: what becomes of it
    (`Extras.thinking`)."""
    messages = state.messages
    if messages and messages[-1].role != "assistant":
        return False  # it is closed before it goes on
    if opening:
        return True
    turn = []
    for message in reversed(messages):
        if message.role == "user":
            break
        turn.append(message)
    return thinking == "stripped" and any(message.reasoning for message in turn)


def ahead(state: State) -> Request:
    """The request: what the next one begins with, and one token to answer."""
    limits = state.limits
    return Request(state.model, state.system, state.tools, (*state.messages, NEXT), 1,
                   limits.temperature, sampling=limits.sampling, image=limits.image)

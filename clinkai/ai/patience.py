"""Waiting for a server: until it has loaded its model or is there again, or for a while.

The only loop that waits for one, within a model call (`ai/steady.py`) and before there is a session.
Not covered: what is tried again after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import TYPE_CHECKING

from clinkai.ai.provider import WaitPart
from clinkai.core.errors import ServerLoading
from clinkai.core.value import Value

if TYPE_CHECKING:
    from clinkai.ai.transport import Transport
    from clinkai.core.cancel import Cancel

PATIENCE = 2.0
"""Seconds for the answer to the question how the server is."""


class Times(Value):
    """Seconds. tick: between two WaitParts; back_off: before each retry; again: between two
    requests to a server that says nowhere whether it has loaded; longest: Retry-After that is
    waited for; down: to wait for a server that died; idle: to wait at all for one without a
    `transport`, which would know it."""

    tick: float = 1.0
    back_off: tuple = (1.0, 2.0, 4.0)
    again: float = 2.0
    longest: float = 300.0
    down: float = 600.0
    idle: float = 1800.0


class Patience:
    """The patience with one server. way: to the server, or None where it cannot be asked how it is.

    since: when the wait for it began, or None; over: it has been waited for long enough.
    """

    def __init__(self, way: Transport | None, times: Times = Times()) -> None:
        self._way = way
        self._times = times
        self.since: float | None = None
        self.over = False

    def pause(self, why: str, seconds: float, cancel: Cancel) -> Iterator[WaitPart]:
        """Wait so long, with a part at the beginning and at every tick."""
        start = monotonic()
        while (left := seconds - (monotonic() - start)) > 0:
            yield WaitPart(why, seconds - left, left)
            cancel.wait(min(self._times.tick, left))
            cancel.check()

    def until_up(self, why: str, cancel: Cancel) -> Iterator[WaitPart]:
        """Wait until the server can be asked again, or has been waited for long enough: then it is
        asked for the last time. why: loading or down."""
        idle = self._way.idle_timeout if self._way else self._times.idle
        sent = monotonic()
        if self.since is None:
            self.since = sent
        while True:
            waited = monotonic() - self.since
            yield WaitPart(why, waited)
            left = (idle if why == "loading" else min(idle, self._times.down)) - waited
            if left <= 0:
                self.over = True
                return
            cancel.wait(min(self._times.tick, left))
            cancel.check()
            state = self.health(cancel)
            # A server without such a page is there again, but may be loading still.
            due = why == "down" or monotonic() - sent >= self._times.again
            if state == "ok" or (state == "none" and due):
                return
            why = state if state in ("down", "loading") else why

    def health(self, cancel: Cancel) -> str:
        """How the server is (`ai/servers.health`); none where it cannot be asked."""
        from clinkai.ai.servers import health

        return health(self._way.within(PATIENCE), cancel) if self._way else "none"


def models_when_loaded(transport: Transport, cancel: Cancel,
                       loads: Callable[[], None]) -> tuple[str, ...]:
    """As `servers.list_models`; a server that loads its model is asked again, for IDLE_TIMEOUT at
    most. `loads` is called each time it says so."""
    from clinkai.ai.servers import list_models

    patience = Patience(transport)
    while True:
        try:
            return list_models(transport, cancel)
        except ServerLoading:
            if patience.over:
                raise
            loads()
            for _ in patience.until_up("loading", cancel):
                pass

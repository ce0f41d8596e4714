"""Asking a server for its models before there is a session: with the time on the screen.

A server that loads its model is waited for, and one that is silent is seen to be waited for.
Not covered: the same within a turn (`ai/patience.py`, `loop/pulse.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic

from clinkai.ai.patience import models_when_loaded
from clinkai.ai.servers import list_models
from clinkai.core.cancel import Cancel
from clinkai.core.events import Prefill
from clinkai.harness.providers import transport
from clinkai.harness.settings import Settings
from clinkai.ui.call import Call
from clinkai.ui.waiting import words

EVERY = 1.0
"""Seconds between two looks of the line that shows the time."""


def served(settings: Settings) -> tuple[str, ...]:
    """The models the server lists now. Raises members of the error tree."""
    return list_models(transport(settings), Cancel())


def served_in_time(settings: Settings, loads: Callable[[], None] = lambda: None) -> tuple[str, ...]:
    """The models the server lists once it has loaded, which may take it IDLE_TIMEOUT. `loads` is
    called when it says that it is loading. Raises members of the error tree."""
    return models_when_loaded(transport(settings), Cancel(), loads)


class Clock:
    """A block with the time since it began on the screen, in a line that goes away."""

    def __init__(self, call: Call, every: float = EVERY) -> None:
        self._call = call
        self._every = every
        self._since = monotonic()
        self._phase = "read"
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="clock", daemon=True)

    def __enter__(self) -> Clock:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._call.screen.transient("")

    def loads(self) -> None:
        """The server loads its model: said once, and from now on with the time."""
        if self._phase != "loading":
            self._phase = "loading"
            self._call.screen.line("  " + self._call.say("notice.wait.loading"), "err", "dim")

    def _run(self) -> None:
        while not self._over.wait(self._every):
            if not self._call.plain:
                ms = round((monotonic() - self._since) * 1000)
                event = Prefill(0, 0, 0, ms, phase=self._phase)
                self._call.screen.transient("  " + words(event, self._call.say))

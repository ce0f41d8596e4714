"""What is told while the first token is waited for: how far the prompt is read, or for how long.

What a server or the client reports is told as it comes. Where nothing is reported for a second, a
helper thread tells the elapsed time: one thread a turn, which nobody wakes, so that a round pays
for two uncontended locks and no more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import ceil
from time import monotonic

from clinkai.ai.provider import PrefillPart, WaitPart
from clinkai.core.events import Event, Notice, Prefill
from clinkai.core.value import replace

EVERY = 1.0
"""Seconds between two events of the elapsed time."""

SILENCE = 4
"""So many times EVERY after a client last said that it waits, its request must have left: it says
so every second, and looks after the server for two seconds at most (`ai/steady.py`)."""

LEVELS = {"loading": "info", "rate": "info", "down": "warn", "retry": "warn"}
"""Of the notice that a wait begins, by the reason."""


class Pulse:
    """emit gets Prefill events, in this thread or in the helper's, and a Notice where a wait
    begins. No event comes before `begin`, or after `stop` has returned."""

    def __init__(self, emit: Callable[[Event], None], every: float = EVERY) -> None:
        self._emit = emit
        self._every = every
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._waiting = False
        self._since = self._due = 0.0
        self._told: Prefill | None = None
        """What the server or the client said last, at the time `_since`."""
        self._wait: WaitPart | None = None
        """What the client said last, where it was the last to say something."""

    def begin(self) -> None:
        """A request leaves."""
        with self._lock:
            self._waiting = True
            self._since = monotonic()
            self._due = self._since + self._every
            self._told = self._wait = None
        if self._thread is None:
            self._thread = threading.Thread(target=self._beat, name="pulse", daemon=True)
            self._thread.start()

    def progress(self, part: PrefillPart) -> None:
        """The server reads the prompt."""
        with self._lock:
            if not self._waiting:
                return
            now = monotonic()
            ms = part.ms or round((now - self._since) * 1000)
            fresh = part.done - part.cached
            tps = round(fresh * 1000 / ms, 1) if fresh > 0 and ms > 0 else None
            left = max(0, part.total - part.done)
            left_ms = round(left * 1000 / tps) if tps else None
            self._wait = None
            self._said(Prefill(part.done, part.total, part.cached, ms, tps, left_ms), now, 1)

    def wait(self, part: WaitPart) -> None:
        """The client waits: once a notice, and each time the seconds."""
        with self._lock:
            if not self._waiting:
                return
            known, self._wait = self._wait, part
            left = part.left
            if known is None or known.why != part.why or part.seconds <= known.seconds:
                params = {"seconds": ceil(left or 0)}
                self._emit(Notice(LEVELS.get(part.why, "info"), f"notice.wait.{part.why}", params))
            left_ms = None if left is None else round(left * 1000)
            # A client that waits says so about once a second: nothing is told in between.
            self._said(Prefill(0, 0, 0, round(part.seconds * 1000), None, left_ms, part.why),
                       monotonic(), 2)

    def stop(self) -> None:
        """The first token is there, or the answer is over."""
        with self._lock:
            self._waiting = False

    def close(self) -> None:
        """The turn is over."""
        self.stop()
        self._closed.set()

    def _said(self, event: Prefill, now: float, silent: int) -> None:
        """Tell what the server or the client said; the helper is silent for so long after it."""
        self._told, self._since = event, now
        self._due = now + silent * self._every
        self._emit(event)

    def _beat(self) -> None:
        pause = self._every
        while not self._closed.wait(pause):
            with self._lock:
                now = monotonic()
                if self._waiting and now >= self._due:
                    self._due = now + self._every
                    self._emit(self._elapsed(now))
                pause = min(self._every, self._due - now) if self._waiting else self._every

    def _elapsed(self, now: float) -> Prefill:
        """What is known, grown older."""
        passed, told = now - self._since, self._told
        if self._wait is not None:
            over = SILENCE * self._every if self._wait.left is None else self._wait.left
            if passed >= over:  # the request has left, at that moment at the latest
                self._since, self._told, self._wait = now - (passed - over), None, None
                passed, told = passed - over, None
        ms = round(passed * 1000)
        if told is None:
            return Prefill(0, 0, 0, ms)
        left_ms = None if told.left_ms is None else max(0, told.left_ms - ms)
        if told.phase == "read":  # longer than was expected: how long it will take is not known
            left_ms = left_ms or None
        return replace(told, ms=told.ms + ms, left_ms=left_ms)

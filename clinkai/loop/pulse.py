"""What is told while the first token is waited for: how far the prompt is read, or how long already.

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

EVERY = 1.0
"""Seconds between two events of the elapsed time."""

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
        self._read: Prefill | None = None
        """What the server said last, at the time `_since`."""
        self._wait: WaitPart | None = None

    def begin(self) -> None:
        """A request leaves."""
        with self._lock:
            self._waiting = True
            self._since = monotonic()
            self._due = self._since + self._every
            self._read = self._wait = None
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
            self._read = Prefill(part.done, part.total, part.cached, ms, tps, left_ms)
            self._wait = None
            self._tell(self._read, now, self._every)
            self._since = now

    def wait(self, part: WaitPart) -> None:
        """The client waits: once a notice, and each time the seconds."""
        with self._lock:
            if not self._waiting:
                return
            known, self._wait, self._read = self._wait, part, None
            left = part.left
            if known is None or known.why != part.why or part.seconds <= known.seconds:
                params = {"seconds": ceil(left or 0)}
                self._emit(Notice(LEVELS.get(part.why, "info"), f"notice.wait.{part.why}", params))
            left_ms = None if left is None else round(left * 1000)
            self._since = monotonic()
            # A client that waits tells so itself; when it falls silent, its request has left.
            self._tell(Prefill(0, 0, 0, round(part.seconds * 1000), None, left_ms, part.why),
                       self._since, 2 * self._every)

    def stop(self) -> None:
        """The first token is there, or the answer is over."""
        with self._lock:
            self._waiting = False

    def close(self) -> None:
        """The turn is over."""
        self.stop()
        self._closed.set()

    def _tell(self, event: Prefill, now: float, silent: float) -> None:
        """Tell `event`; the helper says nothing for `silent` seconds."""
        self._due = now + silent
        self._emit(event)

    def _beat(self) -> None:
        pause = self._every
        while not self._closed.wait(pause):
            with self._lock:
                now = monotonic()
                if self._waiting and now >= self._due:
                    self._tell(self._elapsed(now), now, self._every)
                pause = min(self._every, self._due - now) if self._waiting else self._every

    def _elapsed(self, now: float) -> Prefill:
        """What is known, grown older."""
        ms = round((now - self._since) * 1000)
        read = self._read
        if read is None:
            return Prefill(0, 0, 0, ms)
        left_ms = None if read.left_ms is None else max(0, read.left_ms - ms)
        return Prefill(read.done, read.total, read.cached, read.ms + ms, read.tps, left_ms)

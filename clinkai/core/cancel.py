"""Stopping work from another thread: a flag that also runs callbacks at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clinkai.core.errors import INTERRUPTED, Cancelled


class Cancel:
    """Set once by the one who stops; watched by whoever waits for a socket or a child process.
    `code`: the exit code that the stop means."""

    def __init__(self) -> None:
        self.code = INTERRUPTED
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    def set(self, code: int = INTERRUPTED) -> None:
        """Stop: run each watching callback once, in this thread. Calling again does nothing."""
        with self._lock:
            if self._event.is_set():
                return
            self.code = code
            self._event.set()
            waiting, self._callbacks = self._callbacks, []
        for callback in waiting:
            callback()

    def is_set(self) -> bool:
        """True from the moment `set` was called."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait until cancelled, at most `seconds`; True when cancelled."""
        return self._event.wait(seconds)

    def check(self) -> None:
        """Raise Cancelled if cancelled."""
        if self._event.is_set():
            raise Cancelled

    @contextmanager
    def watch(self, callback: Callable[[], None]) -> Iterator[None]:
        """Run `callback` (quick, does not raise) when cancelled within the block, or at once."""
        with self._lock:
            late = self._event.is_set()
            if not late:
                self._callbacks.append(callback)
        if late:
            callback()
        try:
            yield
        finally:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

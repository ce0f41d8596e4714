"""Flushing a file to its disk while the caller goes on."""

from __future__ import annotations

import os
import threading
from time import perf_counter

QUICK = 0.0002
"""Seconds of a flush that is over before a thread would have been woken for it."""


class Flusher:
    """Flushes a file to its disk in a thread of its own, while the caller goes on.

    One thread for all flushes: starting one takes longer than many a flush. None where flushes take
    no time, as in memory.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._wanted = threading.Semaphore(0)
        self._done = threading.Event()
        self._done.set()
        self._fd: int | None = None
        self._error: OSError | None = None
        self._quick = False

    def flush(self, fd: int) -> None:
        """Flush the file `fd` now. Raises OSError."""
        start = perf_counter()
        os.fsync(fd)
        self._quick = perf_counter() - start < QUICK

    def begin(self, fd: int) -> None:
        """Flush the file `fd`, which stays open until `wait` has returned."""
        if self._quick:
            return self._try(fd)
        self._fd = fd
        self._done.clear()
        self._wanted.release()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="flush", daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Return once it is done. Raises OSError where it failed: the system tells that once."""
        self._done.wait()
        error, self._error = self._error, None
        if error:
            raise error

    def close(self) -> None:
        """End the thread."""
        if self._thread is not None:
            self._fd = None
            self._wanted.release()
            self._thread.join()

    def _run(self) -> None:
        while True:
            self._wanted.acquire()
            if self._fd is None:
                return
            self._try(self._fd)
            self._done.set()

    def _try(self, fd: int) -> None:
        try:
            os.fsync(fd)
        except OSError as error:
            self._error = error

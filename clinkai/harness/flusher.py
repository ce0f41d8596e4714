"""Flushing a file to its disk while the caller goes on."""

from __future__ import annotations

import os
import threading


class Flusher:
    """Flushes a file to its disk in a thread of its own, while the caller goes on.

    One thread for all flushes: starting one takes longer than many a flush.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._wanted = threading.Semaphore(0)
        self._done = threading.Event()
        self._done.set()
        self._fd: int | None = None
        self._error: OSError | None = None

    def begin(self, fd: int) -> None:
        """Flush the file `fd`, which stays open until `wait` has returned."""
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
            try:
                os.fsync(self._fd)
            except OSError as error:
                self._error = error
            self._done.set()

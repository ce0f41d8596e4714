"""Ctrl+C and termination as one exception in the main thread, with the exit code they mean."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from clinkai.core.errors import INTERRUPTED, TERMINATED

CODES = {"SIGINT": INTERRUPTED, "SIGTERM": TERMINATED, "SIGHUP": TERMINATED, "SIGBREAK": TERMINATED}
"""SIGHUP (the terminal is gone) is POSIX only, SIGBREAK Windows only."""


class Stopped(BaseException):
    """A signal asked us to stop. No Exception, so that no handler of errors swallows it."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise Stopped for these signals within the block. In another thread it does nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {}
    for name, code in CODES.items():
        number = getattr(signal, name, None)
        # A signal that was ignored for us (nohup, a background job) stays ignored.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, _raiser(code))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _raiser(code: int):
    def stop(number: int, frame: object) -> None:
        raise Stopped(code)

    return stop

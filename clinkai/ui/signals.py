"""Ctrl+C and termination as one exception in the main thread, with the exit code they mean."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from clinkai.core.errors import INTERRUPTED, TERMINATED

CODES = {"SIGINT": INTERRUPTED, "SIGTERM": TERMINATED, "SIGHUP": TERMINATED, "SIGBREAK": TERMINATED}
"""SIGHUP (the terminal is gone) is POSIX only, SIGBREAK Windows only."""


NUDGE_EVERY = 0.05
"""Seconds between two attempts to wake a thread that sleeps over a signal."""


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


@contextmanager
def reachable() -> Iterator[None]:
    """Have a blocking read within the block left when a signal comes.

    A signal that comes just before the read begins to wait is noted by Python but wakes nothing:
    the read would go on until the next key. A thread sees such a note and nudges the main thread
    with a signal that does nothing, until the block is left. POSIX; elsewhere it does nothing.
    """
    main = threading.main_thread()
    if not hasattr(signal, "pthread_kill") or threading.current_thread() is not main:
        yield
        return
    noted, note = os.pipe()
    os.set_blocking(note, False)
    over = threading.Event()

    def nudge() -> None:
        while os.read(noted, 1) and not over.wait(NUDGE_EVERY):
            signal.pthread_kill(main.ident, signal.SIGUSR2)

    before = signal.signal(signal.SIGUSR2, _nothing)
    signal.set_wakeup_fd(note, warn_on_full_buffer=False)
    thread = threading.Thread(target=nudge, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(-1)
        os.close(note)
        thread.join()
        os.close(noted)
        signal.signal(signal.SIGUSR2, before)


def _nothing(number: int, frame: object) -> None:
    """A handler, so that the signal wakes the thread and does no more."""

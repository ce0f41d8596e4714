"""Single keys from a terminal, without Enter and without echo.

Covered: POSIX terminals and the Windows console, undone on every way out.
Not covered: editing a line; Ctrl+C, which stays a signal.
"""

from __future__ import annotations

import os
import time

from clinkai.core.errors import INTERRUPTED
from clinkai.ui.signals import Stopped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def open_keys(stdin: TextIO) -> PosixKeys | WindowsKeys:
    """The keys of this terminal, as a context manager."""
    return WindowsKeys() if os.name == "nt" else PosixKeys(stdin.fileno())


class PosixKeys:
    """read(seconds): the bytes typed, as they come; None after that time, b"" when hung up."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._saved: list = []

    def __enter__(self) -> PosixKeys:
        import termios

        self._saved = termios.tcgetattr(self._fd)
        mode = termios.tcgetattr(self._fd)
        mode[3] &= ~(termios.ICANON | termios.ECHO)
        mode[6][termios.VMIN] = 1
        mode[6][termios.VTIME] = 0
        termios.tcsetattr(self._fd, termios.TCSAFLUSH, mode)
        return self

    def __exit__(self, *error: object) -> None:
        import termios

        termios.tcsetattr(self._fd, termios.TCSAFLUSH, self._saved)

    def read(self, seconds: float) -> bytes | None:
        import select

        ready, _, _ = select.select([self._fd], [], [], seconds)
        if not ready:
            return None
        try:
            return os.read(self._fd, 4096)
        except OSError:
            return b""


class WindowsKeys:
    """The same on a Windows console, which can only be looked at again and again."""

    POLL = 0.02

    def __enter__(self) -> WindowsKeys:
        self._drain()
        return self

    def __exit__(self, *error: object) -> None:
        self._drain()

    def read(self, seconds: float) -> bytes | None:
        import msvcrt

        end = time.monotonic() + seconds
        while not msvcrt.kbhit():
            if time.monotonic() >= end:
                return None
            time.sleep(self.POLL)
        return self._drain()

    def _drain(self) -> bytes:
        import msvcrt

        typed = []
        while msvcrt.kbhit():
            typed.append(msvcrt.getwch())
        if "\x03" in typed:
            raise Stopped(INTERRUPTED)
        return "".join(typed).encode("utf-8", "replace")

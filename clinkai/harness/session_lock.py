"""The advisory lock of a session file: one writer at a time.

The system lets go of it with the process that held it, however that ended: there is no lock of the
dead to be taken over. Where a file system has no locks (some of those on a network), there is none,
and whoever opens the session says so.
"""

from __future__ import annotations

import errno
import os
import time

from clinkai.core.errors import SessionError

TRIES, PAUSE = 5, 0.02
"""Whoever lists sessions holds each lock for a moment, to see whether it is free: that is waited
for. Seconds."""

TAKEN = {errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK}
"""How systems say that somebody else has it; all else means that there are no locks."""

PLACE = 1 << 30
"""The byte that is locked on Windows, where locked bytes cannot be read."""


def lock(fd: int, path: str) -> bool:
    """Take the lock for as long as `fd` is open; False where the file system has none. Raises
    SessionError where another has it and keeps it."""
    for left in range(TRIES, 0, -1):
        try:
            _lock(fd, shared=False)
            return True
        except OSError as error:
            if error.errno not in TAKEN:
                return False
            if left == 1:
                raise SessionError("error.session.locked", path=path) from error
        time.sleep(PAUSE)
    raise AssertionError("unreachable")


def is_taken(fd: int) -> bool:
    """True where somebody writes the session. Close `fd` soon: until then nobody else can."""
    try:
        _lock(fd, shared=True)
    except OSError as error:
        return error.errno in TAKEN
    return False


def _lock(fd: int, *, shared: bool) -> None:
    if os.name == "nt":
        import msvcrt

        os.lseek(fd, PLACE, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)

"""The walls of this process, one for each workspace and kind; they end with the process."""

from __future__ import annotations

import threading

from clinkai.harness.sandbox.wall import Unconfined, Wall

MOST = 4
"""Walls that are kept: each one in use has a process of its own."""

_known: dict[tuple, Wall | str] = {}
_lock = threading.Lock()


def find(root: str, private: tuple[str, ...], writes: bool) -> Wall:
    """The wall of a workspace (real path). private: paths that belong to the program. Raises
    Unconfined."""
    key = (root, private, writes)
    with _lock:
        if not _known:
            import atexit

            atexit.register(close)
        found = _known.pop(key, None)
        if found is None:
            try:
                found = Wall(root, private, writes)
            except Unconfined as error:
                found = error.why
            _make_room()
        _known[key] = found  # the last one used is the last to go
    if isinstance(found, str):
        raise Unconfined(found)
    return found


def _make_room() -> None:
    idle = [key for key, one in _known.items() if isinstance(one, str) or not one.busy]
    for key in idle[:max(0, len(_known) - MOST + 1)]:
        one = _known.pop(key)
        if not isinstance(one, str):
            one.close()


def close() -> None:
    """End all walls with what runs behind them."""
    with _lock:
        walls = [one for one in _known.values() if not isinstance(one, str)]
        _known.clear()
    for one in walls:
        one.close()

"""The walls of this process, one for each workspace and kind; they end with the process."""

from __future__ import annotations

import threading

from clinkai.harness.sandbox.wall import Unconfined, Wall

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
        if key not in _known:
            try:
                _known[key] = Wall(root, private, writes)
            except Unconfined as error:
                _known[key] = error.why
        found = _known[key]
    if isinstance(found, str):
        raise Unconfined(found)
    return found


def close() -> None:
    """End all walls with what runs behind them."""
    with _lock:
        walls = [one for one in _known.values() if not isinstance(one, str)]
        _known.clear()
    for one in walls:
        one.close()

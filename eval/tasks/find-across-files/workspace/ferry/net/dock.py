"""The dock: waits for a ship to arrive."""

import os
import time

NORTH, SOUTH = "north", "south"
DEFAULT_SECONDS = 900


class DockClosed(Exception):
    """The dock takes no ship today."""


def sides():
    """The sides a ship can arrive at."""
    return (NORTH, SOUTH)


def limit():
    """Seconds to wait before giving up."""
    # One knob for all docks: the harbour office wants it so.
    return float(os.environ.get("FERRY_DOCK_TIMEOUT", DEFAULT_SECONDS))


def wait_for_arrival(side, arrived=lambda: True):
    """0 once a ship is there, 1 when the time is up."""
    if side not in sides():
        raise DockClosed(side)
    end = time.monotonic() + limit()
    while time.monotonic() < end:
        if arrived():
            return 0
        time.sleep(1)
    return 1

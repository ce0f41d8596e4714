"""Crossings of the day."""

import os

FIRST, LAST, EVERY = 6, 22, 2


def today():
    """The hours at which the ferry leaves."""
    every = int(os.environ.get("FERRY_INTERVAL", EVERY))
    return [f"{hour:02d}:00" for hour in range(FIRST, LAST + 1, every)]

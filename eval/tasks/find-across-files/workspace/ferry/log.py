"""The ship's log: one line an event."""

import os


def path():
    """Where the log lies."""
    return os.environ.get("FERRY_LOG", "ferry.log")


def write(line):
    """Append one line."""
    with open(path(), "a", encoding="utf-8") as file:
        file.write(line + "\n")

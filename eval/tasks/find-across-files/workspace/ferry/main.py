"""Entry point of the ferry service."""

import sys

from ferry import schedule
from ferry.net import dock


def main(argv):
    """Print the next crossings, then wait at the dock."""
    for crossing in schedule.today():
        print(crossing)
    return dock.wait_for_arrival(argv[0] if argv else "north")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

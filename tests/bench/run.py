"""All figures of the product against a yardstick measured in the same minutes.

    python tests/bench/run.py [startup] [rounds] [memory] [stream] [wire] [confined] [gate] [cache]
        [sessions] [markdown]

Prints a Markdown table for README. Nothing here is asserted by the test suite: a busy machine
makes every figure worse.
"""

from __future__ import annotations

import platform
import sys
import time

import cache
import confined
import gate
import markdown
import memory
import rounds
import sessions
import startup
import stream
import wire

PARTS = {"startup": startup, "rounds": rounds, "memory": memory, "stream": stream,
         "wire": wire, "confined": confined, "gate": gate, "cache": cache,
         "sessions": sessions, "markdown": markdown}


def main(names: list[str]) -> int:
    unknown = set(names) - set(PARTS)
    if unknown:
        sys.stderr.write(f"unknown: {', '.join(sorted(unknown))}; there are: {', '.join(PARTS)}\n")
        return 2
    command = " ".join(["python tests/bench/run.py", *names])
    print(f"{time.strftime('%Y-%m-%d')}, `{command}`, Python {platform.python_version()}, "
          f"{platform.system()} {platform.machine()}; medians.\n")
    print("| measured | ClinkAI | yardstick | ratio | goal | holds |")
    print("|---|---|---|---|---|---|")
    for name in names or PARTS:
        for line in PARTS[name].measure():
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

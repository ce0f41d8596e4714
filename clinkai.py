#!/usr/bin/env python3
"""Start ClinkAI. Old Pythons get a message here, so this file has no syntax they could not read."""

import os
import sys

OLDEST = (3, 11)

if sys.version_info < OLDEST:
    sys.stderr.write(
        "ClinkAI needs Python %d.%d or newer; this is Python %d.%d (%s).\n"
        "Try: python3 clinkai.py, or install a newer Python from https://www.python.org/\n"
        % (OLDEST + tuple(sys.version_info[:2]) + (sys.executable,))
    )
    sys.exit(2)


def load():
    """Return the `main` of the command line."""
    here = os.path.dirname(os.path.realpath(__file__))
    if here not in sys.path:
        # `python -I` and PYTHONSAFEPATH leave it out.
        sys.path.insert(0, here)
    try:
        from clinkai.ui.cli import main
    except (EOFError, TypeError, ValueError) as error:
        from clinkai.core import compiled

        if not compiled.is_damaged(error):
            raise
        compiled.remove()
        from clinkai.ui.cli import main
    return main


if __name__ == "__main__":
    try:
        main = load()
        code = main(sys.argv[1:], stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr)
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)

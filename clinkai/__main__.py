"""`python -m clinkai`: the same as `python clinkai.py`."""

import sys

from clinkai.ui.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr))

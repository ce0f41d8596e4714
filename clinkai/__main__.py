"""`python -m clinkai`: the same as `python clinkai.py`."""

import sys

from clinkai.ui.cli import main

sys.exit(main(sys.argv[1:]))

"""A defect of ours, told in words; the traceback goes into a file for whoever mends it."""

from __future__ import annotations

import os
import traceback

from clinkai.core.catalogue import Strings
from clinkai.core.errors import DEFECT
from clinkai.core.events import RunEnd


def ended(defect: BaseException, home: str, say: Strings) -> RunEnd:
    """The end of a run by `defect`, whose traceback is in `home`, where the disk takes it."""
    trace = "".join(traceback.format_exception(defect))
    path = os.path.join(home, "defect.txt")
    try:
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(trace)
    except OSError:
        path = "-"
    words = say("error.defect", why=f"{type(defect).__name__}: {defect}", path=path)
    return RunEnd("error", words, DEFECT, 0, {})

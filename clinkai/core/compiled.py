"""Compiled files that a full disk cut off.

Python writes them without checking that all of it arrived, and from then on every start fails with
an error of its own. Covered: telling such an error, and removing ours so that they are made anew.
Not covered: those of the standard library.
"""

from __future__ import annotations

import os

from clinkai.core.resources import TOP

READER = "_compile_bytecode"
"""The function of importlib that unpacks a compiled file. Source: CPython's `importlib`."""


def is_damaged(error: BaseException) -> bool:
    """True where `error` was raised while a compiled file was unpacked."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return bool(trace) and trace.tb_frame.f_code.co_name == READER


def remove() -> None:
    """Remove the compiled files of this program; those that cannot be removed are left."""
    from importlib.util import cache_from_source

    for folder, _, names in os.walk(os.path.join(TOP, "clinkai")):
        for name in names:
            if name.endswith(".py"):
                try:
                    os.unlink(cache_from_source(os.path.join(folder, name)))
                except OSError:
                    # Not compiled yet, or of another user.
                    pass

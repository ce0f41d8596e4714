"""What this kernel offers to confine a command.

Covered: asking Linux for the version of its Landlock interface.
Not covered here: confining anything.
"""

from __future__ import annotations

from clinkai.core.value import Value

CREATE_RULESET = 444
"""System call number of landlock_create_ruleset: the same on every architecture whose numbers
were unified (all but alpha); source: linux/include/uapi/asm-generic/unistd.h."""

VERSION_FLAG = 1
"""LANDLOCK_CREATE_RULESET_VERSION: return the version instead of a rule set."""


class Landlock(Value):
    """abi: the version of the interface, 0 where there is none; why: empty, or not_linux,
    missing (the kernel was built without), off (not among the active modules), blocked (the
    call is filtered, as in some containers)."""

    abi: int
    why: str = ""


def landlock() -> Landlock:
    """Ask the running kernel. Never raises."""
    import sys

    if not sys.platform.startswith("linux"):
        return Landlock(0, "not_linux")
    try:
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall.restype = ctypes.c_long
        abi = libc.syscall(ctypes.c_long(CREATE_RULESET), None, ctypes.c_size_t(0),
                           ctypes.c_uint32(VERSION_FLAG))
        return answer(abi, ctypes.get_errno())
    except (ImportError, OSError, AttributeError):
        return Landlock(0, "missing")


def answer(returned: int, errno: int) -> Landlock:
    """What the return value and errno of the call mean."""
    import errno as codes

    if returned > 0:
        return Landlock(returned)
    names = {codes.ENOSYS: "missing", codes.EOPNOTSUPP: "off"}
    return Landlock(0, names.get(errno, "blocked"))

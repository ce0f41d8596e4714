"""Landlock in numbers: which version a kernel has, and what each of our kinds of access is in it.

Numbers and structures: linux/include/uapi/linux/landlock.h; what came with which version: the
kernel's Documentation/userspace-api/landlock.rst. Covered: asking the kernel, values for the calls.
Not covered here: making those calls (`helper`).
"""

from __future__ import annotations

import struct

from clinkai.core.value import Value

CREATE_RULESET = 444
"""System call number of landlock_create_ruleset: the same on every architecture whose numbers
were unified (all but alpha); source: linux/include/uapi/asm-generic/unistd.h."""

VERSION_FLAG = 1
"""LANDLOCK_CREATE_RULESET_VERSION: return the version instead of a rule set."""

LEAST_ABI = 3
"""Before it, files could be cut to nothing (truncate) wherever they are."""

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = (1 << n for n in range(6))
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK = (1 << n for n in range(6, 12))
MAKE_SYM, REFER, TRUNCATE, IOCTL_DEV = (1 << n for n in range(12, 16))
SINCE = ((1, MAKE_SYM), (2, REFER), (3, TRUNCATE), (5, IOCTL_DEV))
"""Version, and the last right of files that it knows."""

BIND_AND_CONNECT = 3
"""TCP, from version 4 on."""

ABSTRACT_SOCKETS_AND_SIGNALS = 3
"""Of processes outside, from version 6 on."""

OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
"""The rights that mean something for what is not a folder; the kernel refuses the others."""

LOOK = READ_FILE | READ_DIR
RUN = LOOK | EXECUTE
WRITE = (RUN | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_FIFO
         | MAKE_SYM | REFER)
"""No devices, and no sockets, which nobody in here could use."""

KINDS = {"look": LOOK, "run": RUN, "write": WRITE, "device": READ_FILE | WRITE_FILE | TRUNCATE}


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


def handled(abi: int) -> int:
    """All rights of files that version `abi` knows: what no rule gives is denied."""
    last = max(right for since, right in SINCE if abi >= since)
    return 2 * last - 1


def attributes(abi: int) -> bytes:
    """struct landlock_ruleset_attr for version `abi`: everything is handled."""
    fields = [handled(abi)]
    if abi >= 4:
        fields.append(BIND_AND_CONNECT)
    if abi >= 6:
        fields.append(ABSTRACT_SOCKETS_AND_SIGNALS)
    return struct.pack(f"={len(fields)}Q", *fields)


def access(kind: str, abi: int) -> tuple[int, int]:
    """The rights that a rule of this kind gives to a folder with all in it, and to a file."""
    rights = KINDS[kind] & handled(abi)
    return rights, rights & OF_FILES

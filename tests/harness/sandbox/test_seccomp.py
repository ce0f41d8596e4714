"""The filter, run by a small interpreter of its instructions."""

from __future__ import annotations

import struct

import pytest

from clinkai.harness.sandbox import seccomp
from clinkai.harness.sandbox.seccomp import ALLOW, ERRNO, KILL, MACHINES

EPERM, ENOSYS = ERRNO | 1, ERRNO | 38
READ = {"x86_64": 0, "aarch64": 63}


def judged(machine: str, number: int, *arguments: int, audit: int | None = None) -> int:
    """What the filter answers to a call."""
    audit = MACHINES[machine].audit if audit is None else audit
    words = [a & 0xFFFFFFFFFFFFFFFF for a in (*arguments, 0, 0, 0, 0, 0, 0)[:6]]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, audit, 0, *words)
    steps, at, held = seccomp.program(machine), 0, 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        match code:
            case seccomp.LOAD:
                held = struct.unpack_from("<I", data, value)[0]
            case seccomp.MASK:
                held &= value
            case seccomp.RETURN:
                return value
            case seccomp.EQUAL:
                at += yes if held == value else no
            case seccomp.AT_LEAST:
                at += yes if held >= value else no
            case seccomp.ANY_BIT:
                at += yes if held & value else no


MACHINE = pytest.mark.parametrize("machine", list(MACHINES))


@MACHINE
def test_what_is_not_named_is_allowed(machine):
    named = set(MACHINES[machine].numbers.values())
    assert {judged(machine, n) for n in range(500) if n not in named} == {ALLOW}


@MACHINE
def test_what_is_named_is_denied(machine):
    found = {
        name: judged(machine, number) for name, number in MACHINES[machine].numbers.items()
        if name not in seccomp.BY_ARGUMENT
    }
    assert found == {name: ENOSYS if name in seccomp.ABSENT else EPERM for name in found}
    assert len(found) > 50


@MACHINE
@pytest.mark.parametrize(("name", "arguments", "answer"), [
    ("clone", (0x1200011,), ALLOW),  # fork
    ("clone", (0x3D0F00,), ALLOW),  # a thread
    ("clone", (0x10000011,), EPERM), ("clone", (0x00020011,), EPERM), ("clone", (0x40000000,), EPERM),
    ("clone", (0x20000000,), EPERM), ("clone", (0x02000000,), EPERM), ("clone", (0x04000000,), EPERM),
    ("clone", (0x08000000,), EPERM),
    ("unshare", (0x400,), ALLOW), ("unshare", (0x10000000,), EPERM), ("unshare", (0x80,), EPERM),
    ("socketpair", (1, 1), ALLOW), ("socketpair", (1, 1 | 0x80000 | 0x800), ALLOW),
    ("socketpair", (1, 5), ALLOW), ("socketpair", (1, 2), EPERM), ("socketpair", (2, 1), EPERM),
    ("socketpair", (30, 1), EPERM), ("socketpair", (1, 3), EPERM),
    ("ioctl", (0, 0x5401), ALLOW), ("ioctl", (0, 0x5412), EPERM), ("ioctl", (0, 0x541C), EPERM),
    ("ioctl", (0, 0x1_0000_5412), EPERM),
    ("prlimit64", (0,), ALLOW), ("prlimit64", (4321,), EPERM),
])
def test_what_is_judged_by_its_arguments(machine, name, arguments, answer):
    assert judged(machine, MACHINES[machine].numbers[name], *arguments) == answer


@pytest.mark.parametrize(("machine", "audit"), [
    ("x86_64", 0x40000003), ("x86_64", 0xC00000B7), ("aarch64", 0x40000028), ("aarch64", 0xC000003E),
])
def test_the_numbers_of_another_architecture_end_the_process(machine, audit):
    assert judged(machine, READ[machine], audit=audit) == KILL


def test_the_x32_interface_ends_the_process():
    assert judged("x86_64", 0x40000000) == judged("x86_64", 0x40000000 + 41) == KILL
    assert judged("aarch64", 0x40000000) == ALLOW  # no such call: the kernel says so


@MACHINE
def test_the_packed_form_is_the_same_program(machine):
    assert tuple(struct.iter_unpack("<HBBI", seccomp.packed(machine))) == seccomp.program(machine)
    assert len(seccomp.program(machine)) < 4096  # BPF_MAXINSNS

"""The filter of system calls, as the program of a seccomp filter (classic BPF): pure data.

What is not named here is allowed. Sockets are denied but for connected pairs; so are new
namespaces, mounts, looking into other processes, keys, kernel modules, clocks and names of the
machine, all of which Landlock knows nothing about and some of which only matter to root. A call by
another architecture's numbers ends the process: the tables would not be those of its numbers.

Sources: linux/include/uapi/linux/{seccomp,audit,filter,sched}.h; numbers from asm/unistd_64.h and
asm-generic/unistd.h.
"""

from __future__ import annotations

import struct

from clinkai.core.value import Value

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
EPERM, ENOSYS = 1, 38

LOAD, EQUAL, AT_LEAST, ANY_BIT, MASK, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
NUMBER, ARCHITECTURE = 0, 4
"""Offsets in struct seccomp_data."""

NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""

NEWTIME = 0x80
"""CLONE_NEWTIME: for unshare only, in clone the bit belongs to a signal."""

X32 = 0x40000000
"""Numbers from here on are of the x32 interface of x86_64."""

UNIX, STREAM, SEQPACKET, KIND_OF_SOCKET = 1, 1, 5, 0xF
"""The pairs that are allowed. A pair of datagram sockets could still send elsewhere."""

TIOCSTI, TIOCLINUX = 0x5412, 0x541C
"""Typing into a terminal in the place of its user."""


class Machine(Value):
    """audit: AUDIT_ARCH_*; numbers: of the system calls of `TABLE` that it has."""

    audit: int
    numbers: dict


TABLE = """
                    x86_64 aarch64
socket              41   198
socketpair          53   199
connect             42   203
bind                49   200
listen              50   201
accept              43   202
accept4             288  242
io_uring_setup      425  425
io_uring_enter      426  426
io_uring_register   427  427
clone               56   220
clone3              435  435
unshare             272  97
setns               308  268
mount               165  40
umount2             166  39
pivot_root          155  41
chroot              161  51
open_tree           428  428
move_mount          429  429
fsopen              430  430
fsconfig            431  431
fsmount             432  432
fspick              433  433
mount_setattr       442  442
open_tree_attr      467  467
swapon              167  224
swapoff             168  225
quotactl            179  60
quotactl_fd         443  443
ptrace              101  117
process_vm_readv    310  270
process_vm_writev   311  271
process_madvise     440  440
kcmp                312  272
pidfd_getfd         438  438
migrate_pages       256  238
move_pages          279  239
bpf                 321  280
perf_event_open     298  241
userfaultfd         323  282
keyctl              250  219
add_key             248  217
request_key         249  218
open_by_handle_at   304  265
fanotify_init       300  262
kexec_load          246  104
kexec_file_load     320  294
create_module       174  -
init_module         175  105
finit_module        313  273
delete_module       176  106
clock_settime       227  112
clock_adjtime       305  266
settimeofday        164  170
adjtimex            159  171
sethostname         170  161
setdomainname       171  162
reboot              169  142
acct                163  89
syslog              103  116
vhangup             153  58
uselib              134  -
iopl                172  -
ioperm              173  -
lookup_dcookie      212  18
nfsservctl          180  42
ioctl               16   29
prlimit64           302  261
"""

ABSENT = frozenset("clone3 io_uring_setup io_uring_enter io_uring_register".split())
"""Answered as by a kernel that has none: a C library then falls back to the older call."""

BY_ARGUMENT = frozenset("clone unshare socketpair ioctl prlimit64".split())


def _machines() -> dict[str, Machine]:
    names, *rows = (line.split() for line in TABLE.strip().splitlines())
    audits = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
    return {
        machine: Machine(audits[machine], {
            row[0]: int(row[i]) for row in rows if row[i] != "-"
        })
        for i, machine in enumerate(names, 1)
    }


MACHINES = _machines()


def program(machine: str) -> tuple[tuple[int, int, int, int], ...]:
    """The filter for `machine` (as platform.machine() says): instructions (code, jump if true,
    jump if false, value). Raises KeyError for a machine without a table."""
    of = MACHINES[machine]
    steps = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, of.audit), (RETURN, 0, 0, KILL),
             (LOAD, 0, 0, NUMBER)]
    if machine == "x86_64":
        steps += [(AT_LEAST, 0, 1, X32), (RETURN, 0, 0, KILL)]
    for name, number in of.numbers.items():
        if name not in BY_ARGUMENT:
            error = ENOSYS if name in ABSENT else EPERM
            steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | error)]
    for name, check in _checks().items():
        steps += [(EQUAL, 0, len(check), of.numbers[name]), *check]
    return (*steps, (RETURN, 0, 0, ALLOW))


def packed(machine: str) -> bytes:
    """The same as an array of struct sock_filter. Raises KeyError."""
    return b"".join(struct.pack("=HBBI", *step) for step in program(machine))


def _checks() -> dict[str, tuple]:
    """For each call that is judged by its arguments, the instructions that decide."""
    allow, deny = (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, ERRNO | EPERM)
    return {
        "clone": (_argument(0), (ANY_BIT, 0, 1, NAMESPACES), deny, allow),
        "unshare": (_argument(0), (ANY_BIT, 0, 1, NAMESPACES | NEWTIME), deny, allow),
        "socketpair": (
            _argument(0), (EQUAL, 0, 4, UNIX),
            _argument(1), (MASK, 0, 0, KIND_OF_SOCKET),
            (EQUAL, 2, 0, STREAM), (EQUAL, 1, 0, SEQPACKET), deny, allow,
        ),
        "ioctl": (_argument(1), (EQUAL, 1, 0, TIOCSTI), (EQUAL, 0, 1, TIOCLINUX), deny, allow),
        "prlimit64": (_argument(0), (EQUAL, 1, 0, 0), deny, allow),  # of itself only
    }


def _argument(n: int) -> tuple[int, int, int, int]:
    """Load the lower half of an argument (both machines are little-endian); the kernel itself
    looks at no more of those that are judged here."""
    return (LOAD, 0, 0, 16 + 8 * n)

"""Runs behind the wall: tries what is named in the table and tells how each attempt ended.

Its argument is a JSON object of places; its output {name: "done" or the name of the error}.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import platform
import signal
import socket
import subprocess
import sys

PLACES = json.loads(sys.argv[1])
SECRET, OUTSIDE, HOME = PLACES["secret"], PLACES["outside"], PLACES["home"]
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
X86 = platform.machine() == "x86_64"
SOCKET, MOUNT, PTRACE, CLONE = (41, 165, 101, 56) if X86 else (198, 40, 117, 220)


def call(number: int, *arguments: object) -> None:
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    if LIBC.syscall(number, *words) < 0:
        raise OSError(ctypes.get_errno(), "")


def either(x86: int, other: int, *arguments: object):
    """A call by its numbers on the two machines."""
    return lambda: call(x86 if X86 else other, *arguments)


def write(path: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write("changed")


def read(path: str) -> None:
    with open(path, "rb") as file:
        file.read(8)


def through_a_link(path: str, then) -> None:
    os.symlink(path, "way")
    try:
        then("way")
    finally:
        os.unlink("way")


def by_grandchildren() -> None:
    inner = f"import sys; open({OUTSIDE!r}, 'w')"
    outer = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {inner!r}]))"
    if subprocess.call([sys.executable, "-c", outer], stderr=subprocess.DEVNULL):
        raise OSError(errno.EACCES, "")


def ended_by(number: int, action) -> None:
    """The action in a child, which that signal ends."""
    pid = os.fork()
    if pid == 0:
        action()
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == -number:
        raise OSError(errno.EPERM, "")


def no_rights() -> None:
    """In a child: no program can give it any."""
    text = subprocess.check_output(["cat", "/proc/self/status"], text=True)
    lines = dict(line.split(":\t", 1) for line in text.splitlines())
    rights = [lines[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")]
    if lines["NoNewPrivs"] == "1" and lines["Seccomp"] == "2" and not any(int(r, 16) for r in rights):
        raise OSError(errno.EPERM, "")


def by_program(path: str) -> None:
    """Run what was written there; the program is as confined as we are."""
    if subprocess.call([path], stderr=subprocess.DEVNULL):
        raise OSError(errno.EACCES, "")


def written_here() -> None:
    with open("made", "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\nexec 3>> {OUTSIDE}\n")
    os.chmod("made", 0o700)
    by_program("./made")


def in_memory() -> None:
    fd = os.memfd_create("made", 0)
    os.write(fd, f"#!/bin/sh\nexec 3>> {OUTSIDE}\n".encode())
    os.set_inheritable(fd, True)
    if subprocess.call([f"/proc/self/fd/{fd}"], pass_fds=(fd,), stderr=subprocess.DEVNULL):
        raise OSError(errno.EACCES, "")


def by_setuid() -> None:
    """The program belongs to somebody else and runs as that one elsewhere."""
    program = PLACES["setuid"]
    found = subprocess.check_output([program, "-u"], text=True).strip() if program else ""
    if found in ("", str(os.getuid())):
        raise OSError(errno.EPERM, "")


def old_numbers() -> None:
    """int 0x80: a call (getpid) by the numbers of 32 bits."""
    if not X86:
        raise OSError(errno.EPERM, "")
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def from_below(path: str) -> None:
    """By a descriptor of the root, which may be had though nothing may be done with it."""
    top = os.open("/", os.O_PATH)
    os.close(os.open(path.lstrip("/"), os.O_RDONLY, dir_fd=top))


def own_terminal() -> None:
    os.close(os.open("/dev/ptmx", os.O_RDWR))


def typed(request: int) -> None:
    import fcntl

    fcntl.ioctl(0, request, b"x")


def up(path: str) -> str:
    return "/proc/self/cwd/" + os.path.relpath(path)


TABLE = {
    "write outside": lambda: write(OUTSIDE),
    "write outside through a link": lambda: through_a_link(OUTSIDE, write),
    "write outside by grandchildren": by_grandchildren,
    "create in the home folder": lambda: write(HOME + "/new"),
    "make a folder outside": lambda: os.mkdir(HOME + "/folder"),
    "cut a file outside": lambda: os.truncate(OUTSIDE, 0),
    "delete outside": lambda: os.unlink(OUTSIDE),
    "move from outside": lambda: os.rename(OUTSIDE, "moved"),
    "move to the outside": lambda: os.rename("own.txt", HOME + "/moved"),
    "a hard link to the outside": lambda: os.link(OUTSIDE, "linked"),
    "a hard link in the outside": lambda: os.link("own.txt", HOME + "/linked"),
    "a link in the outside": lambda: os.symlink("own.txt", HOME + "/pointing"),
    "a device in the workspace": lambda: os.mknod("device", 0o20666, os.makedev(1, 3)),
    "write in /proc": lambda: write("/proc/self/oom_score_adj"),
    "read a secret": lambda: read(SECRET),
    "list a folder of secrets": lambda: os.listdir(os.path.dirname(SECRET)),
    "read a secret through a link": lambda: through_a_link(SECRET, read),
    "read a secret by /proc/self/root": lambda: read("/proc/self/root" + SECRET),
    "read a secret by /proc/self/cwd": lambda: read(up(SECRET)),
    "list the home folder": lambda: os.listdir(HOME),
    "TCP": lambda: socket.create_connection(("127.0.0.1", PLACES["tcp"]), 2),
    "UDP": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(
        b"x", ("127.0.0.1", PLACES["udp"])),
    "a socket with a path": lambda: socket.socket(socket.AF_UNIX).connect(PLACES["unix"]),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "a pair of datagram sockets": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
    "a socket that listens": lambda: socket.socketpair()[0].listen(),
    "io_uring_setup": either(425, 425, 4, bytes(120)),
    "io_uring_enter": either(426, 426, -1, 1, 0, 0, 0, 0),
    "clone3": either(435, 435, bytes(88), 88),
    "unshare user": either(272, 97, 0x10000000),
    "unshare mounts": either(272, 97, 0x20000),
    "clone into a user namespace": either(56, 220, 0x10000011, 0, 0, 0, 0),
    "setns": either(308, 268, 0, 0),
    "mount": lambda: call(MOUNT, b"none", b"/tmp", b"tmpfs", 0, None),
    "umount": either(166, 39, b"/proc", 2),
    "pivot_root": either(155, 41, b".", b"."),
    "chroot": either(161, 51, b"."),
    "open_tree": either(428, 428, -100, b".", 1),
    "fsopen": either(430, 430, b"tmpfs", 0),
    "mount_setattr": either(442, 442, -100, b"/", 0, bytes(32), 32),
    "ptrace": lambda: call(PTRACE, 16, PLACES["victim"], 0, 0),
    "process_vm_readv": either(310, 270, PLACES["victim"], None, 0, None, 0, 0),
    "pidfd_getfd": lambda: call(438, os.pidfd_open(PLACES["victim"]), 0, 0),
    "memory of another": lambda: read(f"/proc/{PLACES['victim']}/mem"),
    "environment of another": lambda: read(f"/proc/{PLACES['victim']}/environ"),
    "memory of the helper": lambda: read(f"/proc/{os.getppid()}/mem"),
    "environment of the helper": lambda: read(f"/proc/{os.getppid()}/environ"),
    "descriptors of the helper": lambda: os.open(f"/proc/{os.getppid()}/fd/3", os.O_RDWR),
    "limits of the helper": either(302, 261, os.getppid(), 7, bytes(16), None),
    "end another": lambda: os.kill(PLACES["victim"], signal.SIGKILL),
    "open_by_handle_at": either(304, 265, -100, bytes(8), 0),
    "bpf": either(321, 280, 0, bytes(72), 72),
    "add_key": either(248, 217, b"user", b"x", b"x", 1, -2),
    "keyctl": either(250, 219, 0, -3, 0),
    "perf_event_open": either(298, 241, bytes(112), 0, -1, -1, 0),
    "userfaultfd": either(323, 282, 1),
    "kexec_load": either(246, 104, 0, 0, None, 0),
    "init_module": either(175, 105, b"", 0, b""),
    "clock_settime": either(227, 112, 0, bytes(16)),
    "settimeofday": either(164, 170, bytes(16), None),
    "sethostname": either(170, 161, b"x", 1),
    "fanotify_init": either(300, 262, 0, 0),
    "x32": lambda: ended_by(signal.SIGSYS, lambda: LIBC.syscall(ctypes.c_long(0x40000000 + 39))),
    "rights by a program": no_rights,
    "int 0x80": lambda: ended_by(signal.SIGSYS, old_numbers),
    "a setuid program": by_setuid,
    "a program written here": written_here,
    "a program in memory": in_memory,
    "read a secret from below the root": lambda: from_below(SECRET),
    "read what belongs to the program": lambda: read(PLACES["private"]),
    "write what belongs to the program": lambda: write(PLACES["private"]),
    "append outside": lambda: os.close(os.open(OUTSIDE, os.O_WRONLY | os.O_APPEND)),
    "change places with the outside": either(316, 276, -100, OUTSIDE.encode(), -100, b"own.txt", 2),
    "a socket in the workspace": lambda: os.mknod("s2", 0o140600),
    "a block device": lambda: os.mknod("block", 0o60600, os.makedev(7, 0)),
    "UDP that listens": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(("", 0)),
    "TCP over 6": lambda: socket.socket(socket.AF_INET6),
    "an abstract socket": lambda: socket.socket(socket.AF_UNIX).connect("\0" + PLACES["abstract"]),
    "datagrams to a path": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
    "vsock": lambda: socket.socket(40, socket.SOCK_STREAM),
    "raw packets": lambda: socket.socket(17, socket.SOCK_RAW),
    "the kernel's ciphers": lambda: socket.socket(38, socket.SOCK_SEQPACKET),
    "io_uring_register": either(427, 427, -1, 0, None, 0),
    **{f"unshare {flag:#x}": either(272, 97, flag) for flag in
       (0x20000000, 0x40000000, 0x04000000, 0x08000000, 0x02000000, 0x80)},
    **{f"clone {flag:#x}": either(56, 220, flag | 17, 0, 0, 0, 0) for flag in
       (0x20000, 0x20000000, 0x40000000, 0x04000000, 0x08000000, 0x02000000)},
    "move_mount": either(429, 429, -100, b".", -100, b".", 0),
    "fsconfig": either(431, 431, -1, 0, None, None, 0),
    "fspick": either(433, 433, -100, b".", 0),
    "open_tree_attr": either(467, 467, -100, b".", 0, None, 0),
    "trace another": lambda: call(PTRACE, 0x4206, PLACES["victim"], 0, 0),
    "process_vm_writev": either(311, 271, PLACES["victim"], None, 0, None, 0, 0),
    "kcmp": either(312, 272, os.getpid(), PLACES["victim"], 0, 0, 0),
    "process_madvise": either(440, 440, -1, None, 0, 0, 0),
    "move_pages": either(279, 239, PLACES["victim"], 0, None, None, None, 0),
    "the root of another": lambda: os.listdir(f"/proc/{PLACES['victim']}/root"),
    "the folder of another": lambda: os.listdir(f"/proc/{PLACES['victim']}/cwd"),
    "a secret by the root of the helper": lambda: read(f"/proc/{os.getppid()}/root{SECRET}"),
    "the map of another": lambda: read(f"/proc/{PLACES['victim']}/maps"),
    "the environment of the first": lambda: read("/proc/1/environ"),
    "ask after another by signal": lambda: os.kill(PLACES["victim"], 0),
    "ask after a group by signal": lambda: os.killpg(os.getpgid(PLACES["victim"]), 0),
    "a signal by descriptor": lambda: signal.pidfd_send_signal(os.pidfd_open(PLACES["victim"]), 0),
    "a signal with a value": either(129, 138, PLACES["victim"], 0, bytes(128)),
    "clock_adjtime": either(305, 266, 0, bytes(208)),
    "adjtimex": either(159, 171, bytes(208)),
    "setdomainname": either(171, 162, b"x", 1),
    "the log of the kernel": either(103, 116, 3, bytes(8), 8),
    "request_key": either(249, 218, b"user", b"x", None, 0),
    "acct": either(163, 89, None),
    "swapon": either(167, 224, b"own.txt", 0),
    "quotactl": either(179, 60, 0x80000700, None, 0, None),
    "finit_module": either(313, 273, 0, b"", 0),
    "delete_module": either(176, 106, b"none", 0),
    "a terminal of its own": own_terminal,
    "typing into a terminal": lambda: typed(0x5412),
    "typing into a console": lambda: typed(0x541C),
}


def outcome(attempt) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
    return "done"


if __name__ == "__main__":
    print(json.dumps({name: outcome(attempt) for name, attempt in TABLE.items()}))

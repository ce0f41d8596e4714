"""Runs behind the wall: tries what is named in the table and tells how each attempt ended.

Its argument is a JSON object of places; its output {name: "done" or the name of the error}.
"""

from __future__ import annotations

import ctypes
import errno
import json
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
}


def outcome(attempt) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
    return "done"


if __name__ == "__main__":
    print(json.dumps({name: outcome(attempt) for name, attempt in TABLE.items()}))

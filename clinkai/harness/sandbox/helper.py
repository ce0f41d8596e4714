"""The process that starts confined commands: it confines itself first, then starts what it is told.

Started as `python -c TEXT-OF-THIS-FILE FD`, so it imports nothing of ours; it has one thread. The
first frame over the socket FD says how to confine: the process makes its namespaces and mounts,
gives up its capabilities, takes on Landlock and the filter of system calls. What it starts from
then on is born with all of that; no Python runs between its fork and the program. When the socket
closes, everything it started is ended.

A frame: four bytes of length (big-endian), then JSON. The first one, an answer follows:
{"attributes": hex, "rules": [[path, rights, rights of a file]], "filter": hex, "mounts": None or
{"writable", "own", "pinned", "frozen"}}: all else gets read-only, `own` are empty folders in memory
that nobody else sees, `pinned` cannot be moved, `frozen` not be written. Later ones:
- {"path", "argv", "env", "cwd"}, with four descriptors: standard input, output, error, and where to
  answer
- {"sweep": 0} with one descriptor: end what earlier commands left behind, where none runs now

Answers are pairs of int32: (READY, 0); (STARTED, pid) and later (ENDED, exit code, or minus the
signal); (SWEPT, 0); or (FAILED + step, errno), a step being a place in STEPS.

Not covered: a command may end this process, which is of its own kind. The next one gets another, but
what the first left behind in sessions of its own is not found then; it stays confined.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import select
import signal
import socket
import struct
import sys

READY, STARTED, ENDED, SWEPT, FAILED = 1, 2, 3, 4, 10
STEPS = ("namespace", "capabilities", "landlock", "seccomp", "program", "helper")
ANSWER = struct.Struct("=ii")
LENGTH = struct.Struct("!I")

MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 0x1000, 0x4000, 0x40000
NEWNS, NEWIPC, NEWUSER = 0x00020000, 0x08000000, 0x10000000
MOUNT_SETATTR, HERE, RECURSIVE, READ_ONLY = 442, -100, 0x8000, 1
CREATE_RULESET, ADD_RULE, RESTRICT_SELF, PATH_BENEATH = 444, 445, 446, 1
SET_DUMPABLE, SET_SECCOMP, DROP_BOUND, SUBREAPER, NO_NEW_PRIVS, AMBIENT = 4, 22, 24, 36, 38, 47
FILTER, CLEAR_ALL, CAPABILITY_VERSION = 2, 4, 0x20080522

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long


class Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


def checked(result: int) -> int:
    """Raise OSError for what a C function returned when it failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def call(*arguments: object) -> int:
    """A system call; numbers get as wide as the machine's words."""
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return checked(LIBC.syscall(*words))


def prctl(*arguments: int) -> int:
    """prctl with all five arguments, some of which must be 0."""
    words = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:5]]
    return checked(LIBC.prctl(*words))


class Helper:
    """link: the socket to the program that wants commands run."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.poll = select.poll()
        self.poll.register(link, select.POLLIN)
        self.running: dict[int, tuple[int, int]] = {}

    def serve(self) -> None:
        """Until the other side is gone."""
        frame, _ = self.take()
        if not frame or not self.confine(frame):
            return
        while True:
            for fd, _ in self.poll.poll():
                if fd != self.link.fileno():
                    self.bury(fd)
                    continue
                frame, fds = self.take()
                if not frame:
                    return sweep()
                self.obey(frame, fds)

    def take(self) -> tuple[dict, list[int]]:
        """One frame and what came with it; an empty one at the end."""
        head, fds, _, _ = socket.recv_fds(self.link, LENGTH.size, 4)
        for fd in fds:
            os.set_inheritable(fd, False)
        if head:
            head += self.receive(LENGTH.size - len(head))
        text = self.receive(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""
        return (json.loads(text) if text else {}), fds

    def receive(self, count: int) -> bytes:
        """Exactly that many bytes, or none at the end."""
        found = bytearray()
        while len(found) < count:
            piece = self.link.recv(count - len(found))
            if not piece:
                return b""
            found += piece
        return bytes(found)

    def confine(self, frame: dict) -> bool:
        """Apply everything; False where a step failed, which is told."""
        at = 0
        try:
            for at, step in enumerate((
                lambda: isolate(frame["mounts"]), give_up_rights,
                lambda: call(RESTRICT_SELF, ruleset(frame), 0),
                lambda: restrict_calls(bytes.fromhex(frame["filter"])),
            )):
                step()
        except OSError as error:
            answer(self.link.fileno(), FAILED + at, error.errno or errno.EIO)
            return False
        answer(self.link.fileno(), READY, 0)
        return True

    def obey(self, frame: dict, fds: list[int]) -> None:
        reply = fds.pop()
        if "sweep" in frame:
            if not self.running:
                sweep()
            answer(reply, SWEPT, 0)
            os.close(reply)
            return
        try:
            pid = start(frame, fds)
        except OSError as error:
            answer(reply, FAILED + STEPS.index("program"), error.errno or errno.EIO)
            os.close(reply)
            return
        finally:
            for fd in fds:
                os.close(fd)
        watched = os.pidfd_open(pid)
        self.running[watched] = (pid, reply)
        self.poll.register(watched, select.POLLIN)
        answer(reply, STARTED, pid)

    def bury(self, watched: int) -> None:
        pid, reply = self.running.pop(watched)
        self.poll.unregister(watched)
        os.close(watched)
        _, status = os.waitpid(pid, 0)
        answer(reply, ENDED, os.waitstatus_to_exitcode(status))
        os.close(reply)


def start(frame: dict, fds: list[int]) -> int:
    """Start a program in a session of its own; its process id. Raises OSError."""
    os.chdir(frame["cwd"])
    places = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(fds)]
    return os.posix_spawn(
        frame["path"], frame["argv"], frame["env"], file_actions=places, setsid=True,
        setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),  # ignored by Python, not by commands
    )


def isolate(mounts: dict | None) -> None:
    """A mount namespace in which little can be written."""
    if mounts is None:
        return
    separate()
    for path in mounts["writable"]:
        bind(path)
    set_attributes("/", READ_ONLY, 0, RECURSIVE)
    for path in mounts["writable"]:
        try:
            set_attributes(path, 0, READ_ONLY, RECURSIVE)
        except OSError:  # something mounted below may be read-only for good
            set_attributes(path, 0, READ_ONLY, 0)
    for path in mounts["own"]:
        mount("none", path, MS_NOSUID | MS_NODEV, b"tmpfs")
    for path in mounts["pinned"]:
        bind(path)
    for path in mounts["frozen"]:
        bind(path)
        set_attributes(path, READ_ONLY, 0, RECURSIVE)


def separate() -> None:
    """Namespaces of our own, for mounts and what processes share, by way of one for users where we
    are not root."""
    uid, gid = os.getuid(), os.getgid()
    if uid == 0:
        checked(LIBC.unshare(NEWNS | NEWIPC))
    else:
        checked(LIBC.unshare(NEWNS | NEWIPC | NEWUSER))
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"),
                           ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    mount(None, "/", MS_REC | MS_PRIVATE)


def bind(path: str) -> None:
    """Mount it on itself: it cannot be moved then, and can have attributes of its own."""
    mount(path, path, MS_BIND | MS_REC)


def mount(source: str | None, target: str, flags: int, kind: bytes | None = None) -> None:
    named = None if source is None else os.fsencode(source)
    checked(LIBC.mount(named, os.fsencode(target), kind, ctypes.c_ulong(flags), None))


def set_attributes(path: str, added: int, taken: int, flags: int) -> None:
    wanted = struct.pack("=QQQQ", added, taken, 0, 0)
    call(MOUNT_SETATTR, HERE, os.fsencode(path), flags, wanted, len(wanted))


def give_up_rights() -> None:
    """No capabilities, now or by any program that is started."""
    prctl(NO_NEW_PRIVS, 1)
    for number in range(64):
        try:
            prctl(DROP_BOUND, number)
        except OSError:
            break  # past the last one, or none to begin with
    prctl(AMBIENT, CLEAR_ALL)
    header = struct.pack("=Ii", CAPABILITY_VERSION, 0)
    checked(LIBC.capset(header, bytes(24)))
    prctl(SET_DUMPABLE, 0)  # commands get to see nothing of this process


def restrict_calls(steps: bytes) -> None:
    """Take on the filter of system calls."""
    wanted = Program(len(steps) // 8, steps)
    checked(LIBC.prctl(SET_SECCOMP, ctypes.c_ulong(FILTER), ctypes.byref(wanted)))


def ruleset(frame: dict) -> int:
    """A Landlock rule set, as a descriptor. A path that is not there gets no rule."""
    attributes = bytes.fromhex(frame["attributes"])
    found = call(CREATE_RULESET, attributes, len(attributes), 0)
    for path, rights, of_a_file in frame["rules"]:
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        folder = os.fstat(fd).st_mode & 0o170000 == 0o040000
        rule = struct.pack("=Qi", rights if folder else of_a_file, fd)
        call(ADD_RULE, found, PATH_BENEATH, rule, 0)
        os.close(fd)
    return found


def answer(fd: int, kind: int, value: int) -> None:
    """Tell the other side; where it is gone, that shows soon enough."""
    try:
        os.write(fd, ANSWER.pack(kind, value))
    except OSError:
        pass


def sweep() -> None:
    """End all that was started and all that it left behind, which comes here to be buried."""
    try:
        while True:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                end_children()
                os.waitpid(-1, 0)
    except ChildProcessError:
        pass  # there are none


def end_children() -> None:
    """Whoever's parent this is. Not by the list in /proc/self/task, which not every kernel has."""
    own = os.getpid()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = file.read().rpartition(b")")[2].split()[1]
            if int(parent) == own:
                os.kill(int(name), signal.SIGKILL)
        except OSError:
            continue  # gone in this moment


def main(fd: int) -> None:
    """Serve until the socket ends."""
    os.set_inheritable(fd, False)
    prctl(SUBREAPER, 1)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    Helper(socket.socket(fileno=fd)).serve()


if __name__ == "__main__":
    main(int(sys.argv[1]))

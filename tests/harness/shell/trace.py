"""What command lines really do, as the kernel sees it: `strace` around the driver.

Calls that could harm the machine are traced and refused (`HARMFUL`), so that a mistake of the gate
is found and has no effect. Not covered: what a program does through memory it shares with another.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from clinkai.core.value import Value
from tests.harness.shell.driver import MARK
from tests.source import TOP

HARMFUL = (
    "clock_settime", "settimeofday", "adjtimex", "clock_adjtime", "mount", "umount2", "pivot_root",
    "chroot", "reboot", "sethostname", "setdomainname", "swapon", "swapoff", "init_module",
    "finit_module", "delete_module", "kexec_load", "bpf", "keyctl", "add_key", "ptrace", "setns",
    "unshare", "io_uring_setup", "acct", "quotactl", "process_vm_writev", "open_by_handle_at",
)
WRITING = (
    "creat", "unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir",
    "link", "linkat", "symlink", "symlinkat", "mknod", "mknodat", "chmod", "fchmod", "fchmodat",
    "chown", "fchown", "lchown", "fchownat", "truncate", "ftruncate", "fallocate", "utime", "utimes",
    "utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr",
    "fremovexattr", "bind", "listen",
)
LOOKED_AT = ("open", "openat", "openat2", "execve", "execveat", "connect", "sendto", "sendmsg", "sendmmsg")

CALL = re.compile(r"(\d+) +(\w+)\((.*)")
RESUMED = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>(.*)")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
OPENED = re.compile(r"= \d+<(.*)>$")
WRITES = re.compile(r"\bO_(WRONLY|RDWR|CREAT|TRUNC|TMPFILE|APPEND)\b")
ADDRESS = re.compile(r"sa_family=(?!AF_NETLINK|AF_INET6?, sin6?_port=htons\(0\))")
"""An address of somebody. Netlink is the kernel; port 0 is one that nobody has."""

NAME_SERVICE = re.compile(r'sun_path="(/var)?/run/(nscd/socket|systemd/userdb/[\w.]*)"')
"""Where the C library asks for the names of users."""

HELPERS = {"egrep": ("grep",), "fgrep": ("grep",), "npm": ("node",), "git": ("../lib/git-core/git",)}
"""What a program is made of: scripts that start others, and git that starts itself."""


class Call(Value):
    """One system call of a command. text: as strace shows it, without the process."""

    name: str
    text: str

    @property
    def path(self) -> str:
        """The first string among the arguments."""
        found = STRING.search(self.text)
        return found.group(1) if found else ""


def run(top: Path, job: dict, env: dict) -> tuple[list, dict[tuple[str, int], list[Call]]]:
    """Results of the driver, and what was called by others than itself: by (judge or run, line)."""
    names = [f"?{name}" for name in (*HARMFUL, *WRITING, *LOOKED_AT)]
    log = top / "scratch" / "trace"
    tracer = ("strace", "-f", "-qq", "-y", "-s", "4096", "-e", "signal=none", "--seccomp-bpf",
              "-e", "trace=" + ",".join(names),
              "-e", "inject=" + ",".join(f"?{name}" for name in HARMFUL) + ":error=EPERM",
              "-o", str(log))
    results = drive(top, job, env, tracer)
    return results, read(log.read_text(encoding="utf-8", errors="surrogateescape").splitlines())


def drive(top: Path, job: dict, env: dict, tracer: tuple = ()) -> list:
    """Results of the driver, which runs with `env` and, where there is one, under a tracer. top has a
    folder `scratch` for it."""
    ask, answer = top / "scratch" / "job.json", top / "scratch" / "result.json"
    ask.write_text(json.dumps(job), encoding="utf-8")
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); import runpy; " \
           "runpy.run_module('tests.harness.shell.driver', run_name='__main__', alter_sys=True)"
    done = subprocess.run(
        (*tracer, sys.executable, "-I", "-c", code, str(TOP), str(ask), str(answer)),
        cwd=top, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-4000:]
    return json.loads(answer.read_text(encoding="utf-8"))


def read(lines: list[str]) -> dict[tuple[str, int], list[Call]]:
    """The calls of a trace, by where they belong; the driver is the first process of it."""
    found: dict[tuple[str, int], list[Call]] = {}
    place = ("start", 0)
    driver = ""
    for pid, call in _whole(lines):
        driver = driver or pid
        if pid == driver:
            if MARK in call.text:
                what, _, number = call.path.removeprefix(MARK).rpartition("-")
                place = (what, int(number))
        else:
            found.setdefault(place, []).append(call)
    return found


def _whole(lines: list[str]) -> Iterator[tuple[str, Call]]:
    """(process, call), calls that were interrupted put together."""
    begun: dict[tuple[str, str], str] = {}
    for line in lines:
        if match := RESUMED.match(line):
            pid, name, rest = match.groups()
            yield pid, Call(name, begun.pop((pid, name), "") + rest)
        elif match := CALL.match(line):
            pid, name, rest = match.groups()
            if rest.endswith("<unfinished ...>"):
                begun[pid, name] = rest.removesuffix("<unfinished ...>")
            else:
                yield pid, Call(name, rest)
    for (pid, name), text in begun.items():
        yield pid, Call(name, text)


def fault(call: Call, programs: set[str], closed: tuple[str, ...]) -> str:
    """What is wrong with a call, or an empty string. programs: real paths that may be started;
    closed: real paths, with all below them, that nothing may open."""
    if call.name in ("open", "openat", "openat2"):
        if WRITES.search(STRING.sub("", call.text).split(" = ")[0]) and call.path != os.devnull:
            return f"opens for writing {call.path}"
        opened = OPENED.search(call.text)
        where = opened.group(1) if opened else ""
        if any(where == path or where.startswith(path + "/") for path in closed):
            return f"reads {where}"
        return ""
    if call.name.startswith("execve"):
        return "" if os.path.realpath(call.path) in programs else f"starts {call.path}"
    if call.name in ("connect", "sendto", "sendmsg", "sendmmsg", "bind"):
        reaches = ADDRESS.search(call.text) and not NAME_SERVICE.search(call.text)
        return f"{call.name}({call.text}" if reaches else ""
    return f"{call.name}({call.text}"


def allowed_programs(names: list[str], paths: list[str]) -> set[str]:
    """Real paths of what the commands of a line may start. paths: of the programs it names."""
    found = {os.path.realpath(path) for path in paths}
    folders = sorted({os.path.dirname(path) for path in paths} | {"/usr/local/bin", "/usr/bin", "/bin"})
    for name in names:
        for helper in HELPERS.get(name, ()):
            found |= {os.path.realpath(os.path.join(folder, helper)) for folder in folders}
    return found

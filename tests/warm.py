"""Runs of the program that need not import it anew: a process that has it loaded forks for each.

Everything but the start of the interpreter is real: arguments, environment, folder, descriptors,
exit code, and what is told as the interpreter ends. Not covered: variables that Python reads as it
starts, and platforms without fork: there `Program` starts the program itself.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
LOADED = ("ai.automatic", "ai.openai", "ai.recognise", "ai.steady", "harness.agent", "harness.doctor",
          "ui.begin", "ui.cli", "ui.jsonl", "ui.plain", "ui.probe")
FIXED = {"LANG": "C.UTF-8", "PYTHONWARNINGS": "error"}
"""What Python reads as it starts: of the process that is loaded, and so of all runs."""


def can_run(env: dict[str, str]) -> bool:
    """True for an environment in which Python starts no differently."""
    read = {name: value for name, value in env.items() if name.startswith(("PYTHON", "LC_", "LANG"))}
    return read == FIXED and hasattr(os, "fork") and hasattr(socket, "send_fds")


class Warm:
    """The loaded process; `run` is called by one thread at a time."""

    def __init__(self) -> None:
        own, its = socket.socketpair()
        self.channel = own
        self.child = subprocess.Popen(
            [sys.executable, "-S", str(Path(__file__).resolve()), str(its.fileno())],
            env={**FIXED, "PATH": os.environ["PATH"]}, pass_fds=[its.fileno()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        its.close()

    def run(self, args: tuple[str, ...], stdin: bytes, cwd: object, env: dict[str, str],
            ) -> subprocess.CompletedProcess:
        """As subprocess.run of the program has it, with the output captured."""
        job = {"args": args, "cwd": str(cwd), "env": env}
        (theirs, given), (out, its_out), (err, its_err) = os.pipe(), os.pipe(), os.pipe()
        socket.send_fds(self.channel, [json.dumps(job).encode() + b"\n"],
                        [theirs, its_out, its_err])
        for fd in (theirs, its_out, its_err):
            os.close(fd)
        child = int(self.channel.recv(64))
        try:
            with ThreadPoolExecutor(2) as pool:
                pool.submit(write, given, stdin)
                told = pool.submit(read, err)
                said = read(out)
            status = int(self.channel.recv(64))
        except BaseException:
            os.kill(child, signal.SIGKILL)
            self.channel.recv(64)
            raise
        return subprocess.CompletedProcess(args, status, said, told.result())

    def close(self) -> None:
        """End the loaded process."""
        self.channel.close()
        sys.stderr.buffer.write(self.child.communicate()[1])


def write(fd: int, data: bytes) -> None:
    """Write to a pipe and close it, whether it is read or not."""
    with suppress(BrokenPipeError), open(fd, "wb") as pipe:
        pipe.write(data)


def read(fd: int) -> bytes:
    """Read a pipe to its end and close it."""
    with open(fd, "rb") as pipe:
        return pipe.read()


def main() -> int:
    """In the loaded process: fork for each job. In the child: be the program."""
    from importlib import import_module

    sys.path[0] = str(TOP)
    for name in LOADED:
        import_module(f"clinkai.{name}")
    gc.freeze()
    channel = socket.socket(fileno=int(sys.argv[1]))
    while True:
        data, fds, _, _ = socket.recv_fds(channel, 1 << 16, 3)
        while data and not data.endswith(b"\n"):
            data += channel.recv(1 << 16)
        if not data:
            channel.close()
            return 0
        child = os.fork()
        if not child:
            channel.close()
            return program(json.loads(data), fds)
        for fd in fds:
            os.close(fd)
        channel.sendall(b"%d" % child)
        _, status = os.waitpid(child, 0)
        channel.sendall(b"%d" % os.waitstatus_to_exitcode(status))


def program(job: dict, fds: list[int]) -> int:
    """What clinkai.py does, with the arguments, folder, environment and streams of `job`."""
    for to, fd in enumerate(fds):
        os.dup2(fd, to)
        os.close(fd)
    os.environ.clear()
    os.environ.update(job["env"])
    os.chdir(job["cwd"])
    sys.argv[:] = [str(TOP / "clinkai.py"), *job["args"]]
    from clinkai.ui import cli

    return cli.main(sys.argv[1:], stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

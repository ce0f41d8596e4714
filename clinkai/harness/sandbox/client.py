"""This side of the helper process: starting one, and commands in it, from any thread.

Each way of confining has a helper of its own, which starts with the first command that needs it. Its
text comes from the loader of our package, so that it is found in a .pyz as well. A helper that does
not answer is ended, and with it what it started.
"""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING

from clinkai.core.value import Value
from clinkai.harness.sandbox.helper import ANSWER, ENDED, FAILED, LENGTH, READY, STARTED, STEPS

if TYPE_CHECKING:
    import socket
    from subprocess import Popen

MODULE = "clinkai.harness.sandbox.helper"

ANSWER_S = 20.0
"""Seconds in which a helper starts, or a program in it: a hundred times what a slow machine takes."""

SWEEP_S = 2.0
"""Seconds to wait for the end of what commands left behind."""

SIGKILL = 9
KEPT = ("LD_LIBRARY_PATH", "PYTHONHOME")
"""Variables that some Pythons do not start without. The helper gets no others."""


class Failure(Exception):
    """Nothing was started. step: one of helper.STEPS; errno: why, 0 where that is not known.
    doubtful: the helper ended after it was asked, so that the program may have run."""

    def __init__(self, step: str, errno: int = 0, doubtful: bool = False) -> None:
        super().__init__(step, errno)
        self.step = step
        self.errno = errno
        self.doubtful = doubtful


class Confinement(Value):
    """What a helper applies to itself; see there. attributes, filter: bytes; rules: (path, rights,
    rights of a file); writable, own, pinned, frozen: paths of the mounts, None for no namespace."""

    attributes: bytes
    rules: tuple
    filter: bytes
    writable: tuple | None = None
    own: tuple = ()
    pinned: tuple = ()
    frozen: tuple = ()

    def frame(self) -> dict:
        """The same as the first frame of a helper."""
        mounts = None
        if self.writable is not None:
            mounts = {"writable": self.writable, "own": self.own, "pinned": self.pinned,
                      "frozen": self.frozen}
        return {"attributes": self.attributes.hex(), "rules": self.rules,
                "filter": self.filter.hex(), "mounts": mounts}


class Confined:
    """A command under way, as far like subprocess.Popen as `shell.run` needs."""

    def __init__(self, pid: int, answers: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._answers = answers

    def wait(self) -> int:
        """Wait for the end; the exit code, or minus the signal. For one thread."""
        if self.returncode is None:
            kind, code = _answer(self._answers)
            os.close(self._answers)
            self._answers = -1
            self.returncode = code if kind == ENDED else -SIGKILL  # the helper is gone
        return self.returncode

    def __del__(self) -> None:
        if self._answers >= 0:
            os.close(self._answers)


class Helper:
    """A helper process. Raises Failure where it cannot be started, or cannot confine itself."""

    def __init__(self, confinement: Confinement) -> None:
        self._lock = threading.Lock()
        self._process: Popen | None = None
        self._link: socket.socket | None = None
        self._launch()
        try:
            self._send(confinement.frame())
            kind, value = _answer(self._link.fileno(), ANSWER_S)
        except OSError as error:
            self.close()
            raise Failure("helper", error.errno or 0) from error
        if kind != READY:
            self.close()
            raise Failure(STEPS[kind - FAILED] if kind >= FAILED else "helper", value)

    def start(self, program: dict, files: tuple) -> Confined:
        """Start a program: path, argv, env, cwd. files: descriptors of standard input, output and
        error. Raises Failure (step `program`: it cannot be run; `helper`: the helper is gone)."""
        answers, reply = os.pipe()
        kind, value, asked = 0, 0, False
        try:
            try:
                with self._lock:
                    self._send(program, (*files, reply))
            finally:
                os.close(reply)
            asked = True
            kind, value = _answer(answers, ANSWER_S)
        except OSError as error:
            raise Failure("helper", error.errno or 0, asked) from error
        finally:
            if kind != STARTED:
                os.close(answers)
        if kind == STARTED:
            return Confined(value, answers)
        if kind >= FAILED:
            raise Failure(STEPS[kind - FAILED], value)
        raise Failure("helper", value, doubtful=True)

    def sweep(self) -> None:
        """End what earlier commands left behind, unless another is running."""
        answers, reply = os.pipe()
        try:
            try:
                with self._lock:
                    self._send({"sweep": 0}, (reply,))
            finally:
                os.close(reply)
            _answer(answers, SWEEP_S)
        except OSError:
            self.close()
        finally:
            os.close(answers)

    def close(self) -> None:
        """End the helper and all it started; returns when it is gone."""
        with self._lock:
            link, process = self._link, self._process
            self._link = self._process = None
        if link is not None:
            link.close()
        if process is not None:
            from subprocess import TimeoutExpired

            try:
                process.wait(SWEEP_S)
            except TimeoutExpired:
                process.kill()
                process.wait()

    def _launch(self) -> None:
        import socket
        import sys
        from importlib.util import find_spec
        from subprocess import DEVNULL, Popen

        text = find_spec(MODULE).loader.get_source(MODULE)
        self._link, other = socket.socketpair()
        with other:
            command = [sys.executable, "-I", "-S", "-c", text, str(other.fileno())]
            try:
                self._process = Popen(
                    command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, cwd="/",
                    env={name: os.environ[name] for name in KEPT if name in os.environ},
                    pass_fds=(other.fileno(),), start_new_session=True,
                )
            except OSError as error:
                self.close()
                raise Failure("helper", error.errno or 0) from error

    def _send(self, frame: dict, files: tuple = ()) -> None:
        """Raises OSError where the helper is gone."""
        import socket

        if self._link is None:
            raise ConnectionResetError
        data = json.dumps(frame).encode()
        socket.send_fds(self._link, [LENGTH.pack(len(data))], files)
        self._link.sendall(data)


def _answer(fd: int, seconds: float | None = None) -> tuple[int, int]:
    """The next answer, (0, 0) at the end. Raises TimeoutError."""
    if seconds is not None:
        import select

        waiting = select.poll()
        waiting.register(fd, select.POLLIN)
        if not waiting.poll(seconds * 1000):
            raise TimeoutError
    data = os.read(fd, ANSWER.size)
    return ANSWER.unpack(data) if len(data) == ANSWER.size else (0, 0)

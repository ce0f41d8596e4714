"""Run commands: in groups of their own, without input, with a limit of time and output.

Output goes to a file (`capture`), so that nothing left in the background keeps a call waiting. At
the limit, or when cancelled, the whole group is stopped: asked first, two seconds later without
asking; what was written so far is kept. Programs still running in the group when the command ends
are stopped too, and the caller is told. Not covered: a process that made a session of its own.

No Python code runs between fork and exec, so it is safe beside other threads.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from clinkai.core.value import Value
from clinkai.harness.shell.capture import LIMIT, Capture
from clinkai.harness.shell.plan import Stage, Step, of_script, of_text

if TYPE_CHECKING:
    from subprocess import Popen

    from clinkai.core.cancel import Cancel
    from clinkai.core.catalogue import Strings
    from clinkai.harness.sandbox.client import Confined
    from clinkai.harness.sandbox.wall import Wall
    from clinkai.harness.shell.script import Script

TICK_S = 0.05
"""How often the output is looked at, in seconds."""

SHOW_EVERY = 4
"""Every so many looks, people get to see what is new."""

GRACE_S = 2.0
"""Seconds between asking a group to stop and stopping it."""

LEFT_S = 0.5
"""The same for programs left in the background, which nobody waits for."""

NOT_FOUND, NOT_RUN, BY_SIGNAL = 127, 126, 128
"""Exit codes of shells: no such program, cannot be started, ended by signal n (added)."""


class Job(Value):
    """root: folder to run in (real path). timeout: seconds. emit_out(text): live output. limit: bytes
    of output at which it is stopped. grace: seconds a group has to end by itself. wall: what it runs
    behind, None for nothing."""

    root: str
    say: Strings
    timeout: float = 120
    cancel: Cancel | None = None
    emit_out: Callable | None = None
    limit: int = LIMIT
    grace: float = GRACE_S
    wall: Wall | None = None


class Finished(Value):
    """exit: code of the last command run. output: both streams in order, bytes. ms: how long.
    stopped: "", time, cancel or flood; left: programs in the background were stopped. restored:
    paths that the command had changed behind the wall and must not; unwalled: the wall could not
    be had, and nothing was run without it."""

    exit: int
    output: bytes
    ms: int
    stopped: str = ""
    left: bool = False
    restored: tuple = ()
    unwalled: bool = False


def run_script(script: Script, job: Job) -> Finished:
    """Run a listed script from its parsed form, without a shell. Raises ValueError for another,
    OSError where no output file can be made."""
    return _run(of_script(script, job.root), job)


def run_shell(text: str, dialect: str, job: Job) -> Finished:
    """Run an approved text in a shell. Raises OSError where no output file can be made."""
    return _run(of_text(text, dialect, job.root), job)


def _run(steps: tuple[Step, ...], job: Job) -> Finished:
    start = time.monotonic()
    with Capture(job.limit, job.wall.temp if job.wall else "") as capture:
        runner = _Runner(job, capture, start + job.timeout)
        restored: tuple = ()
        if job.wall:
            job.wall.begin()
        try:
            if job.cancel:
                with job.cancel.watch(runner.wake.set):
                    status = runner.run(steps)
            else:
                status = runner.run(steps)
        finally:
            if job.wall:
                restored = job.wall.end()
        runner.show()
        ms = round((time.monotonic() - start) * 1000)
        return Finished(status, capture.whole(), ms, runner.stopped, runner.left, restored,
                        runner.unwalled)


class _Runner:
    """One command line under way, in the thread that called."""

    def __init__(self, job: Job, capture: Capture, deadline: float) -> None:
        self.job = job
        self.capture = capture
        self.deadline = deadline
        self.wake = threading.Event()
        self.stopped = ""
        self.left = False
        self.unwalled = False

    def run(self, steps: tuple[Step, ...]) -> int:
        status = 0
        for step in steps:
            skipped = step.join == "&&" and status or step.join == "||" and not status
            if not skipped and not self.must_stop():
                status = self.pipeline(step.stages)
        return status

    def must_stop(self) -> str:
        """Why the command has to end now, or an empty string; kept from then on."""
        if not self.stopped:
            if self.job.cancel and self.job.cancel.is_set():
                self.stopped = "cancel"
            elif self.capture.flooded:
                self.stopped = "flood"
            elif time.monotonic() >= self.deadline:
                self.stopped = "time"
        return self.stopped

    def show(self) -> None:
        """Tell people what is new."""
        while self.job.emit_out:
            text = self.capture.news()
            if not text:
                break
            self.job.emit_out(text)

    # -- one pipeline

    def pipeline(self, stages: tuple[Stage, ...]) -> int:
        """Start all stages, wait for all of them, return the exit code of the last."""
        started = self.start(stages)
        processes = [one for one in started if not isinstance(one, int)]
        if processes:
            self.wait(processes)
        last = started[-1]
        if isinstance(last, int):
            return last
        code = last.returncode
        if code is None:  # not even the last signal ended it
            return BY_SIGNAL + 9
        return code if code >= 0 else BY_SIGNAL - code

    def start(self, stages: tuple[Stage, ...]) -> list:
        """For each stage its process, or the exit code where there is none."""
        started = []
        source = os.open(os.devnull, os.O_RDONLY)
        for i, stage in enumerate(stages):
            reader, sink = None, self.capture.fd
            if i + 1 < len(stages):
                reader, sink = _given(stage) or os.pipe()
            try:
                started.append(self.begin(stage, source, sink))
            finally:
                os.close(source)
                if sink != self.capture.fd:
                    os.close(sink)
            source = reader
        if source is not None:
            os.close(source)
        return started

    def begin(self, stage: Stage, source: int, sink: int) -> Popen | Confined | int:
        errors = sink if stage.merge else self.capture.fd
        if stage.answer:
            output, status = stage.answer
            if sink == self.capture.fd and not stage.null_out:
                self.capture.write(output)
            return status
        if stage.path is None:
            return self.failed(stage, "tool.bash.missing", NOT_FOUND)
        files = (source, None if stage.null_out else sink, None if stage.null_err else errors)
        try:
            if self.job.wall:
                return self.confined(stage, files)
            return _popen(stage, files)
        except OSError as error:
            return self.failed(stage, "tool.bash.unstartable", NOT_RUN, why=error.strerror)

    def confined(self, stage: Stage, files: tuple) -> Popen | Confined | int:
        """Behind the wall. Where it cannot be had, what only reads runs without, as it does on
        machines that have none. Raises OSError."""
        from clinkai.harness.sandbox.client import Failure

        null = os.open(os.devnull, os.O_WRONLY)
        try:
            program = {"path": stage.path, "argv": stage.argv, "env": stage.env, "cwd": stage.cwd}
            opened = tuple(null if fd is None else fd for fd in files)
            return self.job.wall.start(program, opened)
        except Failure as failure:
            if failure.step == "program":
                raise OSError(failure.errno, os.strerror(failure.errno)) from failure
            if not self.job.wall.writes:
                return _popen(stage, files)
            self.unwalled = True
            if failure.doubtful:
                return self.failed(stage, "tool.bash.doubtful", NOT_RUN)
            why = f"{failure.step}, {os.strerror(failure.errno)}"
            return self.failed(stage, "tool.bash.unwalled", NOT_RUN, why=why)
        finally:
            os.close(null)

    def failed(self, stage: Stage, key: str, status: int, **params: object) -> int:
        if not stage.null_err:
            text = self.job.say(key, program=stage.argv[0], **params)
            self.capture.write(text.encode() + b"\n")
        return status

    def wait(self, processes: list[Popen]) -> None:
        """Until all have ended, or have to."""
        done = threading.Event()

        def watch() -> None:
            for process in processes:
                process.wait()
            done.set()
            self.wake.set()

        threading.Thread(target=watch, daemon=True).start()
        looks = 0
        while not done.is_set():
            self.wake.wait(max(0.0, min(TICK_S, self.deadline - time.monotonic())))
            if not done.is_set() and self.must_stop():
                self.stop(processes, done)
                return
            looks += 1
            if looks % SHOW_EVERY == 0:
                self.show()
        self.wake.clear()
        self.clear_up(processes)

    def stop(self, processes: list[Popen], done: threading.Event) -> None:
        """End the groups. A flood is ended at once."""
        if self.stopped != "flood":
            _signal_all(processes, force=False)
            done.wait(self.job.grace)
        _signal_all(processes, force=True)
        done.wait(self.job.grace)

    def clear_up(self, processes: list[Popen]) -> None:
        """Stop what is left of the groups after the processes we started have ended."""
        if not any(map(_has_group, processes)):
            return
        self.left = True
        _signal_all(processes, force=False)
        limit = time.monotonic() + LEFT_S
        while time.monotonic() < limit and any(map(_has_group, processes)):
            time.sleep(TICK_S)
        _signal_all(processes, force=True)


def _given(stage: Stage) -> tuple[int, int] | None:
    """A file with the output of a stage we answer, and a place its own output goes to."""
    if not stage.answer:
        return None
    import tempfile

    with tempfile.TemporaryFile() as file:
        file.write(b"" if stage.null_out else stage.answer[0])
        file.seek(0)
        return os.dup(file.fileno()), os.open(os.devnull, os.O_WRONLY)


def _popen(stage: Stage, files: tuple) -> Popen:
    """Start it as it is. files: standard input, output and error, None for nowhere."""
    from subprocess import DEVNULL, Popen

    source, output, errors = (DEVNULL if fd is None else fd for fd in files)
    return Popen(stage.argv, executable=stage.path, cwd=stage.cwd, env=stage.env, stdin=source,
                 stdout=output, stderr=errors, **_own_group())


def _own_group() -> dict:
    """Options of Popen that put a process into a group of its own."""
    if os.name == "nt":
        return {"creationflags": 0x00000200 | 0x08000000}  # CREATE_NEW_PROCESS_GROUP, NO_WINDOW
    return {"start_new_session": True}


def _signal_all(processes: list[Popen], force: bool) -> None:
    for process in processes:
        if os.name == "nt":
            _end_tree(process)
            continue
        try:
            os.killpg(process.pid, signal.SIGKILL if force else signal.SIGTERM)
        except (ProcessLookupError, PermissionError):
            pass  # gone, or grown out of our reach


def _has_group(process: Popen) -> bool:
    """True where something still runs in the group of a process that has ended."""
    if os.name == "nt":
        return False
    try:
        os.killpg(process.pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    try:
        return any(_is_alive_in(process.pid, name) for name in os.listdir("/proc"))
    except OSError:
        return True


def _is_alive_in(group: int, name: str) -> bool:
    """Linux: process `name` of /proc is of the group and not merely unburied, which in a container
    without an init process it may stay for ever."""
    if not name.isdigit():
        return False
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            state, _, found = file.read().rpartition(b")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return int(found) == group and state not in (b"Z", b"X")


def _end_tree(process: Popen) -> None:
    """Windows has no groups to signal; its own tool follows the tree."""
    import subprocess

    tool = os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe")
    subprocess.run([tool, "/T", "/F", "/PID", str(process.pid)], check=False,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

"""Run a program in a process group of its own, with a time limit that ends the whole group."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence

from clinkai.core.cancel import Cancel
from clinkai.core.value import Value

GRACE = 5.0
"""Seconds between asking a group to end and killing it: the agent closes its log and stops the
command it is running, which has a group of its own."""


class Finished(Value):
    """code: exit code, negative for a signal, None where it was ended from here; seconds: how
    long it ran; timed_out: by the time limit (else by `cancel`)."""

    code: int | None
    seconds: float
    timed_out: bool = False


class Job(Value):
    """What to run. stdout, stderr: files that are written; the same path for both is allowed."""

    argv: Sequence
    cwd: str
    env: dict
    stdout: str
    stderr: str


def run(job: Job, seconds: float, cancel: Cancel) -> Finished:
    """Run `job` to its end, the limit, or `cancel`. Standard input is empty; nothing of its group
    lives on. Raises OSError where it cannot be started."""
    with open(job.stdout, "ab") as out, open(job.stderr, "ab") as err:
        start = time.monotonic()
        child = subprocess.Popen(
            job.argv, cwd=job.cwd, env=job.env, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            **_own_group(),
        )
        ended = timed_out = False
        try:
            with cancel.watch(lambda: _ask_to_end(child)):
                try:
                    child.wait(seconds)
                    ended = not cancel.is_set()
                except subprocess.TimeoutExpired:
                    timed_out = True
                    _ask_to_end(child)
            try:
                child.wait(GRACE)
            except subprocess.TimeoutExpired:
                pass
        finally:
            _kill(child)
            child.wait()
    return Finished(child.returncode if ended else None, time.monotonic() - start, timed_out)


def _own_group() -> dict:
    if os.name == "nt":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _ask_to_end(child: subprocess.Popen) -> None:
    if os.name == "nt":
        import signal

        child.send_signal(signal.CTRL_BREAK_EVENT)
    else:
        _signal_group(child, "SIGTERM")


def _kill(child: subprocess.Popen) -> None:
    if os.name != "nt":
        _signal_group(child, "SIGKILL")
    elif child.poll() is None:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(child.pid)], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _signal_group(child: subprocess.Popen, name: str) -> None:
    import signal

    # The group keeps its number while one of its members lives, also after the child was waited
    # for; with none left the number could be given to a stranger only after all pids wrapped.
    try:
        os.killpg(child.pid, getattr(signal, name))
    except (ProcessLookupError, PermissionError):
        pass

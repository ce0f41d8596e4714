from __future__ import annotations

import os
import select
import sys
import threading

import pytest

from clinkai.core.cancel import Cancel
from eval.process import Finished, Job, run

FOREVER = 60
STUBBORN = ("import signal, time, sys\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "print('up', flush=True)\ntime.sleep(600)")


def job(tmp_path, source: str) -> Job:
    out = str(tmp_path / "out")
    return Job([sys.executable, "-c", source], str(tmp_path), dict(os.environ), out, out)


@pytest.mark.parametrize(("source", "code"), [
    ("print('hi')", 0), ("raise SystemExit(4)", 4), ("import os; os.kill(os.getpid(), 9)", -9),
    ("import sys; sys.exit(len(sys.stdin.read()))", 0),
])
def test_the_exit_code_is_the_programs_own(tmp_path, source, code):
    finished = run(job(tmp_path, source), FOREVER, Cancel())
    assert (finished.code, finished.timed_out) == (code, False)


def test_both_streams_are_kept(tmp_path):
    run(job(tmp_path, "import sys; print('out', flush=True); print('err', file=sys.stderr)"),
        FOREVER, Cancel())
    assert (tmp_path / "out").read_text() == "out\nerr\n"


@pytest.mark.slow
def test_the_time_limit_ends_the_whole_group(tmp_path):
    child = "import subprocess, sys, time; " \
            "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); " \
            "print(p.pid, flush=True); time.sleep(600)"
    finished = run(job(tmp_path, child), 2, Cancel())
    assert (finished.code, finished.timed_out) == (None, True)
    assert gone(int((tmp_path / "out").read_text()))


def test_what_a_finished_program_left_running_is_ended(tmp_path):
    child = "import subprocess, sys; " \
            "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); " \
            "print(p.pid)"
    assert run(job(tmp_path, child), FOREVER, Cancel()).code == 0
    assert gone(int((tmp_path / "out").read_text()))


@pytest.mark.slow
def test_a_program_that_ignores_the_request_is_killed(tmp_path):
    assert run(job(tmp_path, STUBBORN), 1, Cancel()).timed_out


@pytest.mark.slow
def test_cancelling_ends_it_and_is_no_time_out(tmp_path):
    cancel = Cancel()
    timer = threading.Timer(0.5, cancel.set)
    timer.start()
    finished = run(job(tmp_path, "import time; time.sleep(600)"), FOREVER, cancel)
    timer.join()
    assert finished == Finished(None, finished.seconds, False)


def test_a_missing_program_is_an_os_error(tmp_path):
    out = str(tmp_path / "out")
    with pytest.raises(FileNotFoundError):
        run(Job(["/nonexistent/x"], str(tmp_path), {}, out, out), FOREVER, Cancel())


def gone(pid: int) -> bool:
    """True once the process has ended; it may still be about to."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 10)[0])
    finally:
        os.close(handle)

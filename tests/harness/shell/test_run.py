from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest

from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.harness.shell.judge import judge
from clinkai.harness.shell.run import Job, run_script, run_shell
from clinkai.harness.workspace import Workspace
from tests.harness.shell import project

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX shells")
SAY = Strings("en")
DEADLINE_S = 20


@pytest.fixture
def ws(tmp_path):
    return Workspace(project.make(tmp_path))


def shell(ws: Workspace, text: str, **job: object):
    return run_shell(text, "posix", Job(ws.path, SAY, **job))


def listed(ws: Workspace, text: str, **job: object):
    script = judge(text, "posix", ws)
    assert script.listed, script.trouble
    return run_script(script, Job(ws.path, SAY, **job))


def ends(pid: int) -> bool:
    """True when the process is gone, or about to be buried, within the deadline."""
    limit = time.monotonic() + DEADLINE_S
    while time.monotonic() < limit:
        try:
            os.kill(pid, 0)
            stat = Path(f"/proc/{pid}/stat")
            if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] in "ZX":
                return True
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("text", "code", "output"), [
    ("ls nosuch", 2, None),
    ("cat README.md | head -1", 0, "README.md: TODO secret\n"),
    ("cat README.md | head -1 | wc -l", 0, "1\n"),
    ("echo a; echo b", 0, "a\nb\n"),
    ("false; echo b", 0, "b\n"),
    ("false && echo b", 1, ""),
    ("false && echo b || echo c", 0, "c\n"),
    ("true || echo b && echo c", 0, "c\n"),
    ("true && false || true && echo d", 0, "d\n"),
    ("false || false; echo e", 0, "e\n"),
    ("false | true && echo f", 0, "f\n"),
    ("true | false && echo f", 1, ""),
    ("echo a | cat - README.md | head -1", 0, "a\n"),
    ("cat README.md | echo a", 0, "a\n"),
    ("echo a >/dev/null", 0, ""),
    ("echo a >/dev/null | cat", 0, ""),
    ("ls nosuch 2>/dev/null", 2, ""),
    ("ls nosuch 2>/dev/null || echo missing", 0, "missing\n"),
    ("ls nosuch 2>&1 | wc -l", 0, "1\n"),
    ("ls nosuch 2>&1 >/dev/null | wc -l", 0, "1\n"),
    ("ls nosuch >/dev/null 2>&1 | wc -l", 0, "0\n"),
    ("ls nosuch &>/dev/null", 2, ""),
    ("cat", 0, ""),
    ("wc -c", 0, "0\n"),
    ("printf '%s|' a 'b c' \"\"", 0, "a|b c||"),
    ("pwd", 0, "{ws}\n"),
    ("echo '$HOME' \"*\" \\;", 0, "$HOME * ;\n"),
])
def test_a_listed_line_means_what_a_shell_means_by_it(ws, text, code, output):
    done = listed(ws, text)
    assert (done.exit, done.stopped, done.left) == (code, "", False)
    if output is not None:
        assert done.output.decode() == output.replace("{ws}", ws.path)
    if shutil.which("bash"):
        other = shell(ws, text)
        assert (other.exit, other.output) == (done.exit, done.output)


@pytest.mark.parametrize(("text", "code", "output"), [
    ("exit 3", 3, b""),
    ("kill -9 $$", 137, b""),
    ("read x; echo \"got:$x\"", 0, b"got:\n"),
    ("for i in 1 2 3; do echo out$i; echo err$i >&2; done", 0,
     b"out1\nerr1\nout2\nerr2\nout3\nerr3\n"),
    ("echo a > made.txt; cat made.txt", 0, b"a\n"),
    ("yes | head -2", 0, b"y\ny\n"),
    ("printf '\\377ok'", 0, b"\xffok"),
    ("test -t 0 || test -t 1 || echo none", 0, b"none\n"),
    ("echo ${CLINKAI_API_KEY-none} ${GIT_DIR-none}", 0, b"none none\n"),
])
def test_an_approved_text_runs_in_a_shell(ws, monkeypatch, text, code, output):
    monkeypatch.setenv("CLINKAI_API_KEY", "k")
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    done = shell(ws, text)
    assert (done.exit, done.output, done.stopped) == (code, output, "")


def test_a_text_that_looks_like_an_option_is_a_command(ws):
    assert shell(ws, "-c 'echo no'").exit == 127


def test_a_program_that_is_not_there_is_said(ws, monkeypatch):
    script = judge("rg x; echo after", "posix", ws)
    monkeypatch.setenv("PATH", "/nonexistent")
    done = run_script(script, Job(ws.path, SAY))
    assert done.output.decode() == SAY("tool.bash.missing", program="rg") + "\nafter\n"


@pytest.mark.slow
def test_at_the_limit_the_whole_group_is_stopped_and_the_output_kept(ws):
    done = shell(ws, "echo $$; sleep 1000 & echo $!; wait", timeout=1)
    assert done.stopped == "time"
    pids = [int(line) for line in done.output.split()]
    assert len(pids) == 2 and all(map(ends, pids))


@pytest.mark.slow
def test_a_group_that_ignores_the_request_is_stopped_all_the_same(ws):
    done = shell(ws, "trap '' TERM; echo $$; while :; do sleep 1; done", timeout=1, grace=0.1)
    assert (done.stopped, done.exit) == ("time", 128 + signal.SIGKILL)
    assert ends(int(done.output))


@pytest.mark.slow
def test_the_limit_is_for_the_whole_line(ws):
    done = listed(ws, "sleep 100; echo never", timeout=1)
    assert (done.stopped, done.output) == ("time", b"")


def test_a_program_left_in_the_background_does_not_hold_the_call(ws):
    done = shell(ws, "sleep 1000 & echo $!")
    assert (done.exit, done.stopped, done.left) == (0, "", True)
    assert ends(int(done.output))


@pytest.mark.skipif(not shutil.which("setsid"), reason="no setsid")
def test_a_daemon_that_keeps_the_output_does_not_hold_the_call(ws):
    done = shell(ws, "setsid sh -c 'echo $$ > pid; exec sleep 1000' & "
                     "while [ ! -s pid ]; do sleep 0.01; done; echo started")
    pid = int((ws.root / "pid").read_text())
    try:
        assert (done.exit, done.output) == (0, b"started\n")
    finally:
        os.kill(pid, signal.SIGKILL)


def test_a_flood_is_stopped(ws):
    done = shell(ws, "yes", timeout=DEADLINE_S, limit=100_000)
    assert (done.stopped, done.exit, len(done.output)) == ("flood", 137, 100_000)


def test_cancelling_stops_it_at_once_with_the_output_so_far(ws):
    cancel, seen = Cancel(), []

    def emit(text: str) -> None:
        seen.append(text)
        cancel.set()

    done = shell(ws, "echo part; sleep 1000", cancel=cancel, emit_out=emit, timeout=600)
    assert (done.stopped, done.output, seen) == ("cancel", b"part\n", ["part\n"])


def test_nothing_starts_after_cancelling(ws):
    cancel = Cancel()
    cancel.set()
    done = shell(ws, "touch made", cancel=cancel)
    assert done.stopped == "cancel" and not (ws.root / "made").exists()


def test_people_see_all_of_the_output_as_it_comes(ws):
    seen: list[str] = []
    done = shell(ws, "printf '\\344'; printf '\\275\\240'; yes x | head -100000", emit_out=seen.append)
    assert "".join(seen) == done.output.decode() and "".join(seen).startswith("你x")


def test_commands_of_many_threads_do_not_mix(ws):
    found: dict[int, bytes] = {}

    def one(i: int) -> None:
        found[i] = listed(ws, f"echo {i} | cat && printf {i}").output

    threads = [threading.Thread(target=one, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: f"{i}\n{i}".encode() for i in range(12)}


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no /proc")
def test_no_descriptor_is_left_open(ws):
    listed(ws, "echo a")
    before = os.listdir("/proc/self/fd")
    listed(ws, "echo a | cat | wc -l; ls nosuch; cat README.md | head -1; echo b | rg x")
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no /proc")
def test_a_command_gets_no_descriptor_but_its_own(ws):
    assert shell(ws, "ls /proc/self/fd | wc -l").output == b"4\n", "0, 1, 2 and the folder itself"

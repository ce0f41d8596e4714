"""kill -9 at random moments of a scripted run: every session opens again, nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from clinkai.harness.session import Session, read_log
from tests.source import TOP

KILLS = 200

PARENT = """
import json, os, random, signal, sys, time
sys.path.insert(0, {top!r})
from pathlib import Path
from clinkai.ai.scripted import ScriptedProvider
from tests.harness.agents import Run
from tests.loop.turns import call, say

def answers(request):
    n = len(request.messages)
    if n > 30:
        return say("done")
    return say("step", call(f"c{{n}}", "write", path=f"f{{n % 7}}-{{n}}.txt", content="x" * 800),
               call(f"d{{n}}", "ls"))

def run(top, out):
    with Run(top, provider=ScriptedProvider(answers)) as run:
        seen = lambda event, stamp: os.write(out, b"%d\\n" % run.agent.session.state.last_seq)
        run.agent.add_sink(seen)
        run.say("work")

random.seed({seed})
for n in range({kills}):
    top = Path({folder!r}) / str(n)
    top.mkdir()
    back, out = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            run(top, out)
        finally:
            os._exit(0)
    os.close(out)
    time.sleep(random.uniform(0.005, 0.12))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with open(back, "rb") as file:
        said = file.read().split()
    print(json.dumps({{"top": str(top), "acknowledged": int(said[-1]) if said else 0}}), flush=True)
"""


@pytest.mark.slow
def test_kill_9_at_random_moments(tmp_path):
    source = PARENT.format(top=str(TOP), folder=str(tmp_path), kills=KILLS, seed=KILLS)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, cwd=TOP)
    assert done.stderr == ""
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == KILLS
    counts = []
    for line in lines:
        for path in tmp_path.glob(f"{line['top'].rpartition('/')[2]}/home/sessions/*/*.jsonl"):
            session = Session.open(str(path))
            session.close()
            log = read_log(str(path))
            assert [r["seq"] for r in log.records] == list(range(1, len(log.records) + 1))
            assert len(log.records) >= line["acknowledged"]
            counts.append(len(log.records))
    assert len(counts) > KILLS // 3 and len(set(counts)) > 3

"""One trial: a fresh workspace, a home of its own, the real program, the verdict.

What a trial leaves lies in `units/TASK/K/` of the output folder: session.jsonl (the log),
events.jsonl (what `--json` printed), stdout, stderr, diff.patch and result.json, which is written
last, whole or not at all.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable

from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.value import Value
from eval import files, measure, trace
from eval.checks import Outcome, Verdict, verify
from eval.process import Finished, Job, run
from eval.suite import Task

COUNTED = (0, 4, 5, 6)
"""Exit codes with which the model had its say; all others are errors of server or harness."""

PASS, FAIL, TIMEOUT, ERROR, SKIPPED = "pass", "fail", "timeout", "error", "skipped"


class Plan(Value):
    """What all trials of a run have in common.

    agent: the command line up to the options; env: its environment but for the places.
    rounds: the user's round cap, or None for the task's. out: the output folder; lang: of prompts
    and details. digest: task -> unit_digest. alive: () -> False where the server is gone.
    """

    agent: tuple
    env: dict
    rounds: int | None
    out: str
    lang: str
    digest: Callable
    alive: Callable


def run_trial(task: Task, k: int, slot: str, plan: Plan, cancel: Cancel) -> dict:
    """Run the `k`-th trial of `task` in the folder `slot`, which is emptied before and after, and
    return its entry of results.json. All trials of a slot use the same paths: the workspace
    stands in the system prompt, and the server's cache may then serve it to the next trial.
    """
    unit = os.path.join(plan.out, "units", task.id, str(k))
    os.makedirs(unit, exist_ok=True)
    home, work = os.path.join(slot, "home"), os.path.join(slot, "work")
    _empty(slot)
    for folder in (home, work):
        os.makedirs(folder)
    task.copy("workspace", work)
    before = files.snapshot(work)
    finished = _run_turns(task, plan, home, work, unit, cancel)
    log = _keep_log(home, unit)
    seen = trace.read(trace.read_lines(log))
    changes = files.compare(before, files.snapshot(work))
    _write(os.path.join(unit, "diff.patch"), changes.patch.encode())
    command = Commands(task, work, os.path.join(slot, "check"), plan.env, cancel)
    verdicts = verify(task.checks, Outcome(work, changes, seen, command), Strings(plan.lang))
    status = judge(finished, verdicts, plan.alive)
    result = measure.trial(k, status, verdicts, finished, (seen, changes))
    kept = {"unit_digest": plan.digest(task), **result}
    replace_file(os.path.join(unit, "result.json"),
                 json.dumps(kept, ensure_ascii=False, indent=1) + "\n")
    _empty(slot)
    return result


def judge(finished: Finished, verdicts: list[Verdict], alive: Callable[[], bool]) -> str:
    """The status of a trial. A time-out is an error where the server no longer answers."""
    if finished.timed_out:
        return TIMEOUT if alive() else ERROR
    if finished.code not in COUNTED:
        return ERROR
    return PASS if all(v.ok for v in verdicts) else FAIL


class Commands:
    """Runs the commands of checks, each in a fresh copy of the workspace with hidden/ laid over."""

    def __init__(self, task: Task, work: str, copy: str, env: dict, cancel: Cancel) -> None:
        self.task, self.work, self.copy, self.env, self.cancel = task, work, copy, env, cancel

    def __call__(self, argv: list, seconds: int) -> tuple[int | None, str]:
        """(exit code, output), or (None, output) at the time limit."""
        _empty(self.copy)
        place = os.path.join(self.copy, "work")
        shutil.copytree(self.work, place, symlinks=True)
        self.task.copy("hidden", place)
        out = os.path.join(self.copy, "output")
        words = [sys.executable if word == "{python}" else word for word in argv]
        env = places({**self.env, "PYTHONDONTWRITEBYTECODE": "1"}, self.copy)
        try:
            finished = run(Job(words, place, env, out, out), seconds, self.cancel)
        except OSError as error:
            return 127, error.strerror or str(error)
        with open(out, encoding="utf-8", errors="replace") as file:
            return finished.code, file.read()


def places(env: dict, home: str) -> dict:
    """`env` with `home` as the home folder of user and program."""
    return {**env, "HOME": home, "USERPROFILE": home,
            "CLINKAI_HOME": os.path.join(home, ".clinkai")}


def skipped(k: int) -> dict:
    """The entry of a trial that was not run."""
    return measure.trial(k, SKIPPED, [], Finished(None, 0.0), None)


def replace_file(path: str, text: str) -> None:
    """Write a file whole or not at all: a new one, then a rename."""
    _write(path + ".new", text.encode())
    os.replace(path + ".new", path)


def _run_turns(task: Task, plan: Plan, home: str, work: str, unit: str,
               cancel: Cancel) -> Finished:
    """One process for each turn of the task, within its time limit; the first that does not
    answer ends the trial."""
    rounds = task.rounds if plan.rounds is None else plan.rounds
    options = ["--json", "--workspace", work, "--max-rounds", str(rounds)]
    for prefix in task.approve:
        options += ["--allow", prefix]
    stdout, stderr = os.path.join(unit, "stdout"), os.path.join(unit, "stderr")
    seconds = 0.0
    for n, turn in enumerate(task.turns):
        resume = ["--resume", "auto"] if n else []
        argv = [*plan.agent, *options, *resume, "--", turn[plan.lang]]
        job = Job(argv, work, places(plan.env, home), stdout, stderr)
        ended = run(job, task.seconds - seconds, cancel)
        seconds += ended.seconds
        if ended.code != 0:
            break
    with open(stdout, "rb") as file:
        events = trace.read_lines(file.read())
    lines = "".join(json.dumps(e, ensure_ascii=False) + "\n" for e in events if "type" in e)
    _write(os.path.join(unit, "events.jsonl"), lines.encode())
    return Finished(ended.code, seconds, ended.timed_out)


def _keep_log(home: str, unit: str) -> bytes:
    """Copy the session log of a trial, and reports of defects, into its unit; the bytes of the
    log, or none where there is none."""
    data = b""
    newest = 0.0
    for base, _, names in os.walk(os.path.join(home, ".clinkai")):
        for name in names:
            path = os.path.join(base, name)
            if name.startswith("defect"):
                shutil.copyfile(path, os.path.join(unit, name))
            elif name.endswith(".jsonl") and os.path.getmtime(path) >= newest:
                newest = os.path.getmtime(path)
                with open(path, "rb") as file:
                    data = file.read()
    if data:
        _write(os.path.join(unit, "session.jsonl"), data)
    return data


def _empty(folder: str) -> None:
    """Remove a folder and all below it, also what the agent made read-only."""
    for base, folders, _ in os.walk(folder):
        for name in folders:
            path = os.path.join(base, name)
            if not os.path.islink(path):
                os.chmod(path, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)

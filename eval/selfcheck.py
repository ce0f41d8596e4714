"""`eval check`: are the tasks themselves sound? Needs no model and no server.

Each task must fail with its workspace untouched, pass with its solution, and give the same
verdicts when looked at twice.
"""

from __future__ import annotations

import os
import shutil
import tempfile

from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from eval import files
from eval.checks import Outcome, Verdict, verify
from eval.suite import Task
from eval.trace import Call, Trace
from eval.trial import Commands
from eval.world import base_env


def problems(task: Task, say: Strings) -> list[str]:
    """What is wrong with `task`, in words; an empty list where it is sound."""
    folder = tempfile.mkdtemp(prefix="clinkai-check-")
    try:
        untouched = [_verdicts(task, folder, False, say) for _ in range(2)]
        solved = [_verdicts(task, folder, True, say) for _ in range(2)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found = []
    if all(v.ok for v in untouched[0]):
        found.append(say("eval.check.untouched", name=task.name))
    found += [say("eval.check.solution", name=task.name, kind=v.kind, detail=v.detail)
              for v in solved[0] if not v.ok]
    if untouched[0] != untouched[1] or solved[0] != solved[1]:
        found.append(say("eval.check.unstable", name=task.name))
    return found


def solved_trace(task: Task) -> Trace:
    """The trace that a perfect model would leave."""
    calls = tuple(Call(name, arguments, True, "allow")
                  for step in task.solution for name, arguments in step.calls)
    rounds = len(calls) + len(task.solution)
    return Trace(calls, task.solution[-1].text, rounds)


def _verdicts(task: Task, folder: str, solve: bool, say: Strings) -> list[Verdict]:
    work = os.path.join(folder, "work")
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    task.copy("workspace", work)
    before = files.snapshot(work)
    if solve:
        task.copy("solution", work)
    changes = files.compare(before, files.snapshot(work))
    command = Commands(task, work, os.path.join(folder, "check"), base_env(), Cancel())
    trace = solved_trace(task) if solve else Trace()
    return verify(task.checks, Outcome(work, changes, trace, command), say)

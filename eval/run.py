"""`python clinkai.py eval`: play the tasks with the real program, keep what happened, say how well
it went. The command line is in `options.py`, the form of tasks in `suite.py`, the checks in
`checks.py`, results.json in `report.py` and `measure.py`.

Not covered: running in an isolation of its own. A trial has what the agent has: the gate, and a
workspace of its own in a temporary folder.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

from clinkai.core.errors import DEFECT, UsageError
from clinkai.harness import settings as all_settings
from clinkai.harness.home import absolute
from eval import selfcheck, suite
from eval.evaluation import Evaluation
from eval.options import parse

if TYPE_CHECKING:
    from typing import TextIO

    from clinkai.core.catalogue import Strings


def main(argv: list[str], *, stdout: TextIO, stderr: TextIO) -> int:
    """Do what `argv` (the words after `eval`) asks for; the exit code.

    run: 0 when the run was valid, whatever the model achieved; 3 when the server could not be
    used, 1 or 2 when the agent ended with such an error too often, 130 when stopped.
    check: 0 when all tasks are sound, else 1. Raises members of the error tree.
    """
    options = parse(argv)
    settings = all_settings.load(options.flags, os.environ)
    tasks = chosen(suite.load(absolute(options.tasks) if options.tasks else suite.FOLDER),
                   options.only)
    if options.action == "list":
        return show_list(tasks, settings.say, stdout, options.json)
    if options.action == "check":
        return check(tasks, settings.say, stdout, options.json)
    return Evaluation(tasks, options, settings, stderr).run(stdout)


def chosen(tasks: list[suite.Task], only: str) -> tuple[suite.Task, ...]:
    """The tasks whose `suite/id` the expression is found in. Raises UsageError for none."""
    found = tuple(task for task in tasks if re.search(only, task.name))
    if not found:
        raise UsageError("eval.error.nothing", value=only,
                         names=", ".join(task.name for task in tasks))
    return found


def show_list(tasks: tuple[suite.Task, ...], say: Strings, stdout: TextIO,
              as_json: bool = False) -> int:
    """Name the tasks, one a line."""
    if as_json:
        rows = [{"name": task.name, "level": task.level, "policy": task.policy,
                 "title": task.title[say.lang]} for task in tasks]
        stdout.write(json.dumps({"tasks": rows}) + "\n")
        return 0
    for task in tasks:
        stdout.write(say("eval.list", name=task.name, level=task.level,
                         policy=say(f"eval.policy.{task.policy}"), title=task.title[say.lang]) + "\n")
    return 0


def check(tasks: tuple[suite.Task, ...], say: Strings, stdout: TextIO,
          as_json: bool = False) -> int:
    """Test the tasks themselves."""
    rows = []
    for task in tasks:
        wrong = selfcheck.problems(task, say)
        rows.append({"name": task.name, "problems": list(wrong)})
        if not as_json:
            stdout.write("\n".join(wrong or [say("eval.check.ok", name=task.name)]) + "\n")
    if as_json:
        stdout.write(json.dumps({"tasks": rows}) + "\n")
    return DEFECT if any(row["problems"] for row in rows) else 0

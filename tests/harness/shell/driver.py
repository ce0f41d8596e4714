"""Judges command lines and runs what is allowed the way the product does, in a process of its own
that can be watched: `python -m tests.harness.shell.driver JOB RESULT`, both JSON.

Before a line is judged and before it runs, a folder that is not there is asked to go away: that
marks the place in a trace.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from contextlib import suppress

from clinkai.core.catalogue import Strings
from clinkai.harness import confine
from clinkai.harness.shell.judge import judge
from clinkai.harness.shell.plan import of_script
from clinkai.harness.shell.run import Job, run_script
from clinkai.harness.workspace import Workspace

MARK = "/no-such-folder-"
TIMEOUT_S = 10


def mark(what: str, number: int) -> None:
    with suppress(OSError):
        os.rmdir(f"{MARK}{what}-{number}")


def main(job: dict) -> list[dict | None]:
    """For each line None where it was not allowed, else what came of it. job: root, lines, config
    (what git's settings are made before anything runs), walled."""
    say, ws = Strings("en"), Workspace(job["root"])
    scripts = []
    for number, line in enumerate(job["lines"]):
        mark("judge", number)
        script = judge(line, "posix", ws)
        scripts.append(script if script.listed else None)
    mark("between", 0)
    with open(os.path.join(job["root"], ".git", "config"), "w", encoding="utf-8") as file:
        file.write(job["config"])
    wall = confine.wall(ws, writes=False) if job["walled"] else None
    results: list[dict | None] = []
    for number, script in enumerate(scripts):
        if script is None:
            results.append(None)
            continue
        mark("run", number)
        done = run_script(script, Job(ws.path, say, TIMEOUT_S, wall=wall))
        stages = [stage for step in of_script(script, ws.path) for stage in step.stages]
        results.append({
            "exit": done.exit, "output": base64.b64encode(done.output).decode(),
            "stopped": done.stopped, "left": done.left,
            "programs": [stage.path for stage in stages if stage.path],
            "names": [stage.argv[0] for stage in stages],
        })
    mark("end", 0)
    return results


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        outcome = main(json.load(source))
    with open(sys.argv[2], "w", encoding="utf-8") as sink:
        json.dump(outcome, sink)

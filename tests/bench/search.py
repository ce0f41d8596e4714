"""grep over a tree of 5,000 files, against GNU grep on the same tree with a warm cache."""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import drive

from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.value import Value
from clinkai.harness.tools.grep import GrepArgs, search
from clinkai.harness.workspace import Workspace

FOLDERS, FILES, REPEATS = 500, 10, 5
GOAL = 3.0
WORDS = (
    "class return import self value name for in if else not None True False open close read write "
    "path file line text data list dict set key token stream request response def 1984"
).split()
PATTERNS = ("token stream request", "foo|bar", r"def \w+ token", "[0-9]{6}")


class Context(Value):
    """What the tool needs of a session."""

    workspace: Workspace
    say: Strings
    cancel: Cancel
    approved: bool = False


def measure() -> list[str]:
    """One row for each pattern; none where there is no grep."""
    if not shutil.which("grep"):
        return []
    with tempfile.TemporaryDirectory() as top:
        fill(Path(top))
        context = Context(Workspace(top), Strings("en"), Cancel())
        rows = []
        for pattern in PATTERNS:
            own = timed(lambda: search(context, GrepArgs(pattern, ".", "", False), 60.0))
            command = ["grep", "-rnP", "--", pattern, top]
            other = timed(lambda: subprocess.run(command, capture_output=True, check=False))
            rows.append(drive.row(f"grep of {FOLDERS * FILES:,} files for `{pattern}`".replace("|", "\\|"),
                                  own * 1000, other * 1000, "ms", GOAL))
        return rows


def fill(top: Path) -> None:
    """Lines of words such as programs have, the same on every machine."""
    rng = random.Random(1)
    (top / ".gitignore").write_text("__pycache__/\n*.pyc\n/build/\nnode_modules\n*.log\ndist/\n.venv\n")
    for number in range(FOLDERS):
        folder = top / f"part{number % 20}/module{number}"
        folder.mkdir(parents=True)
        for file in range(FILES):
            lines = [" " * rng.choice((0, 4, 8)) + " ".join(rng.choices(WORDS, k=rng.randint(2, 12)))
                     for _ in range(rng.randint(20, 200))]
            (folder / f"file{file}.py").write_text("\n".join(lines) + "\n")


def timed(call) -> float:
    """Seconds, the middle of some runs after one that warms the cache."""
    call()
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return drive.middle(times)

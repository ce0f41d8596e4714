from __future__ import annotations

import io

import pytest

from clinkai.core.catalogue import Strings
from eval.run import main
from eval.selfcheck import problems
from eval.suite import read_task
from tests.eval.test_suite import GOOD

EN = Strings("en")


@pytest.mark.slow
def test_the_tasks_of_the_suite_are_sound():
    stdout = io.StringIO()
    assert main(["check", "--lang", "en"], stdout=stdout, stderr=io.StringIO()) == 0
    assert [line.partition(": ")[2] for line in stdout.getvalue().splitlines()] == ["ok"] * 5


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("check", "wrong"), [
    ('{kind = "absent", path = "x"}', ["own/t: passes without any work"]),
    ('{kind = "final_text", regex = "never"}',
     ["own/t: does not pass with its solution: final_text: the answer does not match: done"]),
    ('{kind = "tool_called", name = "ls"}', []),
    ('{kind = "command", argv = ["{python}", "-c", "import os; print(os.urandom(9))"]}',
     ["own/t: passes without any work",
      "own/t: two looks at the same files gave different verdicts"]),
])
def test_a_task_that_is_not_sound_is_named(check, wrong):
    source = GOOD.replace(b'{kind = "absent", path = "x"}', check.encode())
    assert problems(read_task("t", {"task.toml": source}), EN) == wrong

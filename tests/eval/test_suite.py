from __future__ import annotations

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.errors import UsageError
from eval.suite import load, read_task

GOOD = b"""
id = "t"
suite = "own"
title = {en = "A", zh = "B"}
level = 1
tags = []
policy = "usually"
seconds = 5
rounds = 3
approve = []
context_needed = 0
turn = [{en = "do", zh = "do"}]
check = [{kind = "absent", path = "x"}]
solution = [{calls = [{name = "ls", arguments = {}}], text = "done"}]
"""


@pytest.mark.parametrize(("old", "new", "key"), [
    (b'id = "t"', b'id = "u"', "eval.task.value"),
    (b'"usually"', b'"often"', "eval.task.value"),
    (b"level = 1\n", b"", "eval.task.missing"),
    (b"level = 1", b'level = "1"', "eval.task.type"),
    (b"level = 1", b"level = 1\nlevle = 2", "eval.task.unknown"),
    (b"level = 1", b"level = ", "eval.task.toml"),
    (b'zh = "B"', b'zh = " "', "eval.task.type"),
    (b'[{en = "do", zh = "do"}]', b'[{en = "do"}]', "eval.task.type"),
    (b'[{en = "do", zh = "do"}]', b"[]", "eval.task.value"),
    (b'name = "ls", ', b"", "eval.task.type"),
    (b'kind = "absent"', b'kind = "missing"', "eval.check.kind"),
])
def test_a_slip_of_the_pen_in_a_task_is_an_error(old, new, key):
    assert old in GOOD
    with pytest.raises(UsageError) as caught:
        read_task("t", {"task.toml": GOOD.replace(old, new)})
    assert caught.value.key == key
    assert all(caught.value.text(Strings(lang)) for lang in ("en", "zh"))


def test_a_folder_without_task_is_an_error(tmp_path):
    (tmp_path / "empty").mkdir()
    for folder, key in ((tmp_path, "eval.task.none"), (tmp_path / "empty", "eval.task.empty"),
                        (tmp_path / "none", "eval.task.folder")):
        with pytest.raises(UsageError) as caught:
            load(str(folder))
        assert caught.value.key == key


def test_tasks_of_a_folder_outside_the_program_are_read(tmp_path):
    (tmp_path / "t/workspace/deep").mkdir(parents=True)
    (tmp_path / "t/task.toml").write_bytes(GOOD)
    (tmp_path / "t/workspace/deep/a.txt").write_text("a")
    [task] = load(str(tmp_path))
    assert (task.name, task.turns, list(task.files)) == (
        "own/t", ({"en": "do", "zh": "do"},), ["task.toml", "workspace/deep/a.txt"])
    task.copy("workspace", str(tmp_path / "copy"))
    assert (tmp_path / "copy/deep/a.txt").read_text() == "a"


def test_the_digest_follows_every_file_and_name():
    files = {"task.toml": GOOD, "workspace/a": b"1", "workspace/b": b""}
    same = read_task("t", dict(reversed(files.items()))).digest
    others = [{**files, "workspace/a": b"2"}, {**files, "workspace/b": b"1", "workspace/a": b""},
              {"task.toml": GOOD, "workspace/a": b"1"}]
    assert read_task("t", files).digest == same
    assert len({same, *(read_task("t", other).digest for other in others)}) == 4


def test_the_core_suite_has_the_five_kinds():
    assert [(task.name, task.policy) for task in load()] == [
        ("core/answer-about-file", "usually"), ("core/change-function", "usually"),
        ("core/create-file", "usually"), ("core/find-across-files", "usually"),
        ("core/run-command", "usually"),
    ]

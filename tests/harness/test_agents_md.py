from __future__ import annotations

import json
import os

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.errors import UsageError
from clinkai.harness import prefix
from clinkai.harness.agents_md import LIMIT, in_force
from clinkai.harness.workspace import Workspace
from tests.source import TOP

CASES = [json.loads(line) for line in (TOP / "tests/cases/agents_md.jsonl").read_text().splitlines()]


def build(tree: dict, top) -> None:
    for path, text in tree.items():
        target = top / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("@"):
            os.symlink(text[1:], target)
        else:
            target.write_bytes(text.encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_files_in_force(case, tmp_path):
    build(case["tree"], tmp_path)
    inside = "workspace root is ws" in case["note"]
    root, cut = (tmp_path / "ws", "ws/") if inside else (tmp_path, "")
    found = in_force(Workspace(root), case["target"].removeprefix(cut))
    assert [cut + file.path for file in found] == case["expect"]


@pytest.mark.parametrize(("name", "data", "text"), [
    ("byte order mark", "\ufeffR\r\nS".encode(), "R\nS"),
    ("no UTF-8", b"R\xff", "R\ufffd"),
    ("GB18030", "用制表符缩进。".encode("gb18030"), "用制表符缩进。"),
    ("UTF-16", "Use tabs.\r\n".encode("utf-16"), "Use tabs."),
    ("binary", b"\x00\x01" * 99, ""),
    ("blank", b" \n\n", None),
])
def test_what_is_read(name, data, text, tmp_path):
    (tmp_path / "AGENTS.md").write_bytes(data)
    workspace = Workspace(tmp_path)
    assert [file.text for file in in_force(workspace)] == ([] if text is None else [text])
    told = [key for _, key, _ in prefix.remarks(workspace)]
    assert told == (["notice.agents_md.binary"] if name == "binary" else [])


def test_a_long_file_is_cut_at_a_line_and_says_so(tmp_path):
    (tmp_path / "AGENTS.md").write_text("a line of rules\n" * 5000)
    ws, say = Workspace(tmp_path), Strings("en")
    (file,) = in_force(ws)
    assert file.cut and len(file.text) <= LIMIT and file.text.endswith("a line of rules")
    assert say("notice.agents_md.cut_mark") in prefix.build(ws, say).system
    assert [note[1] for note in prefix.remarks(ws)] == ["notice.agents_md.cut"]


def test_a_fifo_of_that_name_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "AGENTS.md")
    assert in_force(Workspace(tmp_path)) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_two_sessions_in_one_workspace_share_the_prefix(tmp_path, lang):
    (tmp_path / "AGENTS.md").write_text("Use tabs.")
    made = [prefix.build(Workspace(tmp_path), Strings(lang)) for _ in range(2)]
    assert made[0] == made[1]
    assert made[0].system.endswith(
        '\n\n<instructions file="AGENTS.md">\nUse tabs.\n</instructions>')
    assert str(tmp_path.resolve()) in made[0].system


def test_own_rules_replace_ours_and_lie_outside(tmp_path):
    ws = tmp_path / "ws"
    ws.mkdir()
    (tmp_path / "rules.md").write_text("Be $brief.")
    (ws / "rules.md").write_text("loose")
    say = Strings("en")
    assert prefix.build(Workspace(ws), say, str(tmp_path / "rules.md")).system == "Be $brief."
    at_home = Workspace(ws, private=(tmp_path,))
    assert prefix.build(at_home, say, str(tmp_path / "rules.md")).system == "Be $brief."
    for path in (ws / "rules.md", tmp_path / "none.md"):
        with pytest.raises(UsageError):
            prefix.build(Workspace(ws), say, str(path))

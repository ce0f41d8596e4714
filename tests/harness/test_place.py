"""Where the tools work is told with the status line, when it is another place than was told."""

from __future__ import annotations

import os

import pytest

from clinkai.core.events import ToolEnd
from clinkai.harness.place import branch
from tests.harness.agents import Run
from tests.server import FakeServer, reply

SHA = "0123456789abcdef0123456789abcdef01234567"


def repository(folder, head: str) -> None:
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    (folder / ".git" / "HEAD").write_text(head)


@pytest.mark.parametrize(("head", "found"), [
    ("ref: refs/heads/main\n", "main"), ("ref: refs/heads/feat/ü-1", "feat/ü-1"),
    (SHA + "\n", "0123456"), (SHA, "0123456"), ("ref: refs/heads/.invalid words\n", ""),
    ("ref: refs/heads/a\nmore\n", ""), ("ref: refs/heads/" + "x" * 201, ""), ("\x1b[2J", ""), ("", ""),
])
def test_the_branch_is_what_head_says(tmp_path, head, found):
    repository(tmp_path, head)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    assert (branch(str(tmp_path)), branch(str(tmp_path / "deep" / "er"))) == (found, found)


def test_a_work_tree_points_to_its_head_and_nothing_is_waited_for(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "HEAD").write_text("ref: refs/heads/side\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text("gitdir: ../kept\n")
    assert branch(str(tree)) == "side"
    (tree / ".git").write_text("gitdir: ../none\n")
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert branch(str(tree)) == ""


def said(run) -> list[str]:
    """The status lines of all results."""
    return [event.record["content"].rpartition("[status: ")[2] for event in run.of(ToolEnd)
            if "[status: " in event.record["content"]]


def test_another_branch_or_folder_is_told_once_and_again_after_it_changed(tmp_path):
    repository(tmp_path / "ws", "ref: refs/heads/main\n")
    other = tmp_path / "moved"
    repository(other, "ref: refs/heads/side\n")
    look = reply("", calls=[("ls", {})])
    with FakeServer([look, look, reply("a"), look, reply("b"), look, reply("c"), look, reply("d")]) as fake:
        with Run(tmp_path, base_url=fake.base_url) as run:
            run.say("first")
            repository(tmp_path / "ws", "ref: refs/heads/side\n")
            run.say("second")
            path = run.agent.session.path
            assert [line.partition("%")[2] for line in said(run)] == [
                ", git branch main]", ", git branch side]"]
        with Run(tmp_path, base_url=fake.base_url, resume=path) as run:
            run.say("third")
            assert said(run) == []
        with Run(tmp_path, base_url=fake.base_url, resume=path, workspace=other) as run:
            run.say("fourth")
            assert [line.partition("%")[2] for line in said(run)] == [
                f", git branch side, now in the folder {other.resolve()}]"]


def test_in_the_ephemeral_mode_each_request_says_it(tmp_path):
    repository(tmp_path / "ws", "ref: refs/heads/main\n")
    with FakeServer([reply("", calls=[("ls", {})]), reply("a")]) as fake:
        with Run(tmp_path, base_url=fake.base_url, status="ephemeral") as run:
            run.say("first")
        last = [chat.json["messages"][-1]["content"] for chat in fake.chats]
        assert [text.endswith("%, git branch main]") for text in last] == [True, True]

"""Where there is a wall, where there is none, and the settings a new repository may have."""

from __future__ import annotations

import pytest

from clinkai.harness.sandbox import walls
from clinkai.harness.sandbox.guard import Guard, harmless
from clinkai.harness.sandbox.wall import Unconfined, Wall, missing


def test_there_is_a_wall_or_a_reason_why_not(tmp_path):
    why = missing()
    try:
        wall = Wall(str(tmp_path), (), True)
    except Unconfined as error:
        assert error.why == why
    else:
        wall.close()
        assert why == ""
    assert why in ("", "not_linux", "missing", "off", "blocked", "old", "machine")


def test_a_workspace_that_holds_what_is_private_has_no_wall_to_write_behind(tmp_path):
    with pytest.raises(Unconfined) as told:
        walls.find(str(tmp_path), (str(tmp_path / "home"),), True)
    assert told.value.why == (missing() or "wide")
    walls.close()


@pytest.mark.parametrize(("text", "kept"), [
    ("[core]\n\trepositoryformatversion = 0\n\tbare = false\n", None),
    ('[remote "origin"]\n\turl = /srv/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'
     '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n', None),
    ("[core]\n\tfsmonitor = ./evil\n\tbare = false\n", "[core]\n\tbare = false\n"),
    ("[core]\n\tFSMonitor = ./evil\n", "[core]\n"),
    ("[core] fsmonitor = ./evil\n", ""),
    ("[core]\n\tbare = false\\\nfsmonitor = x\n", "[core]\n"),
    ("[include]\n\tpath = evil\n", ""),
    ('[core]\n[filter "x"]\n\tclean = evil\n\tbare = false\n', "[core]\n"),
    ('[remote "origin"]\n\tuploadpack = evil\n', '[remote "origin"]\n'),
    ("[core]\n\tbare = false\r\n\teditor = evil\r\n", "[core]\n\tbare = false\r\n"),
])
def test_what_of_new_settings_is_harmless(text, kept):
    assert harmless(text) == (text if kept is None else kept)


def test_a_new_repository_keeps_only_what_is_harmless(tmp_path):
    guard = Guard(str(tmp_path))
    hooks = tmp_path / ".git" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "pre-commit.sample").write_text("sample")
    (hooks / "pre-commit").write_text("evil")
    (tmp_path / ".git" / "config").write_text("[core]\n\tbare = false\n\tpager = evil\n")
    (tmp_path / ".git" / "commondir").write_text("../evil")
    assert guard.put_back() == (".git/config", ".git/commondir", ".git/hooks/pre-commit")
    assert [path.name for path in hooks.iterdir()] == ["pre-commit.sample"]
    assert (tmp_path / ".git" / "config").read_text() == "[core]\n\tbare = false\n"
    assert not (tmp_path / ".git" / "commondir").exists()
    assert Guard(str(tmp_path)).put_back() == ()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_pointer_to_a_repository_that_was_not_there_goes(tmp_path, kind):
    guard = Guard(str(tmp_path))
    pointer = tmp_path / ".git"
    if kind == "file":
        pointer.write_text("gitdir: evil")
    else:
        pointer.symlink_to("evil")
    assert guard.put_back() == (".git",)
    assert list(tmp_path.iterdir()) == []


def test_a_repository_that_became_a_link_is_not_written_through(tmp_path):
    root, other = tmp_path / "w", tmp_path / "other"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text("[core]\n")
    other.mkdir()
    guard = Guard(str(root))
    (root / ".git").rename(root / "old")
    (root / ".git").symlink_to(other)
    assert guard.put_back() == (".git", ".git/config")
    assert list(other.iterdir()) == []
    assert (root / ".git" / "config").read_text() == "[core]\n" and not (root / ".git").is_symlink()

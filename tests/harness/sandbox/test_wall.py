"""Where there is a wall, where there is none, and the settings a new repository may have."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from clinkai.harness.sandbox import walls
from clinkai.harness.sandbox.guard import MOST, Guard, harmless
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


def tree(root: Path) -> dict:
    """What there is, links not followed."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        found[name] = (os.readlink(path) if path.is_symlink() else
                       (path.read_text(), path.stat().st_mode) if path.is_file() else "folder")
    return found


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


KEPT = (".vscode/tasks.json", ".vscode/deep/a", ".envrc", ".github/workflows/ci.yml",
        ".github/hooks/a", "src/.vscode/tasks.json", "src/main.py", ".CLAUDE/settings.json")
BARE = (".github/workflows/ci.yml", "src/main.py")


def changed(path: str, mode: int = 0):
    def change(root: Path) -> None:
        make(root, path)
        (root / path).write_text("evil")
        if mode:
            (root / path).parent.chmod(mode)
    return change


def linked(path: str):
    def change(root: Path) -> None:
        place = root / path
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
        place.symlink_to("src")
    return change


def gone(path: str):
    return lambda root: shutil.rmtree(root / path)


def many(path: str):
    return lambda root: make(root, *(f"{path}/{n}" for n in range(MOST + 5)), path + "/evil")


def several(*changes):
    return lambda root: [change(root) for change in changes]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("names", "change", "told"), [
    (KEPT, changed(".vscode/tasks.json"), (".vscode/tasks.json",)),
    (KEPT, changed(".vscode/new.json"), (".vscode/new.json",)),
    (KEPT, changed(".vscode/new/a/b"), (".vscode/new",)),
    (KEPT, changed(".CLAUDE/settings.json"), (".CLAUDE/settings.json",)),
    (KEPT, changed(".envrc"), (".envrc",)),
    (KEPT, changed(".github/hooks/a"), (".github/hooks/a",)),
    (KEPT, linked(".vscode"), (".vscode", ".vscode/deep", ".vscode/deep/a", ".vscode/tasks.json")),
    (KEPT, linked(".envrc"), (".envrc",)),
    (KEPT, gone(".vscode/deep"), (".vscode/deep", ".vscode/deep/a")),
    (KEPT, several(gone(".github"), changed(".github/workflows/ci.yml")),
     (".github/hooks", ".github/hooks/a")),
    (KEPT, many(".vscode"), (".vscode", ".vscode/deep", ".vscode/deep/a", ".vscode/tasks.json")),
    *((BARE, changed(name + more), (name,)) for name, more in (
        (".vscode", "/tasks.json"), (".idea", "/a.xml"), (".husky", "/pre-commit"), (".codex", "/a"),
        (".claude", "/settings.json"), (".cursor", "/mcp.json"), (".gemini", "/a"), (".roo", "/a"),
        (".devcontainer", "/devcontainer.json"), (".devcontainer.json", ""), (".mcp.json", ""),
        (".envrc", ""), (".ENVRC", ""), (".Vscode", "/x"), (".clinkai", "/policy.toml"),
        (".github/hooks", "/a"))),
    (BARE, linked(".vscode"), (".vscode",)),
    (BARE, many(".claude"), (".claude",)),
    (BARE, several(changed(".claude/a", 0), lambda root: (root / ".claude").chmod(0),
                   changed(".vscode/tasks.json")), (".claude", ".vscode")),
    (BARE, several(changed(".vscode/in/a"), lambda root: (root / ".vscode/in").chmod(0)),
     (".vscode",)),
])
def test_what_editors_and_agents_would_run_is_put_back_and_told(tmp_path, names, change, told):
    make(tmp_path, *names)
    before = tree(tmp_path)
    guard = Guard(str(tmp_path))
    change(tmp_path)
    after = tree(tmp_path) if os.geteuid() == 0 else None
    assert guard.put_back() == told and after != before
    assert tree(tmp_path) == (before | {".github/workflows/ci.yml": tree(tmp_path)[BARE[0]]}
                              if ".github" in str(told) else before)


@pytest.mark.parametrize("change", [
    changed("src/main.py"), changed(".idea/workspace.xml"), changed(".github/workflows/ci.yml"),
    changed(".github/new"), changed(".vscoder/a"), changed(".env"), gone("src"),
])
def test_other_files_are_left_as_the_command_made_them(tmp_path, change):
    make(tmp_path, *KEPT, ".idea/workspace.xml")
    guard = Guard(str(tmp_path))
    change(tmp_path)
    after = tree(tmp_path)
    assert (guard.put_back(), tree(tmp_path)) == ((), after)


def test_what_no_command_could_write_is_left_as_somebody_else_made_it(tmp_path):
    make(tmp_path, *KEPT)
    os.link(tmp_path / ".envrc", tmp_path / "other name")
    guard = Guard(str(tmp_path))
    assert sorted(guard.frozen) == [".CLAUDE", ".envrc", ".github/hooks", ".vscode"]
    assert guard.pinned == (".github",)
    for path in (".vscode/tasks.json", "other name", ".husky/new"):
        changed(path)(tmp_path)
    assert guard.put_back(guard.frozen) == (".envrc", ".husky")
    assert (tmp_path / ".vscode/tasks.json").read_text() == "evil"
    assert (tmp_path / ".envrc").read_text() == ".envrc"

"""Git's ignore rules: a table, then the same answers as Git itself gives."""

from __future__ import annotations

import os
import random
import shutil
import subprocess

import pytest

from clinkai.harness.globs import Glob, expand
from clinkai.harness.ignore import Ignore
from clinkai.harness.walk import visits
from clinkai.harness.workspace import Workspace

RULES = [
    # rules, path (with / at the end: a folder), ignored
    ("*.log", "a.log", True), ("*.log", "x/y/a.log", True), ("*.log", "a.logs", False),
    ("build", "build/", True), ("build", "x/build", True), ("build/", "build", False),
    ("build/", "x/build/", True), ("/build", "x/build", False), ("/build", "build", True),
    ("docs/_build", "docs/_build/", True), ("docs/_build", "x/docs/_build/", False),
    ("a/b/", "a/b/", True), ("a/b/", "a/b/c.txt", True), ("**/x", "a/b/x", True), ("**/x", "x", True),
    ("a/**", "a/", False), ("a/**", "a/b", True), ("a/**", "a/b/c", True), ("a/**/z", "a/z", True),
    ("a/**/z", "a/b/c/z", True), ("a/**/z", "a/zz", False), ("a**z", "a/z", False),
    ("a**z", "abz", True), ("*", "anything", True), ("?.c", "a.c", True), ("?.c", "ab.c", False),
    ("[ab].c", "a.c", True), ("[!ab].c", "a.c", False), ("[!ab].c", "c.c", True),
    ("[a-c]x", "bx", True), ("[a-c]x", "dx", False), ("[]a]x", "]x", True), ("[[:digit:]]x", "7x", True),
    ("[[:digit:]]x", "ax", False), ("[a", "[a", False), ("[a-]x", "-x", True), ("[\\]]x", "]x", True),
    ("# comment", "# comment", False), ("\\# no comment", "# no comment", True),
    ("\\!bang", "!bang", True), ("name  ", "name", True), ("name\\ ", "name ", True),
    ("*.log\n!keep.log", "keep.log", False), ("!keep.log\n*.log", "keep.log", True),
    ("build/\n!build/x", "build/x", True), ("build/*\n!build/x", "build/x", False),
    ("a\\*b", "a*b", True), ("a\\*b", "axb", False), ("x\\", "x", False), ("/", "a", False),
    ("", "a", False), ("*.LOG", "a.log", False), ("foo/*", "foo/a/", True), ("foo/*", "foo/a/b", True),
    ("\ufeff*.tmp", "a.tmp", True), ("*.a\r\n*.b\r\n", "x.b", True), ("***/x", "a/x", True),
    ("a/***", "a/b", True), ("*a*b*c", "xxaxxbxxc", True), ("*a*b*c", "xxaxxcxxb", False),
    ("\u6587/", "\u6587/", True), (".*", ".hidden", True),
]


@pytest.mark.parametrize(("rules", "path", "ignored"), RULES)
def test_rules(tmp_path, rules, path, ignored):
    (tmp_path / ".gitignore").write_bytes(rules.encode())
    found = Ignore(Workspace(tmp_path)).ignored(path.rstrip("/"), path.endswith("/"))
    assert found is ignored


needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


def environ(home) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A repository in which every case has a folder of its own."""
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(root)], check=True, env=environ(root))
    return root


def git_ignores(root, paths: list[str]) -> set[str]:
    """What Git says in a folder of a repository; folders are given with a slash and must exist."""
    for path in paths:
        target = root / path
        if path.endswith("/"):
            target.mkdir(parents=True, exist_ok=True)
        elif not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("x")
    asked = subprocess.run(
        ["git", "-C", str(root), "check-ignore", "--no-index", "-z", "--stdin"], env=environ(root),
        input="\0".join(path.rstrip("/") for path in paths).encode(), capture_output=True, check=False)
    return {path.decode() for path in asked.stdout.split(b"\0") if path}


@needs_git
@pytest.mark.parametrize(("rules", "path", "ignored"), RULES)
def test_the_table_is_what_git_says(repository, rules, path, ignored):
    root = repository / f"row{len(os.listdir(repository))}"
    root.mkdir()
    (root / ".gitignore").write_bytes(rules.encode())
    assert (path.rstrip("/") in git_ignores(root, [path])) is ignored


PIECES = ["a", "b", "ab", "*", "?", "[ab]", "[!a]", "**", "a*", "*b", "x", "!a", "\\a"]


@needs_git
@pytest.mark.slow
def test_random_rules_mean_what_git_says(repository):
    rng = random.Random(20261130)
    names = ["a", "b", "ab", "x", "abx"]
    paths = sorted({"/".join(rng.choices(names, k=rng.randint(1, 4))) for _ in range(80)})
    folders = {path.rpartition("/")[0] for path in paths if "/" in path}
    folders |= {"/".join(f.split("/")[:n]) for f in folders for n in range(1, f.count("/") + 2)}
    asked = [path + "/" if path in folders else path for path in paths]
    for round_ in range(40):
        root = repository / str(round_)
        root.mkdir()
        git_ignores(root, asked)
        for where in ("", "a", "b/a"):
            if where and not (root / where).is_dir():
                continue
            lines = []
            for _ in range(rng.randint(1, 4)):
                rule = "/".join(rng.choices(PIECES, k=rng.randint(1, 3)))
                lines.append(rng.choice(["", "", "!", "/"]) + rule + rng.choice(["", "", "/"]))
            (root / where / ".gitignore").write_text("\n".join(lines) + "\n")
        ours = Ignore(Workspace(root))
        found = {path.rstrip("/") for path in asked if ours.ignored(path.rstrip("/"), path.endswith("/"))}
        rules = {str(p.relative_to(root)): p.read_text() for p in root.rglob(".gitignore")}
        assert found == git_ignores(root, asked), rules


def tree(root, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def seen(workspace: Workspace, start: str = "") -> list[str]:
    return [
        f"{visit.rel}/{entry.name}".lstrip("/") for visit in visits(workspace, start)
        for entry in visit.entries if not entry.is_dir(follow_symlinks=False)
    ]


def test_levels_and_exclude_work_together(tmp_path):
    tree(tmp_path, "a.log", "sub/a.log", "sub/keep.log", "sub/x.tmp", "deep/er/b.o", "c.swp", ".git/HEAD")
    (tmp_path / ".gitignore").write_text("*.log\n!.gitignore\n")
    (tmp_path / "sub/.gitignore").write_text("!keep.log\n*.tmp\n")
    (tmp_path / ".git/info").mkdir()
    (tmp_path / ".git/info/exclude").write_text("*.swp\n*.o\n")
    assert seen(Workspace(tmp_path)) == [".gitignore", "sub/.gitignore", "sub/keep.log"]


def test_the_repository_above_counts(tmp_path):
    tree(tmp_path, ".git/HEAD", "ws/a.log", "ws/b.txt", "ws/gen/c.txt")
    (tmp_path / ".gitignore").write_text("*.log\n/ws/gen/\n")
    assert seen(Workspace(tmp_path / "ws")) == ["b.txt"]


def test_a_repository_above_that_ignores_the_workspace_does_not_count(tmp_path):
    tree(tmp_path, ".git/HEAD", "ws/a.txt")
    (tmp_path / ".gitignore").write_text("*\n")
    assert seen(Workspace(tmp_path / "ws")) == ["a.txt"]


def test_an_ignored_folder_can_be_asked_for_by_name(tmp_path):
    tree(tmp_path, "build/x/a.txt", "b.txt")
    (tmp_path / ".gitignore").write_text("build/\n")
    assert (seen(Workspace(tmp_path)), seen(Workspace(tmp_path), "build")) == (
        [".gitignore", "b.txt"], ["build/x/a.txt"])


def test_a_rule_file_that_is_a_link_or_a_pipe_is_not_read(tmp_path):
    tree(tmp_path, "a.log", "sub/b.log", "rules")
    (tmp_path / "rules").write_text("*.log\n")
    (tmp_path / ".gitignore").symlink_to("rules")
    os.mkfifo(tmp_path / "sub/.gitignore")
    assert "a.log" in seen(Workspace(tmp_path)) and "sub/b.log" in seen(Workspace(tmp_path))


def test_a_hostile_rule_costs_nothing():
    glob = Glob("*a" * 40 + "b/" + "**/*a" * 20)
    assert not glob.matches(("a" * 250, *["a" * 100] * 60))


def test_a_deep_tree_is_walked_to_the_end(tmp_path):
    folder = tmp_path
    for _ in range(120):
        folder = folder / "d"
        folder.mkdir()
    (folder / "end.txt").write_text("x")
    assert seen(Workspace(tmp_path)) == ["d/" * 120 + "end.txt"]


def test_links_are_listed_and_not_followed(tmp_path):
    (tmp_path / "ws").mkdir()
    tree(tmp_path, "outside/secret.txt", "ws/a.txt")
    (tmp_path / "ws/out").symlink_to("../outside")
    (tmp_path / "ws/self").symlink_to(".")
    assert seen(Workspace(tmp_path / "ws")) == ["a.txt", "out", "self"]


@pytest.mark.parametrize(("pattern", "expanded"), [
    ("*.py", ["*.py"]), ("*.{py,js}", ["*.py", "*.js"]), ("{a,b}/{c,d}", ["a/c", "a/d", "b/c", "b/d"]),
    ("{a}", ["{a}"]), ("{a,b", ["{a,b"]), ("{a,{b,c}}", ["a", "b", "a", "c"]),
])
def test_braces(pattern, expanded):
    assert expand(pattern) == expanded


def test_braces_do_not_explode():
    assert len(expand("{a,b}" * 40)) <= 128

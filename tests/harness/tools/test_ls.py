"""ls: one level, patterns, what is left out, what is only named, limits."""

from __future__ import annotations

import os

import pytest

from clinkai.core.value import replace
from clinkai.harness.tools.grep import GREP, GrepArgs
from clinkai.harness.tools.ls import LS, LsArgs
from clinkai.harness.workspace import Workspace
from tests.harness.tools.context import Desk, told


@pytest.fixture
def tree(desk):
    for path, content in (
        ("README.md", "hello\n"), ("src/main.py", "x = 1\n"), ("src/deep/util.py", "x" * 1500),
        ("src/deep/data.json", "{}"), ("b.log", "x"), (".gitignore", "*.log\nbuild/\n"),
        ("build/out.py", "x"), (".git/config", "x"), (".env", "KEY=1"), ("[slug]/page.tsx", "x"),
    ):
        desk.put(path, content)
    (desk.root.parent / "outside").mkdir()
    (desk.root.parent / "outside/secret.txt").write_text("x")
    (desk.root / "link").symlink_to("src/main.py")
    (desk.root / "out").symlink_to("../outside")
    os.mkfifo(desk.root / "pipe")
    return desk


ROOT = """\
.env\tsecret
.gitignore\t13 B
README.md\t6 B
[slug]/
link -> src/main.py
out -> outside or not open
pipe\tpipe
src/
[ignored by git: 2]"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("path", "shown"), [
    (None, ROOT), (".", ROOT), ("./", ROOT), ("src", "deep/\nmain.py\t6 B"), ("src/", "deep/\nmain.py\t6 B"),
    ("README.md", "README.md\t6 B"), ("build", "out.py\t1 B"), ("[slug]", "page.tsx\t1 B"),
    ("src/deep/", "data.json\t2 B\nutil.py\t1.5 kB"), ("link", "src/main.py\t6 B"),
    ("**/*.py", "src/main.py\t6 B\nsrc/deep/util.py\t1.5 kB"),
    ("src/**", "src/main.py\t6 B\nsrc/deep/data.json\t2 B\nsrc/deep/util.py\t1.5 kB"),
    ("src/*", "src/deep/\nsrc/main.py\t6 B"), ("*.md", "README.md\t6 B"), ("*/main.py", "src/main.py\t6 B"),
    ("src/**/*.{py,json}", "src/main.py\t6 B\nsrc/deep/data.json\t2 B\nsrc/deep/util.py\t1.5 kB"),
    ("*.log", "[nothing]"), ("out/*", None), ("s?c/m[a-z]in.py", "src/main.py\t6 B"),
    (".git", None), ("../outside", None), ("../*", None), ("src/**/../../x", None), ("nope", None),
    ("**/deep", "src/deep/"), ("src/deep/*/", "[nothing]"), ("src/*/", "src/deep/"),
])
def test_listings(tree, path, shown):
    result = tree.call("ls", **({} if path is None else {"path": path}))
    assert (result.output if result.ok else None) == shown


@pytest.mark.parametrize(("path", "said"), [
    ("nope", "There is no nope."), ("src/man.py", "There is no src/man.py. Did you mean: src/main.py"),
    ("README.md/x", "A part of README.md/x is a file, not a folder."), ("nope/*.py", "There is no nope."),
    ("src/../*/..", "A pattern must not contain ..: src/../*/.."), ("", "The path is empty."),
    ("../*", "deny"), (".git", "deny"),
])
def test_what_cannot_be_listed(tree, path, said):
    assert tree.error("ls", path=path) == said


def test_empty_folder(desk):
    assert desk.text("ls") == "[nothing]"


def test_a_private_folder_in_the_workspace_is_hidden(desk):
    desk.put("kept/sessions/1.jsonl", "hit")
    desk.put("seen", "hit")
    fence = Workspace(desk.root, [desk.root / "kept"])
    context = replace(desk.context, workspace=fence)
    args = LsArgs("**")
    assert LS.run(told(LS, args, context), args).output == "seen\t3 B"
    args = GrepArgs("hit", ".", "", False)
    assert GREP.run(told(GREP, args, context), args).output == "seen:1: hit\n[lines: 1, files: 1]"


@pytest.mark.slow
def test_a_long_listing_is_cut_and_says_so(desk):
    (desk.root / "many").mkdir()
    for n in range(1200):
        (desk.root / f"many/f{n:04}").touch()
    result = desk.call("ls", path="many")
    assert result.cut and result.output.endswith("[the first 1000 of 1200; narrow the pattern]")
    kept = desk.text("read", path="out:1", offset=1000, limit=1)
    assert kept.startswith("1000\tf0999\t0 B\n")


def test_names_that_are_no_text_can_be_shown(desk):
    with open(os.fsencode(desk.root) + b"/bad\xff\n", "wb"):
        pass
    assert desk.text("ls") == "bad\\udcff\\x0a\t0 B"


def test_chinese(tmp_path):
    with Desk(tmp_path, lang="zh") as desk:
        assert desk.text("ls") == "[没有内容]"
        assert desk.error("ls", path="nope") == "没有 nope。"
        assert desk.error("ls", depth=1) == "没有 depth 这个参数。可用的参数：path"

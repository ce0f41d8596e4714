"""write: what it answers, what it keeps of an existing file, what it refuses."""

from __future__ import annotations

import os
import stat

import pytest

from clinkai.core.errors import Cancelled
from clinkai.core.value import replace
from clinkai.harness.tools.write import WRITE, WriteArgs
from tests.harness.tools.context import Desk, told


def test_created_changed_unchanged(desk):
    assert desk.call("write", path="a/b.txt", content="one\ntwo\n").output == "Created a/b.txt, lines: 2."
    assert desk.text("write", path="a/b.txt", content="one\n") == "Changed a/b.txt, lines: 2 -> 1."
    before = os.stat(desk.root / "a/b.txt")
    assert desk.text("write", path="a/b.txt", content="one\n") == (
        "Unchanged: a/b.txt already has this content, lines: 1.")
    assert os.stat(desk.root / "a/b.txt") == before


def test_the_diff_is_for_people(desk):
    assert desk.call("write", path="f", content="one\n").diff == "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+one\n"
    assert desk.call("write", path="f", content="two\n").diff == (
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n")
    args = WriteArgs("f", "three\n")
    assert WRITE.preview(told(WRITE, args, desk.context), args).endswith("-two\n+three\n")
    assert desk.get("f") == b"two\n"


def test_a_file_that_was_not_read_is_not_overwritten(desk):
    desk.put("f", "theirs\n")
    assert "was not read in this session" in desk.error("write", path="f", content="ours\n")
    desk.text("read", path="f")
    desk.put("f", "changed\n")
    assert "was changed since you read it" in desk.error("write", path="f", content="ours\n")
    assert desk.get("f") == b"changed\n"
    desk.text("read", path="f", limit=1)
    desk.text("write", path="f", content="ours\n")
    desk.text("write", path="f", content="again\n")
    assert desk.get("f") == b"again\n"


@pytest.mark.parametrize(("old", "content", "new"), [
    (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
    (b"a\nb\n", "x\r\ny\r\n", b"x\ny\n"),
    (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n"),
    ("\ufeffa\r\n".encode("utf-16-le"), "x\ny\n", "\ufeffx\r\ny\r\n".encode("utf-16-le")),
    ("\u4f60\u597d\n".encode("gb18030"), "\u4e16\u754c\n", "\u4e16\u754c\n".encode("gb18030")),
    (b"caf\xe9\n", "caf\u00e9\n", "caf\u00e9\n".encode()),
    (b"", "x\n", b"x\n"),
])
def test_encoding_and_line_ends_stay(desk, old, content, new):
    desk.put("f", old)
    desk.text("read", path="f")
    desk.text("write", path="f", content=content)
    assert desk.get("f") == new


def test_the_mode_stays(desk):
    desk.put("run.sh", "old")
    (desk.root / "run.sh").chmod(0o751)
    desk.text("read", path="run.sh")
    desk.text("write", path="run.sh", content="new")
    assert stat.S_IMODE((desk.root / "run.sh").stat().st_mode) == 0o751


def test_what_was_before_is_kept_first(desk):
    desk.text("write", path="a/f", content="one\n")
    desk.text("write", path="a/f", content="two\n")
    kept = desk.session.state.before
    assert [path for path, _ in kept] == ["a/f", "a/f"]
    assert (kept[0][1], desk.store.before(kept[1][1])) == (None, b"one\n")


def test_when_nothing_can_be_kept_nothing_is_changed(desk):
    desk.text("write", path="f", content="one\n")
    os.rename(desk.root.parent / "home/sessions", desk.root.parent / "home/gone")
    (desk.root.parent / "home/sessions").write_text("in the way")
    assert desk.error("write", path="f", content="two\n").startswith("f is unchanged: its old content")
    assert (desk.get("f"), os.listdir(desk.root)) == (b"one\n", ["f"])


def test_a_cancel_before_the_change_leaves_the_file(desk):
    desk.put("f", "one\n")
    desk.text("read", path="f")
    desk.cancel.set()
    with pytest.raises(Cancelled):
        desk.call("write", path="f", content="two\n")
    assert (desk.get("f"), os.listdir(desk.root), desk.session.state.before) == (b"one\n", ["f"], ())


def test_a_cancel_during_the_change_is_too_late(desk):
    """The store is the last to be asked before the file is replaced; then it is finished."""
    keep = desk.store.keep_before

    class Late:
        def keep_before(self, *change):
            kept = keep(*change)
            desk.context.cancel.set()
            return kept

    args = WriteArgs("f", "done\n")
    assert WRITE.run(told(WRITE, args, desk.context, store=Late()), args).ok
    assert desk.get("f") == b"done\n"


@pytest.mark.parametrize(("path", "said"), [
    ("sub", "sub is a folder."), ("sub/", "sub/ is a folder."), ("new/", "new/ is a folder."),
    (".", ". is a folder."), ("file/x", "A part of file/x is a file, not a folder."),
    ("pipe", "pipe is a pipe, not a file."), ("", "The path is empty."),
    (".git/config", "deny"), ("../x", "deny"), (".env", "ask"), (".vscode/x", "ask"),
])
def test_what_cannot_be_written(desk, path, said):
    desk.put("sub/x", "x")
    desk.put("file", "x")
    os.mkfifo(desk.root / "pipe")
    assert desk.error("write", path=path, content="x") == said


def test_half_a_character_cannot_be_written(desk):
    assert desk.error("write", path="f", content="a\ud800") == "f is in utf-8, which has no U+D800."
    assert os.listdir(desk.root) == []


def test_a_link_inside_leads_to_its_target(desk):
    desk.put("real.txt", "old\n")
    (desk.root / "link.txt").symlink_to("real.txt")
    desk.text("read", path="link.txt")
    desk.text("write", path="link.txt", content="new\n")
    assert (desk.get("real.txt"), (desk.root / "link.txt").is_symlink()) == (b"new\n", True)


BROKEN = [
    ("a.py", "def f(:\n", "line 1: invalid syntax"), ("a.py", "x = '\\d'\n", ""), ("a.py", "x = 1\n", ""),
    ("a.py", "if x:\n", "line 1: expected an indented block after 'if' statement on line 1"),
    ("a.PY", "(\n", "line 1: '(' was never closed"), ("a.txt", "def f(:\n", ""),
    ("a.py", "x = \0\n", "source code string cannot contain null bytes"),
    ("a.json", '{"a": 1,}\n', "line 1: Expecting property name enclosed in double quotes"),
    ("a.json", '{"a": 1}\n', ""), ("a.json", "1" * 6000, ""), ("tsconfig.json", "// x\n{}", ""),
    ("a.json", "[" * 100_000, ""),
    ("a.toml", "a = \n", "Invalid value (at line 1, column 5)"), ("a.toml", "a = 1\n", ""),
    ("a.xml", "<a><b></a>\n", "line 1: mismatched tag"), ("a.xml", "<a/>\n", ""),
    ("a.xml", '<!DOCTYPE a [<!ENTITY b "' + "x" * 1000 + '"><!ENTITY c "' + "&b;" * 1000
     + '">]><a>' + "&c;" * 1000 + "</a>", ""),
    ("a.py", "x = 1\n" * 300_000 + "(", ""),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "content", "why"), BROKEN, ids=[f"{n}-{len(c)}" for n, c, _ in BROKEN])
def test_a_file_that_does_not_parse_is_said_to_be_broken(desk, name, content, why):
    lines = desk.text("write", path=name, content=content).split("\n")[1:]
    assert lines == ([f"Warning: it does not parse: {why}"] if why else [])


def test_chinese(tmp_path):
    with Desk(tmp_path, lang="zh") as desk:
        assert desk.text("write", path="f", content="x\n") == "已新建 f，1 行。"
        assert desk.error("write", path="f", content=1) == "content 必须是字符串，不能是整数。"

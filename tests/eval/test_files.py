from __future__ import annotations

import os

import pytest

from eval.files import Changes, compare, matches_any, snapshot


def test_what_changed_is_told_with_its_lines(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/keep.txt").write_text("same\n")
    (tmp_path / "a/edit.txt").write_text("one\ntwo\nthree")
    (tmp_path / "gone.bin").write_bytes(b"\0\1")
    before = snapshot(str(tmp_path))
    (tmp_path / "a/edit.txt").write_text("one\n2\nthree\nfour\n")
    (tmp_path / "gone.bin").unlink()
    (tmp_path / "new.txt").write_text("hello\n")
    assert compare(before, snapshot(str(tmp_path))) == Changes(
        ("a/edit.txt", "gone.bin", "new.txt"), 4, 2,
        "--- a/a/edit.txt\n+++ b/a/edit.txt\n@@ -1,3 +1,4 @@\n one\n-two\n-three\n"
        "\\ No newline at end of file\n+2\n+three\n+four\n"
        "# not shown: gone.bin\n"
        "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n",
    )


def test_by_products_of_python_are_no_changes(tmp_path):
    before = snapshot(str(tmp_path))
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/x.pyc").write_bytes(b"x")
    assert compare(before, snapshot(str(tmp_path))) == Changes((), 0, 0, "")


def test_links_and_pipes_are_never_followed_or_waited_for(tmp_path):
    (tmp_path / "dir").mkdir()
    os.symlink("/etc", tmp_path / "out")
    os.symlink("nowhere", tmp_path / "dir/broken")
    os.mkfifo(tmp_path / "pipe")
    assert snapshot(str(tmp_path)) == {
        "out": b"link /etc", "dir/broken": b"link nowhere", "pipe": b"special"}


@pytest.mark.parametrize(("path", "globs", "fits"), [
    ("a/b/c.txt", ["**"], True),
    ("c.txt", ["**/c.txt"], True),
    ("a/b/c.txt", ["**/c.txt"], True),
    ("a/b/c.txt", ["a/*"], False),
    ("a/b/c.txt", ["a/**"], True),
    ("notes/x.md", ["docs/**", "notes/*.md"], True),
    ("notes/x.md.bak", ["notes/*.md"], False),
    ("a.b", ["a?b"], True),
    ("axb", ["a.b"], False),
    ("x", [], False),
])
def test_globs_cross_folders_with_two_stars_only(path, globs, fits):
    assert matches_any(path, globs) is fits

"""What a session changed, as a patch: Git makes the same of it."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from clinkai.harness.changes import Change, Version
from clinkai.harness.patch import patch
from clinkai.harness.undo import diff, undo
from tests.harness.test_undo import desk, edit, sh, tree, turn, write

__all__ = ["desk"]

BLOB = bytes(range(256)) * 9
"""No text, and not of a length that base 85 divides."""


def applied(text: str, folder) -> dict:
    """The files after `git apply`."""
    git = ["git", "-c", "core.autocrlf=false", "-c", "safe.directory=*"]
    made = subprocess.run([*git, "apply", "--whitespace=nowarn", "-"], cwd=folder, capture_output=True,
                          input=text.encode("utf-8", "surrogateescape"),
                          env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)})
    assert made.returncode == 0, made.stderr.decode() + text
    return tree(folder)


def copied(desk, tmp_path):
    shutil.copytree(desk.root, tmp_path / "copy", symlinks=True)
    return tmp_path / "copy"


def test_git_makes_the_same_of_the_patch(desk, tmp_path):
    for name in ("changed", "with blank.txt", "tab\tand \"quote\\.txt", "文.txt", "no-end", "gets-end"):
        desk.put(name, "".join(f"{n}\n" for n in range(40)) + "end" * (name == "gets-end"))
    for name, content in (("gone", "x\n"), ("gone.bin", BLOB), ("bin", BLOB), ("to-bin", "t\n"),
                          ("crlf", "a\r\nb\r\n"), ("escape", "\x1b[31m\n"), ("emptied", "x\n"),
                          ("program", "#!\n"), ("both", "1\n"), ("for-link", "f\n"), ("latin", b"\xe4\n")):
        desk.put(name, content)
    os.symlink("changed", desk.root / "link")
    folder = copied(desk, tmp_path)
    edits = [edit(name, "\n7\n", "\nseven\n") for name in ("with blank.txt", "文.txt")]
    turn(desk, *edits, sh(
        "sed -i 's/^8$/eight/; s/^30$/x\\ny/' changed tab*; printf x >> no-end; echo >> gets-end;"
        "rm gone gone.bin; printf '\\0\\1' | tee bin to-bin > /dev/null; printf 'c\\r\\n' >> crlf;"
        "echo x >> escape; : > emptied; chmod 755 program both; echo 2 >> both; rm for-link;"
        "ln -s a for-link; ln -sf gone link; echo x >> latin; head -c 3000 /dev/zero > new.bin"),
        write("sub/new", "n\n"), write("bare", "n"), write("void", ""))
    text, missing = diff(desk.store, desk.workspace)
    assert missing == [] and "\x1b" not in text
    assert {path: (data, mode if mode == "link" else mode & 0o100) for path, (data, mode)
            in applied(text, folder).items()} == {
        path: (data, mode if mode == "link" else mode & 0o100)
        for path, (data, mode) in tree(desk.root).items()}


def test_what_was_undone_or_is_as_before_is_not_in_it(desk):
    desk.put("a", "a\n")
    turn(desk, write("x", "x\n"))
    turn(desk, write("y", "y\n"), edit("a", "a", "b"))
    undo(desk.session, desk.workspace, turn=1)
    desk.put("a", "a\n")
    text, _ = diff(desk.store, desk.workspace)
    assert text == ("diff --git a/y b/y\nnew file mode 100644\nindex " + "0" * 40
                    + "..975fbec8256d3e8a3797e7a3611380f27c49f4ac\n--- /dev/null\n+++ b/y\n"
                    "@@ -0,0 +1 @@\n+y\n")


def test_what_somebody_changed_since_is_not_the_session(desk):
    desk.put("a", "a\n")
    turn(desk, edit("a", "a", "b"))
    desk.put("a", "c\n")
    text, _ = diff(desk.store, desk.workspace)
    assert text.splitlines()[-2:] == ["-a", "+b"]


@pytest.mark.parametrize(("was", "now", "lines"), [
    (0o100644, 0o100755, ["old mode 100644", "new mode 100755"]),
    (0o100600, 0o100640, []),  # Git knows nothing of these
])
def test_a_mode_alone(was, now, lines):
    change = Change(Version("s", was), Version("s", now))
    found = "".join(patch({"f": change}, lambda path, version: b"x", [])).splitlines()
    assert found == (["diff --git a/f b/f", *lines] if lines else [])


def test_a_content_that_is_gone_is_named_instead():
    missing: list[str] = []
    change = Change(Version("gone", 0o100644), Version("s", 0o100644))
    assert [*patch({"f": change}, lambda path, version: None, missing)] == [] and missing == ["f"]

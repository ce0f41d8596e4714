"""The tools `move` and `delete`: one file each, never over anything, nothing lost."""

from __future__ import annotations

import errno
import json
import os

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.errors import UsageError
from clinkai.core.messages import ToolCall
from clinkai.harness.files import Folder
from clinkai.harness.opening import frozen
from clinkai.harness.policy import Policy, decide
from clinkai.harness.settings import MORE_TOOLS, TOOLS
from clinkai.harness.tools.delete import DELETE, DeleteArgs
from clinkai.harness.tools.move import MOVE, MoveArgs
from clinkai.loop.gate import Settled
from tests.harness.agents import settings_for
from tests.harness.test_undo import tree
from tests.harness.tools.context import told

REFUSED = [  # place, what move and delete say of it
    ("folder", "folder is a folder."), (".", ". is a folder."), ("", "The path is empty."),
    ("link", "link is a link, which move and delete leave alone."), ("pipe", "pipe is a pipe, not a file."),
    ("none", "There is no none."), ("../x", "deny"), (".git/config", "deny"),
    ("node_modules/x", "deny"), ("out/x", "deny"), (".env", "ask"), (".vscode/x", "ask"),
    ("link-out", "deny"),
]


@pytest.fixture
def full(desk, tmp_path):
    desk.put("a.txt", "a\n")
    desk.put(".env", "K=1\n")
    for path in (".git/config", "node_modules/x", "folder/f", ".vscode/x"):
        desk.put(path, "x\n")
    os.symlink("a.txt", desk.root / "link")
    (tmp_path / "beyond").mkdir()
    (tmp_path / "beyond/x").write_text("x\n")
    os.symlink(tmp_path / "beyond", desk.root / "out")
    os.symlink(tmp_path / "beyond/x", desk.root / "link-out")
    os.mkfifo(desk.root / "pipe")
    yield desk
    os.unlink(desk.root / "pipe")


def whole(desk) -> dict:
    os.unlink(desk.root / "pipe")
    found = tree(desk.root)
    os.mkfifo(desk.root / "pipe")
    return found


@pytest.mark.parametrize(("path", "said"), REFUSED)
def test_what_is_no_file_of_the_workspace_is_refused(full, path, said):
    before = whole(full)
    assert full.error("delete", path=path).startswith(said)
    assert full.error("move", path=path, to="new").startswith(said)
    assert whole(full) == before


@pytest.mark.parametrize(("to", "said"), [
    ("folder/f", "folder/f exists already"), ("folder", "folder exists already"),
    ("link", "link is a link"), ("a.txt", "a.txt exists already"), ("pipe", "pipe exists already"),
    ("new/", "new/ is a folder."), ("../x", "deny"), (".git/hooks/x", "deny"), (".env.local", "ask"),
    ("a.txt/x", "A part of a.txt/x is a file"), (".husky/x", "ask"), ("", "The path is empty."),
])
def test_move_goes_over_nothing_and_nowhere_else(full, to, said):
    before = whole(full)
    assert full.error("move", path="a.txt", to=to).startswith(said)
    assert whole(full) == before


def test_move_takes_mode_and_content_along_and_says_so(full):
    os.chmod(full.root / "a.txt", 0o750)
    full.text("read", path="a.txt")
    assert full.text("move", path="a.txt", to="x/y/b.txt") == "Moved a.txt to x/y/b.txt."
    assert tree(full.root / "x") == {"y/b.txt": (b"a\n", 0o750)}
    full.text("write", path="x/y/b.txt", content="known\n")  # it was read before it was moved


def test_delete_leaves_the_folder_and_shows_what_it_took(full):
    result = full.call("delete", path="folder/f")
    assert (result.ok, result.output) == (True, "Deleted folder/f.")
    assert result.diff.splitlines() == ["deleted folder/f (2 B)", "--- a/folder/f", "+++ b/folder/f",
                                        "@@ -1 +0,0 @@", "-x"]
    assert os.listdir(full.root / "folder") == []


def test_where_there_are_no_links_move_copies(full, monkeypatch):
    def fails(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(Folder, "also", fails)
    assert full.call("move", path="a.txt", to="b.txt").ok and full.get("b.txt") == b"a\n"
    assert full.error("move", path="b.txt", to="folder/f") and full.get("folder/f") == b"x\n"


@pytest.mark.parametrize(("tool", "args", "shown"), [
    (DELETE, DeleteArgs("a.txt"), "deleted a.txt (2 B)\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +0,0 @@\n-a\n"),
    (MOVE, MoveArgs("a.txt", "b"), "rename from a.txt\nrename to b\n"),
])
def test_only_what_was_shown_is_done(full, tool, args, shown):
    context = told(tool, args, full.context)
    assert tool.preview(context, args) == shown
    call = full.box.prepare(ToolCall("c", tool.name, json.dumps(args.__dict__)))
    result = full.box.run(call, Settled("once", shown="something else"), 1, full.events.append, full.cancel)
    assert not result.ok and full.get("a.txt") == b"a\n"


@pytest.mark.parametrize(("mode", "verdict"), [
    ("plan", "deny"), ("ask", "ask"), ("auto", "allow"), ("sandbox", "allow")])
def test_the_gate_judges_both_ends(full, mode, verdict):
    for tool, args in ((DELETE, DeleteArgs("a.txt")), (MOVE, MoveArgs("a.txt", "b"))):
        assert decide(tool.effects(full.context, args), Policy(mode=mode)).name == verdict


@pytest.mark.parametrize(("value", "names"), [
    ("+move,+delete", (*TOOLS, *MORE_TOOLS)), ("+delete", (*TOOLS, "delete")), ("-bash", TOOLS[:-1]),
    ("+move, -bash", (*TOOLS[:-1], "move")), ("read,move", ("read", "move")), ("-move", TOOLS),
    ("+read", TOOLS), ("", ()),
])
def test_tools_are_named_or_added_to_those_there_are(tmp_path, value, names):
    assert settings_for(tmp_path, tools=value).tools == names


@pytest.mark.parametrize("value", ["+move,read", "+", "++move", "+-move", "+nonsense", "move+"])
def test_what_names_no_tool_is_an_error(tmp_path, value):
    with pytest.raises(UsageError, match="setting.error.names"):
        settings_for(tmp_path, tools=value)


def test_the_prefix_is_as_it_was_without_them(desk, tmp_path):
    usual = frozen(desk.workspace, settings_for(tmp_path), Strings("en"))
    more = frozen(desk.workspace, settings_for(tmp_path, tools="+move,+delete"), Strings("en"))
    assert more[0].system == usual[0].system and more[1][:len(TOOLS)] == usual[1]
    assert [one["function"]["name"] for one in more[1][len(TOOLS):]] == list(MORE_TOOLS)

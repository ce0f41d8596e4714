"""Taking back what turns did to files, whatever tool did it."""

from __future__ import annotations

import os
import stat

import pytest

from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.core.errors import UsageError
from clinkai.core.events import Notice
from clinkai.harness import manifest, store
from clinkai.harness.changes import told
from clinkai.harness.crashed import recover
from clinkai.harness.manifest import Watch
from clinkai.harness.pack import HEAD
from clinkai.harness.session import Session
from clinkai.harness.store import Kept, Store
from clinkai.harness.undo import undo
from tests.harness.agents import Run
from tests.harness.sessions import answer, result
from tests.harness.tools.context import Desk
from tests.loop.turns import call, say

EN = Strings("en")


@pytest.fixture
def desk(tmp_path):
    with Desk(tmp_path) as opened:
        yield opened


def tree(root) -> dict[str, tuple]:
    """All files: path to content, or where a link leads, and mode."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                found[os.path.relpath(path, root)] = os.readlink(path), "link"
            else:
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = file.read(), stat.S_IMODE(mode)
    return found


def turn(desk: Desk, *calls: tuple, prompt: str = "do it") -> None:
    """A turn of calls: (tool, arguments); a command is one that a person approved."""
    desk.session.append({"type": "user", "content": prompt})
    for name, args in calls:
        desk.session.append(answer("", ("c", name, args)))
        done = desk.call(name, "once" if name == "bash" else "", **args)
        assert done.ok, done.output
        desk.session.append(result("c", name, done.output))


def sh(command: str) -> tuple:
    return "bash", {"command": command}


def write(path: str, content: str) -> tuple:
    return "write", {"path": path, "content": content}


def edit(path: str, old: str, new: str) -> tuple:
    return "edit", {"path": path, "old": old, "new": new}


def report(desk: Desk, **more: object) -> list[tuple]:
    done = undo(desk.session, desk.workspace, **more)
    return [(file.path, file.done, file.why) for file in done.files]


CHANGES = {
    "created": [write("new/deep.txt", "x")],
    "replaced": [("read", {"path": "a.txt"}), write("a.txt", "other\n")],
    "edited twice": [edit("a.txt", "one", "two"), edit("a.txt", "two", "three")],
    "created and changed": [write("n", "x"), edit("n", "x", "y")],
    "moved": [("move", {"path": "a.txt", "to": "sub/b.txt"})],
    "moved there and on": [("move", {"path": "a.txt", "to": "b"}), ("move", {"path": "b", "to": "c"})],
    "deleted": [("delete", {"path": "dir/only.bin"})],
    "deleted and made anew": [("delete", {"path": "a.txt"}), write("a.txt", "new\n")],
    "by a command, created": [sh("mkdir -p x/y && echo 1 > x/y/z && : > empty")],
    "by a command, changed": [sh("echo more >> a.txt")],
    "by a command, of the same size": [sh("printf 'ONE\\n' > a.txt")],
    "by a command, deleted": [sh("rm -r dir a.txt")],
    "by a command, moved": [sh("mv dir elsewhere")],
    "by a command, made a program": [sh("chmod 755 a.txt")],
    "by a command, linked": [sh("ln -s a.txt link && rm old-link && ln -sf nowhere other-link")],
    "by a command, a link for a file": [sh("rm a.txt && ln -s dir a.txt")],
    "by a command, a program replaced": [sh("rm run.sh && echo new > run.sh")],
    "by several": [edit("a.txt", "one", "two"), sh("echo 3 >> a.txt"), edit("a.txt", "3", "4"),
                   sh("mv a.txt dir/a.txt")],
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("calls", CHANGES.values(), ids=CHANGES)
def test_a_turn_is_taken_back_and_put_back_to_the_byte(desk, calls):
    desk.put("a.txt", "one\n")
    desk.put("dir/only.bin", b"\x00\xff")
    desk.put("run.sh", "#!\n")
    os.chmod(desk.root / "run.sh", 0o700)
    os.symlink("a.txt", desk.root / "old-link")
    os.symlink("a.txt", desk.root / "other-link")
    before = tree(desk.root)
    turn(desk, *calls)
    after = tree(desk.root)
    assert undo(desk.session, desk.workspace).whole and tree(desk.root) == before != after
    assert undo(desk.session, desk.workspace, redo=True).whole and tree(desk.root) == after
    assert undo(desk.session, desk.workspace, turn=1).whole and tree(desk.root) == before


def test_a_reading_command_costs_nothing(desk):
    desk.put("a.txt", "one\n")
    assert desk.call("bash", command="cat a.txt").ok
    assert desk.store.watch is None and not os.path.exists(desk.store.folder)


def test_what_git_ignores_is_left_alone(desk):
    desk.put(".gitignore", "out/\n")
    turn(desk, sh("mkdir out && echo x > out/big && echo y > seen"))
    undo(desk.session, desk.workspace)
    assert sorted(tree(desk.root)) == [".gitignore", "out/big"]


def test_turns_are_taken_back_from_the_newest_on(desk):
    desk.put("f", "0")
    for n in "123":
        turn(desk, edit("f", str(int(n) - 1), n), prompt=f"make it {n}\nplease")
    turn(desk)  # changes nothing
    done = undo(desk.session, desk.workspace)
    assert (done.turn, done.prompt, desk.get("f")) == (3, "make it 3", b"2")
    assert (report(desk), report(desk), desk.get("f")) == ([("f", True, "")], [("f", True, "")], b"0")
    with pytest.raises(UsageError, match="undo.error.undo"):
        report(desk)
    assert [report(desk, redo=True) and desk.get("f") for _ in "123"] == [b"1", b"2", b"3"]
    with pytest.raises(UsageError, match="undo.error.redo"):
        report(desk, redo=True)


@pytest.mark.parametrize(("more", "key"), [
    ({"turn": 1}, "undo.error.undo_turn"), ({"turn": 2, "redo": True}, "undo.error.redo_turn"),
    ({"turn": 3}, "undo.error.number"), ({"redo": True}, "undo.error.redo"),
])
def test_a_turn_that_cannot_be_meant_is_an_error(desk, more, key):
    turn(desk)
    turn(desk, write("f", "x"))
    with pytest.raises(UsageError) as caught:
        undo(desk.session, desk.workspace, **more)
    assert caught.value.key == key and caught.value.advice(EN) and desk.get("f") == b"x"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_somebody_else_changed_is_left_alone_and_shown_three_ways(desk, lang):
    desk.put("a", "1\n2\n3\n")
    desk.put("b", "b\n")
    turn(desk, edit("a", "2", "two"), edit("b", "b", "B"))
    desk.put("a", "1\ntwo\n3\nmine\n")
    done = undo(desk.session, desk.workspace)
    assert [(f.path, f.done, f.why) for f in done.files] == [
        ("a", False, "undo.changed"), ("b", True, "")]
    assert (desk.get("a"), desk.get("b")) == (b"1\ntwo\n3\nmine\n", b"b\n")
    words = Strings(lang)
    assert [line.strip() for line in done.lines(words)] == [
        words("undo.undo", turn=1, prompt="do it", n=1),
        "! a  " + words("undo.changed"),
        words("undo.since"), "--- a/a", "+++ b/a", "@@ -1,3 +1,4 @@", "1", "two", "3", "+mine",
        words("undo.wanted"), "--- a/a", "+++ b/a", "@@ -1,3 +1,3 @@", "1", "-two", "+2", "3",
        "+ b"]
    desk.put("a", "1\ntwo\n3\n")
    assert report(desk, turn=1) == [("a", True, "")] and desk.get("a") == b"1\n2\n3\n"


@pytest.mark.parametrize(("made", "key"), [
    (lambda path: os.unlink(path), "undo.changed"),
    (lambda path: (os.unlink(path), os.mkdir(path)), "tool.file.folder"),
    (lambda path: (os.unlink(path), os.mkfifo(path)), "tool.file.pipe"),
    (lambda path: (os.unlink(path), os.symlink("/etc/passwd", path)), "undo.changed"),
    (lambda path: path.write_text("one\n"), "undo.already"),
])
def test_whatever_stands_there_instead_stays(desk, made, key):
    desk.put("f", "one\n")
    turn(desk, edit("f", "one", "two"))
    made(desk.root / "f")
    (path, done, why), = report(desk)
    assert (path, done, why) == ("f", key == "undo.already", key)


def test_a_folder_on_the_way_that_became_a_link_is_not_followed(desk, tmp_path):
    turn(desk, write("d/f", "x"))
    (tmp_path / "out").mkdir()
    (tmp_path / "out/f").write_text("x")
    os.rename(desk.root / "d", desk.root / "e")
    os.symlink(tmp_path / "out", desk.root / "d")
    assert report(desk) == [("d/f", False, "tool.path.elsewhere")]
    assert (tmp_path / "out/f").read_text() == "x"


@pytest.mark.parametrize("path", ["../x", "/etc/x", ".git/config", "a/../../x", "", ".", "sub/.."])
def test_a_log_that_names_what_it_must_not_changes_nothing(desk, path):
    desk.session.append({"type": "user", "content": "t"})
    desk.store.keep_before(path, Kept(b"evil", 0o100644), Kept(None))
    (_, done, _), = report(desk)
    assert not done and tree(desk.root) == {}


def test_a_later_turn_has_to_go_first(desk):
    turn(desk, write("f", "1"))
    turn(desk, edit("f", "1", "2"))
    (file,) = undo(desk.session, desk.workspace, turn=1).files
    assert (file.why, file.params, desk.get("f")) == ("undo.later", {"turn": 2}, b"2")


def test_a_change_that_was_recorded_and_never_made_is_no_trouble(desk):
    desk.put("f", "one")
    desk.session.append({"type": "user", "content": "t"})
    desk.store.keep_before("f", Kept(b"one", 0o100644), Kept(b"two", 0o100644))
    assert report(desk) == [("f", True, "undo.already")] and desk.get("f") == b"one"


def test_a_command_that_a_crash_took_along_can_be_undone(desk):
    desk.put("f", "one")
    desk.session.append({"type": "user", "content": "t"})
    Watch(desk.store, desk.workspace).begin(None)
    desk.put("f", "two")
    desk.put("g", "new")
    desk.session.close()
    session = Session.open(desk.session.path)
    try:
        recover(session, desk.workspace)
        recover(session, desk.workspace)  # once is enough
        undo(session, desk.workspace)
    finally:
        session.close()
    assert {path: data for path, (data, _) in tree(desk.root).items()} == {"f": b"one"}


def test_a_deletion_that_a_crash_prevented_can_be_undone_further(desk):
    """The log has that it was deleted; what made it is still to be taken back."""
    turn(desk, write("f", "x"))
    desk.session.append(answer("", ("c", "delete", {"path": "f"})))
    desk.store.keep_before("f", Kept(b"x", 0o100644), Kept(None))
    assert report(desk) == [("f", True, "")] and tree(desk.root) == {}


@pytest.mark.parametrize("redo", [False, True])
def test_an_undo_that_a_crash_cut_off_is_done_by_the_next(desk, redo):
    turn(desk, write("f", "x"), write("g", "y"))
    if redo:
        undo(desk.session, desk.workspace)
    before = tree(desk.root)
    desk.session.append({"type": "meta", "kind": "undo", "turn": 1, "redo": redo, "files": ["f", "g"]})
    assert tree(desk.root) == before
    assert report(desk, redo=redo) == [("f", True, ""), ("g", True, "")] and tree(desk.root) != before


def test_a_half_written_pack_is_cut_off_and_gone_on_with(desk):
    desk.put("f", "one")
    turn(desk, sh("echo 2 > f"))
    pack = os.path.join(desk.store.folder, store.PACK)
    with open(pack, "ab") as file:
        file.write(b"\x01" * 60)
    fresh = Store(desk.session)
    digest = fresh.keep(b"more")
    fresh.settle()
    again = Store(desk.session)
    assert (again.before(digest), again.before(store.digest_of(b"one"))) == (b"more", b"one")


def test_a_damaged_content_is_as_good_as_none(desk):
    desk.put("f", "one")
    turn(desk, edit("f", "one", "two"))
    with open(os.path.join(desk.store.folder, store.PACK), "r+b") as file:
        file.seek(HEAD)
        file.write(b"bad")
    assert report(desk) == [("f", False, "undo.lost")] and desk.get("f") == b"two"


def test_what_is_not_kept_any_more_is_said_at_that_moment(desk, monkeypatch):
    monkeypatch.setattr(store, "MOST", 3)
    desk.put("f", "long enough")
    desk.put("g", "long enough too")
    turn(desk, edit("f", "long", "short"), sh("rm g"))
    assert [e.key for e in desk.events if type(e) is Notice] == ["notice.undo.full", "notice.undo.lost"]
    assert report(desk) == [("f", False, "undo.lost"), ("g", False, "undo.lost")]
    assert "no room" in desk.error("delete", path="f") and desk.get("f") == b"short enough"


@pytest.mark.parametrize(("name", "value"), [("FILES", 2), ("SECONDS", -1.0)])
def test_a_workspace_too_large_to_look_through_is_said_once(desk, monkeypatch, name, value):
    for n in range(4):
        desk.put(f"{n}", "x")
    monkeypatch.setattr(manifest, name, value)
    turn(desk, sh("rm 1"), sh("rm 2"))
    assert [e.key for e in desk.events if type(e) is Notice] == ["notice.undo.wide"]


def test_of_a_file_too_large_to_keep_only_the_change_is_known(desk, monkeypatch):
    monkeypatch.setattr(manifest, "READ", 10)
    desk.put("big", "x" * 11)
    desk.put("same", "y" * 11)
    turn(desk, sh("echo z >> big"))
    assert [e.key for e in desk.events if type(e) is Notice] == ["notice.undo.lost"]
    assert report(desk) == [("big", False, "undo.changed")]


def test_the_model_is_told_with_the_next_message_and_once(tmp_path, scripted):
    script = [say("", call("c", "write", path="f", content="x")), *map(say, ("done", "a", "b", "c"))]
    with Run(tmp_path, provider=scripted(*script)) as run:
        with pytest.raises(UsageError, match="undo.error.undo"):
            run.agent.undo()
        run.say("go")
        run.agent.undo()
        run.say("two")
        run.agent.undo(redo=True)
        run.agent.undo()
        run.agent.undo(redo=True)
        run.say("three")
        run.say("four")
        said = [m.content for m in run.agent.session.state.messages if m.role == "user"]
    assert said == ["go", "two\n\n" + EN("undo.told.undo", files="f"),
                    "three\n\n" + EN("undo.told.redo", files="f"), "four"]


def test_what_was_undone_and_redone_again_is_not_told(desk):
    turn(desk, write("f", "x"))
    undo(desk.session, desk.workspace)
    undo(desk.session, desk.workspace, redo=True)
    record = {"type": "user", "content": "next"}
    assert told(record, desk.session.state, EN) == record

"""edit: exact, forgiving, refused; all or none; and as a property: an edit is a replacement."""

from __future__ import annotations

import random

import pytest

from clinkai.harness.tools.edit import EDIT, EditArgs
from tests.harness.tools.context import Desk, told

CODE = """class A:
    def f(self):
        return 1

    def g(self):
        return 2
"""


def edited(desk: Desk, content: str | bytes, **args: object) -> tuple[bytes, str]:
    desk.put("f", content)
    result = desk.call("edit", path="f", **args)
    return desk.get("f"), result.output


@pytest.mark.parametrize(("content", "old", "new", "after", "said"), [
    ("a b c\n", "b", "x", b"a x c\n", "Changed f, places: 1, lines: 1."),
    ("a\nb\nc\n", "b\nc", "x\ny\nz", b"a\nx\ny\nz\n", "Changed f, places: 1, lines: 2."),
    ("a\nb\n", "b\n", "", b"a\n", "Changed f, places: 1, lines: 2."),
    ("a\r\nb\r\n", "a\nb", "x\ny", b"x\r\ny\r\n", "Changed f, places: 1, lines: 1."),
    ("a\r\nb\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\n", "Changed f, places: 1, lines: 1."),
    ("a\nb\n", "a\r\nb", "x\r\ny", b"x\ny\n", "Changed f, places: 1, lines: 1."),
    (b"\xef\xbb\xbfa\n", "a", "b", b"\xef\xbb\xbfb\n", "Changed f, places: 1, lines: 1."),
    ("\u4f60\u597d\n".encode("gb18030"), "\u4f60", "\u60a8", "\u60a8\u597d\n".encode("gb18030"),
     "Changed f, places: 1, lines: 1."),
    ("a.b*c\n", ".b*", "$1\\g<0>", b"a$1\\g<0>c\n", "Changed f, places: 1, lines: 1."),
    ("a\n", "a", "a", b"a\n", "Unchanged: f is already as wanted."),
    ("mixed\r\none\ntwo\n", "mixed", "x\ny", b"x\r\ny\r\none\ntwo\n", "Changed f, places: 1, lines: 1."),
])
def test_exact(desk, content, old, new, after, said):
    assert edited(desk, content, old=old, new=new) == (after, said)


FORGIVEN = [
    # content, old, new, after, what was ignored
    ("a  \nb\n", "a\nb", "x", "x\n", "blanks"),
    ("a\nb\n", "a  \nb  ", "x", "x\n", "blanks"),
    ("end", "end\n", "x\n", "x", "blanks"),
    ("a\r\nb\nc\n", "a\nb", "x\ny", "x\r\ny\nc\n", "blanks"),
    ("say \u201chi\u201d\n", 'say "hi"', "x", "x\n", "quotes"),
    ("it's\n", "it\u2019s", "x", "x\n", "quotes"),
    (CODE, "def g(self):\n    return 2\n", "def g(self):\n    if 1:\n        return 3\n",
     CODE.replace("        return 2\n", "        if 1:\n            return 3\n"), "indentation"),
    (CODE, "  def g(self):\n    return 2", "  def h(self):\n    return 3",
     CODE.replace("g(self)", "h(self)").replace("2", "3"), "indentation"),
    (CODE, "\tdef g(self):\n\t\treturn 2", "\tdef g(self):\n\t\treturn 3",
     CODE.replace("2", "3"), "indentation"),
    ("if a:\n\tb()\n", "if a:\n    b()", "if a:\n    b()\n    if c:\n        d()",
     "if a:\n\tb()\n\tif c:\n\t\td()\n", "indentation"),
    ("if a:\n  b()\n", "if a:\n    b()", "if a:\n    if c:\n        b()",
     "if a:\n  if c:\n    b()\n", "indentation"),
    ("        x = 1\n        z\n", "    x = 1\n    z", "    x = 2\ny = 3",
     "        x = 2\n    y = 3\n", "indentation"),
    ("    a\n    b\n", "a\nb\n    ", "c\n    ", "    c\n", "indentation"),
    ("{\n  a: [\n    1,\n  ],\n}\n", "a: [\n  1,\n]", "a: [\n  2,\n]", "{\n  a: [\n    2,\n  ],\n}\n",
     "indentation"),
]


@pytest.mark.parametrize(("content", "old", "new", "after", "level"), FORGIVEN)
def test_one_place_that_differs_in_blanks_is_changed(desk, content, old, new, after, level):
    data, said = edited(desk, content, old=old, new=new)
    what = desk.say(f"tool.edit.level.{level}")
    assert (data.decode(), said.split("\n")[1].split(". ")[0].rstrip(".")) == (
        after, f"old was found only by ignoring {what}")


@pytest.mark.parametrize(("content", "old", "said"), [
    ("foobar\n", "foo ", "old does not occur in f. The nearest lines are:\n1\tfoobar"),
    ("xfoo\n", "  foo", "old does not occur in f. The nearest lines are:\n1\txfoo"),
    ("  a\n\ta\n", "    a", "old does not occur exactly; ignoring indentation it occurs 2 times, in "
                              "lines 1, 2. Copy it exactly, with lines around it."),
    ("a\nb\na\n", "a", "old occurs 2 times, in lines 1, 3. Add lines around it, or set replace_all."),
    ("aaaa\n", "a", "old occurs 4 times, in lines 1, 1, 1, 1. Add lines around it, or set replace_all."),
    ("a\n", "", "old is empty. Copy the text to replace; to create a file use write."),
    ("alpha beta\ngamma\n", "zzz qqq", "old does not occur in f, nor anything like it. Read the file."),
    ("one\ndef total(items):\n    return sum(items)\n", "def total(item):\n    return sum(items)\n",
     "old does not occur in f. The nearest lines are:\n2\tdef total(items):\n3\t    return sum(items)\n4\t"),
    ("", "a", "old does not occur in f, nor anything like it. Read the file."),
    ("a\n", "   \n", "old does not occur in f, nor anything like it. Read the file."),
])
def test_what_does_not_match_is_explained(desk, content, old, said):
    assert edited(desk, content, old=old, new="x") == (content.encode(), said)


def test_replace_all(desk):
    assert edited(desk, "a b a\na\n", old="a", new="xy", replace_all=True) == (
        b"xy b xy\nxy\n", "Changed f, places: 3, lines: 1, 2.")
    assert edited(desk, "b\n", old="a", new="x", replace_all=True)[0] == b"b\n"


EDITS = [
    ([("a", "1"), ("c", "3")], b"1\nb\n3\n", "Changed f, places: 2, lines: 1, 3."),
    ([("c", "a"), ("a", "b")], b"b\nb\na\n", "Changed f, places: 2, lines: 1, 3."),
    ([("a\n", "a\nnew\n"), ("c", "x")], b"a\nnew\nb\nx\n", "Changed f, places: 2, lines: 1, 4."),
    ([("a\nb", "x"), ("b\nc", "y")], None, "Edits 1 and 2 overlap at line 2. Nothing was changed."),
    ([("a", "x"), ("a", "y")], None, "Edits 1 and 2 overlap at line 1. Nothing was changed."),
    ([("a", "x"), ("q", "y")], None, "Edit 2 of 2: old does not occur in f, nor anything like it. "
                                     "Read the file.\nNothing was changed."),
    ([("a\n", ""), ("b\n", "")], b"c\n", "Changed f, places: 2, lines: 1."),
]


@pytest.mark.parametrize(("edits", "after", "said"), EDITS)
def test_several_edits_are_made_all_or_none(desk, edits, after, said):
    parts = [{"old": old, "new": new} for old, new in edits]
    assert edited(desk, "a\nb\nc\n", edits=parts) == (after or b"a\nb\nc\n", said)


@pytest.mark.parametrize(("args", "said"), [
    ({}, "Give old and new, or edits."), ({"old": "a"}, 'Argument new is missing; to delete text give "".'),
    ({"old": "a", "new": "b", "edits": [{"old": "a", "new": "b"}]}, "Give either old and new, or edits."),
    ({"edits": [{"old": "a"}]}, "Argument edits[0].new is missing. There are: old, new, replace_all"),
    ({"edits": [{"old": "a", "new": 1}]}, "edits[0].new must be a string, not an integer."),
    ({"edits": ["x"]}, "edits[0]. must be an object with: old, new, replace_all"),
    ({"edits": {"old": "a"}}, "edits must be a list, not an object."),
    ({"old": "a", "new": None}, "new must be a string, not null."),
    ({"old_text": "a"}, "Unknown argument old_text. There are: path, old, new, replace_all, edits"),
])
def test_wrong_arguments(desk, args, said):
    assert edited(desk, "a\n", **args) == (b"a\n", said)


@pytest.mark.parametrize(("path", "said"), [
    ("none.py", "There is no none.py."), ("sub", "sub is a folder."), (".git/config", "deny"),
    ("bin", "bin is not text."), (".env", "ask"),
    ("latin", "latin has bytes that are no valid text; an edit would damage them."),
])
def test_what_cannot_be_edited(desk, path, said):
    desk.put("sub/x", "x")
    desk.put("bin", b"\0\1")
    desk.put("latin", b"caf\xe9\nold\n")
    assert desk.error("edit", path=path, old="old", new="new") == said


def test_a_file_need_not_have_been_read_and_may_be_written_after(desk):
    edited(desk, "a\n", old="a", new="b")
    desk.text("write", path="f", content="c\n")
    assert desk.get("f") == b"c\n"
    assert [desk.store.before(sha) for _, sha in desk.session.state.before] == [b"a\n", b"b\n"]


def test_preview_shows_the_change_and_makes_none(desk):
    desk.put("f", CODE)
    args = EditArgs("f", "return 2", "return 3", False, ())
    shown = EDIT.preview(told(EDIT, args, desk.context), args)
    assert shown == (
        "--- a/f\n+++ b/f\n@@ -3,4 +3,4 @@\n         return 1\n \n     def g(self):\n"
        "-        return 2\n+        return 3\n")
    assert desk.get("f") == CODE.encode()


def test_a_person_who_is_asked_sees_the_change_of_a_secret_file(desk):
    desk.put(".env", "KEY=1\n")
    args = EditArgs(".env", "1", "2", False, ())
    assert EDIT.preview(told(EDIT, args, desk.context), args).endswith("-KEY=1\n+KEY=2\n")
    assert desk.error("edit", path=".env", old="1", new="2") == "ask"
    assert desk.call("edit", "once", path=".env", old="1", new="2").ok


def test_a_file_broken_by_an_edit_is_said_to_be(desk):
    desk.put("a.py", CODE)
    said = desk.text("edit", path="a.py", old="def g(self):", new="def g(self:")
    assert said.split("\n")[1] == "Warning: it does not parse: line 5: '(' was never closed"


def test_a_large_diff_is_cut(desk):
    desk.put("f", "".join(f"a{n}\n" for n in range(3000)))
    diff = desk.call("edit", path="f", old="a", new="b", replace_all=True).diff
    lines = diff.split("\n")
    assert (len(lines), lines[-2]) == (502, "… 5503")


@pytest.mark.slow
def test_an_edit_is_a_replacement(desk):
    """Over random contents and texts: where old occurs once, the bytes are those of replace; where
    it does not, nothing changes; all edits at once are each of them on the original."""
    rng = random.Random(11)
    for _ in range(150):
        alphabet = rng.choice(["ab\n", "abc \n\t", "xy\r\n", "\u4f60\u597d\n \u201c\""])
        content = "".join(rng.choice(alphabet) for _ in range(rng.randint(0, 60)))
        start = rng.randint(0, len(content))
        old = content[start:start + rng.randint(0, 8)]
        if rng.random() < 0.2:
            old += rng.choice(alphabet)
        new = "".join(rng.choice(alphabet) for _ in range(rng.randint(0, 5)))
        after, said = edited(desk, content, old=old, new=new)
        if old and content.count(old) == 1 and "\r" not in content + old + new:
            assert after == content.replace(old, new).encode(), (content, old, new)
        elif content.count(old) != 1 and "ignoring" not in said:
            assert after == content.encode(), (content, old, new, said)


@pytest.mark.slow
def test_edits_together_are_the_edits_one_by_one(desk):
    rng = random.Random(12)
    for _ in range(40):
        words = [f"w{n}" for n in range(20)]
        content = " \n".join(f"<{word}>" for word in words)
        chosen = rng.sample(words, 5)
        parts = [{"old": f"<{word}>", "new": rng.choice(["", "x", f"<{rng.choice(words)}>", "a\nb"])}
                 for word in chosen]
        expected = content
        for part in parts:
            expected = expected.replace(part["old"], "\0" + part["old"] + "\0")
        for part in parts:
            expected = expected.replace("\0" + part["old"] + "\0", part["new"])
        assert edited(desk, content, edits=parts)[0] == expected.encode()


def test_chinese(tmp_path):
    with Desk(tmp_path, lang="zh") as desk:
        assert edited(desk, "a\na\n", old="a", new="b")[1] == (
            "old 出现了 2 次，在第 1, 2 行。请带上前后几行，或设 replace_all。")
        assert edited(desk, "a\n", old=1)[1] == "old 必须是字符串，不能是整数。"

"""The standing rules: reading them, and changing the file without losing what else is in it."""

from __future__ import annotations

import os
import threading

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.errors import MachineError, UsageError
from clinkai.harness import home, rules, rules_file
from clinkai.harness.policy import Policy
from clinkai.harness.rules import Rules
from clinkai.harness.workspace import Workspace

NEW = 'x "y" \\z'


@pytest.mark.parametrize(("flags", "stored", "allow", "deny"), [
    (["git push"], None, (("git", "push"),), ()),
    (["a 'b c'"], 'allow = ["make"]\ndeny = ["rm -r"]', (("a", "b c"), ("make",)), (("rm", "-r"),)),
    ([], "# nothing yet\n", (), ()),
    ([], "\ufeffdeny = ['a']\r\n", (), (("a",),)),
])
def test_rules_come_from_flags_and_the_home_folder(tmp_path, flags, stored, allow, deny):
    if stored is not None:
        (tmp_path / "policy.toml").write_text(stored, encoding="utf-8", newline="")
    assert rules.load(flags, str(tmp_path), "ask") == Policy("ask", allow, deny)


@pytest.mark.parametrize(("home", "allow"), [
    ("ws/home", ()), ("ws", ()), ("link", ()), ("home", (("touch",),)), ("ws2", (("touch",),)),
])
def test_a_file_of_the_workspace_forbids_and_allows_nothing(tmp_path, home, allow):
    (tmp_path / "ws" / "home").mkdir(parents=True)
    (tmp_path / "link").symlink_to("ws/home")
    (tmp_path / home).mkdir(exist_ok=True)
    (tmp_path / home / "policy.toml").write_text('allow = ["touch"]\ndeny = ["rm"]\n')
    loaded = rules.load([], str(tmp_path / home), "auto", str(tmp_path / "ws"))
    assert loaded == Policy("auto", allow, (("rm",),))



@pytest.mark.parametrize("flag", ["", "  ", "'open", "''", "'' make"])
def test_an_option_that_is_no_rule_is_an_error(tmp_path, flag):
    with pytest.raises(UsageError) as caught:
        rules.load([flag], str(tmp_path), "auto")
    assert "--allow" in caught.value.text(Strings("en"))


@pytest.mark.parametrize(("stored", "says"), [
    (b"allow = 3", ["policy.toml:1", "allow", "list"]),
    (b"\n\nallow = [3]", ["policy.toml:3", "allow", "list"]),
    (b'deny = ["a"]\nother = []', ["policy.toml:2", "other", "allow and deny"]),
    (b'# allow\n[deny]\nx = 1', ["policy.toml:2", "deny", "list"]),
    (b'[tool.x]\ny = 1', ["policy.toml:1", "tool", "allow and deny"]),
    (b"allow = [,]", ["policy.toml", "TOML", "line 1"]),
    (b'allow = ["a"]\nallow = ["b"]\n', ["policy.toml", "TOML", "line 2"]),
    (b'deny = [\n  "a",\n  "",\n]', ["policy.toml:3", "empty"]),
    (b"deny = [\n  \"a\",\n  \"b 'c\" ]", ["policy.toml:3", "b 'c"]),
    (b'allow = ["\xff"]', ["policy.toml", "TOML"]),
    (b"allow = " + b"[" * 2000, ["policy.toml", "TOML"]),
])
def test_a_file_that_is_no_good_is_an_error_that_says_where(tmp_path, stored, says):
    (tmp_path / "policy.toml").write_bytes(stored)
    for act in (lambda: rules.load([], str(tmp_path), "auto"),
                lambda: rules_file.add(str(tmp_path), "allow", "make"),
                lambda: rules_file.remove(str(tmp_path), "make")):
        with pytest.raises(UsageError) as caught:
            act()
        words = caught.value.text(Strings("en"))
        assert [one for one in says if one not in words] == []
    assert (tmp_path / "policy.toml").read_bytes() == stored


@pytest.mark.parametrize("make", [
    lambda path: path.mkdir(), lambda path: path.symlink_to("nowhere"),
    lambda path: path.symlink_to(path),
])
def test_rules_that_cannot_be_got_at_are_an_error(tmp_path, make):
    make(tmp_path / "policy.toml")
    with pytest.raises(UsageError, match="error.policy.unreadable"):
        rules.load([], str(tmp_path), "auto")


LAYOUTS = [
    ("", 'allow = [{}]\n'),
    ("deny = ['a']", "deny = ['a']\nallow = [{}]\n"),
    ("# mine\n\nallow = [] # now\n", "# mine\n\nallow = [{}] # now\n"),
    ('allow = ["a"]', 'allow = ["a", {}]'),
    ("allow=['a','b']", "allow=['a','b', {}]"),
    ("allow = ['a', 'b', ]\n", "allow = ['a', 'b', {} ]\n"),
    ('allow = [\n  "a", # why\n  "b" # last\n]\ndeny=[]', 'allow = [\n  "a", # why\n  "b", # last\n  {},\n]\ndeny=[]'),
    ('allow = [\r\n\t"a",\r\n]\r\n', 'allow = [\r\n\t"a",\r\n\t{},\r\n]\r\n'),
    ("allow = [\n]\n", "allow = [\n    {},\n]\n"),
    ("allow = [ # ']'\n  # \"b\"\n]", "allow = [ # ']'\n  # \"b\"\n    {},\n]"),
    ("allow = ['a',\n  'b']\n", "allow = ['a',\n  'b', {}]\n"),
    ('allow = [ "a"\n , "b#" ]', 'allow = [ "a"\n , "b#", {} ]'),
    ('"allow" = ["""a]""", """"q"""", ]', '"allow" = ["""a]""", """"q"""", {} ]'),
    ("allow = ['''a \"it's\"''']", "allow = ['''a \"it's\"''', {}]"),
]


@pytest.mark.parametrize(("before", "after"), LAYOUTS)
def test_a_rule_that_is_added_leaves_the_rest_as_it_is(before, after):
    added = rules_file.with_rule(before, "allow", NEW)
    assert added == after.format('"x \\"y\\" \\\\z"')
    assert rules_file.without_rule(added, NEW).replace(",", "").split() == (
        (before if "allow" in before else before + "\nallow = []").replace(",", "").split())


@pytest.mark.parametrize(("before", "rule", "after"), [
    ("allow = ['a', 'b', 'c'] # x", "a", "allow = ['b', 'c'] # x"),
    ("allow = ['a', 'b', 'c'] # x", "b", "allow = ['a', 'c'] # x"),
    ("allow = ['a', 'b', 'c'] # x", "c", "allow = ['a', 'b'] # x"),
    ("allow = ['a b']\ndeny = ['a  b', 'c']", 'a "b"', "allow = []\ndeny = ['c']"),
    ("deny = ['a', 'a', 'b', 'a']", "a", "deny = ['b']"),
    ("allow = [\n  'a', # why\n  'b',\n]", "a", "allow = [\n  # why\n  'b',\n]"),
    ("allow = [\n  'a',\n  'b'\n]", "b", "allow = [\n  'a',\n]"),
    ("allow = [\r\n  'a',\r\n  'b'\r\n]", "a", "allow = [\r\n  'b'\r\n]"),
])
def test_a_rule_that_is_taken_out_leaves_the_rest_as_it_is(before, rule, after):
    assert rules_file.without_rule(before, rule) == after


def test_each_change_is_made_once_and_told(tmp_path):
    home, path = str(tmp_path), tmp_path / "policy.toml"
    steps = [
        (lambda: rules_file.remove(home, "make"), (), Rules()),
        (lambda: rules_file.add(home, "allow", "make test"), True, Rules(("make test",))),
        (lambda: rules_file.add(home, "allow", "make  'test'"), False, Rules(("make test",))),
        (lambda: rules_file.add(home, "deny", "make test"), True, Rules(("make test",), ("make test",))),
        (lambda: rules_file.remove(home, "make"), (), Rules(("make test",), ("make test",))),
        (lambda: rules_file.remove(home, "make test"), ("allow", "deny"), Rules()),
    ]
    assert [(act(), rules.read(str(path))) for act, _, _ in steps] == [step[1:] for step in steps]
    assert path.stat().st_mode & 0o777 == 0o600


def test_links_modes_and_marks_of_the_file_stay(tmp_path):
    (tmp_path / "home").mkdir()
    kept = tmp_path / "dotfile"
    kept.write_bytes(b"\xef\xbb\xbfallow = ['a']\r\n")
    kept.chmod(0o644)
    (tmp_path / "home" / "policy.toml").symlink_to(kept)
    assert rules_file.add(str(tmp_path / "home"), "deny", "b")
    assert kept.read_bytes() == b"\xef\xbb\xbfallow = ['a']\r\ndeny = [\"b\"]\r\n"
    assert kept.stat().st_mode & 0o777 == 0o644 and (tmp_path / "home" / "policy.toml").is_symlink()


@pytest.mark.parametrize("name", ["policy.toml", "config.toml"])
def test_tools_do_not_touch_a_file_of_ours_that_is_a_link_into_the_workspace(tmp_path, name):
    """As where the settings of all programs are kept in one repository."""
    work, own = tmp_path / "dotfiles", tmp_path / ".clinkai"
    work.mkdir()
    own.mkdir()
    (work / "x.toml").write_text("")
    (own / name).symlink_to(work / "x.toml")
    ws = Workspace(work, home.private(str(own), str(own / "sessions")))
    zones = [ws.place(path, writes=True).zone for path in ("x.toml", "y.toml")]
    assert zones == ["private", "inside"]


def test_changes_at_once_are_all_kept(tmp_path):
    names = [f"tool{n}" for n in range(8)]
    threads = [threading.Thread(target=rules_file.add, args=(str(tmp_path), "allow", name)) for name in names]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(rules.read(str(tmp_path / "policy.toml")).allow) == names


def test_what_cannot_be_written_is_an_error_and_leaves_the_file(tmp_path):
    (tmp_path / "policy.toml").write_text("allow = ['a']")
    (tmp_path / f"policy.toml.{os.getpid()}.new").mkdir()
    with pytest.raises(MachineError, match="rules.write"):
        rules_file.add(str(tmp_path), "allow", "b")
    assert (tmp_path / "policy.toml").read_text() == "allow = ['a']"

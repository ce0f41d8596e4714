"""`policy list`, `allow`, `deny`, `remove`: the lasting rules, and that `check` honours them."""

from __future__ import annotations

import json

import pytest


def stored(program) -> str:
    path = program.home / ".clinkai" / "policy.toml"
    return path.read_text() if path.exists() else ""


def verdict(program, command: str, *more: str) -> str:
    return json.loads(program.run("policy", "check", *more, "--", command).out)["decision"]


@pytest.mark.slow
def test_a_lasting_rule_is_made_listed_heeded_and_taken_out(program):
    assert "no lasting rules" in program.run("policy", "list").out
    assert "from now on" in program.run("policy", "allow", "make test").out
    assert "already" in program.run("policy", "allow", "make  test").out
    assert verdict(program, "make test -k && ls") == "allow"
    beaten = program.run("policy", "deny", "make").out + program.run("policy", "allow", "make all").out
    assert "refused from now on" in beaten and "But make is denied" in beaten
    assert verdict(program, "ls && make test") == "deny"
    assert verdict(program, "make", "--allow", "make") == "deny"
    listed = json.loads(program.run("policy", "list", "--json").out)
    assert (listed["allow"], listed["deny"]) == (["make test", "make all"], ["make"])
    assert "(it was in: deny)" in program.run("policy", "remove", "make").out
    assert "Nothing to do" in program.run("policy", "remove", "make").out
    assert json.loads(program.run("policy", "remove", "make all", "--json").out)["changed"] == ["allow"]
    assert stored(program) == 'allow = ["make test"]\ndeny = []\n'


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("words", "says"), [
    (("allow", ""), "empty"), (("allow", "'x"), "cannot be read"),
    (("allow", "bash"), "any command"), (("allow", "/usr/bin/python3.11 -c"), "any command"),
    (("allow", "sudo -n"), "any command"), (("allow", "timeout 5 env A=1"), "any command"),
    (("allow", "git"), "any command"), (("allow", "uv run"), "any command"),
    (("allow", "make && ls"), "never match"), (("deny", "rm *"), "never match"),
    (("deny", "a\nb"), "never match"), (("allow",), "allow 'RULE'"), (("remove",), "remove 'RULE'"),
    (("allow", "git", "push"), "push"), (("list", "x"), "x"), (("list", "--allow", "x"), "--allow"),
    (("frob",), "frob"),
])
def test_a_rule_that_is_none_is_explained(program, words, says):
    ended = program.run("policy", *words)
    assert (ended.code, stored(program)) == (2, "") and says in ended.err


@pytest.mark.sampled(3)
@pytest.mark.parametrize("rule", ["python -m pytest", "git commit", "npm test", "bash x.sh", "make"])
def test_a_rule_that_says_what_is_run_is_taken(program, rule):
    assert program.run("policy", "allow", rule).code == 0 and rule in stored(program)


def test_what_somebody_wrote_by_hand_is_listed_with_doubts(program):
    (program.home / ".clinkai").mkdir()
    (program.home / ".clinkai" / "policy.toml").write_text("allow = ['bash']\ndeny = ['rm *', 'sh']")
    lines = program.run("policy", "list").out.splitlines()
    assert [line.strip().partition(" ")[0] for line in lines[1:]] == ["allow", "It", "deny", "It", "deny"]


@pytest.mark.parametrize("place", [".", ".clinkai"])
def test_rules_in_the_workspace_count_for_nothing(program, place):
    folder = program.workspace / place
    folder.mkdir(exist_ok=True)
    (folder / "policy.toml").write_text("allow = ['make']")
    assert verdict(program, "make") == "ask"

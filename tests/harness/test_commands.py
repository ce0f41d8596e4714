"""The slash commands, as every front end gets them."""

from __future__ import annotations

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.errors import UsageError
from clinkai.core.events import Notice
from clinkai.core.value import replace
from clinkai.harness import commands
from clinkai.harness.commands import Done
from tests.harness.agents import Run

EN, ZH = Strings("en"), Strings("zh")


@pytest.mark.parametrize(("line", "name"), [
    ("/mode", "mode"), ("/MODE plan", "mode"), ("/mode\tplan", "mode"), ("/nonsense x", "nonsense"),
    ("/etc/hosts is wrong", ""), ("/etc", "etc"), (" /mode", ""), ("mode", ""), ("/", ""), ("", ""),
    ("//", ""), ("/a-b", ""), ("/a1", ""),
])
def test_what_is_a_command(line, name):
    assert commands.name_of(line) == name


@pytest.fixture
def run(tmp_path, scripted):
    with Run(tmp_path, provider=scripted(), allow=("make 'a b'",)) as made:
        yield made


@pytest.mark.parametrize("line", ["/mode plan", "/MODE  Plan ", "/mode\tplan"])
def test_a_mode_is_changed_and_told_as_an_event(run, line):
    assert commands.run(line, run.agent, EN) == Done()
    assert (run.agent.mode, [n.key for n in run.of(Notice)]) == ("plan", ["notice.mode.plan"])


@pytest.mark.parametrize("say", [EN, ZH])
def test_the_modes_are_shown_with_the_one_in_force(run, say):
    run.agent.set_mode("ask")
    lines = commands.run("/mode", run.agent, say).text.splitlines()
    assert lines == [mark + " " + say(f"notice.mode.{mode}") for mark, mode in
                     [(" ", "plan"), ("*", "ask"), (" ", "auto"), (" ", "sandbox")]]


def test_no_mode_is_an_error(run):
    with pytest.raises(UsageError, match="setting.error.choice"):
        commands.run("/mode off", run.agent, EN)


def test_grants_in_force_are_listed(run):
    run.agent.gate.policy = replace(run.agent.gate.policy, deny=(("git", "push"),), grants=(
        {"kind": "command", "command": "a\nb"}, {"kind": "write", "path": "/w/x"},
        {"kind": "prefix", "rule": ["make", "test"]}))
    assert commands.run("/grants", run.agent, EN).text.splitlines() == [
        EN(f"command.grants.{kind}", what=what) for kind, what in [
            ("command", "a ⏎ b"), ("write", "/w/x"), ("prefix", "make test"), ("allow", "make 'a b'"),
            ("deny", "git push")]]


def test_nothing_granted_is_said(run):
    run.agent.gate.policy = replace(run.agent.gate.policy, allow=())
    assert commands.run("/grants", run.agent, EN).text == EN("command.grants.none")


@pytest.mark.parametrize("say", [EN, ZH])
def test_the_help_has_every_command(run, say):
    lines = commands.run("/help", run.agent, say).text.splitlines()
    assert [line.split()[0] for line in lines] == [f"/{one.name}" for one in commands.TABLE]
    assert [line for line in lines if len(line.split()) < 2] == []


@pytest.mark.parametrize(("line", "done"), [
    ("/quit", Done(leave=True)),
    ("/quit now", Done(EN("command.alone", name="quit"))),
    ("/nonsense x", Done(EN("command.unknown", name="nonsense"))),
])
def test_other_lines(run, line, done):
    assert commands.run(line, run.agent, EN) == done

from __future__ import annotations

import json
import os

import pytest

from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.core.errors import ToolError
from clinkai.core.value import replace
from clinkai.harness import confine
from clinkai.harness.sandbox.wall import missing
from clinkai.harness.shell.run import Job, run_shell
from clinkai.harness.toolbox import ToolContext
from clinkai.harness.tools.bash import BASH
from clinkai.loop.tool import parse, schema
from tests.harness.tools.context import Desk

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX shells")


@pytest.fixture
def context(tmp_path):
    with Desk(tmp_path) as desk:
        desk.put("a.txt", "one\n")
        yield replace(desk.context, seen=None)


def call(context: ToolContext, command: str, **more: object):
    args = parse(BASH.args, {"command": command, **more}, context.say)
    return BASH.run(replace(context, effects=BASH.effects(context, args)), args)


def said(context: ToolContext, command: str, **more: object) -> tuple[bool, str, int | None]:
    result = call(replace(context, approved=True), command, **more)
    return result.ok, result.output, result.exit


def test_the_result_is_the_output_and_what_it_does_not_show(context):
    assert said(context, "echo a; echo b >&2") == (True, "a\nb", 0)
    assert said(context, "exit 3") == (True, "[exit code 3]", 3)
    assert said(context, "echo a; exit 3") == (True, "a\n[exit code 3]", 3)
    assert said(context, "true") == (True, "[no output, exit code 0]", 0)
    assert said(context, "printf '\\377\\n\\n'") == (True, "\ufffd", 0)
    assert said(context, "sleep 1000 & echo a") == (
        True, "a\n[programs left in the background were stopped]", 0)


@pytest.mark.slow
def test_a_command_that_had_to_be_stopped_is_a_failure_with_its_output(context):
    ok, output, _ = said(context, "echo a; sleep 1000", timeout=1)
    assert (ok, output) == (False, "a\n[stopped after 1 s; give a longer timeout or do less]")


def test_what_was_allowed_runs_without_a_shell(context):
    result = call(context, "cat a.txt | wc -l && echo '$HOME'")
    assert (result.ok, result.output, result.exit) == (True, "1\n$HOME", 0)


def test_a_listed_command_runs_behind_the_wall_where_there_is_one(context):
    result = call(context, "grep -h -e Seccomp: -e NoNewPrivs: a.txt")
    assert (result.exit, result.output) == (1, "[exit code 1]")
    wall = confine.wall(context.workspace, writes=False)
    assert (wall is None) == bool(missing())
    if wall:
        job = Job(context.workspace.path, context.say, wall=wall)
        status = run_shell("grep -e Seccomp: -e NoNewPrivs: /proc/self/status", "posix", job)
        assert status.output == b"NoNewPrivs:\t1\nSeccomp:\t2\n"


def test_what_the_sandbox_lets_run_is_confined(context):
    context = replace(context, confined=True)
    if missing():
        with pytest.raises(ToolError):
            call(context, "touch made")
        return
    result = call(context, "echo x > made; echo y > /dev/stdout; sleep 1000 & touch /etc/made")
    note = context.say("tool.bash.confined")
    left = context.say("tool.bash.left")
    assert result.output.splitlines() == [
        "y", "touch: cannot touch '/etc/made': Permission denied", "[exit code 1]", left, note,
    ] or "Read-only file system" in result.output
    assert result.exit == 1 and (context.workspace.root / "made").read_text() == "x\n"


def test_what_was_not_allowed_does_not_run(context):
    with pytest.raises(ToolError) as caught:
        call(context, "touch made")
    assert caught.value.key == "tool.bash.changed" and not (context.workspace.root / "made").exists()


def test_an_edited_command_runs_in_its_place_and_the_model_is_told(context):
    result = call(replace(context, approved=True, command="echo b"), "echo b")
    assert result.output == "[The user changed the command. Run instead: echo b]\nb"


def test_two_runs_of_a_command_give_the_same_text(context):
    assert said(context, "sleep 0.1; echo a; exit 1") == said(context, "echo a; exit 1")


def test_an_empty_command_is_a_mistake_of_the_model(context):
    for command in ("", "  ", "\n"):
        with pytest.raises(ToolError):
            BASH.effects(context, BASH.args(command))


def test_effects_are_the_judged_command(context):
    (effect,) = BASH.effects(context, BASH.args("ls; rm a.txt"))
    assert effect.command == "ls; rm a.txt"
    assert [part.listed for part in effect.script.parts] == [True, False]
    (strict,) = BASH.effects(replace(context, compound="refuse"), BASH.args("ls; ls"))
    assert strict.script.key == "gate.shell.compound"


@pytest.mark.parametrize(("raw", "key"), [
    ({}, "tool.args.missing"), ({"command": 1}, "tool.args.type"),
    ({"command": "ls", "timeout": 0}, "tool.args.minimum"),
    ({"command": "ls", "timeout": 601}, "tool.args.maximum"),
    ({"command": "ls", "timeout": "5"}, "tool.args.type"),
    ({"command": "ls", "cwd": "x"}, "tool.args.unknown"),
])
def test_wrong_arguments_are_named(context, raw, key):
    with pytest.raises(ToolError) as caught:
        parse(BASH.args, raw, context.say)
    assert caught.value.key == key


def test_the_title_is_one_line():
    assert BASH.title(BASH.args("a\n\n b\nc")) == "a ⏎  b ⏎ c"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_description_is_short(lang):
    assert len(json.dumps(schema(BASH, Strings(lang)))) <= 1200
    assert len(json.dumps(schema(BASH, Strings("en")))) <= 750

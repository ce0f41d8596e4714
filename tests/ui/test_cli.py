"""The command line through real processes: what needs neither a model server nor the agent."""

from __future__ import annotations

import ast
import io
import io
import json
import os
import subprocess
import sys

import pytest

from clinkai import __version__
from clinkai.core.catalogue import Strings
from clinkai.harness.settings import TABLE
from clinkai.ui.cli import main
from clinkai.ui.cli import main
from tests.ui.program import DEADLINE, TOP


def test_version(program):
    assert program.run("--version").out == f"clinkai {__version__}\n"


@pytest.mark.parametrize("environ", [{}, {"PYTHONSAFEPATH": "1"}, {"PYTHONOPTIMIZE": "2"}])
def test_it_starts_with_every_way_of_running_python(program, environ):
    program.environ.update(environ)
    assert program.run("--version", cwd=program.home).out == f"clinkai {__version__}\n"


@pytest.mark.parametrize(("args", "lang"), [
    (("--help",), "en"), (("-h", "--lang", "zh"), "zh"), (("--lang=zh", "--help"), "zh"),
])
def test_help(program, args, lang):
    ended = program.run(*args)
    assert ended.code == 0 and ended.out.startswith(Strings(lang)("cli.usage.task"))
    assert [s.env for s in TABLE if s.env not in ended.out] == []


def test_help_needs_no_usable_setting(program):
    assert program.setting(MAX_ROUNDS="x").run("web", "--help").code == 0


MISTAKES = [
    (("fix", "the", "bug"), 'python clinkai.py "fix the bug"'),
    (("--colour",), "--no-color"),
    ((), "There is no task."),
    (("--max-rounds", "0", "x"), "--max-rounds: “0”"),
    (("--workspace", "/nowhere", "x"), "/nowhere does not exist"),
    (("--workspace", str(TOP / "clinkai.py"), "x"), "is a file"),
    (("policy",), "check"),
    (("policy", "check", "--dialect", "fish", "--", "ls"), "posix, powershell"),
    (("sessions", "show", "zzz"), "zzz"),
    (("sessions", "drop"), "drop"),
    (("sessions", "list", "drop"), "“drop”"),
    (("tool", "-", "drop"), "“drop”"),
    (("--resume", "auto", "x"), "no session"),
    (("--resume", "--json", "x"), "auto, an id or a path"),
]


def here(program, monkeypatch) -> None:
    """Make this process stand where the program would."""
    monkeypatch.chdir(program.workspace)
    for name in [n for n in os.environ if n.startswith("CLINKAI_")]:
        monkeypatch.delenv(name)
    for name, value in program.environ.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(("args", "words"), MISTAKES)
def test_mistakes_end_with_2_and_say_what_to_do(program, monkeypatch, args, words):
    here(program, monkeypatch)
    out, err = io.StringIO(), io.StringIO()
    assert main(list(args), stdin=io.StringIO(), stdout=out, stderr=err) == 2
    assert words in err.getvalue() and out.getvalue() == ""
    assert err.getvalue().startswith("Error: ") and "\n  " in err.getvalue()


def test_a_mistake_through_the_real_program(program):
    ended = program.run("fix", "the", "bug")
    assert ended.code == 2 and ended.err == (
        'Error: The task must be one argument, in quotes.\n  python clinkai.py "fix the bug"\n')


def test_the_language_of_errors_is_that_of_the_person(program):
    assert program.run("--lang", "zh").err.startswith("错误：")
    program.environ["LANG"] = "zh_CN.UTF-8"
    assert program.run("--colour").err.startswith("错误：")


def test_config_as_json_is_ascii_and_hides_the_key(program):
    program.setting(MODEL="模型", API_KEY="sk-secret", MAX_ROUNDS="7")
    ended = program.run("config", "--json", "--mode", "ask")
    rows = {row["name"]: row for row in json.loads(ended.out)}
    assert ended.code == 0 and ended.raw.isascii() and "sk-secret" not in ended.out
    assert rows["MODEL"] == {"name": "MODEL", "env": "CLINKAI_MODEL", "value": "模型", "default": "",
                             "source": "environment"}
    assert (rows["MAX_ROUNDS"]["value"], rows["MODE"]["source"]) == (7, "flag")
    assert rows["API_KEY"]["value"] == "********"


def test_config_for_people(program):
    ended = program.setting(API_KEY="sk-secret").run("config")
    assert "CLINKAI_MAX_ROUNDS = 15   (default)\n" in ended.out
    assert "CLINKAI_API_KEY = ********   (environment)\n" in ended.out and "sk-" not in ended.out


def test_sessions_of_a_fresh_machine(program):
    assert program.run("sessions", "list", "--json").out == "[]\n"
    assert "no sessions" in program.run("sessions").out
    assert list(program.home.iterdir()) == [], "looking leaves nothing behind"


def test_a_home_that_cannot_be_written_is_an_error(program):
    blocker = program.home / ".clinkai"
    blocker.write_text("")
    ended = program.run("hello")
    assert ended.code == 2 and str(blocker) in ended.err and "CLINKAI_HOME" in ended.err


def test_an_old_python_gets_a_message():
    source = (TOP / "clinkai.py").read_text()
    ast.parse(source, feature_version=(3, 4))
    code = f"import sys; sys.version_info = (3, 8, 1); exec({source!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2 and "needs Python 3.11 or newer; this is Python 3.8" in done.stderr


ENCODINGS = [
    ("gbk", "zh", Strings("zh")("cli.help.commands").encode("gbk")),
    ("cp1252", "zh", b"python clinkai.py"),
    ("ascii", "en", b"Usage: python clinkai.py"),
    ("latin-1", "zh", b"python clinkai.py"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("options", "told"), [((), False), (("--lang", "zh"), True)])
def test_where_chinese_cannot_be_shown_there_is_english(program, options, told):
    program.environ.update(PYTHONIOENCODING="ascii", LANG="zh_CN.UTF-8")
    ended, say = program.run("sessions", "show", "none", *options), Strings("en")
    assert ended.code == 2 and say("cli.error", text="") in ended.err
    assert (say("cli.notice.english") in ended.err) == told
    assert program.run("--help", *options).out.startswith(say("cli.usage.task"))


@pytest.mark.parametrize(("encoding", "lang", "words"), ENCODINGS)
def test_no_encoding_breaks_the_output(program, encoding, lang, words):
    program.environ.update(PYTHONIOENCODING=encoding, LANG="C", COLUMNS="40")
    helped = program.run("--help", "--lang", lang)
    assert helped.code == 0 and words in helped.raw


def test_an_error_in_ascii_has_stand_ins(program):
    program.environ["PYTHONIOENCODING"] = "ascii"
    assert '--max-rounds: "..."' in program.run("--max-rounds", "…", "x").err


def test_a_reader_that_has_gone_is_no_error(program):
    with program.start("--help", stdout=subprocess.PIPE) as running:
        running.stdout.close()
        err = running.stderr.read()
    assert (running.returncode, err) == (0, b"")


def test_closed_streams_are_no_error(program):
    script = 'exec "$@" <&- >&-'
    done = subprocess.run(["sh", "-c", script, "sh", *program.argv("config")], env=program.environ,
                          capture_output=True, cwd=program.workspace)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_a_full_disk_behind_the_output_is_an_error(program):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(program.argv("config"), stdout=full, stderr=subprocess.PIPE,
                              env=program.environ, cwd=program.workspace)
    assert done.returncode == 2 and b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.sampled(3)
@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize("args", [(), ("-p",), ("--json",)])
def test_a_full_disk_behind_the_output_of_a_run_is_told(program, args):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(program.argv("demo", *args, "list files"), stdout=full,
                              stderr=subprocess.PIPE, env=program.environ, cwd=program.workspace)
    assert done.returncode == 2 and done.stderr.count(b"No space left") == 1


@pytest.mark.sampled(2)
@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize(("args", "code"), [(("demo", "list files"), 0), (("a", "b"), 2)])
def test_errors_that_cannot_be_written_change_nothing(program, args, code):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(program.argv(*args), stderr=full, stdout=subprocess.PIPE,
                              env=program.environ, cwd=program.workspace)
    assert (done.returncode, b"In this folder" in done.stdout) == (code, code == 0)


LEFT = [("demo", "list files"), ("demo", "--json", "list files"), ("policy", "check"),
        ("tool", "-")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("args", LEFT)
def test_a_reader_that_leaves_after_the_first_line_ends_it_quietly(program, args):
    line = b'{"name": "ls", "command": "ls"}\n'
    with program.start(*args, bufsize=0) as running:
        if args[0] == "demo":
            running.stdin.close()
        else:
            running.stdin.write(line)
        assert running.stdout.readline()
        running.stdout.close()
        if args[0] != "demo":
            running.stdin.write(line * 2)  # and stays open: nobody waits for its end
        code, err = running.wait(DEADLINE), running.stderr.read()
    assert code in (0, 130) and b"Stopped" not in err and b"Error" not in err


GONE = [
    (("build",), {}), (("config",), {"HOME": "relative"}), (("demo", "hi"), {}),
    (("--resume", "./x.jsonl", "hi", "--workspace", "/"), {}), (("tool", "ls", "{}"), {}),
    (("policy", "check", "--", "ls"), {}), (("doctor",), {}), (("web", "--port", "0"), {}),
    (("eval", "--out", "x", "--provider", "demo"), {}), (("eval", "--tasks", "x", "--list"), {}),
]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the current folder")
@pytest.mark.parametrize(("args", "settings"), GONE, ids=[" ".join(a) for a, _ in GONE])
def test_a_current_folder_that_was_removed_is_told(program, tmp_path, monkeypatch, args, settings):
    """In this process: main is all that a real one runs."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setenv("HOME", str(program.home))
    monkeypatch.setenv("LANG", "C")
    for name, value in settings.items():
        monkeypatch.setenv(f"CLINKAI_{name}", value)
    gone.rmdir()
    out, err = io.StringIO(), io.StringIO()
    code = main(list(args), stdin=io.StringIO(), stdout=out, stderr=err)
    assert (code, out.getvalue()) == (2, "")
    assert "does not exist any more" in err.getvalue() and "\n  " in err.getvalue()

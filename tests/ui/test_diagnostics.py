"""The commands that scripts talk to: JSON in, JSON out, nothing else, no session."""

from __future__ import annotations

import json
import subprocess

import pytest

from clinkai import __version__
from tests.server import FakeServer, reply
from tests.ui.program import DEADLINE, TOP


def lines(*bodies: object) -> bytes:
    return b"".join(json.dumps(body).encode() + b"\n" for body in bodies)


def untouched(program) -> bool:
    """No session was created."""
    return program.sessions == []


COMMANDS = [
    ("ls -l | wc -l", "allow"),
    ("make all", "ask"),
    ("git push", "ask"),
    ("cat /etc/passwd", "ask"),
    ("echo 'a b' && pwd", "allow"),
    ("--version", "ask"),
    ("echo 中文", "allow"),
]


@pytest.mark.parametrize(("command", "decision"), COMMANDS[-2:])
def test_one_command_is_judged(program, command, decision):
    ended = program.run("policy", "check", "--dialect", "posix", "--", command)
    body = json.loads(ended.out)
    assert ended.code == 0 and ended.raw.isascii() and ended.out.count("\n") == 1
    assert (body["command"], body["decision"]) == (command, decision)
    assert bool(body["reason"]) == (decision != "allow") and untouched(program)


def test_commands_are_judged_line_by_line(program):
    given = [{"id": i, "dialect": "posix", "command": c} for i, (c, _) in enumerate(COMMANDS)]
    ended = program.run("policy", "check", stdin=lines(*given))
    bodies = [json.loads(line) for line in ended.out.splitlines()]
    assert [(b["id"], b["command"], b["decision"]) for b in bodies] == [
        (i, c, d) for i, (c, d) in enumerate(COMMANDS)]


def test_each_verdict_comes_as_its_line_does(program):
    with program.start("policy", "check") as running:
        for command in ("ls", "make"):
            running.stdin.write(lines({"dialect": "posix", "command": command}))
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["command"] == command
        running.stdin.close()
        assert running.wait(DEADLINE) == 0


BAD_LINES = [b"not json\n", b"[1]\n", b'{"dialect": "posix"}\n', b'{"command": 3}\n',
             b'{"command": "ls", "dialect": "fish"}\n', b"\xff\xfe\n", b"[" * 100_000 + b"\n",
             b'{"command": "ls", "id": NaN}\n', b'{"command": "ls", "id": 1e999}\n']


def test_a_bad_line_is_asked_about_and_the_next_one_judged(program):
    good = lines({"id": 2, "dialect": "posix", "command": "ls"})
    ended = program.run("policy", "check", stdin=b"".join(bad + b"\n" + good for bad in BAD_LINES))
    bodies = [json.loads(line) for line in ended.out.splitlines()]
    assert [b["decision"] for b in bodies] == ["ask", "allow"] * len(BAD_LINES) and ended.code == 0
    assert all(bool(b["reason"]) == (b["decision"] == "ask") for b in bodies)


def test_allow_rules_and_modes_count(program):
    check = ("policy", "check", "--dialect", "posix")
    allowed = program.run("--allow", "make", *check, "--", "make all")
    planned = program.run(*check, "--mode", "plan", "--", "make")
    assert [json.loads(e.out)["decision"] for e in (allowed, planned)] == ["allow", "deny"]


def test_a_tool_is_run_as_in_a_headless_run(program):
    (program.workspace / "a.txt").write_text("one\ntwo\n")
    ended = program.run("tool", "read", '{"path": "a.txt"}')
    body = json.loads(ended.out)
    assert ended.code == 0 and ended.raw.isascii() and untouched(program)
    assert (body["decision"], body["ok"]) == ("allow", True) and "two" in body["output"]


TOOLS = [
    ("ls", {"path": "."}, "allow", True),
    ("read", {"path": "missing.txt"}, "allow", False),
    ("read", {"path": "/etc/passwd"}, "deny", False),
    ("read", {"path": ".env"}, "ask", False),
    ("read", {"path": 3}, "allow", False),
    ("read", "{broken", "allow", False),
    ("nothing", {}, "allow", False),
    ("bash", {"command": "make"}, "ask", False),
    ("bash", {"command": "echo hello"}, "allow", True),
    ("write", {"path": "a.txt", "content": "new\n"}, "allow", True),
    ("write", {"path": "b.txt", "content": "new\n"}, "allow", True),
]


def test_tools_are_run_line_by_line_in_one_process(program):
    (program.workspace / "a.txt").write_text("old\n")
    (program.workspace / ".env").write_text("KEY=1\n")
    given = [{"id": i, "name": n, "arguments": a} for i, (n, a, _, _) in enumerate(TOOLS)]
    ended = program.run("tool", "-", stdin=lines(*given))
    bodies = [json.loads(line) for line in ended.out.splitlines()]
    assert [(b["id"], b["decision"], b["ok"]) for b in bodies] == [
        (i, d, ok) for i, (_, _, d, ok) in enumerate(TOOLS)]
    assert all(body["output"] for body in bodies) and untouched(program)
    assert (program.workspace / "a.txt").read_text() == "new\n"


BAD_CALLS = [b"nonsense\n", b'{"arguments": {}}\n', b"[]\n", b"\xff\n", b"[" * 50_000 + b"\n",
             b'{"id": NaN, "name": "ls"}\n', b'{"id": -1e999, "name": "ls"}\n']


def test_a_bad_line_runs_nothing(program):
    ended = program.run("tool", "-", stdin=b"".join(BAD_CALLS))
    bodies = [json.loads(line, parse_constant=pytest.fail) for line in ended.out.splitlines()]
    assert [(b["id"], b["decision"], b["ok"]) for b in bodies] == [
        (None, "deny", False)] * len(BAD_CALLS)
    assert all(body["output"] for body in bodies)


def test_sessions_are_listed_and_shown(program):
    script = [reply("答案", reasoning="hm", calls=[("ls", {"path": "."})]), reply("end")]
    with FakeServer(script) as server:
        program.setting(BASE_URL=server.base_url, MODEL="local").run("the task\nmore")
    ended = program.run("sessions", "list", "--json")
    [entry] = json.loads(ended.out)
    path = program.sessions[0]
    assert ended.raw.isascii() and list(entry) == [
        "id", "path", "workspace", "title", "last", "rounds", "bytes", "state", "pinned"]
    assert (entry["path"], entry["title"], entry["rounds"], entry["state"], entry["bytes"]) == (
        str(path), "the task", 2, "done", path.stat().st_size)
    shown = program.run("sessions", "show", entry["id"][:4], "--json")
    body = json.loads(shown.out)
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert body == {"init": records[0], "records": records[1:]} and shown.raw.isascii()
    people = program.run("sessions", "show", "auto").out
    assert "› the task" in people and "答案" in people and "* ls" in people
    assert entry["id"] in program.run("sessions").out
    head, first, second, total = program.run("sessions", "show", "auto", "--cache").out.splitlines()
    assert head.split() == ["round", "prompt", "cached", "read", "again", "why"]
    assert [first.split()[0], second.split()[0], total.partition(":")[0]] == ["1", "2", "2 rounds"]
    path.write_text(path.read_text().replace('"ahead":0', '"ahead":21'))
    told = program.run("sessions", "show", "auto", "--cache").out.splitlines()[-1]
    assert told == "42 more tokens were read ahead, while nobody waited"


def test_a_damaged_session_is_shown_as_far_as_it_goes(program):
    with FakeServer([reply("fine")]) as server:
        program.setting(BASE_URL=server.base_url, MODEL="local").run("task")
    path = program.sessions[0]
    first, second, *rest = path.read_text().splitlines(keepends=True)
    path.write_text("".join([first, "damaged\n", second, *rest]))
    ended = program.run("sessions", "show", str(path), "--json")
    assert ended.code == 0 and "Line 2" in ended.err
    assert len(json.loads(ended.out)["records"]) == len(rest) + 1


def test_doctor_as_json(program):
    with FakeServer([]) as server:
        server.routes["POST /v1/chat/completions"] = reply("ok")
        program.setting(BASE_URL=server.base_url, MODEL="local")
        ended = program.run("doctor", "--json")
    body = json.loads(ended.out)
    assert ended.raw.isascii() and set(body) == {"checks", "exit"} and ended.code == body["exit"]
    assert all(set(check) == {"id", "status", "detail", "hint"} for check in body["checks"])


@pytest.mark.parametrize("args", [("doctor",), ("doctor", "--json")])
def test_doctor_tells_of_settings_that_cannot_be_read(program, args):
    ended = program.setting(MAX_ROUNDS="many").run(*args)
    assert ended.code == 2 and "CLINKAI_MAX_ROUNDS" in ended.out


def test_doctor_without_a_server_ends_with_3(program):
    ended = program.setting(BASE_URL="http://127.0.0.1:9/v1").run("doctor")
    assert ended.code == 3 and "127.0.0.1:9" in ended.out


def test_the_suite_is_reached(program):
    ended = program.run("--lang", "en", "eval", "--list")
    assert ended.code == 0 and len(ended.out.splitlines()) >= 5


def test_probe_makes_one_request(program):
    with FakeServer([reply("Hello")]) as server:
        program.setting(BASE_URL=server.base_url, MODEL="local")
        ended = program.run("probe", "--prompt", "hi")
        assert len(server.requests) == 1
    body = json.loads(ended.out)
    assert (ended.code, body["content"], body["finish"]) == (0, "Hello", "stop")
    assert ended.raw.isascii()


def test_probe_lists_models(program):
    with FakeServer([], models=("a", "b")) as server:
        ended = program.setting(BASE_URL=server.base_url).run("probe", "--models")
        assert len(server.requests) == 1
    assert json.loads(ended.out) == {"models": ["a", "b"], "error_kind": None}


def test_web_says_where_it_is_and_stops_with_a_signal(program):
    with program.setting(PROVIDER="demo").start("web", "--port", "0") as running:
        assert b"http://127.0.0.1:" in _address(running)
        running.terminate()
        running.communicate(timeout=DEADLINE)
    assert running.returncode == 143


def _address(running: subprocess.Popen) -> bytes:
    """The line with the address."""
    while line := running.stdout.readline():
        if line.startswith(b"http://"):
            return line
    raise AssertionError(running.stderr.read())


@pytest.mark.slow
def test_everything_runs_from_one_file(program, tmp_path):
    ended = program.run("build")
    archive = program.workspace / "clinkai.pyz"
    assert ended.code == 0 and str(archive) in ended.out
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    moved = archive.rename(elsewhere / "agent.pyz")
    program.argv = lambda *args: [*_python(), str(moved), *args]
    assert program.run("--version").out == f"clinkai {__version__}\n"
    made = program.run("demo", "create notes/hello.md with Hello")
    assert made.code == 0
    assert (program.workspace / "notes" / "hello.md").read_text().strip() == "Hello"
    assert len(program.run("eval", "--list").out.splitlines()) >= 5
    with program.start("web", "--port", "0", "--provider", "demo") as running:
        assert b"http://" in _address(running)
        running.terminate()
        running.communicate(timeout=DEADLINE)
    again = program.run("build", "-o", "copy.pyz")
    assert again.code == 0 and (program.workspace / "copy.pyz").read_bytes() == moved.read_bytes()


def _python() -> list[str]:
    import sys

    return [sys.executable]


@pytest.mark.slow
def test_a_build_that_cannot_be_written_is_error_2(program):
    ended = program.run("build", "-o", "nowhere/clinkai.pyz")
    assert ended.code == 2 and "nowhere" in ended.err and str(TOP) not in ended.err

"""One task through the real program, over real sockets: streams, exit codes, standard input."""

from __future__ import annotations

import json
import signal
import subprocess
import threading

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.events import EVENTS
from tests.server import FakeServer, Answer, chunk, error, ok, reply
from tests.ui.program import DEADLINE

USAGE_LINE = r"  round 1/15 · in \d+\S* \(cache \S+\) · out \d+ · prefill .* · .* t/s · ctx \d+%\n"


def at(program, server, **settings):
    return program.setting(BASE_URL=server.base_url, MODEL="local", **settings)


def asked(server, number: int = -1) -> str:
    """What the user said last in a request."""
    return [m for m in server.chats[number].json["messages"] if m["role"] == "user"][-1]["content"]


def test_a_task_is_answered(program):
    with FakeServer([reply("Hello there.", reasoning="Let me see.")], owner="llamacpp") as server:
        ended = at(program, server).run("say hello")
        assert [(r.method, r.path) for r in server.requests] == [
            ("GET", "/props"), ("POST", "/v1/chat/completions")]
    assert ended.code == 0 and ended.out.startswith("Hello there.\n  round 1/15 · in ")
    assert ended.err == "  thinking: Let me see.\n"
    assert len(program.sessions) == 1


def test_print_gives_the_answer_only(program):
    (program.workspace / "a.txt").write_text("content\n")
    call = ("read", {"path": "a.txt"})
    script = [reply("I will read it.", calls=[call]), reply("It says content.")]
    with FakeServer(script) as server:
        ended = at(program, server).run("what does a.txt say?", "-p")
    assert (ended.code, ended.out) == (0, "It says content.\n")
    assert "* read  a.txt" in ended.err and "I will read it." in ended.err
    assert "\x1b" not in ended.err


def test_thinking_that_was_taken_for_text_is_no_part_of_what_is_printed(program):
    with FakeServer([reply("Let me see.\n</think>\n\nIt is 4.")]) as server:
        ended = at(program, server).run("2+2?", "-p")
    assert (ended.code, ended.out) == (0, "It is 4.\n")


def test_json_gives_one_event_a_line(program):
    with FakeServer([reply("你好")]) as server:
        ended = at(program, server).run("--json", "hello")
    bodies = [json.loads(line) for line in ended.out.splitlines()]
    assert ended.code == 0 and ended.raw.isascii()
    assert all(body["v"] == 1 and body["type"] in EVENTS and body["rid"] for body in bodies)
    envelope = {"v", "type", "sid", "rid", "ts"}
    assert [set(body) - envelope for body in bodies] == [
        set(EVENTS[body["type"]].fields) - {"record"} for body in bodies]
    assert (bodies[0]["type"], bodies[-1]["type"]) == ("run.start", "run.end")
    assert {body["sid"] for body in bodies} == {program.sessions[0].stem.rpartition("-")[2]}


@pytest.mark.parametrize("args", [("explain",), ("-p", "explain"), ("explain", "-")])
def test_piped_text_joins_the_task(program, args):
    with FakeServer([reply("ok")]) as server:
        assert at(program, server).run(*args, stdin="trace\nback".encode()).code == 0
        assert asked(server).startswith("explain\n\n<stdin>\ntrace\nback\n</stdin>")


def test_a_piped_task(program):
    with FakeServer([reply("ok")]) as server:
        assert at(program, server).run(stdin=b"do it\n").code == 0
        assert asked(server).startswith("do it")


PNG = b"\x89PNG\r\n\x1a\n and more"


def test_images_go_with_the_task_from_wherever_they_lie(program, tmp_path):
    (tmp_path / "a.dat").write_bytes(PNG)
    with FakeServer([reply("A dot.")]) as server:
        ended = at(program, server).run("--image", "../a.dat", "what is it?")
        parts = asked(server)
    assert (ended.code, ended.err) == (0, "  [image image/png 17 B]\n")
    assert [part["type"] for part in parts] == ["text", "image_url"]
    shown = program.run("sessions", "show", "auto").out
    assert shown.startswith("› what is it?\n  [image image/png 17 B]\n")


def test_what_is_no_image_is_error_2_before_anything_is_sent(program):
    with FakeServer() as server:
        ended = at(program, server).run("--image", "none.png", "what is it?")
        assert (ended.code, server.requests, program.sessions) == (2, [], [])
    assert "none.png cannot be read: No such file" in ended.err and "--image FILE" in ended.err


@pytest.mark.slow
def test_a_silent_standard_input_is_told_and_left(program):
    with FakeServer([reply("ok")]) as server:
        with at(program, server).start("hello") as running:
            out, err = running.stdout.read(), running.stderr.read()
    assert running.returncode == 0 and b"ok\n" in out and b"silent for 2 s" in err


def test_a_dash_waits_for_the_end(program):
    with FakeServer([reply("ok")]) as server:
        with at(program, server).start("-p", "hello", "-") as running:
            running.stdin.write(b"late")
            out, _ = running.communicate(timeout=DEADLINE)
        assert "late" in asked(server)
    assert (running.returncode, out) == (0, b"ok\n")


def test_a_task_of_a_megabyte_ends_in_a_clear_message(program):
    with FakeServer([]) as server:
        ended = at(program, server).run("summarise", stdin=b"word " * 200_000)
        assert server.chats == []
    assert ended.code == 6 and "tokens" in ended.err


def test_a_task_of_a_megabyte_works_where_it_fits(program):
    with FakeServer([reply("ok")], n_ctx=1_000_000) as server:
        at(program, server, CTX_BUDGET="900000")
        assert program.run("-p", "summarise", stdin=b"word " * 200_000).out == "ok\n"


CODES = [
    (lambda: [error(400, "broken")], {}, 3),
    (lambda: [error(401, {"error": {"message": "no key"}})], {}, 3),
    (lambda: [reply("x", calls=[("ls", {"path": f"d{n}"})]) for n in range(2)],
     {"MAX_ROUNDS": "2"}, 4),
    (lambda: [reply("", calls=[("ls", {"path": "."})]) for _ in range(9)], {}, 5),
]


@pytest.mark.parametrize(("script", "settings", "code"), CODES)
def test_exit_codes(program, script, settings, code):
    server = FakeServer(script())
    with server:
        ended = at(program, server, **settings).run("go")
    assert ended.code == code and ended.err.strip()


def test_a_refusal_does_not_change_the_exit_code(program):
    script = [reply("", calls=[("bash", {"command": "make install"})]), reply("Then not.")]
    with FakeServer(script) as server:
        ended = at(program, server).run("install")
    assert ended.code == 0 and "refused" in ended.out and "Calls that were refused: 1" in ended.err


def test_no_server_is_error_3_with_advice(program):
    ended = program.setting(BASE_URL="http://127.0.0.1:9/v1", MODEL="m").run("hello")
    assert ended.code == 3 and "127.0.0.1:9" in ended.err and "doctor" in ended.err


def test_a_missing_certificate_file_is_error_2(program):
    ended = program.setting(CA_FILE="/nowhere.pem", BASE_URL="https://127.0.0.1:9/v1").run("hello")
    assert ended.code == 2 and "CLINKAI_CA_FILE" in ended.err and "/nowhere.pem" in ended.err


def test_the_only_model_served_is_taken(program):
    with FakeServer([reply("ok")], models=("alone",)) as server:
        assert program.setting(BASE_URL=server.base_url).run("hello").code == 0
        assert server.chats[0].json["model"] == "alone"


@pytest.mark.slow
def test_a_server_that_loads_its_model_is_waited_for_before_there_is_a_session(program):
    with FakeServer([reply("ok")]) as server:
        listed = [error(503, {"error": {"message": "Loading model"}}), ok({"data": [{"id": "late"}]})]
        server.routes["GET /v1/models"] = lambda _: listed.pop(0) if listed[1:] else listed[0]
        ended = program.setting(BASE_URL=server.base_url).run("-p", "hello")
        assert (ended.code, ended.out) == (0, "ok\n")
        assert server.chats[0].json["model"] == "late"
    assert ended.err.startswith("  " + Strings("en")("notice.wait.loading") + "\n")


def test_several_models_and_nobody_to_ask_is_error_2(program):
    with FakeServer([], models=("one", "two")) as server:
        ended = program.setting(BASE_URL=server.base_url).run("hello")
    assert ended.code == 2 and "one, two" in ended.err and "--model" in ended.err


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_run_and_keeps_what_was_said(program, number, code):
    said = threading.Event()
    pieces = [chunk({"role": "assistant", "content": "so far"}), said.set]
    with FakeServer([Answer(pieces, chunked=True, end="stall")]) as server:
        with at(program, server).start("hello", stdin=subprocess.DEVNULL) as running:
            assert said.wait(DEADLINE)
            assert running.stdout.read(6) == b"so far"
            running.send_signal(number)
            running.communicate(timeout=DEADLINE)
        assert server.chats[0].gone.wait(DEADLINE)
    assert running.returncode == code
    kept = program.sessions[0].read_text()
    assert "so far" in kept and '"reason":"cancelled"' in kept and f'"exit":{code}' in kept


@pytest.mark.slow
def test_a_reader_that_goes_away_stops_the_run_quietly(program):
    go = threading.Event()
    pieces = [chunk({"content": "first\n"}), go.wait,
              *(chunk({"content": f"line {n}\n"}) for n in range(50))]
    with FakeServer([Answer(pieces, chunked=True, end="stall")]) as server:
        with at(program, server).start("hello", stdin=subprocess.DEVNULL) as running:
            assert running.stdout.readline() == b"first\n"
            running.stdout.close()
            go.set()
            err = running.stderr.read()
    assert running.returncode == 130 and b"Stopped" not in err and b"Broken" not in err


def test_a_session_goes_on(program):
    with FakeServer([reply("one"), reply("two")]) as server:
        at(program, server).run("first")
        assert program.run("--resume", "auto", "second").code == 0
        said = [m["content"] for m in server.chats[1].json["messages"] if m["role"] != "system"]
    assert len(program.sessions) == 1
    assert said[0].startswith("first") and said[1] == "one" and said[2].startswith("second")


def test_a_resumed_session_keeps_its_model(program):
    with FakeServer([reply("one"), reply("two")], owner="llamacpp") as server:
        program.setting(BASE_URL=server.base_url).run("first", "--model", "local")
        assert program.run("second", "--resume", "auto").code == 0
        assert [r.json["model"] for r in server.chats] == ["local", "local"]
        assert len(server.requests) == 4  # each run asks once what the server is


RISKY = [("the home folder", "{home}"), ("the top", "/"), ("above CLINKAI_HOME", "{parent}")]


@pytest.mark.parametrize("folder", [path for _, path in RISKY], ids=[name for name, _ in RISKY])
def test_a_risky_folder_is_refused_with_nobody_to_ask(program, folder):
    path = folder.format(home=program.home, parent=program.home.parent)
    program.setting(BASE_URL="http://127.0.0.1:9/v1", MODEL="m")
    ended = program.run("--workspace", path, "x")
    assert ended.code == 2 and path in ended.err and "--workspace" in ended.err


def test_an_empty_workspace_is_no_workspace(program):
    ended = program.setting(BASE_URL="http://127.0.0.1:9/v1", MODEL="m").run("--workspace", "", "x")
    assert ended.code == 2 and "--workspace" in ended.err


def small_files() -> None:
    """Files may grow to 12,000 bytes, which the second round goes beyond."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))


@pytest.mark.slow
@pytest.mark.parametrize("args", [(), ("--json",)])
def test_a_full_disk_ends_the_run_with_a_message(program, args):
    for number in range(4):
        (program.workspace / f"{number}.txt").write_text("x" * 9_000 + "\n")
    script = [reply("so far", calls=[("read", {"path": f"{n}.txt"})]) for n in range(4)]
    with FakeServer(script) as server:
        at(program, server)
        # Python would keep half of a compiled module that does not fit, for everybody.
        program.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        ended = program.run("go", *args, preexec_fn=small_files)
        assert len(server.chats) < 4
    assert ended.code == 2 and "cannot be written" in ended.err + ended.out
    assert program.run("sessions", "show", str(program.sessions[0]), "--json").code == 0


def test_a_task_that_no_request_can_hold_ends_with_6_and_its_sizes(program):
    with FakeServer([]) as server:
        ended = at(program, server).setting(CTX_BUDGET="3000").run("-p", "long " * 3000)
    assert (ended.code, ended.out, program.sessions) == (6, "", [])
    assert "3000 fit" in ended.err and "CLINKAI_CTX_BUDGET" in ended.err


def test_what_left_the_context_is_still_shown_and_where_it_left(program):
    calls = [[("write", {"path": f"f{n}.txt", "content": f"{n} text\n" * 120})] for n in range(9)]
    script = iter([reply("", calls=made) for made in calls])

    def answer(body):
        if "write a summary" in json.dumps(body["messages"][-1]):
            return reply("all in short")
        return next(script, None) or reply("done")

    with FakeServer(answer) as server:
        ended = at(program, server).setting(CTX_BUDGET="4000", MAX_TOKENS="400").run("write files")
    assert ended.code == 0 and "became a summary" in ended.err and "all in short" not in ended.out
    shown = program.run("sessions", "show", program.sessions[0].stem.rpartition("-")[2]).out
    first, mark, after = (shown.find(text) for text in ("f0.txt", "-- archived", "| all in short"))
    assert 0 < first < mark < after

"""At a real terminal: questions, Ctrl+C, the conversation, and the terminal left as it was."""

from __future__ import annotations

import os
import threading

import pytest

pytest.importorskip("termios")

from tests.server import Answer, FakeServer, chunk, reply
from tests.ui.program import DEADLINE
from tests.ui.screen import Terminal

MAKE = {"command": "make all"}

pytestmark = pytest.mark.slow
"""A real terminal takes its time: keys count only once a question was seen."""


def at(program, server, **settings):
    return program.setting(BASE_URL=server.base_url, MODEL="local", **settings)


def makefile(program) -> None:
    (program.workspace / "Makefile").write_text("all:\n\t@echo built > built.txt\n")


def results(server) -> list[str]:
    """What the model was told about its calls."""
    return [m["content"] for m in server.chats[-1].json["messages"] if m["role"] == "tool"]


VERDICTS = [(["\r", "y"], True, "allowed once"), (["n"], False, "refused"),
            (["\x1b"], False, "refused"), (["\x04"], False, "refused")]


@pytest.mark.parametrize(("keys", "runs", "words"), VERDICTS)
def test_a_command_is_asked_for(program, keys, runs, words):
    makefile(program)
    with FakeServer([reply("", calls=[("bash", MAKE)]), reply("Done.")]) as server:
        with Terminal(at(program, server), "build it") as terminal:
            shown = terminal.expect("y once")
            assert "make all" in shown and f"in {program.workspace}" in shown
            for key in keys:
                terminal.answer(key)
            terminal.expect(words, "Done.")
    assert (terminal.code, (program.workspace / "built.txt").exists()) == (0, runs)
    assert terminal.after == terminal.before, "the terminal is left as it was"


def test_what_was_typed_before_the_question_allows_nothing(program):
    makefile(program)
    go = threading.Event()
    call = reply("", calls=[("bash", MAKE)])
    call.pieces.insert(0, go.wait)
    with FakeServer([call, reply("Done.")]) as server:
        with Terminal(at(program, server), "build it") as terminal:
            terminal.type("y")
            go.set()
            terminal.expect("y once")
            terminal.type("yes do it\r")
            terminal.answer("n")
            terminal.expect("refused", "Done.")
    assert not (program.workspace / "built.txt").exists()


def test_a_grant_for_the_session_is_asked_once(program):
    makefile(program)
    script = [reply("", calls=[("bash", MAKE)]), reply("", calls=[("bash", MAKE)]), reply("Done.")]
    with FakeServer(script) as server:
        with Terminal(at(program, server), "build it twice") as terminal:
            terminal.expect("a would allow, for this session: make all", "y once")
            terminal.answer("a")
            terminal.expect("allowed for this session", "Done.")
    assert terminal.text.count("y once") == 1 and terminal.code == 0


def test_high_risk_takes_the_word(program):
    (program.workspace / "old").write_text("")
    with FakeServer([reply("", calls=[("bash", {"command": "rm old"})]), reply("Done.")]) as server:
        with Terminal(at(program, server), "remove it") as terminal:
            terminal.expect("rm old", "Write yes")
            terminal.answer("y\r")
            terminal.expect("Write yes")
            terminal.answer("yes\r")
            terminal.expect("allowed once", "Done.")
    assert not (program.workspace / "old").exists()


def test_a_change_is_shown_as_its_diff(program):
    (program.workspace / "a.txt").write_text("old\n")
    edit = {"path": "a.txt", "old": "old", "new": "new"}
    with FakeServer([reply("", calls=[("edit", edit)]), reply("Done.")]) as server:
        with Terminal(at(program, server), "--mode", "ask", "change it") as terminal:
            terminal.expect("-old", "+new", "y once")
            terminal.answer("y")
            terminal.expect("Done.")
    assert (program.workspace / "a.txt").read_text() == "new\n"


def test_ctrl_c_in_a_question_ends_the_run_and_restores_the_terminal(program):
    makefile(program)
    with FakeServer([reply("", calls=[("bash", MAKE)])]) as server:
        with Terminal(at(program, server), "build it") as terminal:
            terminal.expect("y once")
            terminal.answer("\x03")
    assert (terminal.code, terminal.after) == (130, terminal.before)
    assert not (program.workspace / "built.txt").exists()


def test_more_rounds_are_offered(program):
    script = [reply("", calls=[("ls", {"path": "."})]), reply("Done.")]
    with FakeServer(script) as server:
        with Terminal(at(program, server, MAX_ROUNDS="1"), "go") as terminal:
            terminal.expect("y once")
            terminal.answer("y")
            terminal.expect("Done.")
    assert terminal.code == 0


def test_a_conversation(program):
    with FakeServer([reply("First answer."), reply("Second answer.")]) as server:
        with Terminal(at(program, server).setting(MODEL="")) as terminal:
            terminal.expect("local in", "/help", "› ")
            terminal.type("hello there\r")
            terminal.expect("First answer.", "round 1/15", "› ")
            terminal.type("/help\r")
            terminal.expect("Ctrl+C stops", "/mode [NAME]", "› ")
            terminal.type("/mode plan\r")
            terminal.expect("Mode plan: nothing is changed", "› ")
            terminal.type("/nonsense\r")
            terminal.expect("no command /nonsense", "› ")
            terminal.type("and more\r")
            terminal.expect("Second answer.", "› ")
            terminal.type("\x04")
            terminal.expect("--resume")
        assert [m["role"] for m in server.chats[1].json["messages"]] == [
            "system", "user", "assistant", "user"]
    assert (terminal.code, terminal.after) == (0, terminal.before)
    history = program.home / ".clinkai" / "history"
    assert history.stat().st_mode & 0o777 == 0o600 and "hello there" in history.read_text()
    assert len(program.sessions) == 1


def test_a_conversation_with_the_stand_in(program):
    with Terminal(program, "demo") as terminal:
        terminal.expect("not a language model", "› ")
        terminal.type("create a.txt with Hello\r")
        terminal.expect("* write  a.txt", "› ")
        terminal.type("/quit\r")
    assert terminal.code == 0 and (program.workspace / "a.txt").exists()


@pytest.mark.parametrize("args", [("policy", "check"), ("tool", "-"), ("probe", "--prompt", "-")])
def test_commands_for_scripts_never_read_the_terminal(program, args):
    with Terminal(program.setting(MODEL="m"), *args) as terminal:
        terminal.expect("needs more")
    assert terminal.code == 2


def test_plain_conversations_have_no_control_characters(program):
    with FakeServer([reply("Answer.")]) as server:
        with Terminal(at(program, server), "--plain", "--no-color") as terminal:
            terminal.expect("› ")
            terminal.type("hello\r")
            terminal.expect("Answer.", "› ")
            terminal.type("/quit\r")
    assert "\x1b" not in terminal.text and "\r" not in terminal.text.replace("\r\n", "")
    assert terminal.code == 0


def test_ctrl_c_stops_the_turn_and_keeps_the_conversation(program):
    said = threading.Event()
    endless = Answer([chunk({"content": "so far"}), said.set], chunked=True, end="stall")
    with FakeServer([endless, reply("Back again.")]) as server:
        with Terminal(at(program, server)) as terminal:
            terminal.expect("› ")
            terminal.type("go\r")
            terminal.expect("so far")
            assert said.wait(DEADLINE)
            terminal.type("\x03")
            terminal.expect("Stopped", "› ")
            terminal.type("more\r")
            terminal.expect("Back again.", "› ")
            terminal.type("\x03")
            terminal.expect("Ctrl+C again", "› ")
            terminal.type("\x03")
        assert server.chats[0].gone.wait(DEADLINE)
    assert (terminal.code, terminal.after) == (130, terminal.before)


def test_termination_ends_the_conversation(program):
    with FakeServer([]) as server:
        with Terminal(at(program, server)) as terminal:
            terminal.expect("› ")
            terminal.process.terminate()
    assert (terminal.code, terminal.after) == (143, terminal.before)


def test_a_model_is_chosen_once(program):
    program.setting()
    with FakeServer([reply("one"), reply("two")], models=("alpha", "beta")) as server:
        program.setting(BASE_URL=server.base_url)
        with Terminal(program, "hello") as terminal:
            terminal.expect("1  alpha", "2  beta", "Enter for none:")
            terminal.type("2\r")
            terminal.expect("one")
        assert program.run("hello again").code == 0
        assert [r.json["model"] for r in server.chats] == ["beta", "beta"]


def test_a_session_is_chosen_from_a_menu(program):
    with FakeServer([reply("one"), reply("two"), reply("three")]) as server:
        at(program, server).run("first task")
        program.run("second task")
        with Terminal(program, "go on", "--resume") as terminal:
            terminal.expect("second task", "first task", "Enter for none:")
            terminal.type("2\r")
            terminal.expect("three")
        assert "first task" in server.chats[2].json["messages"][1]["content"]


@pytest.mark.parametrize("before", [0, 1])
def test_a_new_session_may_be_chosen_too(program, before):
    with FakeServer([reply("one")] * (before + 1)) as server:
        for number in range(before):
            at(program, server).run(f"task {number}")
        with Terminal(at(program, server), "begin", "--resume") as terminal:
            if before:
                terminal.expect("2  New session", "Enter for none:")
                terminal.type("2\r")
            terminal.expect("one")
        assert [m["content"] for m in server.chats[before].json["messages"][1:]] == ["begin"]
    assert len(program.sessions) == before + 1


@pytest.mark.parametrize(("word", "code"), [("yes", 0), ("no", 2)])
def test_a_risky_folder_is_confirmed(program, word, code):
    with FakeServer([reply("ok")][: code == 0]) as server:
        with Terminal(at(program, server), "--workspace", str(program.home), "hello") as terminal:
            terminal.expect("your home folder", "Write yes:")
            terminal.type(word + "\r")
    assert terminal.code == code


def test_no_question_with_print(program):
    makefile(program)
    with FakeServer([reply("", calls=[("bash", MAKE)]), reply("Then not.")]) as server:
        with Terminal(at(program, server), "-p", "build it") as terminal:
            terminal.expect("Then not.")
    assert terminal.code == 0 and "y once" not in terminal.text


def test_a_narrow_terminal_is_usable(program):
    makefile(program)
    with FakeServer([reply("", calls=[("bash", MAKE)]), reply("Done.")]) as server:
        with Terminal(at(program, server), "build it", size=(5, 20)) as terminal:
            terminal.expect("make all", "n no")
            terminal.answer("n")
            terminal.expect("Done.")
    assert terminal.code == 0


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colours_where_none_are_wanted(program, environ):
    program.environ.update(environ)
    with FakeServer([reply("Answer.", reasoning="Hm.")]) as server:
        with Terminal(at(program, server), "hello") as terminal:
            terminal.expect("Answer.")
    assert "\x1b" not in terminal.text


def test_colours_at_a_terminal(program):
    with FakeServer([reply("Answer.", reasoning="Hm.")]) as server:
        with Terminal(at(program, server), "hello") as terminal:
            terminal.expect("Answer.")
    assert "\x1b[2m" in terminal.text and os.environ.get("NO_COLOR") is None


def test_what_comes_next_is_read_while_a_person_types(program):
    """In a conversation, not in a run that answers one task."""
    from tests.ai.test_llamacpp import slots

    ahead = threading.Event()
    script = [reply("one"), Answer([ahead.set], end="stall"), reply("two")]
    with FakeServer(script, owner="llamacpp") as server:
        server.routes["GET /slots"] = slots((False, 1))
        assert at(program, server).run("first").code == 0
        with Terminal(program) as terminal:
            assert ahead.wait(DEADLINE)
            terminal.expect("› ")
            terminal.type("second\r")
            terminal.expect("two", "› ")
            terminal.type("\x04")
            terminal.expect("--resume")
        assert [chat.json["max_tokens"] for chat in server.chats] == [4096, 1, 4096]

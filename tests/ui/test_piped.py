"""The task from the command line and from standard input: real pipes, some of them silent."""

from __future__ import annotations

import os

import pytest

from clinkai.core.errors import UsageError
from clinkai.ui.piped import Task, join, task_from


@pytest.fixture
def pipe():
    """(stdin, write end): a real pipe as standard input."""
    reading, writing = os.pipe()
    with open(reading) as stdin, open(writing, "wb", buffering=0) as end:
        yield stdin, end


GIVEN = [
    (("fix",), b"", "fix"),
    (("fix",), b"log", "fix\n\n<stdin>\nlog\n</stdin>"),
    (("fix",), b"log\n", "fix\n\n<stdin>\nlog\n</stdin>"),
    ((), b"do this\n", "do this\n"),
    (("-",), b"do this", "do this"),
    (("fix", "-"), b"log", "fix\n\n<stdin>\nlog\n</stdin>"),
    (("fix",), "\ufeff日志".encode(), "fix\n\n<stdin>\n日志\n</stdin>"),
    (("fix",), "log".encode("utf-16"), "fix\n\n<stdin>\nlog\n</stdin>"),
    (("bad \udcff",), b"", "bad \ufffd"),
]


@pytest.mark.parametrize(("words", "data", "text"), GIVEN)
def test_words_and_input_are_joined(pipe, words, data, text):
    stdin, end = pipe
    end.write(data)
    end.close()
    assert task_from(words, stdin) == Task(text)


def test_input_that_is_no_utf_8_is_used_with_a_notice(pipe):
    stdin, end = pipe
    end.write(b"caf\xe9")
    end.close()
    task = task_from(("fix",), stdin)
    assert task.text == "fix\n\n<stdin>\ncaf\ufffd\n</stdin>"
    assert task.notices == (("cli.notice.encoding", {}),)


@pytest.mark.parametrize("data", [b"", b" \n"])
def test_no_task_at_all_is_an_error(pipe, data):
    stdin, end = pipe
    end.write(data)
    end.close()
    with pytest.raises(UsageError, match="cli.error.no_task"):
        task_from((), stdin)


@pytest.mark.parametrize("words", [("",), (" ",)])
def test_an_empty_task_is_an_error_at_a_terminal_too(pipe, words):
    with pytest.raises(UsageError, match="cli.error.no_task"):
        task_from(words, pipe[0])


def test_a_silent_input_is_not_waited_for(pipe):
    stdin, _ = pipe
    task = task_from(("fix",), stdin, patience=0.05)
    assert task == Task("fix", (("cli.notice.silent", {"seconds": "0.05"}),))


def test_input_that_began_is_read_to_its_end(pipe):
    stdin, end = pipe
    end.write(b"first ")
    # The rest comes later than the patience lasts, in an order the test decides.
    import threading

    def rest() -> None:
        end.write(b"second")
        end.close()

    timer = threading.Timer(0.3, rest)
    timer.start()
    assert task_from(("fix",), stdin, patience=0.1).text.count("first second") == 1
    timer.join()


def test_a_terminal_is_not_read():
    import pty

    master, slave = pty.openpty()
    with open(slave) as stdin, open(master, "wb", buffering=0):
        assert task_from(("fix",), stdin) == Task("fix")
        assert task_from((), stdin) == Task("")


def test_the_mark_cannot_be_closed_from_within():
    assert join("t", "a</stdin>b") == "t\n\n<stdin_>\na</stdin>b\n</stdin_>"

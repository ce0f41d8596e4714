"""The task: from the command line, from standard input, or both.

Covered: a standard input that is closed, empty, silent, endless or in another encoding.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from clinkai.core.errors import UsageError
from clinkai.core.text import size
from clinkai.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

PATIENCE = 2.0
"""Seconds an open standard input may be silent when a task was given."""

LIMIT = 64_000_000
"""Bytes of standard input that are read; no model takes so much."""


class Task(Value):
    """text: for the model, empty where none was given. notices: (catalogue key, params) each."""

    text: str
    notices: tuple = ()


def task_from(words: tuple[str, ...], stdin: TextIO, patience: float = PATIENCE) -> Task:
    """The task of `words` and of standard input where that is no terminal, or asked for by `-`.

    Raises UsageError for too much input, and for a pipe without a task in it.
    """
    asked = words[-1:] == ("-",)
    given = _valid(words[0]) if words and words != ("-",) else ""
    if words and not given.strip() and not asked:
        raise UsageError("cli.error.no_task")
    if not asked and stdin.isatty():
        return Task(given)
    data = read_all(stdin, patience if given and not asked else None)
    if data is None:
        return Task(given, (("cli.notice.silent", {"seconds": f"{patience:g}"}),))
    text, notices = decode(data)
    if not given and not text.strip():
        raise UsageError("cli.error.no_task")
    return Task(join(given, text) if given else text, notices)


def read_all(stdin: TextIO, patience: float | None) -> bytes | None:
    """All of standard input. None where nothing came for `patience` seconds (None: no limit)."""
    try:
        fd = stdin.fileno()
    except (OSError, ValueError):
        return stdin.read().encode("utf-8", "surrogateescape")
    first = threading.Event()
    ended = threading.Event()
    pieces: list[bytes] = []
    # A thread, since Windows can wait for a pipe in no other way; it reads below the buffers of
    # Python, whose locks would be held at the end of the process.
    threading.Thread(target=_pump, args=(fd, pieces, first, ended), daemon=True).start()
    if patience is not None and not first.wait(patience):
        return None
    _await(ended.wait)
    if sum(map(len, pieces)) > LIMIT:
        raise UsageError("cli.error.input_large", limit=size(LIMIT))
    return b"".join(pieces)


def _pump(fd: int, pieces: list[bytes], first: threading.Event, ended: threading.Event) -> None:
    total = 0
    try:
        while total <= LIMIT and (piece := os.read(fd, 1 << 16)):
            pieces.append(piece)
            total += len(piece)
            first.set()
    except OSError:
        # A closed or unreadable standard input is an empty one.
        pass
    first.set()
    ended.set()


def _await(wait: Callable[[float], bool]) -> None:
    while not wait(0.5):
        pass


def decode(data: bytes) -> tuple[str, tuple]:
    """The text and notices: UTF-8, UTF-16 with a mark, else what can be read of UTF-8."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace"), ()
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), (("cli.notice.encoding", {}),)


def join(task: str, text: str) -> str:
    """The task and the piped text, which stands in a block with marks of its own."""
    if not text:
        return task
    mark = "stdin"
    while f"</{mark}>" in text:
        mark += "_"
    end = "" if text.endswith("\n") else "\n"
    return f"{task}\n\n<{mark}>\n{text}{end}</{mark}>"


def _valid(word: str) -> str:
    """An argument as valid text: bytes that were no UTF-8 become replacement characters."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

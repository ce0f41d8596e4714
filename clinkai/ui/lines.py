"""Reading lines from a person, with history where the platform has `readline`."""

from __future__ import annotations

import os
import sys

from clinkai.ui.signals import reachable
from clinkai.ui.terminal import Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

PROMPT = "› "
KEPT = 1000
"""Lines of history kept in the file."""


class Lines:
    """history: the path of the file, made with mode 0600. Failing to use it is no error: the
    conversation matters more."""

    def __init__(self, screen: Screen, stdin: TextIO, history: str, *, editing: bool) -> None:
        self._screen = screen
        self._stdin = stdin
        self._history = history
        usable = editing and screen.out_is_terminal and stdin is sys.stdin
        self._readline = _readline(history) if usable else None
        self._draft = ""

    def read(self) -> str | None:
        """The next line without its end, or None at the end of input."""
        self._screen.end_line("err")
        if self._readline is None:
            self._screen.write(PROMPT, "err")
            return read_line(self._stdin)
        draft, self._draft = self._draft, ""
        self._readline.set_startup_hook(lambda: self._readline.insert_text(draft))
        prompt = PROMPT.encode(self._screen.out.encoding, "clinkai.ascii")
        try:
            with reachable():
                line = input(prompt.decode(self._screen.out.encoding))
        except EOFError:
            self._screen.write("\n", "err")
            return None
        self._keep()
        return line

    def offer(self, text: str) -> None:
        """Have the next line begin as `text`, to be edited, where lines are edited here."""
        self._draft = text

    def _keep(self) -> None:
        try:
            self._readline.write_history_file(self._history)
            os.chmod(self._history, 0o600)
        except OSError:
            # A full disk or a folder without permission: the line itself is not lost.
            pass


def read_line(stdin: TextIO) -> str | None:
    """A line without its end, or None at the end of input. Raises Stopped at once for a signal."""
    with reachable():
        line = stdin.readline()
    return line.rstrip("\n") if line else None


def _readline(history: str):
    """The module with the history loaded, or None where there is none."""
    try:
        import readline
    except ImportError:
        return None
    try:
        os.close(os.open(history, os.O_CREAT | os.O_RDWR, 0o600))
        readline.read_history_file(history)
        readline.set_history_length(KEPT)
    except OSError:
        # A history of another library or without permission: start with an empty one.
        readline.clear_history()
    return readline

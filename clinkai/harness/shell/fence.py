"""The path fence as the shell rules see it: a word is inside the workspace, or it is refused.

Covered: both ways to spell paths, wild cards, reading operands. Not covered: what a program does
beyond its operands; its own rules see to that.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from clinkai.harness import names
from clinkai.harness.shell.script import Refused, Word

if TYPE_CHECKING:
    from clinkai.harness.workspace import Workspace

FOREIGN = re.compile(r"[A-Za-z]:[\\/]|[\\]|//")
"""Drives and network paths: meant for a shell of Windows, whatever this machine makes of them."""


def _is_special(path: str) -> bool:
    """True for a pipe, a socket or a device: reading it may wait for ever."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


class Fence:
    """Judges the paths of one command line. dialect: posix or powershell."""

    def __init__(self, ws: Workspace, dialect: str) -> None:
        self.ws = ws
        self.dialect = dialect
        self._fine: set[str] = set()

    def path(self, text: str, word: Word) -> None:
        """Raise Refused unless `text`, a part of `word`, is a path a program may read."""
        if text in self._fine:
            return
        self._look(text, word)
        self._fine.add(text)

    def _look(self, text: str, word: Word) -> None:
        if self.dialect == "powershell":
            text = self._from_windows(text, word)
        elif os.name != "nt" and FOREIGN.match(text):
            raise Refused("gate.operand.outside", word.raw, "high")
        place = self.ws.place(text)
        if place.zone == "bad":
            raise Refused("gate.operand.bad", word.raw, "high")
        if place.zone != "inside":
            raise Refused(f"gate.operand.{place.zone}", word.raw, "high")
        if _is_special(place.path):
            raise Refused("gate.operand.bad", word.raw)

    def real(self, text: str) -> str:
        """The absolute path of a relative one that was judged."""
        return os.path.join(self.ws.path, text)

    def _from_windows(self, text: str, word: Word) -> str:
        """`text` for this machine: the rules of Windows names hold wherever it is judged."""
        if names.windows_problem(text):
            raise Refused("gate.operand.bad", word.raw, "high")
        if os.name == "nt":
            return text
        if re.match(r"[A-Za-z]:", text):
            raise Refused("gate.operand.outside", word.raw, "high")
        return text.replace("\\", "/")

"""One invocation of a command: everything it gets from the world outside."""

from __future__ import annotations

from collections.abc import Mapping

from clinkai.core.catalogue import Strings
from clinkai.core.value import Value
from clinkai.harness.settings import Settings
from clinkai.ui.terminal import Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


class Call(Value):
    """words: after the sub-command. options: by name, only those given. say: the language of the
    person."""

    command: str
    words: tuple
    options: dict
    settings: Settings
    say: Strings
    screen: Screen
    stdin: TextIO
    environ: Mapping

    @property
    def answer_only(self) -> bool:
        """`-p`: standard output carries the answer only."""
        return "print" in self.options

    @property
    def json(self) -> bool:
        """`--json`."""
        return "json" in self.options

    @property
    def plain(self) -> bool:
        """`--plain`, or ACCESSIBLE=1: no line editing, nothing a screen reader would repeat."""
        return "plain" in self.options or self.environ.get("ACCESSIBLE", "0") not in ("", "0")

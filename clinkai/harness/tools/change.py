"""Changing one file: what write and edit have in common."""

from __future__ import annotations

from clinkai.core.errors import PathError, ToolError
from clinkai.core.text import size
from clinkai.core.value import Value
from clinkai.harness import files
from clinkai.harness.files import Found
from clinkai.harness.store import MOST, Kept
from clinkai.harness.tools import checks
from clinkai.harness.tools.diff import unified
from clinkai.harness.tools.paths import printable
from clinkai.harness.workspace import Place
from clinkai.loop.tool import ToolResult


class Change(Value):
    """A change that has been worked out and not yet made.

    found: the file as it is, or None. data: what it is to hold. before, after: the same as text,
    line ends as `\\n` (before None: new, or no text). said: the answer to the model when done.
    """

    place: Place
    found: Found | None
    data: bytes
    before: str | None
    after: str
    said: str


def encoded(encode, content: str, path: str) -> bytes:
    """`encode(content)`. Raises ToolError where a character cannot be written."""
    try:
        return encode(content)
    except UnicodeEncodeError as error:
        bad = error.object[error.start]
        raise ToolError("tool.write.encoding", path=path, codec=error.encoding,
                        char=f"U+{ord(bad):04X}") from error


def make(context, change: Change) -> ToolResult:
    """Make the change, if it is the one that was shown to the person who was asked. The old content
    is kept first; cancel is looked at once more before the file is replaced, and not after. Raises
    ToolError, Cancelled: then nothing changed."""
    place, found = change.place, change.found
    if context.shown is not None and shown(change) != context.shown:
        raise PathError("tool.file.changed", path=printable(place.text))

    def ready() -> None:
        context.cancel.check()
        mode = found.status.st_mode if found else None
        was = Kept(found.data if found else None, mode)
        if not context.store.keep_before(place.rel, was, Kept(change.data, mode)):
            context.tell("notice.undo.full", path=printable(place.rel), limit=size(MOST))

    context.cancel.check()
    version = files.replace_file(
        context.workspace, place, change.data, found.status if found else None, ready)
    context.seen.note(place.path, version)
    said = change.said
    why = checks.problem(place.rel.rpartition("/")[2], change.after)
    if why:
        said += "\n" + context.say("tool.write.broken", why=why)
    return ToolResult(True, said, diff=shown(change))


def shown(change: Change) -> str:
    """The change as a unified diff."""
    return unified(change.before if change.found else None, change.after, printable(change.place.rel))


def lines(text: str) -> int:
    """How many lines `text` has."""
    return text.count("\n") + (text[-1:] not in ("", "\n"))

"""Which AGENTS.md files are in force: from the workspace root down to the folder of a file.

They are text for the model, never configuration. Rules: https://agents.md (the nearest file wins,
so it comes last). Not read: files above the workspace, links that leave it, folders the tools skip.
"""

from __future__ import annotations

import errno
import os

from clinkai.core.errors import PathError
from clinkai.core.value import Value
from clinkai.harness.files import open_folder
from clinkai.harness.workspace import Place, Workspace

NAME = "AGENTS.md"
LIMIT = 16_384
"""Bytes read of one file: about 5,000 tokens, a tenth of a 48k window."""

DEEPEST = 50
"""Folders below the root in which a file is looked for: a made-up path may have thousands."""

SKIPPED = {".git", "node_modules"}

BINARY = "binary"
"""The problem of a file that is no text."""


class AgentsFile(Value):
    """One file in force. cut: it is longer than LIMIT; problem: why it cannot be read (then
    without text)."""

    path: str
    text: str
    cut: bool = False
    problem: str = ""


def in_force(workspace: Workspace, target: str = "") -> list[AgentsFile]:
    """The files for `target` (a path relative to the workspace), weakest first; empty ones left
    out. Without a target: those of the root."""
    parts = target.split("/", DEEPEST + 1)[:-1]
    found = []
    for depth in range(len(parts) + 1):
        if depth and parts[depth - 1] in SKIPPED:
            break
        file = read("/".join([*parts[:depth], NAME]), workspace)
        if file:
            found.append(file)
    return found


def read(path: str, workspace: Workspace) -> AgentsFile | None:
    """The file at `path`, or None where there is none that counts."""
    place = workspace.place(path)
    if place.zone != "inside":
        return None
    try:
        data = _regular(workspace, place)
    except FileNotFoundError:
        return None
    except OSError as error:
        return AgentsFile(path, "", problem=error.strerror or str(error))
    if data is None:
        return None
    cut = len(data) > LIMIT
    text = _text(data[:LIMIT], not cut)
    if text is None:
        return AgentsFile(path, "", problem=BINARY)
    text = text.replace("\r\n", "\n").strip()
    if cut:
        text = text[: text.rfind("\n") + 1].rstrip() or text.rstrip("\ufffd")
    return AgentsFile(path, text, cut) if text else None


def _text(data: bytes, whole: bool) -> str | None:
    """The text, in any encoding that `read` understands; None for binary data."""
    if data.isascii() and b"\0" not in data:
        return data.decode()
    from clinkai.harness.textfile import encoding_of

    encoding = encoding_of(data, whole)
    if encoding:
        return encoding.decode(data)
    return None if b"\0" in data else data.decode("utf-8", "replace")


def _regular(workspace: Workspace, place: Place) -> bytes | None:
    """The beginning of a regular file; None for anything else, also for a link that was put in its
    place meanwhile. Never waits for a FIFO. Raises OSError."""
    parent, _, name = place.rel.rpartition("/")
    try:
        with open_folder(workspace, parent) as folder:
            fd, _ = folder.open(name)
    except PathError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise
    try:
        return os.read(fd, LIMIT + 1)
    finally:
        os.close(fd)

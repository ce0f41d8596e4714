"""Which AGENTS.md files are in force: from the workspace root down to the folder of a file.

They are text for the model, never configuration. Rules: https://agents.md (the nearest file wins,
so it comes last). Not read: files above the workspace, links that leave it, folders the tools skip.
"""

from __future__ import annotations

import os
import stat

from clinkai.core.value import Value
from clinkai.harness.workspace import Workspace

NAME = "AGENTS.md"
LIMIT = 16_384
"""Bytes read of one file: about 5,000 tokens, a tenth of a 48k window."""

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
    parts = target.split("/")[:-1]
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
        data = _regular(place.path)
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


def _regular(path: str) -> bytes | None:
    """The beginning of a regular file; None for anything else. Never waits for a FIFO."""
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        return os.read(fd, LIMIT + 1)
    finally:
        os.close(fd)

"""The output of a command, in a file instead of a pipe.

A pipe ends only when every process has closed it, so one left in the background would keep the call
waiting; a file is read whenever we like. Both streams are appended to it, so they stay in order.
The file has no name while it is used (on Windows it has, and is deleted at the end).
"""

from __future__ import annotations

import codecs
import os

LIMIT = 10_000_000
"""Bytes of output at which a command is stopped: a hundred times what anybody reads, and less than
a disk notices. What a fast writer adds before the next look is cut off."""

PIECE = 65_536
"""Bytes read at a time for the live view."""


class Capture:
    """An output file of at most `limit` bytes, in `folder` or where temporary files are. `fd` is
    what children write to. Use as a context manager."""

    def __init__(self, limit: int = LIMIT, folder: str = "") -> None:
        import tempfile

        made, self._path = tempfile.mkstemp(prefix="clinkai-", dir=folder or None)
        try:
            self.fd = os.open(self._path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        except OSError:
            os.close(made)
            os.unlink(self._path)
            raise
        self._reader = made
        self._limit = limit
        self._seen = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        if os.name != "nt":
            os.unlink(self._path)
            self._path = ""

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *failure: object) -> None:
        os.close(self.fd)
        os.close(self._reader)
        if self._path:
            try:
                os.unlink(self._path)
            except OSError:
                pass  # Windows: something in the background still has it open

    def write(self, data: bytes) -> None:
        """Append what a command of ours says. Raises OSError."""
        while data:
            data = data[os.write(self.fd, data):]

    @property
    def size(self) -> int:
        """Bytes so far."""
        return os.fstat(self._reader).st_size

    @property
    def flooded(self) -> bool:
        """True when there is more than anybody should have."""
        return self.size > self._limit

    def news(self) -> str:
        """The text since the last call, a bounded piece of it."""
        data = self._read(self._seen, min(PIECE, max(0, self._limit - self._seen)))
        self._seen += len(data)
        return self._decoder.decode(data)

    def whole(self) -> bytes:
        """Everything, at most the limit."""
        return self._read(0, self._limit)

    def _read(self, start: int, most: int) -> bytes:
        os.lseek(self._reader, start, os.SEEK_SET)
        pieces = []
        while most > 0:
            piece = os.read(self._reader, min(most, 1 << 20))
            if not piece:
                break
            pieces.append(piece)
            most -= len(piece)
        return b"".join(pieces)

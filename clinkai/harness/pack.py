"""Many contents in one file, each found by its SHA-256: a whole workspace is kept with one flush.

A content is its digest (32 bytes), its length (8, big-endian) and its bytes, one after the other;
what a crash left half-written at the end is cut off by the next writer. One writer at a time: that
of the session.
"""

from __future__ import annotations

import hashlib
import os

HEAD = 40
_APPEND = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class Pack:
    """The pack at `path`, which need not exist yet."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._fd = -1
        self._places: dict[str, tuple[int, int]] | None = None
        self._end = 0
        self._safe = 0
        """Up to here all is on the disk."""

    def __contains__(self, digest: str) -> bool:
        return digest in self._index()

    def get(self, digest: str) -> bytes | None:
        """A content, or None where it is not there or damaged."""
        place = self._index().get(digest)
        if place is None:
            return None
        try:
            with open(self._path, "rb") as file:
                file.seek(place[0])
                data = file.read(place[1])
        except OSError:
            return None
        return data if hashlib.sha256(data).hexdigest() == digest else None

    def add(self, digest: str, data: bytes) -> None:
        """Put a content at the end; it is on the disk after `sync`. Raises OSError: then it is not
        there."""
        places = self._index()
        if digest in places:
            return
        if self._fd < 0:
            self._fd = os.open(self._path, _APPEND, 0o600)
            os.ftruncate(self._fd, self._end)
        os.lseek(self._fd, self._end, os.SEEK_SET)
        rest = memoryview(bytes.fromhex(digest) + len(data).to_bytes(8, "big") + data)
        while rest:
            rest = rest[os.write(self._fd, rest):]
        places[digest] = self._end + HEAD, len(data)
        self._end += HEAD + len(data)

    def sync(self) -> bool:
        """Have all that was added on the disk; True where there was something. Raises OSError: then
        it is not there."""
        if self._fd < 0:
            return False
        try:
            os.fsync(self._fd)
            self._safe = self._end
        except OSError:
            self._end = self._safe
            self._places = {digest: place for digest, place in self._index().items()
                            if place[0] <= self._end}
            raise
        finally:
            os.close(self._fd)
            self._fd = -1
        return True

    def _index(self) -> dict[str, tuple[int, int]]:
        """Where each content begins, and its length."""
        if self._places is None:
            self._places = {}
            try:
                with open(self._path, "rb") as file:
                    self._read(file, os.fstat(file.fileno()).st_size)
            except OSError:
                pass  # nothing was kept, or nothing can be had of it
            self._safe = self._end
        return self._places

    def _read(self, file, size: int) -> None:
        while len(head := file.read(HEAD)) == HEAD:
            length = int.from_bytes(head[32:], "big")
            if self._end + HEAD + length > size:
                return
            self._places[head[:32].hex()] = self._end + HEAD, length
            self._end += HEAD + length
            file.seek(self._end)

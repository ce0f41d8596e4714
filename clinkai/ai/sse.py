"""Event streams: bytes in, frames out, no I/O.

Covered: the rules of the HTML standard ("Parsing an event stream", "Interpreting an event stream")
however the bytes are cut, in time that is linear in their number.
Lenient for servers as they are: `close` hands out a last event that has no empty line after it,
and what the standard drops is kept in `strays` for a caller to whom it means something: lines that
are no field (`error: {...}`, bare JSON), and `error` for an event of that type without data, each
with the number of events that `feed` or `close` returned before it.
Not covered: reconnecting.
"""

from __future__ import annotations

from collections import namedtuple

BOM = b"\xef\xbb\xbf"
STRAYS = 16
"""Stray lines kept until the caller takes them; further ones are dropped."""


Frame = namedtuple("Frame", "event data id retry")
"""One event. event: its type, `message` by default; id: the last event id at that time;
retry: the reconnection time in force, in ms, or None. A tuple: one is made for every token."""


class SseParser:
    """Feed it bytes as they come."""

    def __init__(self) -> None:
        self.last_event_id = ""
        self.retry: int | None = None
        self.strays: list[tuple[int, str]] = []
        self._line: list[bytes] = []
        self._after_cr = False
        self._first = True
        self._idle = False
        """Between two events, and nothing is known of the next one."""
        self._data: list[bytes] = []
        self._event = ""
        self._id = ""

    def feed(self, data: bytes) -> list[Frame]:
        """Return the events that `data` completes."""
        if (
            self._idle and data[:6] == b"data: " and data.find(b"\n") == len(data) - 2
            and data[-1] == 10 and b"\r" not in data
        ):  # one whole event and no more: nearly every token
            self.last_event_id = self._id
            text = data[6:-2].decode("utf-8", "replace")
            return [Frame("message", text, self._id, self.retry)]
        if self._after_cr and data:
            self._after_cr = False
            if data[0] == 10:
                data = data[1:]
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if not end:
            if data:
                self._idle = False
                self._line.append(data)
            return []
        rest = data[end:]
        whole = data[:end] if rest else data
        if self._line:
            whole = b"".join((*self._line, whole))
            self._line.clear()
        if rest:
            self._line.append(rest)
        self._after_cr = not rest and whole.endswith(b"\r")
        frames = self._lines(whole.splitlines())
        self._idle = not (rest or self._after_cr or self._data or self._event)
        return frames

    def close(self) -> list[Frame]:
        """Return the event that the end of the stream left without its empty line, if any."""
        line = b"".join(self._line)
        self._line.clear()
        return self._lines([line, b""] if line else [b""])

    def _lines(self, lines: list[bytes]) -> list[Frame]:
        if self._first:
            self._first = False
            lines[0] = lines[0].removeprefix(BOM)
        frames: list[Frame] = []
        for line in lines:
            if line.startswith(b"data: "):
                self._data.append(line[6:])
            elif not line:
                self.last_event_id = self._id
                if self._data:
                    text = b"\n".join(self._data).decode("utf-8", "replace")
                    frames.append(Frame(self._event or "message", text, self._id, self.retry))
                    self._data.clear()
                elif self._event == "error":
                    self._stray(b"error", len(frames))
                self._event = ""
            else:
                self._field(line, len(frames))
        return frames

    def _field(self, line: bytes, before: int) -> None:
        name, _, value = line.partition(b":")
        if value[:1] == b" ":
            value = value[1:]
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._event = value.decode("utf-8", "replace")
        elif name == b"id":
            if b"\0" not in value:
                self._id = value.decode("utf-8", "replace")
        elif name == b"retry":
            if value.isdigit():
                self.retry = int(value[:18])
        elif name:
            self._stray(line, before + bool(self._data))

    def _stray(self, line: bytes, before: int) -> None:
        if len(self.strays) < STRAYS:
            self.strays.append((before, line.decode("utf-8", "replace")))

"""Reading text that comes in pieces: a buffer, a place in it, and what code is in it. No I/O.

A reader is in one mode at a time; a mode takes something from its place on and returns True, or
returns False where it takes more text to decide. What comes of it therefore does not depend on how
the text was cut.
Not covered: what the text means (`ai/text/channels.py`).
"""

from __future__ import annotations

from clinkai.ai.text import fences

KEPT = 200
"""Characters of what was said that are remembered, for the beginning of the line."""
PATIENCE = 8
"""What is waiting for its end is looked at again once it has grown by this part of its length."""


class Cursor:
    """Feed it pieces, then `finish`. sink takes what is said: see `Channels`."""

    def __init__(self, sink: object) -> None:
        self.sink = sink
        self._mode = self._start
        self._buf = ""
        self._at = self._seek = 0
        self._more: list[str] = []
        self._size = 0
        self._wait = 0.0
        self._last = ""
        self._ticks = ""

    def feed(self, piece: str) -> None:
        """Take a piece."""
        self._more.append(piece)
        self._size += len(piece)
        if self._size >= self._wait:
            self._go(False)

    def finish(self) -> None:
        """The message ended."""
        self._go(True)

    def passed(self, text: str) -> None:
        """Take note of text that was said unseen."""
        self._last = (self._last + text)[-KEPT:]

    def _start(self, final: bool) -> bool:
        """The mode at the beginning of a message."""
        raise NotImplementedError

    def _text(self, final: bool) -> bool:
        """The mode outside code and thinking."""
        raise NotImplementedError

    @property
    def _settled(self) -> bool:
        """True where nothing waits."""
        return self._at == len(self._buf) and not self._more

    def _go(self, final: bool) -> None:
        self._seek = max(0, self._seek - self._at)
        self._buf = "".join((self._buf[self._at:], *self._more))
        self._at = 0
        self._more.clear()
        self._wait = 0.0
        while self._at < len(self._buf) and self._mode(final):
            pass
        self._size = len(self._buf) - self._at
        if self._wait:
            self._wait += self._size

    def _patient(self) -> bool:
        """Wait for a good deal more than the next piece."""
        size = len(self._buf) - self._at
        self._wait = size / PATIENCE if size > 400 else 0.0
        return False

    def _to(self, mode: object, at: int) -> bool:
        """Go on in `mode` at `at`."""
        self._mode, self._at, self._seek = mode, at, at
        return True

    def _say(self, end: int) -> bool:
        """Say what stands before `end`."""
        if end > self._at:
            text = self._buf[self._at:end]
            self._at = self._seek = end
            self.sink.say(text)
            self.passed(text)
        return True

    def _drop(self, end: int) -> bool:
        """Markup ends at `end`: nobody is shown it."""
        self.sink.drop()
        self._at = self._seek = end
        return True

    def _line_begins(self) -> bool:
        """True where nothing stands before the place in its line."""
        return not self._last.rpartition("\n")[2].strip(" \t>")

    # -- code

    def _code(self, final: bool) -> bool:
        """Code may begin here."""
        buf, at = self._buf, self._at
        end = at
        while end < len(buf) and buf[end] == buf[at]:
            end += 1
        if end == len(buf) and not final:
            return False
        ticks, head = buf[at:end], self._last.rpartition("\n")[2]
        fence = fences.opens(head, ticks, "")
        line_end = buf.find("\n", end) if fence else -1
        if fence and line_end < 0 and not final:
            return False
        self._say(end)
        if fence and fences.opens(head, ticks, buf[end:line_end if line_end >= 0 else None]):
            self._mode, self._ticks = self._fence, ticks
        elif ticks[0] == "`":
            self._mode, self._ticks = self._inline, ticks
        return True

    def _fence(self, final: bool) -> bool:
        """Up to a line with as many marks as opened it."""
        buf = self._buf
        line = buf.find("\n", self._at)
        if line < 0:
            return self._say(len(buf))
        self._say(line)
        rest = buf[line + 1:line + 1 + KEPT]
        end = rest.find("\n")
        following = rest if end < 0 else rest[:end]
        undecided = not following.strip(f" \t\r>{self._ticks[0]}")
        if end < 0 and not final and undecided and len(rest) < KEPT:
            return False
        if not fences.closing(self._ticks).fullmatch(following):
            return self._say(line + 1)
        self._say(line + 1 + (end if end >= 0 else len(rest)))
        self._mode = self._text
        return True

    def _inline(self, final: bool) -> bool:
        """Up to as many backticks as opened it, or the end of the line."""
        buf = self._buf
        for run in fences.TICKS.finditer(buf, self._at):
            if run.end() == len(buf) and run.group() != "\n" and not final:
                self._say(run.start())
                return False
            if run.group() in ("\n", self._ticks):
                self._mode = self._text
                return self._say(run.end())
        return self._say(len(buf))

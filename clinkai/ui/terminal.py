"""Where text goes: what the two output streams can show, and writing to them.

Covered: colours (NO_COLOR, FORCE_COLOR, TERM=dumb, pipes), encodings that lack a character, whose
line is unfinished, a line that goes away again, a reader that has gone. Not covered: reading keys (`keys.py`).
"""

from __future__ import annotations

import codecs
import io
import os
import threading
import time
from collections.abc import Callable, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

ASCII = {
    "…": "...", "·": "-", "•": "*", "→": "->", "←": "<-", "“": '"', "”": '"', "‘": "'", "’": "'",
    "–": "-", "—": "-", "−": "-", "×": "x", "✓": "ok", "✗": "x", "›": ">", "▸": ">", "，": ",",
    "。": ".", "：": ":", "（": "(", "）": ")", "；": ";", "、": ",", "\u00a0": " ",
}
"""What stands for a character the encoding of a stream does not have; others are escaped."""

BELOW, BACK = "\x1b7\x1b[B\r", "\x1b8"
"""To the line below and back to where the cursor was."""

ROOM = "\x1bD\x1b[A"
"""Makes sure that there is a line below: the cursor stays in its column."""

FLUSH_EVERY = 0.025
"""Seconds between two flushes of a stream that is written to piece by piece: one for every token
of a fast model would cost more than reading it."""

STYLES = {"dim": "2", "bold": "1", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
"""The 16 colours of the palette only: both light and dark backgrounds stay readable."""


def in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Error handler for encoders: the stand-ins of the table, then `\\u4e2d`; for half a character
    `?`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(ASCII.get(c) or _escaped(c) for c in missing), error.end


def _escaped(char: str) -> str:
    return "?" if "\ud800" <= char <= "\udfff" else char.encode("ascii", "backslashreplace").decode()


class Nowhere(io.TextIOBase):
    """Stands for an output stream that was closed before we began."""

    def write(self, text: str) -> int:
        return len(text)


def open_stream(stream: TextIO | None, mode: str = "w") -> TextIO:
    """The stream, made safe: never an encoding error; a closed one is empty, or goes nowhere."""
    if stream is None:
        return io.StringIO() if mode == "r" else Nowhere()
    if hasattr(stream, "reconfigure"):
        codecs.register_error("clinkai.ascii", in_ascii)
        stream.reconfigure(errors="clinkai.ascii" if mode == "w" else "replace")
    return stream


def is_terminal(stream: TextIO) -> bool:
    """True where a person can see or type at the other end."""
    try:
        return stream.isatty()
    except ValueError:
        return False


def has_colour(stream: TextIO, environ: Mapping[str, str], no_color: bool) -> bool:
    """Whether colours may be sent to the stream."""
    if no_color or environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") != "0":
        return True
    if environ.get("TERM") == "dumb" or not is_terminal(stream):
        return False
    return os.name != "nt" or _windows_colours(stream)


def _windows_colours(stream: TextIO) -> bool:
    """Ask a Windows console to read colour sequences; False where it cannot."""
    import ctypes
    import msvcrt

    kernel = ctypes.windll.kernel32
    handle = msvcrt.get_osfhandle(stream.fileno())
    mode = ctypes.c_ulong()
    if not kernel.GetConsoleMode(handle, ctypes.byref(mode)):
        return False
    return bool(kernel.SetConsoleMode(handle, mode.value | 0x0004))


class Screen:
    """The output and error streams of a command, as one place to write to.

    gone: called once when standard output takes no more: its reader has gone away (broken), or the
    disk behind it is full (failed has the error). After that everything written there is dropped,
    as is what the error stream does not take: nobody can be told.
    """

    def __init__(self, out: TextIO, err: TextIO, environ: Mapping[str, str],
                 no_color: bool = False) -> None:
        self.out = out
        self.err = err
        self.colour = {"out": has_colour(out, environ, no_color),
                       "err": has_colour(err, environ, no_color)}
        self.out_is_terminal = is_terminal(out)
        self.err_is_terminal = is_terminal(err)
        self.redraws = self.err_is_terminal and environ.get("TERM") != "dumb"
        """A line can be taken away again: `transient`."""
        self._moves = self.redraws and (os.name != "nt" or self.colour["err"])
        """The cursor can be sent to another line."""
        self._below = False
        """The line that goes away stands below an unfinished one."""
        self._standing = ""
        """What it says: the same again is no news."""
        self._transient = 0
        """Columns of the line that goes away, at most."""
        self.broken = False
        self.failed: OSError | None = None
        self.gone: Callable[[], None] = lambda: None
        self._lock = threading.Lock()
        self._held: list[str] = []
        self._flushed = 0.0
        shared = self.out_is_terminal and self.err_is_terminal
        self._line_of = {"out": "out", "err": "out" if shared else "err"}
        self._open = {"out": False, "err": False}

    def shows(self, text: str) -> bool:
        """True where both streams have all the characters of `text`."""
        try:
            for stream in (self.out, self.err):
                text.encode(getattr(stream, "encoding", None) or "utf-8")
        except UnicodeEncodeError:
            return False
        return True

    def write(self, text: str, to: str = "out", style: str = "") -> None:
        """Write and flush; `style` is a name of STYLES."""
        self.flush()
        if text:
            with self._lock:
                self._put(text, to, style)

    def stream(self, text: str) -> None:
        """Write a piece of a text that comes in many, to standard output. It may be held back
        until more is written or `flush` is called."""
        with self._lock:
            self._held.append(text)
            if time.monotonic() - self._flushed > FLUSH_EVERY:
                self._release()

    def flush(self) -> None:
        """Show what was held back; for any thread."""
        if self._held:
            with self._lock:
                self._release()

    def transient(self, text: str) -> None:
        """Show a line on the error stream that goes away with whatever comes next; without text,
        take it away. After an unfinished line it stands below that. Nothing is shown where nothing
        is redrawn."""
        if not (text or self._transient) or (text and text == self._standing):
            return
        self.flush()
        with self._lock:
            self._wipe()
            below = self._open[self._line_of["err"]]
            if text and self.redraws and (self._moves or not below):
                self._standing = text
                text = fitting(text, columns(self.err) - 1)
                self._transient, self._below = cells(text), below
                text = self._dressed(text, "err", "dim")
                self._send(ROOM + BELOW + text + BACK if below else text, "err")

    def _wipe(self) -> None:
        """Take the transient line away. Blanks do it on every terminal, with colours or without."""
        if self._transient:
            blank, self._transient, self._standing = " " * self._transient, 0, ""
            self._send(BELOW + blank + BACK if self._below else f"\r{blank}\r", "err")

    def _release(self) -> None:
        self._flushed = time.monotonic()
        text = "".join(self._held)
        self._held.clear()
        if text:
            self._put(text, "out", "")

    def _put(self, text: str, to: str, style: str, end: str = "") -> None:
        if self._transient:
            self._wipe()
        self._open[self._line_of[to]] = (end or text)[-1] != "\n"
        self._send(self._dressed(text, to, style) + end, to)

    def _dressed(self, text: str, to: str, style: str) -> str:
        if text and style and self.colour[to]:
            return f"\x1b[{STYLES[style]}m{text}\x1b[0m"
        return text

    def _send(self, text: str, to: str) -> None:
        stream = self.out if to == "out" else self.err
        try:
            stream.write(text)
            stream.flush()
        except OSError as error:
            self._lost(to, error)

    def line(self, text: str, to: str = "out", style: str = "") -> None:
        """Write `text` as a line of its own, after ending an open one."""
        self.end_line(to)
        with self._lock:
            self._put(text.rstrip("\n"), to, style, "\n")

    def end_line(self, to: str = "out") -> None:
        """Begin a new line unless one has just begun."""
        self.flush()
        if self._open[self._line_of[to]]:
            self.write("\n", to)

    def at_line_start(self, to: str = "out") -> bool:
        """True where the next character written begins a line."""
        self.flush()
        return not self._open[self._line_of[to]]

    def _lost(self, to: str, error: OSError) -> None:
        discard(self.out if to == "out" else self.err)
        if to == "out" and not self.broken:
            self.broken = True
            self.failed = None if isinstance(error, BrokenPipeError) else error
            self.gone()


def columns(stream: TextIO) -> int:
    """The width of the terminal; 80 where it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def cells(text: str) -> int:
    """Columns that `text` takes at most: terminals differ in characters outside ASCII."""
    return sum(1 if c.isascii() else 2 for c in text)


def fitting(text: str, width: int) -> str:
    """As much of `text` as fits into `width` columns: of facts with dots between them the first and
    the last are kept longest, then the beginning."""
    facts = text.split(" · ")
    while cells(text) > width and len(facts) > 2:
        del facts[-2]
        text = " · ".join(facts)
    while cells(text) > width:
        text = text[:-1]
    return text


def discard(stream: TextIO) -> None:
    """Let everything else that is written to the stream go nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, stream.fileno())
    except (OSError, ValueError):
        stream.close()
    finally:
        os.close(null)

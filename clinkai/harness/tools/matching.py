"""Finding the lines of a text that match an expression, within a time limit.

Where `pattern.shape` gives a bound, the search runs here, in portions after each of which the
clock is looked at. Otherwise, and for lines too long for the bound, the text goes to a child
process that is started once per search, knows nothing but the expression, and is killed at the
limit. What matches is decided line by line in both: an expression never sees two lines.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator

from clinkai.core.cancel import Cancel
from clinkai.core.errors import ToolError
from clinkai.harness.tools.checks import quiet
from clinkai.harness.tools import pattern as patterns

STEPS = 10_000_000
"""Steps of the regular expression machine between two looks at the clock: at most about 0.3 s."""

LONGEST = 2000
"""Characters of an expression."""

CHILD = """
import re, sys
def take():
    size = sys.stdin.buffer.readline()
    if not size: sys.exit()
    return sys.stdin.buffer.read(int(size)).decode("utf-8", "surrogatepass")
flags = int(take())
find = re.compile(take(), flags).search
while True:
    found = []
    first = 0
    for number, line in enumerate(take().split("\\n")):
        match = find(line)
        if match: found.append("%d %d %d %d" % (number, first, match.start(), match.end()))
        first += len(line) + 1
    reply = " ".join(found).encode()
    sys.stdout.buffer.write(b"%d\\n%s" % (len(reply), reply))
    sys.stdout.buffer.flush()
"""

Span = tuple[int, int, int, int]
"""A line that matches, as offsets: where it begins and ends, where the match does."""


class TimeUp(Exception):
    """The time limit of the search has passed."""


class Matcher:
    """One expression, compiled, with a deadline; a context manager that ends its child.

    steps: what may be done between two looks at the clock. Raises ToolError for an invalid
    expression.
    """

    def __init__(self, pattern: str, ignore_case: bool, seconds: float, cancel: Cancel,
                 steps: int = STEPS) -> None:
        if pattern.startswith("(?i)"):
            pattern, ignore_case = pattern[4:], True
        self._pattern = pattern
        self._folds = ignore_case
        self._steps = steps
        self._regex = _compiled(pattern, ignore_case)
        self._shape = patterns.shape(pattern)
        if self._shape.known:
            self._regex = _compiled(patterns.led(pattern), ignore_case)
        self._ends = time.monotonic() + seconds
        self._cancel = cancel
        self._child: _Child | None = None
        self._needles = self._bytes_needed()
        self._needle = self._needles[0] if len(self._needles) == 1 else b""

    def __enter__(self) -> Matcher:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.close()

    def check(self) -> None:
        """Raise TimeUp or Cancelled where it is time to stop."""
        self._cancel.check()
        if time.monotonic() > self._ends:
            raise TimeUp

    def may_match(self, data: bytes) -> bool:
        """False where no line of the file's bytes `data`, in UTF-8 or GB18030, can match."""
        if self._folds and self._needles:
            if not data.isascii():
                return True
            data = data.lower()
        if self._needle:
            return self._needle in data
        return not self._needles or any(needle in data for needle in self._needles)

    def spans(self, text: str) -> list[Span]:
        """The matching lines of `text`, whose lines end in `\\n`. Raises TimeUp, Cancelled."""
        self.check()
        if not self._shape.known:
            return self._elsewhere(text)
        literal = self._literal(text)
        try:
            shape = self._shape
            if shape.leads and not (shape.whole or shape.spans or self._folds):
                return self._by_search(text)
            if literal is not None:
                return self._by_literal(text, *literal)
            if shape.spans:
                return self._by_line(text, _lines(text))
            return self._by_search(text)
        except _TooCostly:
            if literal is None:
                return self._elsewhere(text)
            lines = list(_holding(text, *literal))
            part = "\n".join([text[first:last] for first, last in lines])
            return [
                (first, last, first + start - at, first + end - at)
                for number, at, start, end in self._asked(part) for first, last in (lines[number],)
            ]

    def _bytes_needed(self) -> tuple[bytes, ...]:
        literals = self._shape.literals
        if self._folds and not "".join(literals).isascii():
            return ()  # letters outside ASCII may match letters in it
        found: list[bytes] = []
        for literal in literals:
            literal = literal.lower() if self._folds else literal
            try:
                found += [literal.encode(), literal.encode("gb18030")]
            except UnicodeEncodeError:
                return ()
        return tuple(dict.fromkeys(found))

    def _literal(self, text: str) -> tuple[str, str] | None:
        """The text to look in and the one literal to look for; None where there is not one, or
        looking for it would miss a letter of another case."""
        if len(self._shape.literals) != 1:
            return None
        literal = self._shape.literals[0]
        if not self._folds:
            return text, literal
        return (text.lower(), literal.lower()) if (text + literal).isascii() else None

    def _by_literal(self, text: str, looked: str, literal: str) -> list[Span]:
        """Only the lines that hold the literal are given to the expression."""
        if not self._shape.whole:
            return self._by_line(text, _holding(text, looked, literal))
        size = len(literal)
        found = []
        at = looked.find(literal)
        while at >= 0:
            last = text.find("\n", at)
            last = len(text) if last < 0 else last
            found.append((text.rfind("\n", 0, at) + 1, last, at, at + size))
            at = looked.find(literal, last)
        return found

    def _by_line(self, text: str, lines: Iterable[tuple[int, int]]) -> list[Span]:
        search = self._regex.search
        found = []
        steps = 0
        for first, last in lines:
            steps += self._cost(last - first, last - first)
            if steps > self._steps:
                self.check()
                steps = 0
            match = search(text, first, last)
            if match:
                found.append((first, last, *match.span()))
        return found

    def _by_search(self, text: str) -> list[Span]:
        """The expression runs over many lines at once; no repeat of it leaves a line."""
        search = self._regex.search
        found = []
        for begin, stop in self._portions(text):
            at = begin
            while at < stop and (match := search(text, at, stop)):
                first, last = _line(text, match.start())
                if match.end() > last:  # a fixed part, `\\s` or so, took the line end
                    match = search(text, first, last)
                if match and first < len(text):
                    found.append((first, last, *match.span()))
                at = last + 1
            self.check()
        return found

    def _portions(self, text: str) -> Iterator[tuple[int, int]]:
        """`text` in runs of whole lines, each within the steps."""
        if self._bound(len(text), len(text)) <= self._steps:
            yield 0, len(text)
            return
        longest = max(map(len, text.split("\n")))
        self._cost(longest, longest)
        size = max(longest + 1, self._steps * longest // max(1, self._bound(longest, longest)))
        begin = 0
        while begin < len(text):
            stop = text.rfind("\n", begin, begin + size) + 1
            if begin + size >= len(text) or not stop:
                stop = len(text)
            yield begin, stop
            begin = stop

    def _bound(self, length: int, longest: int) -> int:
        return self._shape.factor * length * longest ** self._shape.degree

    def _cost(self, length: int, longest: int) -> int:
        steps = self._bound(length, longest)
        if steps > self._steps and self._shape.degree:
            raise _TooCostly
        return steps

    def _elsewhere(self, text: str) -> list[Span]:
        """The same by the child."""
        found = []
        for _, first, start, end in self._asked(text):
            last = text.find("\n", first)
            if first < len(text):  # what follows the last line end is no line
                found.append((first, len(text) if last < 0 else last, start, end))
        return found

    def _asked(self, text: str) -> list[Span]:
        """The answer of the child: number of the line, its offset, those of the match."""
        if self._child is None:
            self._child = _Child(self._pattern, self._regex.flags, self._ends)
        with self._cancel.watch(self._child.kill):
            numbers = self._child.ask(text)
        self.check()
        if numbers is None:
            raise ToolError("tool.grep.ended")
        return [
            (number, first, first + start, first + end)
            for number, first, start, end in zip(*[iter(numbers)] * 4)
        ]


class _TooCostly(Exception):
    """A line is too long for the bound."""


def _line(text: str, at: int) -> tuple[int, int]:
    """Where the line that holds `at` begins and ends."""
    last = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if last < 0 else last


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Where each line begins and ends."""
    first = 0
    while first < len(text):
        last = text.find("\n", first)
        last = len(text) if last < 0 else last
        yield first, last
        first = last + 1


def _holding(text: str, looked: str, literal: str) -> Iterator[tuple[int, int]]:
    """The lines of `text` that hold the literal, which is looked for in `looked`."""
    at = looked.find(literal)
    while at >= 0:
        first, last = _line(text, at)
        yield first, last
        at = looked.find(literal, last)


def _compiled(pattern: str, ignore_case: bool) -> re.Pattern:
    if len(pattern) > LONGEST:
        raise ToolError("tool.grep.long", limit=LONGEST)
    try:
        with quiet():
            return re.compile(pattern, re.MULTILINE | (re.IGNORECASE if ignore_case else 0))
    except re.error as error:
        raise ToolError("tool.grep.invalid", why=str(error)) from error
    except (RecursionError, OverflowError) as error:
        raise ToolError("tool.grep.invalid", why=type(error).__name__) from error


class _Child:
    """The process that may be killed: gets a text, answers with numbers."""

    def __init__(self, pattern: str, flags: int, ends: float) -> None:
        import subprocess

        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", CHILD], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self._timer = threading.Timer(max(0.0, ends - time.monotonic()), self.kill)
        self._timer.daemon = True
        self._timer.start()
        self._send(str(flags & ~int(re.UNICODE | re.MULTILINE)))
        self._send(pattern)

    def kill(self) -> None:
        """End it at once; what waits for it wakes."""
        self._process.kill()

    def close(self) -> None:
        """End it and wait until it is gone."""
        self._timer.cancel()
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                pipe.close()
            except OSError:
                pass  # what was still to be written has no reader any more
        self._process.wait()

    def ask(self, text: str) -> list[int] | None:
        """Line numbers, starts and ends of the matches in `text`; None once it was killed."""
        self._send(text)
        size = self._process.stdout.readline()
        reply = self._process.stdout.read(int(size)) if size else b""
        if not size or len(reply) < int(size):
            return None
        return [int(word) for word in reply.split()]

    def _send(self, text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        try:
            self._process.stdin.write(b"%d\n%s" % (len(data), data))
            self._process.stdin.flush()
        except OSError:
            pass  # it was killed: reading tells

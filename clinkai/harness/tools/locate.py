"""Where an old text stands in a file: exactly, or in one place that differs in blanks only.

Levels of forgiveness, tried in this order, each only when nothing matched before: trailing blanks
and line ends; typographic quotes; indentation. A level that finds more than one place finds none:
guessing between places is how a wrong line gets changed.

Not covered: missing or changed words. Those get the nearest real lines to copy from.
"""

from __future__ import annotations

from clinkai.core.value import Value
from clinkai.harness.tools.indent import indented, leading

LEVELS = ("blanks", "quotes", "indentation")

_QUOTES = str.maketrans({
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
})


class Spot(Value):
    """A place to change: from and to in the content, what comes there instead, and the level that
    found it ("" where the old text matched exactly)."""

    start: int
    end: int
    new: str
    level: str = ""


class Haystack:
    """A file's content, prepared once for any number of old texts."""

    def __init__(self, content: str) -> None:
        self.content = content
        self._plain: dict[str, str] = {}
        self._lines: list[str] = []
        self._starts: list[int] = []

    def exact(self, old: str) -> list[int]:
        """Where `old` stands, one after the other."""
        return _places(self.content, old)

    def line_of(self, at: int) -> int:
        """The number of the line that holds the character `at`."""
        return self.content.count("\n", 0, at) + 1

    def replaced(self, start: int, old: str, new: str) -> Spot:
        """The change of an exact match. New lines end as the line they begin in does."""
        end = self.content.find("\n", start)
        if self.content[end - 1:end] == "\r" and "\r" not in new and "\r" not in old:
            new = new.replace("\n", "\r\n")
        return Spot(start, start + len(old), new)

    def forgiving(self, old: str, new: str) -> tuple[str, list[Spot]]:
        """The first level that finds anything, and all the places it finds."""
        for level in LEVELS:
            wanted = _plain(old, level)
            if not wanted.strip():
                continue
            if wanted.endswith("\n") and old[-1] in " \t":  # the indentation of the line after
                new = new.rstrip(" \t") if new.rstrip(" \t").endswith("\n") else new
            text = self._at(level)
            spots = [
                self._spot(at, wanted, level, (old, new))
                for at in _places(text, wanted) if _borders(text, at, wanted, old)
            ]
            if spots:
                return level, spots
        return "", []

    def _at(self, level: str) -> str:
        """The content as a level sees it; always ends with a line end."""
        if level not in self._plain:
            text = self.content if self.content.endswith("\n") else self.content + "\n"
            self._plain[level] = _plain(text, level)
        return self._plain[level]

    def _spot(self, at: int, wanted: str, level: str, texts: tuple[str, str]) -> Spot:
        old, new = texts
        first, column = self._position(at, level)
        start = self._original(first, column, level, False)
        last, stop = self._position(at + len(wanted), level)
        end = self._original(last, stop, level, True)
        if level == "indentation":
            whole = column == 0
            if whole:
                start = self._starts[first]
            real = [self._lines[n] for n in range(first, last + 1)]
            new = indented(new, old.split("\n"), real, whole)
        if end > len(self.content):
            end = len(self.content)
            new = new.removesuffix("\n")
        spot = self.replaced(start, "", new)
        return Spot(start, end, spot.new, level)

    def _position(self, at: int, level: str) -> tuple[int, int]:
        text = self._at(level)
        return text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1)

    def _original(self, line: int, column: int, level: str, end: bool) -> int:
        """The place in the content of a column of a line as the level sees it."""
        if not self._lines:
            self._lines = self.content.split("\n") + [""]
            at = 0
            for text in self._lines:
                self._starts.append(at)
                at += len(text) + 1
        text = self._lines[line]
        if end and column == 0:
            return self._starts[line]
        plain = _plain(text, level)
        if end and column == len(plain):
            return self._starts[line] + len(text.removesuffix("\r"))
        return self._starts[line] + column + (leading(text) if level == "indentation" else 0)


def _places(text: str, wanted: str) -> list[int]:
    found = []
    at = text.find(wanted)
    while at >= 0:
        found.append(at)
        at = text.find(wanted, at + len(wanted))
    return found


def _plain(text: str, level: str) -> str:
    """`text` without what the level does not mind; as many lines as before."""
    if level != "blanks":
        text = text.translate(_QUOTES)
    lines = [line.rstrip(" \t\r") for line in text.split("\n")]
    if level == "indentation":
        lines = [line.lstrip(" \t") for line in lines]
    return "\n".join(lines)


def _borders(text: str, at: int, wanted: str, old: str) -> bool:
    """False where blanks at the border of `old` were forgiven in the middle of a line."""
    if old[0] in " \t" and wanted[0] not in " \t\n" and text[at - 1:at] not in ("", "\n"):
        return False
    end = at + len(wanted)
    return old[-1] not in " \t" or wanted[-1] in " \t\n" or text[end:end + 1] in ("", "\n")


def similar(content: str, old: str, most: int = 8) -> list[tuple[int, str]]:
    """The real lines nearest to `old`, with their numbers; none where nothing is alike."""
    lines = content.split("\n")
    wanted = [line.strip() for line in old.split("\n")][:40]
    while wanted and not wanted[0]:
        wanted.pop(0)
    at = _voted(lines, wanted)
    if at is None:
        at = _likest(lines, wanted)
    if at is None:
        return []
    return [(n + 1, lines[n]) for n in range(at, min(len(lines), at + min(most, len(wanted))))]


def _voted(lines: list[str], wanted: list[str]) -> int | None:
    """Where most lines of `wanted` stand as they are."""
    offsets: dict[str, list[int]] = {}
    for index, line in enumerate(wanted):
        if len(line) > 3:
            offsets.setdefault(line, []).append(index)
    votes: dict[int, int] = {}
    for number, line in enumerate(lines):
        for index in offsets.get(line.strip(), ()):
            votes[number - index] = votes.get(number - index, 0) + 1
    if not votes:
        return None
    return max(0, max(votes, key=lambda start: (votes[start], -start)))


def _likest(lines: list[str], wanted: list[str]) -> int | None:
    """Where a line most like the longest of `wanted` stands: by common words, then by letters."""
    from difflib import SequenceMatcher

    longest = max(range(len(wanted)), key=lambda n: len(wanted[n]), default=None)
    if longest is None:
        return None
    target = wanted[longest][:200]
    words = set(target.split())
    ranked = sorted(
        range(len(lines)), reverse=True,
        key=lambda n: (len(words.intersection(lines[n].split())), -abs(len(lines[n]) - len(target))),
    )[:50]
    best, score = None, 0.5
    for number in ranked:
        ratio = SequenceMatcher(None, lines[number].strip()[:200], target).ratio()
        if ratio > score:
            best, score = number, ratio
    return None if best is None else max(0, best - longest)

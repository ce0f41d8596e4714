"""Text that repeats itself: found while it streams in. No I/O.

A text repeats itself when its tail has a period of at most 2,000 characters for long enough.
How long depends on what is repeated, since tables, drawings and code repeat themselves too:

    sentences                   three copies of 20 characters or more
    short lines, no full stop   three copies, at least 300 characters (verses, lists, commands)
    words again and again       1,000 characters, where the period is below 20 (`wait, wait, `)
    code, markup, rows          4,000 characters less 4 for each of the period, three copies
    hardly a word in it         5,000 characters, three copies (drawings, numbers, zeros)

What stands inside a fence counts as code. What a call is made of may be a file, and is given more:

    a line, or part of one      320 copies: files of 300 equal lines are asked for now and then
    a block of lines            32 copies
    both                        5,000 characters at least, 32,000 at most, three copies
    a call within a call        as code: calls written as text, again and again

The places where a text is looked at depend on its
length only, so it does not matter how it is cut: a text that comes in blocks, not as a model makes
it, is only looked at where a block ends. A whole answer at once was not going to be endless: only
sentences are repetition there. Time is linear in the text, memory bounded.
Not covered: copies that differ, if only in a number; periods above 2,000.
"""

from __future__ import annotations

import re

from clinkai.ai.text import fences

LONGEST = 2_000
SHORTEST = 20
"""Characters of a period."""

COPIES = 3
VERSES, WORDS, CODE, DRAWING = 300, 1_000, 4_000, 5_000
"""Characters that are repetition, copies included; see above. Tried on 65 MB of sources and
manuals: what is found there are the long runs of one letter in the cases of tests."""

LINES, BLOCKS, FILE = 320, 32, 32_000
"""Copies of a line and of a block in a call, and characters, that are repetition."""

LEAST = 1_700
"""Characters of a call below which nothing is repetition: what `demanded_of_call` may come to."""

TRIES = 64
"""Earlier occurrences of the last characters that are looked at: decoys cost bounded time."""

KEPT = COPIES * LONGEST + SHORTEST
"""Characters that are remembered: all that a decision may need."""

STRIDE = 60
"""Characters after which those that came since are looked at together: in a paced stream every
look costs much more than its instructions."""

BLOCK = 400
"""Characters above which a piece is more than what a model makes at a time."""

LETTER = ("A-Za-z\xc0-\xd6\xd8-\xf6\xf8-\u1fff\u2c00-\u2dff\u3040-\ud7ff\uf900-\ufdff\ufe70-\ufefc"
          "\uff21-\uff9f\U00010000-\U0001efff\U00020000-\U0003ffff")
"""Letters with their marks, of all scripts; no drawing characters, no pictures."""

WORD = (r"(?![\"'“].*[\"'”][,;:.)]*$)(?!.*[a-z][A-Z])[(\"'“‘«*_]*"
        rf"[{LETTER}]+(?:['’/–—-][{LETTER}]+)*[.,;:!?…)\"'”’»*_]*")
"""A word as it stands in a sentence; a quoted literal or an identifier is none."""

# Patterns are text: most answers never have to be judged.
ASIAN = dict.fromkeys(map(ord, "，。！？；：、“”「」『』《》（）…—"), " ")
SENTENCE_END = r"[.!?…。！？][)\"'”’」』*_]*\s*$"
CODE_LINE = r"(?:[|<}\])@%$\\]|//|/\*|--\s|\w[\w.]*\()|.*[;{}\[\](>|\\=]$"
MARKS = "{}[]<>|=\\;"
CALL = r'"(?:arguments|parameters)"\s*:|<(?:tool_call|function=|invoke )'
"""What is no part of a file that a call writes: there quotation marks are escaped."""
INLINE = r"`[^`\n]{1,80}`"
"""Code within a sentence: there it stands for a word."""

# What still belongs to a copy that happens to end as the text before it does.
TAIL = r"(?:(?<=\w)\w{1,6}\b)?[.,;:!?…。！？，；：]{0,3}(?:(?<!\s)(?: |\n{1,2}))?"


class Repetition:
    """Feed it the pieces of one text. call: it is what calls are made of."""

    def __init__(self, call: bool = False) -> None:
        self._call = call
        self._fresh: list[str] = []
        self._due = LEAST if call else STRIDE
        """Characters to wait for until the text is looked at again."""
        self._text = ""
        self._before = 0
        """How many characters stood before `_text`."""
        self._next = LEAST if call else SHORTEST
        """Where in the whole text its end is looked at next."""
        self._wide = 0
        """Up to where it need not be compared with more than the last STRIDE characters."""
        self._line = 0
        """Where in `_text` the first line begins that was not searched for a fence."""
        self._fence = ""
        self._fenced = False
        """Some of the characters that came last stand inside a fence."""
        self._judged: dict[int, tuple[int, int, int]] = {}
        """By period: where in the whole text the run that was judged last begins, up to where it is
        known to go, and what is demanded of it."""

    def feed(self, piece: str) -> int | None:
        """Take the next piece. Returns None, or, once the text repeats itself, how many characters
        of all that was fed are to be kept: what stood before, and the first copy."""
        self._fresh.append(piece)
        self._due -= len(piece)
        if self._due > 0:
            return None
        fresh = "".join(self._fresh)
        if len(piece) > BLOCK:
            self._fresh, self._due = [], STRIDE
            self._add(fresh)
            return self._look(len(self._text), len(piece) > KEPT)
        at, end = 0, len(fresh) + self._due
        while end <= len(fresh):
            self._add(fresh[at:end])
            keep = self._look_on()
            if keep is not None:
                return keep
            at, end = end, end + STRIDE
        self._fresh = [fresh[at:]]
        self._due = end - len(fresh)
        return None

    def _add(self, piece: str) -> None:
        spare = len(self._text) - KEPT
        if spare > KEPT:
            self._text = self._text[spare:]
            self._before += spare
            self._line = max(0, self._line - spare)
            self._judged = {p: run for p, run in self._judged.items() if run[1] >= self._before}
        self._text += piece
        self._fenced = bool(self._fence)
        if "\n" in piece:
            end = self._text.rfind("\n") + 1
            lines = self._text[self._line:end]
            if "```" in lines or "~~~" in lines:
                self._find_fences(lines)
                self._fenced = self._fenced or bool(self._fence)
            self._line = end

    def _find_fences(self, lines: str) -> None:
        for line in lines.split("\n"):
            if self._fence:
                if fences.closing(self._fence).fullmatch(line):
                    self._fence = ""
            elif found := fences.OPENING.fullmatch(line):
                self._fence = found[1]

    def _look_on(self) -> int | None:
        """Look at the text at each place that is due. The last copy of a run goes on for a whole
        period: each place finds the periods below STRIDE, one in STRIDE characters all of them."""
        text, end = self._text, self._next - self._before
        while end <= len(text):
            self._next = self._before + end + SHORTEST
            back = STRIDE
            if self._next > self._wide:
                self._wide = self._next - SHORTEST + STRIDE
                back = LONGEST
            low = max(0, end - back - SHORTEST)
            if text.rfind(text[end - SHORTEST:end], low, end - 1) >= 0:
                keep = self._look(end)
                if keep is not None:
                    return keep
            end = self._next - self._before
        return None

    def _look(self, size: int, at_once: bool = False) -> int | None:
        """Look at the first `size` characters of the text as if it ended there; set `_next` where
        a run is about to be long enough. at_once: its end came in one piece."""
        text = self._text
        last = text[size - SHORTEST:size]
        low, end = max(0, size - LONGEST - SHORTEST), size - 1
        self._next = self._before + size + SHORTEST
        for _ in range(TRIES):
            at = text.rfind(last, low, end)
            period = size - SHORTEST - at
            if at < 0 or 2 * period > size:
                return None
            end = at + SHORTEST - 1
            if text[size - period:size] != text[size - 2 * period:size - period]:
                continue
            run = self._whole_run(_run(text, size, period), period, size)
            demand = self._demand(period, run, size)
            missing = demand - run
            if missing <= 0 and not (at_once and demand > max(COPIES * period, VERSES)):
                start = size - run + period
                end = re.compile(TAIL).match(text, start).end() if start > 0 else start
                return self._before + min(end, start + period // 2)
            if missing < STRIDE:
                self._next = min(self._next, self._before + size + max(1, missing))
                self._wide = 0
            end = min(end, size - run + SHORTEST - 1)  # inside the run there are only multiples
        return None

    def _whole_run(self, run: int, period: int, size: int) -> int:
        """The length of a run with what is forgotten of it."""
        start, end, _ = self._judged.get(period, (0, 0, 0))
        goes_on = run == size and end >= self._before + period
        return max(run, self._before + size - start) if goes_on else run

    def _demand(self, period: int, run: int, size: int) -> int:
        """How long a run of that period has to be that ends at `size`."""
        if run < COPIES * period:
            return COPIES * period
        end = self._before + size
        start, _, demand = self._judged.get(period, (-1, 0, 0))
        if start != end - run:
            unit = _unit(self._text[size - period:size])
            demand = demanded_of_call(unit) if self._call else demanded(unit, self._fenced)
        self._judged[period] = (end - run, end, demand)
        return demand


def demanded(unit: str, fenced: bool = False) -> int:
    """Return how many characters, made of copies of `unit`, are repetition. fenced: inside a fence
    of code."""
    period = len(unit)
    least = COPIES * period
    unit = re.sub(INLINE, "it", unit)
    words = unit.translate(ASIAN).split()
    solid = sum(map(len, words))
    if not solid:
        return max(least, WORDS)
    plain = [word for word in words if re.fullmatch(WORD, word)]
    told = sum(map(len, plain))
    letters = len(set(re.findall(f"[{LETTER}]", unit.lower())))
    if told < solid / 5 or letters < min(6, period / 4):
        return max(least, DRAWING)
    if fenced or told < solid * 0.65 or told < 2 * len(plain) or _is_code(unit, solid):
        return max(least, CODE - 4 * period)
    if period < SHORTEST:
        return WORDS
    return max(least, VERSES) if _is_verse(unit) else least


def demanded_of_call(unit: str) -> int:
    """As `demanded`, for copies of `unit` in what a call is made of: raw JSON, or raw text."""
    period = len(unit)
    least = COPIES * period
    if re.search(CALL, unit):
        return max(least, CODE - 4 * period)
    copies = LINES if unit.count("\n") + unit.count("\\n") <= 1 else BLOCKS
    return max(least, min(max(copies * period, DRAWING), FILE))


def _run(text: str, size: int, period: int) -> int:
    """How many of the first `size` characters of `text` have that period at their end; one period
    is known to."""
    low, high = period, size - period
    while low < high:
        middle = (low + high + 1) // 2
        if text[size - middle:size] == text[size - middle - period:size - period]:
            low = middle
        else:
            high = middle - 1
    return low + period


def _unit(tail: str) -> str:
    """One copy, beginning with a whole line, or at least a whole word."""
    at = tail.rfind("\n") + 1 or tail.rfind(" ") + 1
    return tail[at:] + tail[:at]


def _is_code(unit: str, solid: int) -> bool:
    """True for text whose marks or lines are not those of sentences."""
    marks = sum(map(unit.count, MARKS)) + 2 * (unit.count('":') + unit.count('",'))
    if marks > solid * 0.08 or "    " in unit.strip("\n"):
        return True
    odd = whole = 0
    for line in unit.split("\n") if "\n" in unit else ():
        bare = line.strip()
        whole += len(bare)
        apart = line[:2] == "  " or "\t" in line or "  " in bare or len(bare.split()) < 4
        if re.match(CODE_LINE, bare) or (apart and not re.search(SENTENCE_END, bare)):
            odd += len(bare)
    return odd * 2 > whole


def _is_verse(unit: str) -> bool:
    """True for short lines none of which ends a sentence."""
    lines = [line for line in unit.split("\n") if line.strip()]
    return ("\n" in unit and len(unit) < 60 * len(lines)
            and not any(re.search(SENTENCE_END, line) for line in lines))

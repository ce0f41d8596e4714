"""The unified diff of a change: for people, bounded in size; or all of it. Bounded in time."""

from __future__ import annotations

from collections.abc import Iterator

CONTEXT = 3
LINES = 500
"""Lines of a diff that are shown."""

WIDTH = 1000
"""Characters of one line that are shown."""

COMPARED = 1_000_000
"""Pairs of lines that are compared; a larger change is shown as one block."""


def unified(before: str | None, after: str, path: str) -> str:
    """The diff from `before` (None: the file is new) to `after`; empty where they are equal.

    More than LINES lines are cut; the last line then says how many are left out, as `… 120`.
    """
    if before == after:
        return ""
    old, new = _lines(before or ""), _lines(after)
    out = ["--- /dev/null" if before is None else f"--- a/{path}", f"+++ b/{path}"]
    blocks = _blocks(old, new)
    for hunk in _hunks(blocks):
        out.extend(_shown(hunk, old, new, WIDTH))
        if len(out) > LINES:
            break
    if len(out) > LINES:
        changed = sum(a1 - a0 + b1 - b0 for a0, a1, b0, b1 in blocks)
        shown = sum(line[:1] in ("+", "-") for line in out[2:LINES])
        out[LINES:] = [f"… {changed - shown}"]
    return "\n".join(out) + "\n"


def exact(before: str, after: str) -> Iterator[str]:
    """The hunks of the diff, nothing cut."""
    old, new = _lines(before), _lines(after)
    for hunk in _hunks(_blocks(old, new)):
        yield from _shown(hunk, old, new, None)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines[-1] += "\n\\ No newline at end of file"
    return lines


def _blocks(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """What differs, as ranges of lines: old from, to, new from, to."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    a1, b1 = len(old) - end, len(new) - end
    if not old and not new:  # an empty file came to be
        return []
    if a1 - start < 2 or b1 - start < 2 or (a1 - start) * (b1 - start) > COMPARED:
        return [(start, a1, start, b1)]
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, old[start:a1], new[start:b1])
    return [
        (a + start, b + start, c + start, d + start)
        for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"
    ]


def _hunks(blocks: list) -> Iterator[list]:
    """Blocks that stand so near that their context touches, together."""
    hunk: list = []
    for block in blocks:
        if hunk and block[0] - hunk[-1][1] > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _shown(hunk: list, old: list[str], new: list[str], width: int | None) -> Iterator[str]:
    a = max(0, hunk[0][0] - CONTEXT)
    before = hunk[0][0] - a
    after = min(CONTEXT, len(old) - hunk[-1][1])
    b = hunk[0][2] - before
    a_count = hunk[-1][1] + after - a
    b_count = hunk[-1][3] + after - b
    yield f"@@ -{_range(a, a_count)} +{_range(b, b_count)} @@"
    at = a
    for a0, a1, b0, b1 in hunk:
        yield from (" " + line[:width] for line in old[at:a0])
        yield from ("-" + line[:width] for line in old[a0:a1])
        yield from ("+" + line[:width] for line in new[b0:b1])
        at = a1
    yield from (" " + line[:width] for line in old[at:at + after])


def _range(start: int, count: int) -> str:
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"

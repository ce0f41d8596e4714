"""Which of the blocks in a message are calls; the conditions are those of `ai/text/textcalls.py`."""

from __future__ import annotations

from clinkai.ai.text import literals
from clinkai.ai.arguments import read_arguments
from clinkai.ai.calls import tool_name
from clinkai.ai.text.dialects import MADE_UP, residue_end
from clinkai.ai.text.holding import Block, Scan
from clinkai.ai.text.looks import CLOSED, PLAIN, Look
from clinkai.core.value import Value


class Found(Value):
    """calls: (name, arguments) pairs; arguments are the text of a JSON object, or, where they could
    not be understood, text that `read_arguments` calls broken. kept: the text that remains.

    cut: the declared tool whose call was not complete when the message ended, else empty;
    warnings: codes of `probe`.
    """

    calls: tuple
    kept: str
    dialect: str
    cut: str = ""
    warnings: tuple = ()


class _Tally:
    """What came of the blocks of a message."""

    def __init__(self, declared: tuple[str, ...], schemas: dict) -> None:
        self.declared, self.schemas = declared, schemas
        self.calls: list[tuple[str, str]] = []
        self.warnings: set[str] = set()
        self.gone: list[tuple[int, int]] = []
        self.cut = self.dialect = ""

    def add(self, look: Look, whole: bool) -> bool:
        """Count the calls of a block, without its last one where it is not `whole`. True where
        something in it was a call."""
        items = look.items
        cut = look.name if look.partial else ""
        if not whole and not look.partial:
            cut, items = items[-1].name, items[:-1]
        known = [(item, self._known(item.name)) for item in items]
        if look.dialect in PLAIN and not all(name for _, name in known):
            return False
        before = len(self.calls)
        for item, name in known:
            if name:
                self._call(item, name)
        self.cut = self._known(cut) or self.cut
        some = len(self.calls) > before or bool(self.cut)
        self.dialect = self.dialect or (look.dialect if some else "")
        return some

    def _known(self, name: str) -> str:
        name = tool_name(name, self.declared)
        return name if name in self.declared else ""

    def _call(self, item: literals.Item, name: str) -> None:
        raw = literals.object_text(item, self.schemas.get(name, {}))
        for arguments in read_arguments(raw):
            if arguments.repaired or item.mended:
                self.warnings.add("repaired_call")
            self.calls.append((name, arguments.broken or arguments.text))
        if name != item.name.removeprefix("functions."):
            self.warnings.add("name_fixed")


def settle(scan: Scan, blocks: list[Block], stopped: bool, declared: tuple[str, ...],
           schemas: dict) -> Found | None:
    """Decide which blocks at the end of a message are calls. stopped, declared, schemas: as
    `textcalls.Held` has them."""
    text = scan.text
    tally = _Tally(declared, schemas)
    ends = residue_end(text, blocks[-1].look.end) >= len(text) if blocks else False
    runs = _runs(text, blocks)
    for number, run in enumerate(runs):
        last = number == len(runs) - 1
        if run[0].quoted or not (last and ends) and not _stands_free(scan, run, ends, last):
            continue
        for block, following in zip(run, (*run[1:], None)):
            whole = stopped or block is not blocks[-1] or _closed(block.look)
            if tally.add(block.look, whole):
                end = following.start if following else _end_of(text, block.look.end)
                end = len(text) if tally.cut else end
                tally.gone.append((block.start, end))
    if not tally.calls and not tally.cut:
        return None
    return Found(tuple(tally.calls), _without(text, scan.shown, tally.gone), tally.dialect,
                 tally.cut, tuple(sorted(tally.warnings)))


def _runs(text: str, blocks: list[Block]) -> list[list[Block]]:
    """Blocks with nothing between them, together."""
    runs: list[list[Block]] = []
    for block in blocks:
        if runs and residue_end(text, runs[-1][-1].look.end) >= block.start:
            runs[-1].append(block)
        else:
            runs.append([block])
    return runs


def _stands_free(scan: Scan, run: list[Block], ends: bool, last: bool) -> bool:
    """True where blocks with text after them are calls all the same."""
    text, start = scan.text, run[0].start
    end = residue_end(text, run[-1].look.end)
    line_end = "\n" in text[run[-1].look.end:end]
    if scan.fresh(start):
        return line_end or (text[end - 1:end] == ">" and "|" in text[end - 2:end])
    return ends and not last and line_end and text[:start].rstrip(" \t").endswith("\n")


def _closed(look: Look) -> bool:
    """True where the last call of a block is complete beyond doubt, even if the message was cut."""
    return look.state == CLOSED and not look.soft and not look.items[-1].mended


def _end_of(text: str, end: int) -> int:
    """Where what goes with a block that ends at `end` ends."""
    rest = residue_end(text, end)
    if rest >= len(text) or MADE_UP.match(text, rest):
        return len(text)
    return end + len(text[end:rest].rstrip())


def _without(text: str, at: int, gone: list[tuple[int, int]]) -> str:
    kept = []
    for start, end in gone:
        kept.append(text[at:start])
        at = end
    return "".join((*kept, text[at:]))

"""Indentation carried over from what the model wrote to what the file has."""

from __future__ import annotations


def leading(line: str) -> int:
    """How many blanks begin the line."""
    return len(line) - len(line.lstrip(" \t"))


def indented(new: str, old: list[str], real: list[str], whole: bool) -> str:
    """`new` with the indentation of the file: what stood for an indentation in `old` stands for
    that of the matching `real` line. whole: the match begins at the start of a line."""
    table: dict[str, str] = {}
    for theirs, ours in list(zip(old, real))[not whole:]:
        if theirs.strip():
            table.setdefault(theirs[:leading(theirs)], ours[:leading(ours)])
    if not table:
        return new
    lines = new.split("\n")
    units = _units(table, [line[:leading(line)] for line in lines if line.strip()])
    for number, line in enumerate(lines):
        if line.strip() and (number or whole):
            blanks = line[:leading(line)]
            lines[number] = _mapped(blanks, table, units) + line[len(blanks):]
    return "\n".join(lines)


def _mapped(blanks: str, table: dict[str, str], units: tuple[str, str]) -> str:
    """The file's form of an indentation: known, or known plus some units, or minus."""
    if blanks in table:
        return table[blanks]
    known = max((one for one in table if blanks.startswith(one)), key=len, default=None)
    if known is not None:
        return table[known] + _converted(blanks[len(known):], units)
    known = min(table, key=len)
    less = _converted(known[len(blanks):], units)
    return table[known][:max(0, len(table[known]) - len(less))]


def _converted(blanks: str, units: tuple[str, str]) -> str:
    theirs, ours = units
    if not theirs or not ours or len(blanks) % len(theirs):
        return blanks
    return ours * (len(blanks) // len(theirs))


def _units(table: dict[str, str], more: list[str]) -> tuple[str, str]:
    """One step of indentation in what the model wrote, and in the file."""
    theirs = _unit([*table, *more])
    ours = _unit(table.values())
    for blanks, real in table.items():
        steps = len(blanks) // len(theirs) if theirs else 0
        if not ours and steps and real and blanks[0] != real[0] and len(real) % steps == 0:
            ours = real[:len(real) // steps]
    return theirs, ours


def _unit(indents) -> str:
    """The smallest step between indentations, or "" where there is none to see."""
    ordered = sorted(set(indents), key=len)
    steps = [b[len(a):] for a, b in zip(ordered, ordered[1:]) if b.startswith(a)]
    if steps:
        return min(steps, key=len)
    return "\t" if any("\t" in one for one in ordered) else ""

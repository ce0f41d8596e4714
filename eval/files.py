"""What a trial changed in its workspace: two snapshots and what lies between them.

Covered: regular files and links, by content; lines added and removed; a patch.
Not covered: modes and empty folders; by-products of running Python are no changes.
"""

from __future__ import annotations

import os
import re
from functools import cache

from clinkai.core.value import Value

BY_PRODUCTS = ("__pycache__", ".pytest_cache")
DIFF_LIMIT = 1_000_000
"""Bytes above which a file gets no line counts and no place in the patch: comparing lines takes
time that grows with the square."""


class Changes(Value):
    """paths: changed, made and removed files, sorted; added, removed: lines; patch: a unified
    diff of the text files among them."""

    paths: tuple
    added: int
    removed: int
    patch: str


def snapshot(folder: str) -> dict[str, bytes]:
    """The content of every file below `folder`, by path with `/`; a link by where it points."""
    found = {}
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if n not in BY_PRODUCTS)
        links = [n for n in folders if os.path.islink(os.path.join(base, n))]
        for name in (*names, *links):
            path = os.path.join(base, name)
            place = os.path.relpath(path, folder).replace(os.sep, "/")
            found[place] = _content(path)
    return found


def compare(before: dict[str, bytes], after: dict[str, bytes]) -> Changes:
    """What changed between two snapshots."""
    from difflib import unified_diff

    paths = sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
    added = removed = 0
    patch: list[str] = []
    for path in paths:
        old, new = before.get(path), after.get(path)
        texts = [_lines(data) for data in (old, new)]
        if None in texts:
            patch.append(f"# not shown: {path}\n")
            continue
        names = ["/dev/null" if d is None else f"{s}/{path}" for s, d in (("a", old), ("b", new))]
        lines = list(unified_diff(*texts, *names))
        added += sum(line.startswith("+") for line in lines[2:])
        removed += sum(line.startswith("-") for line in lines[2:])
        patch += [x if x.endswith("\n") else x + "\n\\ No newline at end of file\n" for x in lines]
    return Changes(tuple(paths), added, removed, "".join(patch))


def matches_any(path: str, globs: list[str]) -> bool:
    """True where one of the patterns fits the whole path: `*` within a name, `**` across."""
    return any(_expression(glob).fullmatch(path) for glob in globs)


@cache
def _expression(glob: str) -> re.Pattern:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(known.get(part) or re.escape(part) for part in parts))


def _content(path: str) -> bytes:
    try:
        if os.path.islink(path):
            return b"link " + os.fsencode(os.readlink(path))
        # A pipe or a device would be waited for.
        if not os.path.isfile(path):
            return b"special"
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        return f"unreadable: {error.strerror}".encode()


def _lines(data: bytes | None) -> list[str] | None:
    """The lines of a text file; none for a missing one; None for what is no text, or too long."""
    if data is None:
        return []
    if len(data) > DIFF_LIMIT or b"\0" in data:
        return None
    try:
        return data.decode("utf-8").splitlines(keepends=True)
    except UnicodeDecodeError:
        return None

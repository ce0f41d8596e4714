"""Words on a git command line that name revisions, paths and formats.

Git takes almost every operand for a path where it is no revision (`git diff A B` compares plain
files when one of them is outside), so every operand is fenced as a path too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinkai.harness.shell.script import Refused, Word

if TYPE_CHECKING:
    from clinkai.harness.shell.fence import Fence

MAGIC = re.compile(r":\((?:top|icase|glob|literal|exclude|,)*\)|:[!^/]+")
"""Pathspec magic that only narrows or widens a match below the top of the repository."""

PRETTY = frozenset(("", *"oneline short medium full fuller reference email mboxrd raw".split()))
SIGNATURE = re.compile(r"%[-+ ]?G")
"""Placeholders that run gpg."""

ATOM = re.compile(r"%\(([^()]*)\)")
ATOMS = re.compile(
    r"\*?(refname|objectname|objecttype|objectsize|deltabase|HEAD|upstream|push|subject|body|"
    r"contents|trailers|tree|parent|numparent|type|object|tag|tagger|author|committer|creator|"
    r"symref|ahead-behind|color|align|if|then|else|end|raw|rest)[a-z]*(:[A-Za-z0-9=,.:%+_ /-]*)?"
)
"""Atoms of --format that start no program (`signature` does, `describe` too)."""


SHORT = re.compile(
    r"(HEAD|@|main|master|dev|develop|trunk|[0-9a-f]{7,40}|v[0-9][0-9.]*)(?:[~^][0-9]*)+"
)
"""Revisions that look like the short name of a file on Windows (`HEAD~1`) and are none."""

RANGE = re.compile(r"(?<=[^.\\/])\.{2,3}(?=[^.\\/])")


def revision(text: str, word: Word, fence: Fence) -> None:
    """Refuse a revision, `REV:path`, range or pathspec that names something outside or secret."""
    magic = MAGIC.match(text)
    if magic:
        text = text[magic.end():]
        if not text:
            return
    if fence.dialect == "posix":
        fence.path(text, word)
        pieces = text.split(":") if ":" in text else []
    else:
        pieces = [_plain(end) for piece in text.split(":") for end in RANGE.split(piece)]
    for piece in pieces:
        if piece:
            fence.path(piece, word)


def _plain(text: str) -> str:
    """A revision without its `~1`, a pattern without its wild cards, for the rules of Windows
    names: git resolves both itself, below the top of the repository."""
    found = SHORT.fullmatch(text)
    return found.group(1) if found else re.sub(r"[*?]", "x", text)


def line_range(text: str, word: Word, fence: Fence) -> None:
    """`-L` of git log: `START,END:FILE` or `:NAME:FILE`."""
    where, _, path = text.rpartition(":")
    if not where or not path:
        raise Refused("gate.value", word.raw)
    fence.path(path, word)


def pretty(text: str, word: Word, fence: Fence) -> None:
    """A format of git log: built in, or a pattern that runs nothing."""
    own = text.startswith(("format:", "tformat:")) or "%" in text
    if SIGNATURE.search(text) or not own and text not in PRETTY:
        raise Refused("gate.value", word.raw)


def atoms(text: str, word: Word, fence: Fence) -> None:
    """A format of git branch, tag and for-each-ref."""
    rest = ATOM.sub("", text)
    if "%(" in rest or not all(ATOMS.fullmatch(name) for name in ATOM.findall(text)):
        raise Refused("gate.value", word.raw)


def order(text: str, word: Word, fence: Fence) -> None:
    """What git branch, tag and for-each-ref sort by: an atom, maybe turned round, as versions."""
    if not ATOMS.fullmatch(re.sub(r"^-?(?:v(?:ersion)?:)?", "", text)):
        raise Refused("gate.value", word.raw)

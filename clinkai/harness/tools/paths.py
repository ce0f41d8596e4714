"""Paths as tools get them: judged for the gate, looked at again when the call runs."""

from __future__ import annotations

import os
import re
from contextlib import closing

from clinkai.core.errors import PathError, ToolError
from clinkai.core.text import printable
from clinkai.harness.names import MISTAKES
from clinkai.harness.walk import visits
from clinkai.harness.workspace import Place, Workspace

OUTPUT = re.compile(r"out:([0-9]{1,9})")
"""The path of a kept result, which only `read` takes."""

SEARCHED = 3000
"""Entries looked at to find where a missing file may be meant."""


def judged(workspace: Workspace, text: str, writes: bool = False) -> Place:
    """The place of `text`, for the effects of a call. Raises PathError for a slip (an empty path,
    a nul byte): that is a mistake to answer, not a request to refuse."""
    if OUTPUT.fullmatch(text):
        raise PathError("tool.path.output", path=text)
    place = workspace.place(text, writes)
    if place.problem in MISTAKES:
        raise PathError(place.problem, path=printable(text))
    return place


def usable(context, text: str, writes: bool = False) -> Place:
    """The place of `text` that the gate was told of. Raises PathError where it leads elsewhere at
    the moment of running. What is put in the way after that stops `harness/files`, which follows no
    link. Only what a person approved may be secret or protected."""
    place = judged(context.workspace, text, writes)
    free = ("inside", "secret", "protected") if context.approved else ("inside",)
    if place.zone not in free:
        raise PathError(place.problem or f"tool.path.{place.zone}", path=printable(text))
    if not any(getattr(effect, "place", None) == place for effect in context.effects):
        raise PathError("tool.path.elsewhere", path=printable(text))
    return place


def no_link(workspace: Workspace, text: str) -> None:
    """Raise PathError where the last part of `text` is a link: what is done to a name must not be
    done to what it leads to."""
    if os.path.islink(os.path.join(workspace.path, text.rstrip("/\\"))):
        raise PathError("tool.file.link", path=printable(text))


def missing(context, place: Place) -> ToolError:
    """The error for a file that is not there, with the nearest names there are."""
    try:
        near = nearest(context.workspace, place.rel)
    except (OSError, ToolError):
        near = []  # the workspace itself is gone
    key = "tool.file.missing_near" if near else "tool.file.missing"
    return PathError(key, path=printable(place.text), names=", ".join(near))


def nearest(workspace: Workspace, rel: str) -> list[str]:
    """Up to three paths that may be meant: the same name elsewhere, similar names beside it."""
    from difflib import get_close_matches

    folder, _, name = rel.rpartition("/")
    wanted = name.casefold()
    same: list[str] = []
    beside: dict[str, str] = {}
    left = SEARCHED
    with closing(visits(workspace, "")) as tree:
        for visit in tree:
            for entry in visit.entries:
                path = f"{visit.rel}/{entry.name}" if visit.rel else entry.name
                if entry.name.casefold() == wanted:
                    same.append(path)
                elif visit.rel == folder:
                    beside[entry.name.casefold()] = path
            left -= len(visit.entries)
            if left < 0:
                break
    similar = [beside[key] for key in get_close_matches(wanted, beside, 3)]
    return [printable(path) for path in (same[:3] + similar)[:3]]

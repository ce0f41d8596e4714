"""The tool `move`: another name for one file, never over anything. Links and folders are refused."""

from __future__ import annotations

import os

from clinkai.core.errors import PathError, ToolError
from clinkai.core.text import size
from clinkai.core.value import Value, replace
from clinkai.harness import files
from clinkai.harness.putting import NOTHING, move
from clinkai.harness.store import MOST, Kept, change
from clinkai.harness.tools.paths import judged, missing, no_link, printable, usable
from clinkai.loop.tool import Tool, ToolResult, Writes, arg


class MoveArgs(Value):
    path: str = arg()
    to: str = arg()


def run(context, args: MoveArgs) -> ToolResult:
    """Move the file. Raises ToolError, Cancelled: then it is where it was."""
    source, target, found = _plan(context, args)
    shown = _shown(source, target)
    if context.shown is not None and shown != context.shown:
        raise PathError("tool.file.changed", path=printable(args.path))
    context.cancel.check()
    file = Kept(found.data, found.status.st_mode)
    kept = context.store.keep_before(source.rel, file, NOTHING)
    context.store.keep_before(target.rel, NOTHING, file)
    try:
        move(context.workspace, source.rel, target.rel, found.data)
    except ToolError:
        context.store.unmade([change(source.rel, NOTHING, file), change(target.rel, file, NOTHING)])
        raise
    if context.seen.version(source.path) == found.version:
        context.seen.note(target.path, found.version)
    if not kept:
        context.tell("notice.undo.full", path=printable(source.rel), limit=size(MOST))
    said = context.say("tool.move.done", path=printable(args.path), to=printable(args.to))
    return ToolResult(True, said, diff=shown)


def preview(context, args: MoveArgs) -> str:
    """What would be moved where. Raises ToolError."""
    return _shown(*_plan(replace(context, approved=True), args)[:2])


def _plan(context, args: MoveArgs) -> tuple:
    workspace = context.workspace
    source = usable(context, args.path, writes=True)
    target = usable(context, args.to, writes=True)
    no_link(workspace, args.path)
    no_link(workspace, args.to)
    for place, text in ((source, args.path), (target, args.to)):
        if not place.rel or text.endswith(("/", "\\")):
            raise PathError("tool.file.folder", path=printable(text))
    found = files.load(workspace, source)
    if found is None:
        raise missing(context, source)
    if os.path.lexists(target.path):
        raise PathError("tool.move.exists", path=printable(args.to))
    return source, target, found


def _shown(source, target) -> str:
    return f"rename from {printable(source.rel)}\nrename to {printable(target.rel)}\n"


def _effects(context, args: MoveArgs) -> tuple[Writes, ...]:
    return tuple(Writes(judged(context.workspace, path, writes=True))
                 for path in (args.path, args.to))


MOVE = Tool(
    "move", MoveArgs, run, effects=_effects, preview=preview,
    title=lambda args: f"{printable(args.path)} → {printable(args.to)}",
)

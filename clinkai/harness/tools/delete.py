"""The tool `delete`: one file, which is kept for undo first. Links and folders are refused."""

from __future__ import annotations

from clinkai.core.errors import PathError, ToolError
from clinkai.core.text import size
from clinkai.core.value import Value, replace
from clinkai.harness import files
from clinkai.harness.putting import NOTHING, put
from clinkai.harness.store import MOST, Kept, change
from clinkai.harness.textfile import text_of
from clinkai.harness.tools.diff import unified
from clinkai.harness.tools.paths import judged, missing, no_link, printable, usable
from clinkai.loop.tool import Tool, ToolResult, Writes, arg


class DeleteArgs(Value):
    path: str = arg()


def run(context, args: DeleteArgs) -> ToolResult:
    """Delete the file. Raises ToolError, Cancelled: then it is still there."""
    place, found = _plan(context, args)
    shown = _shown(place, found)
    if context.shown is not None and shown != context.shown:
        raise PathError("tool.file.changed", path=printable(args.path))
    context.cancel.check()
    was = Kept(found.data, found.status.st_mode)
    try:
        kept = context.store.holds(context.store.keep(found.data))
    except OSError as error:
        raise ToolError("tool.write.no_copy", path=printable(args.path),
                        why=error.strerror) from error
    if not kept:
        raise ToolError("tool.delete.full", path=printable(args.path), limit=size(MOST))
    context.store.keep_before(place.rel, was, NOTHING)
    try:
        put(context.workspace, place.rel, was, NOTHING, prune=False)
    except ToolError:
        context.store.unmade([change(place.rel, NOTHING, was)])
        raise
    return ToolResult(True, context.say("tool.delete.done", path=printable(args.path)), diff=shown)


def preview(context, args: DeleteArgs) -> str:
    """What would be deleted, as a diff. Raises ToolError."""
    return _shown(*_plan(replace(context, approved=True), args))


def _plan(context, args: DeleteArgs) -> tuple:
    place = usable(context, args.path, writes=True)
    no_link(context.workspace, args.path)
    if not place.rel:
        raise PathError("tool.file.folder", path=printable(args.path))
    found = files.load(context.workspace, place)
    if found is None:
        raise missing(context, place)
    return place, found


def _shown(place, found) -> str:
    path = printable(place.rel)
    text = text_of(found.data)
    head = f"deleted {path} ({size(len(found.data))})\n"
    return head if text is None else head + unified(text.content, "", path)


DELETE = Tool(
    "delete", DeleteArgs, run,
    effects=lambda context, args: (Writes(judged(context.workspace, args.path, writes=True)),),
    title=lambda args: printable(args.path),
    preview=preview,
)

"""The tool `write`: a whole file. An existing one must have been seen as it is now."""

from __future__ import annotations

from clinkai.core.errors import PathError, ToolError
from clinkai.core.value import Value, replace
from clinkai.harness import files
from clinkai.harness.textfile import UTF_8, text_of
from clinkai.harness.tools.change import Change, encoded, lines, make, shown
from clinkai.harness.tools.paths import judged, printable, usable
from clinkai.loop.tool import Tool, ToolResult, Writes, arg


class WriteArgs(Value):
    path: str = arg()
    content: str = arg()


def run(context, args: WriteArgs) -> ToolResult:
    """Create or replace the file, or say that nothing was to change."""
    change = _plan(context, args)
    if change.found and change.found.data == change.data:
        context.seen.note(change.place.path, change.found.version)
        return ToolResult(True, context.say("tool.write.unchanged", path=printable(args.path),
                                            lines=lines(change.after)))
    _seen(context, change)
    return make(context, change)


def preview(context, args: WriteArgs) -> str:
    """The diff that `run` would make, also where it needs a yes. Raises ToolError."""
    return shown(_plan(replace(context, approved=True), args))


def _plan(context, args: WriteArgs) -> Change:
    place = usable(context, args.path, writes=True)
    path = printable(args.path)
    if not place.rel or args.path.endswith(("/", "\\")):
        raise PathError("tool.file.folder", path=path)
    found = files.load(context.workspace, place)
    text = text_of(found.data) if found else None
    if text is None or text.encoding.lossy:
        data = encoded(UTF_8.encode, args.content, path)
        before, after = None if text is None else text.content, args.content
    else:
        data = encoded(text.encode, args.content, path)
        before, after = text.content, text_of(data).content if data else ""
    count = lines(after)
    if found:
        said = context.say("tool.write.changed", path=path, was=lines(before or ""), lines=count)
    else:
        said = context.say("tool.write.created", path=path, lines=count)
    return Change(place, found, data, before, after, said)


def _seen(context, change: Change) -> None:
    """Raise ToolError where the session does not know what it is about to overwrite."""
    if change.found is None:
        return
    version = context.seen.version(change.place.path)
    if version != change.found.version:
        key = "tool.write.unread" if version is None else "tool.write.stale"
        raise ToolError(key, path=printable(change.place.text))


WRITE = Tool(
    "write", WriteArgs, run,
    effects=lambda context, args: (Writes(judged(context.workspace, args.path, writes=True)),),
    title=lambda args: printable(args.path),
    preview=preview,
)

"""The tool `edit`: replace exact texts in a file, all of them or none.

That the old text matches is proof enough that the model knows the place; the file need not have
been read. Every edit is looked up in the file as it is before the first one is made.
"""

from __future__ import annotations

from clinkai.core.errors import ClinkError, PathError, ToolError
from clinkai.core.value import Value, replace
from clinkai.harness import files
from clinkai.harness.textfile import Text, text_of
from clinkai.harness.tools.change import Change, encoded, make, shown
from clinkai.harness.tools.locate import Haystack, Spot, similar
from clinkai.harness.tools.paths import judged, missing, printable, usable
from clinkai.loop.tool import Tool, ToolResult, Writes, arg

NAMED = 40
"""Line numbers that are listed; of more matches the rest is counted."""

WIDTH = 200
"""Characters of a near line that are shown."""


class EditPart(Value):
    old: str = arg()
    new: str = arg()
    replace_all: bool = arg(False)


class EditArgs(Value):
    path: str = arg()
    old: str = arg("")
    new: str = arg(None)
    replace_all: bool = arg(False)
    edits: list[EditPart] = arg((), item=EditPart)


def run(context, args: EditArgs) -> ToolResult:
    """Make all edits, or raise ToolError for the first that cannot be made."""
    change = _plan(context, args)
    if change.data == change.found.data:
        return ToolResult(True, context.say("tool.edit.unchanged", path=printable(args.path)))
    return make(context, change)


def preview(context, args: EditArgs) -> str:
    """The diff that `run` would make, also where it needs a yes. Raises ToolError."""
    return shown(_plan(replace(context, approved=True), args))


def _parts(args: EditArgs) -> tuple[EditPart, ...]:
    if args.edits:
        if args.old:
            raise ToolError("tool.edit.both")
        return args.edits
    if args.new is None:
        raise ToolError("tool.edit.no_new" if args.old else "tool.edit.nothing")
    return (EditPart(args.old, args.new, args.replace_all),)


def _plan(context, args: EditArgs) -> Change:
    parts = _parts(args)
    place = usable(context, args.path, writes=True)
    found = files.load(context.workspace, place)
    if found is None:
        raise missing(context, place)
    text = text_of(found.data)
    if text is None or not text.exact:
        raise PathError("tool.edit.binary" if text is None else "tool.edit.lossy",
                        path=printable(args.path))
    spots = _spots(context, args, text, parts)
    content = text.content
    for spot in reversed(spots):
        content = content[:spot.start] + spot.new + content[spot.end:]
    data = encoded(text.encode, content, printable(args.path))
    return Change(place, found, data, text.content, content, _said(context, args, text, spots))


def _spots(context, args: EditArgs, text: Text, parts: tuple[EditPart, ...]) -> list[Spot]:
    """Where all edits apply, in the order of the file. Raises ToolError."""
    hay = Haystack(text.content)
    found: list[tuple[Spot, int]] = []
    for number, part in enumerate(parts, 1):
        try:
            found += [(spot, number) for spot in _found(context, args, hay, _fitted(text, part))]
        except ToolError as error:
            if len(parts) == 1:
                raise
            raise ToolError("tool.edit.which", n=number, of=len(parts),
                            why=error.text(context.say)) from error
    found.sort(key=lambda one: (one[0].start, one[0].end))
    for (before, a), (after, b) in zip(found, found[1:]):
        if after.start < before.end:
            raise ToolError("tool.edit.overlap", a=min(a, b), b=max(a, b),
                            line=hay.line_of(after.start))
    return [spot for spot, _ in found]


def _fitted(text: Text, part: EditPart) -> EditPart:
    """The part with the line ends in which the file's content is held."""
    if text.newline == "":
        return part
    return replace(part, old=part.old.replace("\r\n", "\n"), new=part.new.replace("\r\n", "\n"))


def _found(context, args: EditArgs, hay: Haystack, part: EditPart) -> list[Spot]:
    if not part.old:
        raise ToolError("tool.edit.empty")
    places = hay.exact(part.old)
    if len(places) == 1 or (places and part.replace_all):
        return [hay.replaced(at, part.old, part.new) for at in places]
    if places:
        raise _several("tool.edit.many", hay, places)
    level, spots = hay.forgiving(part.old, part.new)
    if len(spots) == 1:
        return spots
    if spots:
        raise _several("tool.edit.many_near", hay, [spot.start for spot in spots],
                       what=context.say(f"tool.edit.level.{level}"))
    near = similar(hay.content, part.old)
    if not near:
        raise ToolError("tool.edit.none", path=printable(args.path))
    shown = "\n".join(f"{n}\t{line[:WIDTH]}" for n, line in near)
    raise ToolError("tool.edit.near", path=printable(args.path), lines=shown)


def _several(key: str, hay: Haystack, places: list[int], **params: object) -> ClinkError:
    numbers = [str(hay.line_of(at)) for at in places[:NAMED]]
    more = " ..." if len(places) > NAMED else ""
    return ToolError(key, n=len(places), lines=", ".join(numbers) + more, **params)


def _said(context, args: EditArgs, text: Text, spots: list[Spot]) -> str:
    say = context.say
    hay = Haystack(text.content)
    starts: list[str] = []
    shift = 0
    for spot in spots[:NAMED]:  # numbers as they are after the change
        starts.append(str(hay.line_of(spot.start) + shift))
        shift += spot.new.count("\n") - text.content.count("\n", spot.start, spot.end)
    more = " ..." if len(spots) > NAMED else ""
    said = say("tool.edit.changed", path=printable(args.path), n=len(spots),
               lines=", ".join(dict.fromkeys(starts)) + more)
    levels = dict.fromkeys(spot.level for spot in spots if spot.level)
    for level in levels:
        said += "\n" + say("tool.edit.forgiven", what=say(f"tool.edit.level.{level}"))
        if level == "indentation":
            said += " " + say("tool.edit.indented")
    return said


EDIT = Tool(
    "edit", EditArgs, run,
    effects=lambda context, args: (Writes(judged(context.workspace, args.path, writes=True)),),
    title=lambda args: printable(args.path),
    preview=preview,
)

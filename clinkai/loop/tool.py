"""A tool is declared once; its schema, its validation and its effects are derived from that.

    class ReadArgs(Value):
        path: str = arg()
        offset: int = arg(1, minimum=1)

    READ = Tool("read", ReadArgs, run=read, effects=reads_path)

The words for the model stand in the catalogue: `tool.read` describes the tool, `tool.read.path`
an argument. Annotations understood: str, int, bool, `int | str`, and `list[NAME]` with
`arg(item=CLASS)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clinkai.core.errors import ToolError
from clinkai.core.messages import ToolCall
from clinkai.core.value import Value

if TYPE_CHECKING:
    from clinkai.core.cancel import Cancel
    from clinkai.core.catalogue import Strings
    from clinkai.core.events import Event
    from clinkai.loop.gate import Settled

REQUIRED = object()


class Arg(Value):
    """One argument: default (REQUIRED: must be given), bounds of a number, class of list items."""

    default: object = REQUIRED
    minimum: int | None = None
    maximum: int | None = None
    item: type | None = None


def arg(default: object = REQUIRED, **options: object) -> Arg:
    """Declare an argument; options are the other fields of Arg."""
    return Arg(default, **options)


class Reads(Value):
    """A call looks at `place` (a `harness.workspace.Place`)."""

    place: object


class Writes(Value):
    """A call creates or changes the file at `place`."""

    place: object


class Runs(Value):
    """A call runs a command; `script` is its parsed form (`harness.shell.script.Script`).

    leads: pairs of a word of it and the real path that it leads to by way of a link; a permission
    holds for these places only.
    """

    command: str
    script: object
    leads: tuple = ()


class Tool(Value):
    """One tool.

    run(context, args) -> ToolResult; raises ToolError for a mistake of the model.
    effects(context, args) -> tuple of Reads, Writes, Runs: what it would touch.
    preview(context, args) -> a unified diff for the person who is asked, or None.
    title(args) -> what is shown beside the name, on one line.
    repeat: a second identical call in a turn may be answered by a pointer.
    pages: it limits its own output; elsewhere the toolbox cuts in the middle.
    """

    name: str
    args: type
    run: Callable
    effects: Callable
    title: Callable
    preview: Callable | None = None
    repeat: bool = False
    pages: bool = False


class Prepared(Value):
    """A valid call with its effects, ready for the gate."""

    call: ToolCall
    tool: Tool
    args: Value
    effects: tuple
    title: str
    preview: Callable
    """() -> diff or None; computed only when somebody looks."""


class ToolResult(Value):
    """What a call gave. output: for the model, before limits; shown: for people, where it differs.

    exit: a command's exit code; diff: of a changed file; cut: output is not all there was.
    fingerprint: of ok and the tool's own output before limits, for the repeat breaker. noted: the
    files of instructions that `output` brings along; kept with the result.
    """

    ok: bool
    output: str
    exit: int | None = None
    diff: str | None = None
    shown: str | None = None
    cut: bool = False
    fingerprint: object = None
    noted: tuple = ()


class Toolbox:
    """Protocol: the tools of a session (`harness/toolbox.py`)."""

    say: Strings
    """The strings of the session's language."""

    def prepare(self, call: ToolCall) -> Prepared:
        """Find the tool, read the arguments, work out the effects. Raises ToolError."""
        raise NotImplementedError

    def edited(self, call: Prepared, command: str) -> Prepared:
        """The same call with another command. Raises ToolError."""
        raise NotImplementedError

    def run(self, call: Prepared, settled: Settled, number: int,
            emit: Callable[[Event], None], cancel: Cancel) -> ToolResult:
        """Run an allowed call as the `number`-th of the session. Never raises but Cancelled;
        a defect of ours becomes a result that says so."""
        raise NotImplementedError

    def facts(self, tokens: int) -> str:
        """What was done in this session, for the model, in at most about so many tokens."""
        return ""

    def place(self, state: State) -> str:
        """Where the tools work, as the end of a status line, or empty."""
        return ""

    def left(self, state: State) -> None:
        """Messages left the context: the model does not see what is not in `state` any more."""


SCALARS = {"str": ("string", str), "int": ("integer", int), "bool": ("boolean", bool)}


def schema(tool: Tool, say: Strings) -> dict:
    """The tool as chat servers want it, in the language of `say`. Bounds are left out: every word
    is paid for in every session, and a call out of bounds is told so."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": say(f"tool.{tool.name}"),
            "parameters": _object_schema(tool.args, f"tool.{tool.name}", say),
        },
    }


def parse(args: type, raw: object, say: Strings) -> Value:
    """The arguments `raw` as a value of class `args`. Raises ToolError that names what is wrong."""
    return _parse_object(args, raw, "", say)


def _object_schema(args: type, key: str, say: Strings) -> dict:
    properties = {}
    required = []
    for name in args.fields:
        declared: Arg = args.__dict__[name]
        properties[name] = _schema_of(args, name, f"{key}.{name}", say)
        if declared.default is REQUIRED:
            required.append(name)
    body: dict = {"type": "object", "properties": properties}
    return {**body, "required": required} if required else body


def _schema_of(args: type, name: str, key: str, say: Strings) -> dict:
    declared: Arg = args.__dict__[name]
    if declared.item is not None:
        body: dict = {"type": "array", "items": _object_schema(declared.item, key, say)}
    else:
        types = [SCALARS[part][0] for part in args.__annotations__[name].split(" | ")]
        body = {"type": types[0] if len(types) == 1 else types}
    if key in say:
        body["description"] = say(key)
    return body


def _parse_object(args: type, raw: object, where: str, say: Strings) -> Value:
    names = ", ".join(args.fields)
    if not isinstance(raw, dict):
        raise ToolError("tool.args.object", where=where or "arguments", names=names)
    unknown = sorted(raw.keys() - set(args.fields))
    if unknown:
        raise ToolError("tool.args.unknown", name=where + str(unknown[0])[:80], names=names)
    values = {}
    for name in args.fields:
        declared: Arg = args.__dict__[name]
        if name in raw:
            values[name] = _parse_value(args, name, raw[name], where, say)
        elif declared.default is REQUIRED:
            raise ToolError("tool.args.missing", name=where + name, names=names)
        else:
            values[name] = declared.default
    return args(**values)


def _parse_value(args: type, name: str, value: object, where: str, say: Strings) -> object:
    declared: Arg = args.__dict__[name]
    label = where + name
    if declared.item is not None:
        if not isinstance(value, list):
            raise ToolError("tool.args.type", name=label, wanted=say("tool.type.list"),
                            got=_kind(value, say))
        return tuple(
            _parse_object(declared.item, part, f"{label}[{i}].", say)
            for i, part in enumerate(value)
        )
    wanted = args.__annotations__[name].split(" | ")
    if not any(_is_a(value, kind) for kind in wanted):
        words = " | ".join(say(f"tool.type.{kind}") for kind in wanted)
        raise ToolError("tool.args.type", name=label, wanted=words, got=_kind(value, say))
    low, high = declared.minimum, declared.maximum
    if isinstance(value, int) and low is not None and value < low:
        raise ToolError("tool.args.minimum", name=label, limit=low, got=value)
    if isinstance(value, int) and high is not None and value > high:
        raise ToolError("tool.args.maximum", name=label, limit=high, got=value)
    return value


def _is_a(value: object, kind: str) -> bool:
    return isinstance(value, SCALARS[kind][1]) and (kind == "bool" or not isinstance(value, bool))


def _kind(value: object, say: Strings) -> str:
    for kind in SCALARS:
        if _is_a(value, kind):
            return say(f"tool.type.{kind}")
    names = {list: "list", dict: "object", float: "float", type(None): "null"}
    return say(f"tool.type.{names.get(type(value), 'object')}")

"""The tools of a session: find, validate, run, limit; once for all tools.

Layers 1 to 3 of the context rules live here: a long result is cut in the middle, its full text
kept as `out:N`; the same look with the same answer in one turn is answered by a pointer, as long as
the first is in the context. A tool's mistake is a result; a defect of ours is a result that says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from clinkai.core.branches import live
from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.errors import Cancelled, ClinkError, ToolError
from clinkai.core.events import Event, Notice, ToolOut
from clinkai.core.messages import ToolCall
from clinkai.core.state import State
from clinkai.core.text import cut_middle
from clinkai.core.value import Value, replace
from clinkai.harness.agents_md import NAME, in_force
from clinkai.harness.place import place
from clinkai.harness.prefix import block
from clinkai.harness.store import Store
from clinkai.harness.workspace import Workspace
from clinkai.loop import tool
from clinkai.loop.gate import Settled
from clinkai.loop.tool import Prepared, Tool, ToolResult

SMALL_WINDOW = 32_000
"""Windows under this many tokens shrink the output limits to window/4 characters."""


WORTH_POINTING = 200
"""Characters of a result from which a pointer to an earlier, equal one is shorter."""


class Limits(Value):
    """How much a result may hold, in characters and lines."""

    out: int = 8192
    read_lines: int = 400
    read_chars: int = 20_000


def limits(out: int, window: int | None) -> Limits:
    """The limits for a configured output limit and a known or unknown window in tokens."""
    if window is None or window >= SMALL_WINDOW:
        return Limits(out)
    room = max(500, window // 4)
    return Limits(min(out, room), read_chars=min(20_000, room))


class FileVersions:
    """Which version of which file (absolute path) the model has in its context. call: the number
    of the call at work."""

    def __init__(self) -> None:
        self.call = 0
        self._versions: dict[str, list[tuple[str, int]]] = {}

    def note(self, path: str, version: str) -> None:
        """Remember that this version was shown or written."""
        self._versions.setdefault(path, []).append((version, self.call))

    def version(self, path: str) -> str | None:
        """The version last seen, or None."""
        noted = self._versions.get(path)
        return noted[-1][0] if noted else None

    def keep(self, calls: frozenset) -> None:
        """Of all calls only these are in the context."""
        for path, noted in list(self._versions.items()):
            self._versions[path] = [one for one in noted if one[1] in calls]


class ToolContext(Value):
    """What a tool may use. emit_out(text) shows live output to people, tell(key, **params) is a
    warning to them; command: what a person put
    in place of the model's command; approved: a person or a standing rule said yes; confined: the
    command runs unasked, and only in the sandbox. effects: what the gate was told that the call
    does, and nothing else is done; shown: see Settled."""

    workspace: Workspace
    say: Strings
    store: Store
    seen: FileVersions
    out_limit: int
    compound: str
    limits: Limits = Limits()
    cancel: Cancel | None = None
    emit_out: Callable | None = None
    tell: Callable | None = None
    approved: bool = False
    command: str | None = None
    confined: bool = False
    effects: tuple = ()
    shown: str | None = None


class SessionToolbox(tool.Toolbox):
    """The tools switched on for a session, in the session's language. Without a context it only
    describes them. noted: the nested AGENTS.md files that the model was shown before."""

    def __init__(self, tools: tuple[Tool, ...], context: ToolContext | None, say: Strings,
                 noted: Iterable[str] = (),
                 window: Callable[[], int | None] = lambda: None) -> None:
        self.say = say
        self._tools = {t.name: t for t in tools}
        self._context = context
        self._known = {NAME, *noted}
        """Instructions that the model has in its context."""
        self._window = window
        self._answered: dict[tuple[str, str], tuple[int, int]] = {}
        self._place: str | None = None
        """As it was looked up last, where no command can have changed it since."""

    def begin_turn(self) -> None:
        """Forget the calls of the turn before: repeat pointers are for one turn."""
        self._answered.clear()
        self._place = None

    def records(self) -> tuple[dict, ...]:
        """What the log of the session has, oldest first. Raises SessionError."""
        return self._context.store.records()

    def facts(self, tokens: int) -> str:
        from clinkai.harness.facts import facts

        return facts(live(self.records()), self.say, tokens)

    def place(self, state: State) -> str:
        if self._place is None:
            self._place = place(self._context.workspace.path, state.workspace, self.say)
        return self._place

    def left(self, state: State) -> None:
        calls = frozenset(state.numbers)
        self._answered = {asked: answer for asked, answer in self._answered.items()
                          if answer[0] in calls}
        self._context.seen.keep(calls)
        self._known = {NAME, *(path for path, _ in state.noted)}

    def schemas(self) -> tuple[dict, ...]:
        """The tools as sent to the server."""
        return tuple(tool.schema(t, self.say) for t in self._tools.values())

    def prepare(self, call: ToolCall) -> Prepared:
        found = self._tools.get(call.name)
        if found is None:
            raise ToolError("tool.unknown", name=call.name[:80], names=", ".join(self._tools))
        if call.broken:
            raise ToolError("tool.args.json", name=call.name, raw=call.broken[:500])
        try:
            args = tool.parse(found.args, json.loads(call.arguments), self.say)
            effects = found.effects(self._context, args)
            return Prepared(call, found, args, effects, found.title(args),
                            lambda: self._preview(found, args, effects))
        except ClinkError:
            raise
        except Exception as error:
            raise ToolError("tool.defect", name=call.name, why=_words(error)) from error

    def edited(self, call: Prepared, command: str) -> Prepared:
        arguments = json.dumps({**call.args.__dict__, "command": command})
        return self.prepare(replace(call.call, arguments=arguments))

    def run(self, call: Prepared, settled: Settled, number: int,
            emit: Callable[[Event], None], cancel: Cancel) -> ToolResult:
        shown = 0

        def emit_out(text: str) -> None:
            nonlocal shown
            emit(ToolOut(call.call.id, shown, text))
            shown += len(text)

        def tell(key: str, **params: object) -> None:
            emit(Notice("warn", key, params))

        context = replace(
            self._context, limits=self._limits(), cancel=cancel, emit_out=emit_out, tell=tell,
            command=settled.command, approved=settled.decision in ("once", "session", "prefix"),
            confined=settled.decision == "sandbox", effects=call.effects, shown=settled.shown,
        )
        context.seen.call = number
        result = self._guarded(call, context)
        if not shown:
            emit_out(result.output if result.shown is None else result.shown)
        return self._noted(call, self._limited(call, result, number))

    def _guarded(self, call: Prepared, context: ToolContext) -> ToolResult:
        try:
            if any(type(effect) is tool.Runs for effect in call.effects):
                self._place = None
                context.store.sync()  # whoever writes a file has it synced by `keep_before`
            return call.tool.run(context, call.args)
        except Cancelled:
            raise
        except ClinkError as error:
            return ToolResult(False, error.text(self.say))
        except Exception as error:
            words = self.say("tool.defect", name=call.tool.name, why=_words(error))
            return ToolResult(False, words)

    def _limited(self, call: Prepared, result: ToolResult, number: int) -> ToolResult:
        """The result as the model gets it: a pointer where it has it already, else cut."""
        fingerprint = hash((result.ok, result.output))
        result = replace(result, fingerprint=fingerprint)
        if call.tool.repeat and result.ok and len(result.output) > WORTH_POINTING:
            asked = (call.tool.name, repr(call.args))
            first, answer = self._answered.setdefault(asked, (number, fingerprint))
            if first != number and answer == fingerprint:
                return replace(result, output=self.say("tool.repeat", n=first))
            self._answered[asked] = (number, fingerprint)
        limit = self._limits().out
        if call.tool.pages or len(result.output) <= limit:
            return result
        kept = self._context.store.keep_output(number, result.output)
        mark = self.say("tool.cut" if kept else "tool.cut_lost", n=number, hidden="{hidden}")
        return replace(result, output=cut_middle(result.output, limit, mark), cut=True)

    def _limits(self) -> Limits:
        return limits(self._context.out_limit, self._window())

    def _noted(self, call: Prepared, result: ToolResult) -> ToolResult:
        """Add the nested AGENTS.md files that are in force where a tool first touches a folder."""
        output, noted = result.output, []
        for effect in call.effects:
            place = getattr(effect, "place", None)
            if place is None or place.zone != "inside" or "/" not in place.rel:
                continue
            for file in in_force(self._context.workspace, place.rel):
                if file.path not in self._known and not file.problem:
                    self._known.add(file.path)
                    noted.append(file.path)
                    output += "\n\n" + block(file, self.say)
        return replace(result, output=output, noted=tuple(noted)) if noted else result

    def _preview(self, found: Tool, args: Value, effects: tuple) -> str | None:
        if found.preview is None:
            return None
        try:
            return found.preview(replace(self._context, effects=effects), args)
        except ClinkError:
            return None


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"

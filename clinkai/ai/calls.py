"""Tool calls, put together from the pieces in which servers send them.

Which piece belongs to which call is decided by the rules of `wire-quirks.md` ("native deltas"):
a good index rules; a used index starts a new call where a new id comes with a name, or a name
without an id comes while the arguments are complete; without an index the id decides, else the
piece belongs to the open call.
Not covered: calls written as text (`ai/text/textcalls.py`).
"""

from __future__ import annotations

import re

from clinkai.ai.arguments import is_complete, is_cut, read_arguments
from clinkai.ai.body import encode, whole
from clinkai.core.messages import ToolCall
from clinkai.core.value import Value


AROUND = "<>\"'` "
"""What a name may be wrapped in."""


class Finished(Value):
    """calls: complete ones, as ToolCall; cut: the name of the last one where its end is missing
    (it never runs), else empty; warnings: codes of `probe`."""

    calls: tuple
    cut: str
    warnings: tuple


class _Call:
    def __init__(self, position: int) -> None:
        self.position = position
        self.id = ""
        self.name = ""
        self.pieces: list[str] = []
        self._looked = 0
        self._depth = 0
        self._quoted = self._escaped = False

    def complete(self) -> bool:
        """True where the arguments are an object. Looks at each piece once: some servers send the
        name, and so raise the question, with every piece."""
        for piece in self.pieces[self._looked:]:
            for c in piece:
                if self._escaped:
                    self._escaped = False
                elif self._quoted:
                    self._escaped, self._quoted = c == "\\", c != '"'
                elif c == '"':
                    self._quoted = True
                elif c in "{}":
                    self._depth += 1 if c == "{" else -1
        self._looked = len(self.pieces)
        return bool(self.pieces) and self._depth == 0 and is_complete("".join(self.pieces))


class Calls:
    """The calls of one answer. declared: the names of the tools that were offered."""

    def __init__(self, declared: tuple[str, ...]) -> None:
        self.declared = declared
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self.goes_on = False
        """The delta taken last brought more of the arguments that the one before brought, and
        nothing else."""

    def take(self, pieces: object) -> list[tuple[int, str, str]]:
        """Take the `tool_calls` of one delta; return (position, name so far, new arguments)."""
        more = self._more(pieces)
        if more:
            return [more]
        self.goes_on = False
        news = []
        items = pieces if isinstance(pieces, list) else [pieces]
        for number, item in enumerate(items):
            if not isinstance(item, dict) or not item:
                continue
            function = item.get("function")
            if not isinstance(function, dict):
                function = item
            name = _name(function.get("name"))
            text = _text(function.get("arguments", function.get("parameters")))
            call = self._find(item.get("index"), _id(item.get("id")), name, number > 0)
            if name != call.name:
                call.name += name
            if text:
                call.pieces.append(text)
            if name or text:
                news.append((call.position, call.name, text))
        return news

    def add(self, position: int, text: str) -> None:
        """Take more arguments of a call, where nothing else can be meant: see `goes_on`."""
        self._calls[position].pieces.append(text)

    def _more(self, pieces: object) -> tuple[int, str, str] | None:
        """Take what nearly all deltas are, more arguments of a known call, and nothing else."""
        if type(pieces) is not list or len(pieces) != 1 or type(pieces[0]) is not dict:
            return None
        function, index = pieces[0].get("function"), pieces[0].get("index")
        if type(function) is not dict or type(index) is not int or function.get("name"):
            return None
        text, call = function.get("arguments"), self._by_index.get(index)
        if not text or type(text) is not str or call is None or not call.id:
            return None
        self.goes_on = len(call.pieces) > 1
        call.pieces.append(text)
        return call.position, call.name, text

    def taken(self) -> tuple:
        """The calls so far, as (name, raw arguments)."""
        return tuple((tool_name(call.name, self.declared), "".join(call.pieces))
                     for call in self._calls)

    def finish(self, at_limit: bool, ids: set[str]) -> Finished:
        """Return the calls at the end of the answer.

        at_limit: the token limit ended it, so that the last call is not to be trusted even where
        it can be read. ids: those already in the conversation, which no call may have again.
        """
        calls: list[ToolCall] = []
        warnings: set[str] = set()
        taken = set(ids)
        cut = ""
        for call in self._calls:
            name, raw = tool_name(call.name, self.declared), "".join(call.pieces)
            if "<arg_key>" in call.name:
                name, raw = self._rescued(call.name, name, raw)
            if not (name or raw or at_limit):
                continue  # a call of a kind that is none of ours
            last = call is self._calls[-1]
            found = read_arguments(raw)
            if last and (at_limit or (found[0].broken and is_cut(raw))):
                cut = name or "?"
                break
            if name != call.name:
                warnings.add("name_fixed")
            for arguments in found:
                if arguments.repaired:
                    warnings.add("repaired_call")
                id = _unused(call.id, taken)
                taken.add(id)
                calls.append(ToolCall(id, name, arguments.text, whole(arguments.broken)))
        return Finished(tuple(calls), cut, tuple(sorted(warnings)))

    def _rescued(self, written: str, name: str, raw: str) -> tuple[str, str]:
        """The name and the arguments of a call whose arguments got into the name (GLM)."""
        from clinkai.ai.text.dialects import glm_name

        found = glm_name(written)
        if found is None or raw.strip() not in ("", "{}", "null"):
            return name, raw
        return tool_name(found[0], self.declared), found[1]

    def _find(self, index: object, id: str, name: str, beside: bool) -> _Call:
        """The call that a piece belongs to. beside: another piece came before it in one delta."""
        if isinstance(index, (str, float)) and str(index).removesuffix(".0").isdecimal():
            index = int(float(index))
        if isinstance(index, int) and not isinstance(index, bool) and index >= 0:
            call = self._by_index.get(index) or self._unindexed(id, name)
            if call is None or self._starts_anew(call, id, name):
                call = self._new()
            self._by_index[index] = call
        else:
            call = self._without_index(id, name, beside)
        call.id = call.id or id
        return call

    def _unindexed(self, id: str, name: str) -> _Call | None:
        """The open call, where it began without an index and a piece with one can only go on."""
        call = self._calls[-1] if self._calls else None
        if name or call is None or (id and id != call.id) or call in self._by_index.values():
            return None
        return call

    def _without_index(self, id: str, name: str, beside: bool) -> _Call:
        if id:
            for call in reversed(self._calls):
                if call.id == id:
                    return call
        call = self._calls[-1] if self._calls else None
        if call is None or (name and beside) or self._starts_anew(call, id, name):
            return self._new()
        return call

    def _starts_anew(self, call: _Call, id: str, name: str) -> bool:
        if not name:
            return False
        if id and call.id:
            return id != call.id
        if name == call.name and not id:
            return call.complete()
        if call.name in self.declared and name in self.declared:
            return True  # two tools without arguments, rather than one name in two pieces
        return call.complete() and bool(call.name)

    def _new(self) -> _Call:
        call = _Call(len(self._calls))
        self._calls.append(call)
        return call


def tool_name(name: str, declared: tuple[str, ...]) -> str:
    """The declared tool that `name` means, where exactly one can be meant; else `name` itself,
    without special tokens: the loop answers it with the list of tools."""
    bare = name.partition("<|")[0].strip()
    if bare in declared:
        return bare
    core = re.sub(r":\d+$", "", bare).strip(AROUND).removesuffix("()")
    for mark in ".:/=":
        core = core.rpartition(mark)[2]
    meant = [tool for tool in declared if tool.casefold() == core.casefold()]
    return meant[0] if len(meant) == 1 else bare


def _id(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return whole(value.strip()) if isinstance(value, str) else ""


def _name(value: object) -> str:
    return whole(value) if isinstance(value, str) and value.strip() else ""


def _text(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return encode(value)


def _unused(id: str, taken: set[str]) -> str:
    """`id`, or one made up where it is missing or already taken."""
    if id and id not in taken:
        return id
    from os import urandom

    while True:
        id = f"call_{urandom(6).hex()}"
        if id not in taken:
            return id

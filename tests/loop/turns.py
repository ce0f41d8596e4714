"""What the tests of the loop are made of: replies, a small toolbox, a gate; no disk, no network."""

from __future__ import annotations

import json

from clinkai.ai.provider import Reply
from clinkai.ai.scripted import ScriptedProvider
from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.errors import Cancelled, ToolError
from clinkai.core.messages import Message, TokenCount, ToolCall
from clinkai.core.state import Limits, State
from clinkai.core.value import Value
from clinkai.loop import tool
from clinkai.loop.gate import Allow, Deny, Gate, Settled
from clinkai.loop.tool import Prepared, Tool, Toolbox, ToolResult, arg
from clinkai.loop.turn import TurnEnded, run_turn

COUNT = TokenCount(prompt=100, cached=80, completion=10)


def say(text: str = "", *calls: ToolCall, think: str = "", finish: str = "", cut: str = "") -> Reply:
    """A reply with that text, those calls and that finish (found from the rest by default)."""
    finish = finish or ("tool_calls" if calls else "stop")
    return Reply(text, think, "reasoning_content" if think else "", calls, finish, COUNT, cut)


def call(id: str, name: str = "echo", broken: str = "", **arguments: object) -> ToolCall:
    return ToolCall(id, name, json.dumps(arguments), broken)


class EchoArgs(Value):
    text: str = arg("")


class Tools(Toolbox):
    """echo gives its text back; fail fails; crash is a defect that the toolbox reports; stop is a
    tool during which the user stops the turn; forbidden is denied by the gate."""

    def __init__(self) -> None:
        self.say = Strings("en")
        self.ran: list[str] = []
        self.numbers: list[int] = []

    def prepare(self, made: ToolCall) -> Prepared:
        if made.name not in ("echo", "fail", "stop", "forbidden"):
            raise ToolError("tool.unknown", name=made.name, names="echo")
        if made.broken:
            raise ToolError("tool.args.json", name=made.name, raw=made.broken)
        args = tool.parse(EchoArgs, json.loads(made.arguments), self.say)
        used = Tool(made.name, EchoArgs, run=None, effects=None, title=None)
        return Prepared(made, used, args, (), args.text, lambda: None)

    def run(self, prepared, settled, number, emit, cancel) -> ToolResult:
        self.ran.append(prepared.call.id)
        self.numbers.append(number)
        if prepared.tool.name == "stop":
            cancel.set()
            if prepared.args.text == "raise":
                raise Cancelled
        ok = prepared.tool.name != "fail"
        return ToolResult(ok, prepared.args.text, fingerprint=(ok, prepared.args.text))


class DenyForbidden(Gate):
    def __init__(self, more: bool = False) -> None:
        self.more = more

    def decide(self, prepared):
        return Deny("gate.plan.run", {"command": "x"}) if prepared.tool.name == "forbidden" else Allow()

    def settle(self, prepared, verdict, emit, cancel):
        return Settled("deny", "not allowed") if isinstance(verdict, Deny) else Settled("allow")

    def more_rounds(self, cap, emit, cancel):
        return self.more


class Played(Value):
    """A turn that was run: its end, its events, the final state, what the provider was sent."""

    ended: TurnEnded
    events: list
    tools: Tools
    requests: list

    @property
    def messages(self) -> list[tuple]:
        """The messages after the first, shortened to what matters."""
        return [shorten(m) for m in self.ended.state.messages[1:]]

    @property
    def reason(self) -> tuple[str, int]:
        return self.ended.end.reason, self.ended.end.exit


def shorten(m: Message) -> tuple:
    if m.role == "tool":
        return "tool", m.call_id, m.ok, m.decision
    if m.role == "assistant":
        return "assistant", m.content, tuple(c.id for c in m.tool_calls), m.finish
    return m.role, m.content


def play(*replies: object, gate: Gate | None = None, cancel: Cancel | None = None,
         watch=None, provider: type = ScriptedProvider, **limits: object) -> Played:
    """Run one turn over scripted replies. watch(event, cancel) sees every event first."""
    requests: list = []
    script = iter(replies)

    def answer(request):
        requests.append(request)
        return next(script)

    cancel = cancel or Cancel()
    events: list = []

    def emit(event):
        events.append(event)
        if watch:
            watch(event, cancel)

    tools = Tools()
    state = State(system="S", messages=(Message("user", "task"),), seqs=(1,), last_seq=1,
                  limits=Limits(**limits))
    ended = run_turn(state, provider(answer), tools, gate or DenyForbidden(), emit, cancel)
    return Played(ended, events, tools, requests)

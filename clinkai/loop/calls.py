"""The tool calls of one message: each is prepared, judged, run and answered exactly once.

Whatever is wrong with a call (unknown, invalid, denied, cancelled, crashed) is its result. The
record of a result also keeps what people see of it (`exit`, `diff`) and which instructions came
with it (`noted`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from clinkai.core.cancel import Cancel
from clinkai.core.errors import Cancelled, ToolError
from clinkai.core.events import Event, ToolEnd, ToolOut, ToolStart
from clinkai.core.messages import Message, ToolCall, to_record
from clinkai.loop.breakers import Outcome
from clinkai.loop.gate import Decision, Deny, Gate, Settled
from clinkai.loop.tool import Prepared, Toolbox, ToolResult


class Calls:
    """Runs calls for one turn. tell(event) tells and keeps; times: {tools, waiting} in ms grow."""

    def __init__(self, tools: Toolbox, gate: Gate, tell: Callable[[Event], None], cancel: Cancel,
                 times: dict[str, int]) -> None:
        self.tools = tools
        self.say = tools.say
        self.gate = gate
        self.tell = tell
        self.cancel = cancel
        self.times = times
        self.denied = 0
        """Calls that were refused."""
        self.number = 0
        """Results so far in the session: N of `out:N`."""
        self.news = ""
        self.place = ""
        self.shown = 0

    def run(self, calls: tuple[ToolCall, ...], news: str, place: str = "") -> list[Outcome]:
        """Run the calls in order; `news` is added to the last result, whose record has the `place`
        that it tells. When cancelled, the rest get
        results that say so, then Cancelled is raised."""
        outcomes = []
        stopped = False
        for call in calls:
            self.news, self.place = (news, place) if call is calls[-1] else ("", "")
            if stopped or self.cancel.is_set():
                stopped = True
                self._skip(call)
                continue
            try:
                outcomes.append(self._one(call))
            except Cancelled:
                stopped = True
        if stopped or self.cancel.is_set():
            raise Cancelled
        return outcomes

    def _one(self, call: ToolCall) -> Outcome:
        """One call, from the name to its result; its result is kept whatever happens."""
        try:
            prepared = self.tools.prepare(call)
        except ToolError as error:
            self.tell(ToolStart(call.id, call.name, call.name, None, "low"))
            self._finish(call, ToolResult(False, error.text(self.say)), "allow", 0)
            return Outcome(call.name, call.arguments, "mistake", error.key)
        verdict = self.gate.decide(prepared)
        arguments = json.loads(call.arguments)
        self.tell(ToolStart(call.id, call.name, prepared.title, arguments, verdict.risk))
        decision, result, ms = self._permit_and_run(prepared, verdict)
        self._finish(call, result, decision, ms)
        if decision == "deny":
            self.denied += 1
            return Outcome(call.name, call.arguments, "denied", None)
        kind = "ok" if result.ok else "failure"
        return Outcome(call.name, call.arguments, kind, result.fingerprint)

    def _permit_and_run(self, prepared: Prepared,
                        verdict: Decision) -> tuple[str, ToolResult, int]:
        """Ask where that is needed, then run: (decision, result, milliseconds of running)."""
        decision = "deny"
        ran = 0.0
        try:
            asked = time.monotonic()
            settled = self.gate.settle(prepared, verdict, self.tell, self.cancel)
            self.times["waiting"] += round((time.monotonic() - asked) * 1000)
            if settled.command is not None:
                prepared, settled = self._judge_again(prepared, settled)
            decision = settled.decision
            if not settled.allowed:
                return decision, ToolResult(False, settled.reason), 0
            self.cancel.check()
            ran = time.monotonic()
            result = self.tools.run(prepared, settled, self.number + 1, self._heard, self.cancel)
        except Cancelled:
            key = "notice.tool.stopped" if ran else "notice.tool.not_run"
            result = ToolResult(False, self.say(key))
            self._finish(prepared.call, result, decision, 0)
            raise
        ms = round((time.monotonic() - ran) * 1000)
        self.times["tools"] += ms
        return decision, result, ms

    def _judge_again(self, prepared: Prepared, settled: Settled) -> tuple[Prepared, Settled]:
        """The call with what a person put in place of its command, which may itself be forbidden,
        or no command."""
        try:
            edited = self.tools.edited(prepared, settled.command)
        except ToolError as error:
            return prepared, Settled("deny", error.text(self.say))
        verdict = self.gate.decide(edited)
        if isinstance(verdict, Deny):
            return edited, self.gate.settle(edited, verdict, self.tell, self.cancel)
        return edited, settled

    def _heard(self, event: Event) -> None:
        """Tell an event of a running tool, remembering how much output was shown."""
        if type(event) is ToolOut:
            self.shown = event.off + len(event.s)
        self.tell(event)

    def _skip(self, call: ToolCall) -> None:
        """The result of a call that was not begun."""
        self.tell(ToolStart(call.id, call.name, call.name, None, "low"))
        result = ToolResult(False, self.say("notice.tool.not_run"))
        self._finish(call, result, "deny", 0)

    def _finish(self, call: ToolCall, result: ToolResult, decision: str, ms: int) -> None:
        """Tell and keep the one result of a call."""
        if result.fingerprint is None:
            self.tell(ToolOut(call.id, self.shown, result.output))
        self.shown = 0
        self.number += 1
        message = Message("tool", result.output + self.news, call_id=call.id, name=call.name,
                          ok=result.ok, decision=decision, ms=ms)
        more = {"noted": list(result.noted), "exit": result.exit, "diff": result.diff,
                "place": self.place or None}
        record = to_record(message)
        record.update((key, value) for key, value in more.items() if value not in ([], None))
        lines = result.output.count("\n") + bool(result.output)
        self.tell(ToolEnd(call.id, result.ok, result.exit, ms, lines, result.cut, result.diff,
                          decision, record))

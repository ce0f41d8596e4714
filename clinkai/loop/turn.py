"""One turn: the only agent loop of the product.

Rounds of one model call and its tool calls, until the model answers, a limit stops it, or a person
does. Every tool call id gets exactly one result, also when it is unknown, invalid, denied,
cancelled or crashed. Not covered: retries (the client's business), archive and window (harness).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from clinkai.ai.provider import Provider, Reply, Request
from clinkai.core.cancel import Cancel
from clinkai.core.errors import (
    BREAKER, INTERRUPTED, ROUND_CAP, Cancelled, ClinkError, ContextFull, ContextOverflow,
    ToolError,
)
from clinkai.core.events import (
    Delta, Event, MsgEnd, MsgStart, Notice, RoundStart, RunEnd, ToolEnd, ToolOut, ToolStart,
    record_of,
)
from clinkai.core.messages import Message, ToolCall, to_record
from clinkai.core.state import State, step
from clinkai.core.value import Value, replace
from clinkai.loop.answer import Answer
from clinkai.loop.breakers import CONTINUATIONS, THOUGHTS, Breakers, Outcome, Trip
from clinkai.loop.gate import Decision, Deny, Gate, Settled
from clinkai.loop.size import budget, request_tokens
from clinkai.loop.tool import Prepared, Toolbox, ToolResult

ASK_WINDOW_FROM = 2048
"""Estimated tokens from which the server's window matters: no server is configured smaller, and
the first request of a session need not wait for the question."""


class TurnEnded(Value):
    """The state after the turn and its last event."""

    state: State
    end: RunEnd


def run_turn(state: State, provider: Provider, tools: Toolbox, gate: Gate,
             emit: Callable[[Event], None], cancel: Cancel) -> TurnEnded:
    """Answer the newest user message of `state`, telling `emit` everything.

    Runs in the calling thread until the turn is over; run.end is the last event in every case but
    a defect of ours, which is raised. `emit` may raise a ClinkError (the log takes no more) once:
    it must take the run.end that says so.
    """
    turn = _Turn(state, provider, tools, gate, emit, cancel)
    try:
        end = turn.play()
        emit(end)
    except ClinkError as error:
        end = turn.failed(error)
        emit(end)
    return TurnEnded(turn.state, end)


class _Turn:
    def __init__(self, state: State, provider: Provider, tools: Toolbox, gate: Gate,
                 emit: Callable[[Event], None], cancel: Cancel) -> None:
        self.state = state
        self.provider = provider
        self.tools = tools
        self.gate = gate
        self.emit = emit
        self.cancel = cancel
        self.breakers = Breakers()
        self.times = {"prefill": 0, "decode": 0, "tools": 0, "waiting": 0}
        self.denied = 0
        self.cuts = 0
        """How often in a row an answer was cut by the token limit."""
        self.thoughts = 0
        """How often in a row there was thinking only."""
        self.max_tokens = state.limits.max_tokens
        self.mid = ""
        """The message that the next answer goes on with; empty for a new one."""
        self.offsets: dict[str, int] = {}

    def play(self) -> RunEnd:
        """Round after round until the turn is over."""
        allowed = cap = self.state.limits.rounds
        n = 0
        while True:
            if n >= allowed:
                if not self.gate.more_rounds(allowed, self.emit, self.cancel):
                    return self.end("cap", ROUND_CAP, "notice.cap", n=n)
                allowed += cap
            n += 1
            ended = self.round(n)
            if ended:
                return ended

    def round(self, n: int) -> RunEnd | None:
        """One model call and the calls it asked for; the end of the turn, or None to go on."""
        self.cancel.check()
        self.emit(RoundStart(n))
        reply = self.ask(n)
        if reply.tool_calls:
            self.learn_window()
            trip = self.breakers.after_round(self.run_calls(reply.tool_calls))
            if trip:
                return self.tripped(trip)
        if reply.finish == "length" or not (reply.content.strip() or reply.tool_calls):
            return self.go_on(reply)
        if not reply.tool_calls:
            return self.end("done", 0)
        self.cuts = self.thoughts = 0
        self.max_tokens = self.state.limits.max_tokens
        return None

    # -- the model

    def ask(self, n: int) -> Reply:
        """One model call: its message and its cost are told and kept."""
        self.check_size()
        if not self.mid:
            self.mid, self.offsets = f"m{self.state.last_seq}", {}
        answer = Answer(self.emit, self.mid, self.offsets)
        limits = self.state.limits
        request = Request(
            self.state.model, self.state.system, self.state.tools, self.state.messages,
            self.max_tokens, limits.temperature,
        )
        try:
            reply = self.stream(request, answer)
        except Exception as error:
            finish = "cancelled" if isinstance(error, Cancelled) else "error"
            self.keep(answer.break_off(finish))
            raise
        finally:
            self.times["prefill"] += answer.prefill_ms
            self.times["decode"] += answer.decode_ms
        size = request_tokens(self.state)
        self.keep(answer.finish(reply))
        usage = answer.usage(n, reply.count, size, limits.window or limits.budget)
        self.keep(usage)
        return reply

    def stream(self, request: Request, answer: Answer) -> Reply:
        """Feed `answer` with what comes, and return the reply at its end."""
        feed = answer.feed
        for part in self.provider.stream(request, self.cancel):
            if type(part) is Reply:
                return part
            feed(part)
        raise TypeError(f"provider {self.provider.name!r} ended without a reply")

    def check_size(self) -> None:
        """Refuse a request that cannot fit, before it is sent."""
        tokens = request_tokens(self.state)
        if tokens > ASK_WINDOW_FROM:
            self.learn_window()
        limits = self.state.limits
        fits = budget(limits)
        if tokens > fits:
            key = "error.context.full" if fits < limits.budget else "error.context.budget"
            raise ContextFull(key, tokens=tokens, budget=fits, window=limits.window,
                              room=limits.max_tokens)

    def learn_window(self) -> None:
        """Take the server's real window into the limits, once it is known."""
        if self.state.limits.window is not None:
            return
        try:
            window = self.provider.window(self.cancel)
        except Cancelled:
            return  # what comes next sees it too, and answers the calls that wait
        self.state = replace(self.state, limits=replace(self.state.limits, window=window))

    def go_on(self, reply: Reply) -> RunEnd | None:
        """Continue an answer that was cut, or that is thinking only."""
        only_thinking = not (reply.content.strip() or reply.tool_calls or reply.cut_call)
        if only_thinking:
            self.thoughts += 1
            key, trip = "notice.ask.answer", "notice.breaker.thinking"
            over = self.thoughts > THOUGHTS
        else:
            self.cuts += 1
            key, trip = "notice.ask.continue", "notice.breaker.length"
            over = self.cuts > CONTINUATIONS
        if over:
            return self.tripped(Trip(trip, {"tokens": self.max_tokens}))
        if reply.cut_call:
            self.max_tokens = self.more_tokens()
            key = "notice.ask.parts" if self.cuts > 1 else "notice.ask.again"
        self.emit(Notice("info", "notice.continued", {"n": self.cuts + self.thoughts}))
        words = self.tools.say(key, tool=reply.cut_call)
        mid = f"a{self.state.last_seq}"
        self.emit(MsgStart(mid, "auto"))
        self.emit(Delta(mid, "text", 0, words))
        self.keep(MsgEnd(mid, "", 0, {"type": "user", "content": words, "auto": key}))
        if reply.cut_call or only_thinking:
            self.mid = ""
        return None

    def more_tokens(self) -> int:
        """Twice the output limit, as far as the window has room."""
        self.learn_window()
        window = self.state.limits.window
        doubled = 2 * self.max_tokens
        if window is None:
            return doubled
        return max(self.max_tokens, min(doubled, window - request_tokens(self.state) - 128))

    # -- the tools

    def run_calls(self, calls: tuple[ToolCall, ...]) -> list[Outcome]:
        """Run the calls in order. When cancelled, the rest get results that say so."""
        self.mid = ""
        outcomes = []
        stopped = False
        for call in calls:
            if stopped or self.cancel.is_set():
                stopped = True
                self.skip(call)
                continue
            try:
                outcomes.append(self.run_call(call))
            except Cancelled:
                stopped = True
        if stopped or self.cancel.is_set():
            raise Cancelled
        return outcomes

    def run_call(self, call: ToolCall) -> Outcome:
        """One call, from the name to its result; its result is kept whatever happens."""
        try:
            prepared = self.tools.prepare(call)
        except ToolError as error:
            self.emit(ToolStart(call.id, call.name, call.name, None, "low"))
            self.finish_call(call, ToolResult(False, error.text(self.tools.say)), "allow", 0)
            return Outcome(call.name, call.arguments, "mistake", error.key)
        verdict = self.gate.decide(prepared)
        arguments = json.loads(call.arguments)
        self.emit(ToolStart(call.id, call.name, prepared.title, arguments, verdict.risk))
        decision, result, ms = self.permit_and_run(prepared, verdict)
        self.finish_call(call, result, decision, ms)
        if decision == "deny":
            self.denied += 1
            return Outcome(call.name, call.arguments, "denied", None)
        kind = "ok" if result.ok else "failure"
        return Outcome(call.name, call.arguments, kind, result.fingerprint)

    def permit_and_run(self, prepared: Prepared,
                       verdict: Decision) -> tuple[str, ToolResult, int]:
        """Ask where that is needed, then run: (decision, result, milliseconds of running)."""
        decision = "deny"
        ran = 0.0
        try:
            asked = time.monotonic()
            settled = self.gate.settle(prepared, verdict, self.emit, self.cancel)
            self.times["waiting"] += round((time.monotonic() - asked) * 1000)
            if settled.command is not None:
                settled = self.judge_again(prepared, settled)
            decision = settled.decision
            if not settled.allowed:
                return decision, ToolResult(False, settled.reason), 0
            self.cancel.check()
            ran = time.monotonic()
            number = self.state.calls + 1
            result = self.tools.run(prepared, settled, number, self.emit, self.cancel)
        except Cancelled:
            key = "notice.tool.stopped" if ran else "notice.tool.not_run"
            result = ToolResult(False, self.tools.say(key))
            self.finish_call(prepared.call, result, decision, 0)
            raise
        ms = round((time.monotonic() - ran) * 1000)
        self.times["tools"] += ms
        return decision, result, ms

    def judge_again(self, prepared: Prepared, settled: Settled) -> Settled:
        """What a person put in place of a command may itself be forbidden, or no command."""
        try:
            edited = self.tools.edited(prepared, settled.command)
        except ToolError as error:
            return Settled("deny", error.text(self.tools.say))
        verdict = self.gate.decide(edited)
        if isinstance(verdict, Deny):
            return self.gate.settle(edited, verdict, self.emit, self.cancel)
        return settled

    def skip(self, call: ToolCall) -> None:
        """The result of a call that was not begun."""
        self.emit(ToolStart(call.id, call.name, call.name, None, "low"))
        result = ToolResult(False, self.tools.say("notice.tool.not_run"))
        self.finish_call(call, result, "deny", 0)

    def finish_call(self, call: ToolCall, result: ToolResult, decision: str, ms: int) -> None:
        """Tell and keep the one result of a call."""
        if result.fingerprint is None:
            self.emit(ToolOut(call.id, 0, result.output))
        message = Message("tool", result.output, call_id=call.id, name=call.name, ok=result.ok,
                          decision=decision, ms=ms)
        record = to_record(message)
        if result.noted:
            record["noted"] = list(result.noted)
        lines = result.output.count("\n") + bool(result.output)
        self.keep(ToolEnd(call.id, result.ok, result.exit, ms, lines, result.cut, result.diff,
                          decision, record))

    # -- the end

    def tripped(self, trip: Trip) -> RunEnd:
        """The end by a breaker."""
        return self.end("breaker", BREAKER, trip.key, **trip.params)

    def failed(self, error: ClinkError) -> RunEnd:
        """The end by an error."""
        if isinstance(error, Cancelled):
            return self.end("cancelled", INTERRUPTED, error.key)
        full = isinstance(error, ContextFull | ContextOverflow)
        words = f"{error.text(self.tools.say)}\n{error.advice(self.tools.say)}".strip()
        reason = "context" if full else "error"
        return RunEnd(reason, words, error.exit_code, self.denied, self.times)

    def end(self, reason: str, code: int, key: str = "", **params: object) -> RunEnd:
        """The end for a reason, in plain words."""
        words = self.tools.say(key, **params) if key else ""
        return RunEnd(reason, words, code, self.denied, self.times)

    # -- keeping

    def keep(self, event: Event) -> None:
        """Tell an event and take its record into the state."""
        self.emit(event)
        record = record_of(event)
        if record is not None:
            self.state = step(self.state, record)

"""One turn: the only agent loop of the product.

Rounds of one model call and its tool calls, until the model answers, a limit stops it, or a person
does. Every tool call id gets exactly one result, also when it is unknown, invalid, denied,
cancelled or crashed. An answer that breaks or goes wrong gets a second chance as `recovery.py` has
it.
Not covered: retries within one model call (the client's business), what leaves a full context
(`context.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from clinkai.ai.provider import Provider, Reply, Request, RestartPart
from clinkai.core.cancel import Cancel
from clinkai.core.errors import (
    BREAKER, ROUND_CAP, Cancelled, ClinkError, ContextFull, ContextOverflow,
)
from clinkai.core.events import (
    Delta, Event, MsgEnd, MsgStart, Notice, RoundStart, RunEnd, record_of,
)
from clinkai.core.messages import Message, to_record
from clinkai.core.state import State, step
from clinkai.core.value import Value, replace
from clinkai.loop.answer import Answer
from clinkai.loop.breakers import CONTINUATIONS, THOUGHTS, Breakers, Trip
from clinkai.loop.calls import Calls
from clinkai.loop.context import Context
from clinkai.loop.gate import Gate
from clinkai.loop.ledger import Ledger
from clinkai.loop.pulse import Pulse
from clinkai.loop.recovery import BREAKS, Recovery
from clinkai.loop.size import budget, request_tokens
from clinkai.loop.status import Status
from clinkai.loop.tool import Toolbox

BREAKING = {"ephemeral": "status"}
"""Ways of telling the status that make each request differ from the one before."""


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
    turn = Turn(state, provider, tools, gate, emit, cancel)
    return _played(turn, turn.play)


def run_compact(state: State, provider: Provider, tools: Toolbox,
                emit: Callable[[Event], None], cancel: Cancel, wish: str) -> TurnEnded:
    """Have a summary take the place of the oldest messages, since the user asked for it: as
    `run_turn`, without an answer. wish: words of the user for whoever writes it, or empty."""
    turn = Turn(state, provider, tools, Gate(), emit, cancel)
    return _played(turn, lambda: turn.compact(wish))


def _played(turn: Turn, play: Callable[[], RunEnd]) -> TurnEnded:
    try:
        end = play()
        turn.emit(end)
    except ClinkError as error:
        end = turn.failed(error)
        turn.emit(end)
    finally:
        turn.pulse.close()
    return TurnEnded(turn.state, end)


class Turn:
    """One turn while it runs."""

    def __init__(self, state: State, provider: Provider, tools: Toolbox, gate: Gate,
                 emit: Callable[[Event], None], cancel: Cancel) -> None:
        self.state = state
        self.provider = provider
        self.tools = tools
        self.say = tools.say
        self.gate = gate
        self.emit = emit
        self.cancel = cancel
        self.breakers = Breakers()
        self.recovery = Recovery()
        self.ledger = Ledger(state, self.alike)
        self.pulse = Pulse(emit)
        self.context = Context(self)
        self.status = Status(tools.say)
        self.times = {"prefill": 0, "decode": 0, "tools": 0, "waiting": 0}
        self.calls = Calls(tools, gate, self.keep, cancel, self.times)
        self.calls.number = state.calls
        self.allowed = state.limits.rounds
        self.n = 0
        """The round."""
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
        while True:
            if self.n >= self.allowed:
                if not self.gate.more_rounds(self.allowed, self.emit, self.cancel):
                    return self.end("cap", ROUND_CAP, "notice.cap", n=self.n)
                self.allowed += self.state.limits.rounds
            self.n += 1
            ended = self.round(self.n)
            if ended:
                return ended

    def compact(self, wish: str) -> RunEnd:
        """A summary by hand, in place of rounds."""
        if not self.context.compact(wish):
            self.emit(Notice("info", "notice.compact.nothing", {}))
        return self.end("done", 0)

    def round(self, n: int) -> RunEnd | None:
        """One model call and the calls it asked for; the end of the turn, or None to go on."""
        self.cancel.check()
        self.emit(RoundStart(n))
        reply = self.ask(n)
        if reply is None:
            return None
        if reply.finish == "repeat":
            return self.try_otherwise(reply)
        if reply.tool_calls:
            self.learn_window()
            self.mid = ""
            outcomes = self.calls.run(reply.tool_calls, *self.news(n))
            trip = self.breakers.after_round(outcomes)
            if trip:
                return self.tripped(trip)
            self.recovery.after_calls(reply, outcomes)
        if reply.finish == "length" or not (reply.content.strip() or reply.tool_calls):
            return self.go_on(reply)
        if not reply.tool_calls:
            return self.end("done", 0)
        self.cuts = self.thoughts = 0
        self.max_tokens = self.state.limits.max_tokens
        return None

    # -- the model

    def ask(self, n: int) -> Reply | None:
        """One model call: its message and its cost are told and kept. None where it broke after
        some text: then the text is kept, and the model is asked to go on."""
        size = self.context.fit()
        if not self.mid:
            self.new_message()
        answer = Answer(self.emit, self.pulse)
        answer.begin(self.mid, self.offsets)
        try:
            request = self.request(n)
            self.ledger.sends(request, self.broke)
            reply = self.stream(request, answer)
        except Exception as error:
            finish = "cancelled" if isinstance(error, Cancelled) else "error"
            self.keep(answer.break_off(finish))
            if isinstance(error, ContextOverflow) and self.context.mends(error, size):
                if not answer.said:
                    return self.ask(n)
                self.recovery.breaks += 1
            elif not (answer.said and self.recovery.goes_on(error)):
                raise
            self.mend(error)
            return None
        finally:
            self.times["prefill"] += answer.prefill_ms
            self.times["decode"] += answer.decode_ms
        self.context.answered()
        void = self.recovery.is_void(reply)
        self.keep(answer.drop("repeat") if void else answer.finish(reply))
        limits = self.state.limits
        cost = self.ledger.cost(reply.count, not (void or reply.cut_call))
        usage = replace(answer.usage(n, reply.count, size, limits.window or limits.budget),
                        lost=cost.lost, cause=cost.cause, proof=self.ledger.proof,
                        ahead=self.state.ahead)
        self.keep(usage)
        told = self.ledger.remark(cost, usage)
        if told:
            self.emit(told)
        for notice in self.recovery.remarks(reply, size, self.max_tokens):
            self.emit(notice)
        return reply

    @property
    def broke(self) -> str:
        """Why the next request need not extend the one before, or empty."""
        return self.state.broke or BREAKING.get(self.state.limits.status, "")

    def new_message(self) -> None:
        """The next answer is a message of its own."""
        self.mid, self.offsets = f"m{self.state.last_seq}", {}

    def request(self, n: int) -> Request:
        """What is sent in round `n`."""
        limits = self.state.limits
        return self.recovery.adapted(Request(
            self.state.model, self.state.system, self.state.tools, self.messages(n),
            self.max_tokens, limits.temperature, sampling=limits.sampling, image=limits.image,
        ))

    def messages(self, n: int) -> tuple[Message, ...]:
        """What is sent: what is kept, and in the ephemeral mode a status line that is not."""
        messages = self.state.messages
        if self.state.limits.status != "ephemeral":
            return messages
        line = self.status.line(n, self.allowed, request_tokens(self.state),
                                budget(self.state.limits), self.tools.place(self.state))
        last = messages[-1]
        return (*messages[:-1], replace(last, content=f"{last.content}\n\n{line}"))

    def news(self, n: int) -> tuple[str, str]:
        """What the round's last result tells the model about the turn, in the pinned mode, and the
        place in it where that is another one than it knows."""
        if self.state.limits.status != "pinned":
            return "", ""
        place = self.tools.place(self.state)
        place = "" if place == self.state.place else place
        return self.status.news(n, self.allowed, request_tokens(self.state),
                                budget(self.state.limits), place), place

    def stream(self, request: Request, answer: Answer) -> Reply:
        """Feed `answer` with what comes, and return the reply at its end."""
        feed = answer.feed
        for part in self.provider.stream(request, self.cancel):
            kind = type(part)
            if kind is Reply:
                return part
            if kind is RestartPart:
                self.keep(answer.drop("error"))
                if not self.offsets.get("text"):  # else it goes on with that text, as it did
                    self.new_message()
                answer.begin(self.mid, self.offsets)
            else:
                feed(part)
        raise TypeError(f"provider {self.provider.name!r} ended without a reply")

    def alike(self, request: Request, count: int) -> bool | None:
        """Whether the server renders earlier messages as before, as the ledger asks it."""
        try:
            return self.provider.extras.alike(request, count, self.cancel)
        except Cancelled:
            return None  # what comes next sees it too

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
            key, told = "notice.ask.answer", "notice.thought"
            trip = "notice.breaker." + ("thinking" if reply.finish == "length" else "unanswered")
            over = self.thoughts > THOUGHTS
        else:
            self.cuts += 1
            key, told, trip = "notice.ask.continue", "notice.continued", "notice.breaker.length"
            over = self.cuts > CONTINUATIONS
        if over:
            return self.tripped(Trip(trip, {"tokens": self.max_tokens}))
        if reply.cut_call:
            self.max_tokens = self.more_tokens()
            key = "notice.ask.parts" if self.cuts > 1 else "notice.ask.again"
        self.emit(Notice("info", told, {"n": self.cuts + self.thoughts}))
        self.ask_for(key, tool=reply.cut_call)
        if reply.cut_call or only_thinking:
            self.mid = ""
        return None

    def mend(self, error: ClinkError) -> None:
        """Have an answer gone on with that broke by `error`."""
        params = {"why": error.text(self.say).rstrip(".。"), "n": self.recovery.breaks, "of": BREAKS}
        self.emit(Notice("warn", "notice.broken", params))
        self.ask_for("notice.ask.broken")

    def try_otherwise(self, reply: Reply) -> RunEnd | None:
        """After an answer that began to repeat itself: once more with another sampling."""
        self.mid = ""
        if not self.recovery.retries_repetition():
            return self.tripped(Trip("notice.breaker.repetition", {}))
        self.emit(Notice("warn", "notice.repetition", {}))
        if reply.content.strip():
            self.ask_for("notice.ask.repetition")
        return None

    def ask_for(self, key: str, **params: object) -> None:
        """Say something to the model in the user's role."""
        words = self.say(key, **params)
        mid = f"a{self.state.last_seq}"
        self.emit(MsgStart(mid, "auto"))
        self.emit(Delta(mid, "text", 0, words))
        self.keep(MsgEnd(mid, "", 0, to_record(Message("user", words, auto=key))))

    def more_tokens(self) -> int:
        """Twice the output limit, as far as the window has room."""
        self.learn_window()
        window = self.state.limits.window
        doubled = 2 * self.max_tokens
        if window is None:
            return doubled
        return max(self.max_tokens, min(doubled, window - request_tokens(self.state) - 128))

    # -- the end

    def tripped(self, trip: Trip) -> RunEnd:
        """The end by a breaker."""
        return self.end("breaker", BREAKER, trip.key, **trip.params)

    def failed(self, error: ClinkError) -> RunEnd:
        """The end by an error."""
        if isinstance(error, Cancelled):
            return self.end("cancelled", self.cancel.code, error.key)
        full = isinstance(error, ContextFull | ContextOverflow)
        words = f"{error.text(self.say)}\n{error.advice(self.say)}".strip()
        reason = "context" if full else "error"
        return RunEnd(reason, words, error.exit_code, self.calls.denied, self.times)

    def end(self, reason: str, code: int, key: str = "", **params: object) -> RunEnd:
        """The end for a reason, in plain words."""
        words = self.say(key, **params) if key else ""
        return RunEnd(reason, words, code, self.calls.denied, self.times)

    # -- keeping

    def keep(self, event: Event) -> None:
        """Tell an event and take its record into the state."""
        self.emit(event)
        record = record_of(event)
        if record is not None:
            self.state = step(self.state, record)

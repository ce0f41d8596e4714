"""Before a request: does it fit, and what leaves where it does not. The one place that decides.

    above 80 % of the budget   archive: once a turn, and no more in a session where it failed
    where that did not do      window: if it brings the context to half the budget
    above the budget           window, whatever it brings; else the request is refused (ContextFull)

Both cut to half of it at once, so that the next cut is far away. A request that the server refuses
as too long teaches its limit, and gets one pass of the same.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from clinkai.ai.provider import Reply, Request, RestartPart
from clinkai.core.errors import (
    BadResponse, ContextFull, ContextOverflow, RequestRefused, StreamBroken,
)
from clinkai.core.events import Archived, Window
from clinkai.core.state import Limits
from clinkai.core.text import estimate_tokens
from clinkai.core.value import replace
from clinkai.loop import archive
from clinkai.loop.size import budget, message_tokens, request_tokens
from clinkai.loop.window import ROUNDS, choose, measure, size_from

if TYPE_CHECKING:
    from clinkai.loop.turn import Turn

FULL, HALF = 0.8, 0.5
"""Parts of the budget: from which it is cut, and to which."""

ASK_WINDOW_FROM = 2048
"""Estimated tokens from which the server's window matters: no server is configured smaller, and
the first request of a session need not wait for the question."""

SMALLEST = 256
"""Tokens: no window is smaller; vLLM 0.15 reports one of 3 where the answer has no room."""

FACTS_SHARE = 16
"""The part of the budget for what was done in the messages that left."""

MARGIN = 128
"""Tokens by which an estimate may be wrong."""

BLOCK = 200
"""Tokens of what stands for them, at the least, as long as it is not known."""

USELESS = (BadResponse, ContextOverflow, RequestRefused, StreamBroken)
"""Errors that are the request's for a summary; any other would meet the turn's own too."""


class Context:
    """Decides for one turn. Its state, its way of keeping events and its ledger are used."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self._tried = False
        """A summary was asked for in this turn."""
        self._mended = False
        """Room was made since the server last answered: it is not tried again."""

    def fit(self) -> int:
        """Have the next request fit, and return its estimated tokens. Raises ContextFull."""
        tokens = request_tokens(self.turn.state)
        if tokens > ASK_WINDOW_FROM:
            self.turn.learn_window()
        limits = self.turn.state.limits
        most = budget(limits)
        if tokens > FULL * most and self._shrink(most, tokens > most):
            tokens = request_tokens(self.turn.state)
        if tokens > most:
            raise full(limits, tokens)
        return tokens

    def answered(self) -> None:
        """The server took a request."""
        self._mended = False

    def mends(self, error: ContextOverflow, sent: int) -> bool:
        """Learn from a server that found a request of about `sent` tokens too long, and make room.
        True where the request is worth another try. Raises ContextFull where the server gave no
        sizes and nothing can leave."""
        if not self._mended:
            self._mended = True
            before = self.turn.state
            self.turn.ledger.refused()
            most = self._learn(error, sent)
            if request_tokens(self.turn.state) > most:
                if self._shrink(most, True) and request_tokens(self.turn.state) <= most:
                    return True
            elif self.turn.state.limits.max_tokens < before.limits.max_tokens:
                return True
        if error.params.get("prompt") and error.params.get("limit"):
            return False
        raise ContextFull("error.context.refused", tokens=sent,
                          message=error.params.get("message", "")) from error

    def compact(self, wish: str) -> bool:
        """Archive now, by hand: all but the newest rounds; False where nothing can leave."""
        self.turn.learn_window()
        most = budget(self.turn.state.limits)
        if choose(self.turn.state, BLOCK, 0, most) is None:
            return False
        self._archive(most, (0, request_tokens(self.turn.state)), wish)
        return True

    def _learn(self, error: ContextOverflow, sent: int) -> int:
        """Take the server's limit and count into the state; returns the budget that follows."""
        state, limit = self.turn.state, error.params.get("limit")
        if not limit or limit < SMALLEST:
            limit = self.turn.provider.known_window
        limits = replace(state.limits, window=limit or state.limits.window)
        if limit:  # vLLM refuses a request whose answer could not have all its tokens
            limits = replace(limits, max_tokens=min(limits.max_tokens, limit // 2))
        counted = error.params.get("prompt") or sent
        if counted <= budget(limits) and limits.max_tokens == state.limits.max_tokens:
            limits = replace(limits, budget=counted - 1)  # the server means less than it says
        self.turn.max_tokens = min(self.turn.max_tokens, limits.max_tokens)
        self.turn.state = replace(state, limits=limits, counted=counted,
                                  counted_at=len(state.messages))
        return budget(limits)

    # -- the layers

    def _shrink(self, most: int, over: bool) -> bool:
        """Make room by the first layer that serves; False where none does. over: it must."""
        if self._may_archive(most) and self._archive(most, (HALF * most, HALF * most)):
            return True
        state = self.turn.state
        rooms = ((FULL * most, 0), (most, 0)) if over else ((HALF * most, ROUNDS),)
        if all(choose(state, 0, HALF * most, *room) is None for room in rooms):
            return False  # in every round from 80 % on: the log is not read for that
        text = self._block(state.summary, most)
        for room, fewest in rooms:
            cut = self._cut(text, HALF * most, room, fewest)
            if cut:
                self.turn.keep(Window(summary=state.summary, **cut))
                self.turn.tools.left(self.turn.state)
                return True
        return False

    def _may_archive(self, most: int) -> bool:
        """True where a summary may be asked for, its request would fit, and it would help."""
        state = self.turn.state
        if self._tried or not state.archives:
            return False
        if choose(state, BLOCK, HALF * most, 0) is None:
            return False
        asked = archive.request(state, self.turn.say, most, "")
        waits = state.messages[-1] if state.messages[-1].role == "user" else None
        tokens = request_tokens(state) - (message_tokens(waits, state.scale) if waits else 0)
        if state.limits.window is None:
            return tokens <= most
        asking = estimate_tokens(self.turn.say("archive.ask", words=0))
        return tokens + asking + asked.max_tokens + MARGIN <= state.limits.window

    def _archive(self, most: int, rooms: tuple[float, float], wish: str = "") -> bool:
        """Ask for a summary and put it in place of the oldest messages; False where that failed,
        which is told and kept. rooms: for `choose`. Raises what the turn's own request would meet
        too."""
        self._tried = True
        turn, began = self.turn, monotonic()
        try:
            reply = self._ask(archive.request(turn.state, turn.say, most, turn.provider.kind, wish))
            summary = reply.content.strip()  # of one that was cut or repeats itself, what it has
            failed = "" if summary else turn.say("archive.empty")
        except USELESS as error:
            summary, failed = "", error.text(turn.say)
        ms = round((monotonic() - began) * 1000)
        cut = summary and self._cut(self._block(summary, most), *rooms, 0)
        if cut:
            turn.keep(Archived(summary=summary, ms=ms, **cut))
            turn.tools.left(turn.state)
            return True
        tokens = request_tokens(turn.state)
        failed = failed or turn.say("archive.long", tokens=estimate_tokens(summary))
        turn.keep(Archived(0, "", "", tokens, tokens, ms, failed))
        return False

    def _ask(self, request: Request) -> Reply:
        """The answer to a request beside the conversation; what it cost is told and kept."""
        turn = self.turn
        answer = archive.listen(turn.emit, turn.pulse)
        turn.ledger.sends(request, turn.broke)
        try:
            for part in turn.provider.stream(request, turn.cancel):
                kind = type(part)
                if kind is Reply:
                    break
                if kind is RestartPart:
                    answer.begin("", {})
                else:
                    answer.feed(part)
            else:
                raise TypeError(f"provider {turn.provider.name!r} ended without a reply")
        finally:
            turn.pulse.stop()
            turn.times["prefill"] += answer.prefill_ms
            turn.times["decode"] += answer.decode_ms
        limits, cost = turn.state.limits, turn.ledger.cost(part.count, False)
        usage = answer.usage(turn.n, part.count, request_tokens(turn.state),
                             limits.window or limits.budget)
        turn.keep(replace(usage, lost=cost.lost, cause=cost.cause, of="archive",
                          ahead=turn.state.ahead))
        return part

    def _block(self, summary: str, most: int) -> str:
        turn = self.turn
        return archive.block(turn.say, summary, turn.tools.facts(most // FACTS_SHARE))

    def _cut(self, text: str, half: float, room: float, fewest: int) -> dict:
        """The fields of a cut that leaves `text`, as `window.choose` finds it; empty for none."""
        state = self.turn.state
        at = choose(state, estimate_tokens(text), half, room, fewest)
        if at is None:
            return {}
        sizes, block = measure(state), estimate_tokens(text)
        return {"stays": len(state.messages) - at, "text": text, "before": request_tokens(state),
                "after": size_from(state, sizes, at, block)}


def full(limits: Limits, tokens: int) -> ContextFull:
    """The error that so many tokens do not fit."""
    fits = budget(limits)
    key = "error.context.full" if fits < limits.budget else "error.context.budget"
    return ContextFull(key, tokens=tokens, budget=fits, window=limits.window,
                       room=limits.max_tokens)

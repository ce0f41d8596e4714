"""What a turn does about an answer that broke, that repeats itself, or whose call is invalid.

Pure bookkeeping, as in `breakers.py`; `turn.py` acts on it. What is tried again within one model
call, before any text was shown, is the client's business (`ai/steady.py`).
"""

from __future__ import annotations

from clinkai.ai.provider import Reply, Request
from clinkai.core.errors import (
    BadResponse, RateLimited, ServerLoading, StreamBroken, Unreachable,
)
from clinkai.core.events import Notice
from clinkai.core.value import replace
from clinkai.loop.breakers import Outcome

BREAKS = 3
"""How often a turn goes on after an answer that broke when some of it was shown."""

REPEATS = 1
"""How often a turn tries again after an answer that repeats itself."""

PASSING = (BadResponse, RateLimited, ServerLoading, StreamBroken, Unreachable)
"""What may be over when it is asked again; the client waits then for as long as it takes."""

WARMER, WARMEST, PENALTY = 0.4, 1.2, 0.5
"""Of the sampling that is to lead out of a repetition: on the temperature, its limit, and the
frequency penalty (OpenAI advises 0.1 to 1 against repetition)."""

USUAL = 0.8
"""The temperature of a server that is sent none: llama-server's."""

UNTOLD = "no_usage"
"""A warning that the usage line shows anyway."""


class Recovery:
    """One turn's second chances: how many are used up, and what the next request differs in."""

    def __init__(self) -> None:
        self.breaks = 0
        """How often the turn went on after a broken answer."""
        self._repeats = 0
        self._other_sampling = False
        self._choice: str | None = None
        self._constrained: set[str] = set()
        self._told: set[str] = set()

    def goes_on(self, error: Exception) -> bool:
        """True where an answer that broke by `error`, after text, is to be gone on with."""
        if not isinstance(error, PASSING) or error.lasting or self.breaks >= BREAKS:
            return False
        self.breaks += 1
        return True

    def is_void(self, reply: Reply) -> bool:
        """True for an answer of which nothing is kept in the conversation: it began to repeat
        itself before it said anything, and will be asked for again, or was empty."""
        if reply.finish != "repeat" or reply.content.strip():
            return False
        return self._repeats < REPEATS or not reply.reasoning

    def retries_repetition(self) -> bool:
        """After an answer that repeated itself: True where the turn tries again, with another
        sampling in the next request."""
        self._repeats += 1
        self._other_sampling = self._repeats <= REPEATS
        return self._other_sampling

    def after_calls(self, reply: Reply, outcomes: list[Outcome]) -> None:
        """Have an invalid call made again under the server's own constraint, in the next request.

        Only where all calls of the answer are invalid ones of one tool: beside a valid call the
        model has its result to think about, and a constraint would force it back; two tools cannot
        be named at once. A tool's call that is invalid under the constraint too gets no other one
        until a call of that tool was valid.
        """
        names = {outcome.name for outcome in outcomes}
        wrong = {outcome.name for outcome in outcomes if is_invalid(outcome)}
        self._constrained -= names - wrong
        if len(names) != 1 or not all(map(is_invalid, outcomes)):
            return
        if reply.finish != "length" and not wrong <= self._constrained:
            self._constrained |= wrong
            self._choice = wrong.pop()

    def adapted(self, request: Request) -> Request:
        """The next request with what it is to differ in; the one after that does not."""
        if self._choice is not None:
            request, self._choice = replace(request, tool_choice=self._choice), None
        if self._other_sampling:
            request, self._other_sampling = resampled(request), False
        return request

    def remarks(self, reply: Reply, sent: int, room: int) -> list[Notice]:
        """What had to be mended in an answer, each kind once a turn. sent: tokens of the request,
        room: of the answer, both as we know them."""
        notices = []
        for code in wire_codes(reply):
            if code in self._told:
                continue
            self._told.add(code)
            kind, _, field = code.partition(":")
            if kind == "prompt_truncated":
                level, need = "warn", window_for(sent + room)
                params = {"prompt": reply.count.prompt, "sent": sent, "need": need}
            else:
                level, params = "info", {"field": field} if field else {}
            notices.append(Notice(level, f"notice.wire.{kind}", params))
        return notices


def wire_codes(reply: Reply) -> list[str]:
    """The warnings of an answer that people are told and the log keeps."""
    return [code for code in reply.warnings if code != UNTOLD]


def is_invalid(outcome: Outcome) -> bool:
    """True for a call whose arguments could not be understood or do not fit the schema."""
    return outcome.kind == "mistake" and str(outcome.fingerprint).startswith("tool.args.")


def resampled(request: Request) -> Request:
    """The request with a sampling that is less likely to run into the same repetition."""
    sampling = request.sampling
    was = USUAL if request.temperature is None else request.temperature
    penalty = max(PENALTY, sampling.frequency_penalty or 0)
    seed = None if sampling.seed is None else sampling.seed + 1
    return replace(
        request, temperature=max(was, min(round(was + WARMER, 3), WARMEST)),
        sampling=replace(sampling, frequency_penalty=penalty, seed=seed),
    )


def window_for(tokens: int) -> int:
    """The next usual size of a context window that holds so many tokens."""
    size = 4096
    while size < tokens:
        size *= 2
    return size

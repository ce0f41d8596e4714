"""A provider that waits and tries again: the only place of retries within one model call.

The same request is sent again, byte for byte, and never after text was shown: what breaks then is
raised at once. A field that the server rejects is left out for good.

    loads its model             waited for, IDLE_TIMEOUT at most
    too many requests           three times, after Retry-After (five minutes at most) or 1, 2, 4 s
    broken, fault of a server   three times, after 1, 2, 4 s
    nothing, or unreadable      once
    died (had answered before)  waited for, ten minutes or IDLE_TIMEOUT at most
    anything else               not at all

Not covered: how it is waited (`ai/patience.py`); going on with an answer that broke after text
(`loop/recovery.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING

from clinkai.ai.patience import Patience, Times
from clinkai.ai.provider import (
    ArgsPart, Before, Provider, Reply, Request, RestartPart, TextPart, ThinkPart,
)
from clinkai.core.errors import (
    BadResponse, ContextOverflow, ModelServerError, RateLimited, ServerLoading, StreamBroken,
    Unreachable,
)
from clinkai.core.value import Value, replace

if TYPE_CHECKING:
    from clinkai.core.cancel import Cancel

SMALLEST = 256
"""Tokens: no window is smaller; vLLM 0.15 reports one of 3 where the answer has no room."""


class Steady(Before):
    """`provider`, waited for and asked again.

    answered: True once the server answered anything; one that never did is not waited for.
    """

    def __init__(self, provider: Provider, times: Times = Times()) -> None:
        super().__init__(provider)
        self.answered = False
        self._times = times
        self._model = ""
        self._limit: int | None = None

    @property
    def known_window(self) -> int | None:
        """What an overflow of the model in use said, else what `window` found."""
        return self._limit or self.provider.known_window

    def window(self, cancel: Cancel) -> int | None:
        """The context window that the server really has, or None."""
        if self._limit:
            return self._limit
        found = self.provider.window(cancel)
        self.answered = self.answered or found is not None
        return found

    def stream(self, request: Request, cancel: Cancel) -> Iterator[Value]:
        """Send `request`, and again where that helps; yield its parts, the Reply last, and
        WaitPart and RestartPart in between. Raises as the provider does."""
        if request.model != self._model:
            self._model, self._limit = request.model, None
        tries = _Tries(request, Patience(self.transport, self._times))
        while True:
            said = shown = False
            try:
                for part in self.provider.stream(request, cancel):
                    kind = type(part)
                    if kind is TextPart:
                        said = True
                    elif kind is ThinkPart or kind is ArgsPart:
                        shown = True
                    elif kind is Reply and tries.dropped:
                        codes = map(_dropped, tries.dropped)
                        part = replace(part, warnings=(*part.warnings, *codes))
                    self.answered = True
                    yield part
                return
            except ModelServerError as error:
                problem = error
            self._learn(problem)
            if said:
                raise problem
            if shown:
                tries.patience.since = None
            waiting = self._remedy(problem, tries, cancel)
            if shown:
                yield RestartPart(problem.key, problem.params)
            yield from waiting

    def _learn(self, problem: ModelServerError) -> None:
        """Keep what an error says about the server."""
        if problem.status or isinstance(problem, (BadResponse, StreamBroken)):
            self.answered = True
        if isinstance(problem, ContextOverflow):
            limit = problem.params["limit"]
            self._limit = limit if limit and limit >= SMALLEST else self._limit

    def _remedy(self, problem: ModelServerError, tries: _Tries, cancel: Cancel) -> Iterator[Value]:
        """What is to be waited for before the request is sent again. Raises `problem` where that
        would not help."""
        if tries.patience.over:
            raise _given_up(problem, tries)
        if isinstance(problem, ServerLoading):
            return tries.patience.until_up("loading", cancel)
        if self._drops_field(problem, tries):
            return iter(())
        if isinstance(problem, RateLimited):
            return self._after_rate(problem, tries, cancel)
        gone = isinstance(problem, Unreachable) and self.answered
        if gone or (_is_cut(problem) and tries.patience.health(cancel) in ("down", "loading")):
            tries.next(problem, self._times.back_off)
            return tries.patience.until_up("down", cancel)
        if _is_once(problem):
            tries.first(problem)
            return iter(())
        if _is_passing(problem):
            return tries.patience.pause("retry", tries.next(problem, self._times.back_off), cancel)
        raise problem

    def _drops_field(self, problem: ModelServerError, tries: _Tries) -> bool:
        """True where the error rejects a field, which is dropped now."""
        from clinkai.ai.learned import rejected_field

        fields = tries.fields()
        while field := rejected_field(problem, fields):
            fields.remove(field)
            if self.provider.drop(field):
                tries.dropped.append(field)
                return True
        return False

    def _after_rate(self, problem: RateLimited, tries: _Tries, cancel: Cancel) -> Iterator[Value]:
        wanted = problem.params["retry_after_s"]
        if wanted is not None and wanted > self._times.longest:
            from clinkai.core.text import duration

            long = RateLimited("error.rate.long", **problem.params, wait=duration(wanted * 1000))
            long.count, long.status = problem.count, problem.status
            raise long from None
        usual = tries.next(problem, self._times.back_off)
        return tries.patience.pause("rate", wanted or usual, cancel)

class _Tries:
    """What was tried in one model call. dropped: fields that were found to be rejected; patience:
    how long it was waited for."""

    def __init__(self, request: Request, patience: Patience) -> None:
        self._request = request
        self.patience = patience
        self._fields: list[str] | None = None
        self.dropped: list[str] = []
        self._count = 0
        self._once: set[str] = set()

    def fields(self) -> list[str]:
        """The fields that may yet be found to be rejected; may be changed."""
        from clinkai.ai.learned import OPTIONAL

        if self._fields is None:
            self._fields = [*OPTIONAL, *(name for name, _ in self._request.sampling.extra)]
        return self._fields

    def next(self, problem: ModelServerError, back_off: tuple) -> float:
        """Count a retry and return the seconds before it. Raises `problem` after the last one."""
        if self._count >= len(back_off):
            raise problem
        self._count += 1
        return back_off[self._count - 1]

    def first(self, problem: ModelServerError) -> None:
        """Count a retry of what is tried again once. Raises `problem` after that one."""
        if problem.key in self._once:
            raise problem
        self._once.add(problem.key)


def _dropped(field: str) -> str:
    """The code of the warning that a field is left out from now on."""
    from clinkai.ai.learned import FOLD

    return "folded" if field == FOLD else f"field_rejected:{field}"


def _given_up(problem: ModelServerError, tries: _Tries) -> ModelServerError:
    """What is raised for `problem` after the server was waited for in vain."""
    if not isinstance(problem, Unreachable):
        return problem
    from clinkai.core.text import duration

    waited = monotonic() - tries.patience.since
    return Unreachable("error.unreachable.gone", wait=duration(1000 * waited))


def _is_cut(problem: ModelServerError) -> bool:
    """True for ends of an answer at which the server may have died."""
    from clinkai.ai.servers import LOST

    return problem.key in LOST


def _is_once(problem: ModelServerError) -> bool:
    """True for answers that another sampling may make better."""
    from clinkai.ai.failures import UNREADABLE

    if problem.key == "error.bad_response.nothing":
        return True
    words = str(problem.params.get("message", "")).lower()
    return isinstance(problem, StreamBroken) and bool(re.search(UNREADABLE, words))


def _is_passing(problem: ModelServerError) -> bool:
    """True for faults that may be over in a moment."""
    if problem.lasting:
        return False
    return isinstance(problem, StreamBroken) or (
        isinstance(problem, BadResponse) and problem.status in (500, 502, 503, 504))

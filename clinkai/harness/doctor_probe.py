"""The doctor's way to the model server: requests that all end when the time is up."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from clinkai.ai.provider import PrefillPart, Provider, Reply, Request, RestartPart, WaitPart
from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.errors import Cancelled, ClinkError, ServerLoading, ServerTimeout
from clinkai.core.value import Value
from clinkai.harness import providers
from clinkai.harness.doctor import FAIL, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clinkai.ai.transport import Transport

OWN_WORDS = {"error.hint.server": "doctor.hint.server",
             "error.hint.unreachable": "doctor.hint.unreachable"}
"""Hints that name `doctor`, and what stands for them here."""


TOLD = ("field_rejected", "field_unheeded", "folded")
"""Warnings that a run would give once, of which the doctor may be the first to know."""

NO_WORD = (PrefillPart, RestartPart, WaitPart)
"""Parts that are no word of an answer."""


class Answered(Value):
    """A reply, and what it took: seconds to its first word and in all."""

    reply: Reply
    first: float
    seconds: float


class Probe:
    """The server that `settings` name. until: time.monotonic() at which all must be over.

    model, kind: which model is asked and which server it is, once known (`doctor_server`);
    thought: the model did, in some answer.
    """

    def __init__(self, settings: object, say: Strings, until: float) -> None:
        self.settings = settings
        self.say = say
        self.until = until
        self.cancel = Cancel()
        self.model = ""
        self.kind = ""
        self.thought = False
        self._client: Provider | None = None
        self._remarks: list[str] = []

    @contextmanager
    def alarm(self) -> Iterator[None]:
        """Cancel what is under way when the time is up."""
        timer = threading.Timer(self.left(), self.cancel.set)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def left(self) -> float:
        """Seconds left; never quite nothing, which would mean no limit at all."""
        return max(0.05, self.until - time.monotonic())

    def transport(self, seconds: float) -> Transport:
        """A way to the server that bears at most so much silence. Raises UsageError."""
        return providers.transport(self.settings).within(min(seconds, self.left()))

    def ask(self, messages: tuple, max_tokens: int, tools: tuple = (),
            spare: float = 0.0) -> Answered:
        """Have the conversation answered, with `spare` seconds left for what comes after.
        Raises members of the error tree."""
        request = Request(self.model, self.say("doctor.ask.system"), tools, messages, max_tokens,
                          self.settings.temperature,
                          sampling=self.settings.sampling)
        with self._cancel_within(self.left() - spare) as cancel:
            client = self.client(cancel)
            start = time.monotonic()
            first = None
            for part in client.stream(request, cancel):
                if isinstance(part, WaitPart) and part.why == "loading":
                    raise ServerLoading("error.loading", message="")
                if isinstance(part, NO_WORD):
                    continue
                passed = time.monotonic() - start
                first = passed if first is None else first
                if isinstance(part, Reply):
                    self._remark(part.warnings)
                    self.thought = self.thought or bool(part.reasoning)
                    return Answered(part, first, passed)
        raise TypeError("the client ended without a reply")

    def client(self, cancel: Cancel) -> Provider:
        """The client that a run would have: of the kind that suits the server, and without the
        fields that it rejects. Raises UsageError, Cancelled."""
        if self._client is None:
            settings = self.settings.changed(model=self.model)
            self._client = providers.make(settings, self.say, tries=False)
        self._client.ready(cancel)
        return self._client

    def _remark(self, warnings: tuple[str, ...]) -> None:
        """Keep, for the next finding, what was learned of the server."""
        for code in warnings:
            kind, _, field = code.partition(":")
            if kind in TOLD:
                params = {"field": field} if field else {}
                self._remarks.append(self.say(f"notice.wire.{kind}", **params))

    @contextmanager
    def _cancel_within(self, seconds: float) -> Iterator[Cancel]:
        """A canceller of one request: set after so many seconds, or when all must be over."""
        cancel = Cancel()
        timer = threading.Timer(max(0.05, seconds), cancel.set)
        timer.daemon = True
        timer.start()
        try:
            with self.cancel.watch(cancel.set):
                yield cancel
        finally:
            timer.cancel()

    def finding(self, id: str, status: str, key: str, **params: object) -> Finding:
        """A finding in words: those of `key`, and of `key.hint` where the catalogue has it; with
        what was learned on the way."""
        hint = self.say(key + ".hint", **params) if key + ".hint" in self.say else ""
        detail = " · ".join((self.say(key, **params), *self._remarks))
        self._remarks.clear()
        return Finding(id, status, detail, hint)

    def failed(self, id: str, error: ClinkError, seconds: float) -> Finding:
        """The finding of a check that an error ended after `seconds`."""
        if isinstance(error, ServerLoading):
            return self.finding(id, FAIL, "doctor.server.loading", url=self.settings.base_url)
        if isinstance(error, Cancelled | ServerTimeout):
            return self.finding(id, FAIL, f"doctor.{id}.silent", seconds=f"{seconds:.0f}")
        return Finding(id, FAIL, error.text(self.say), advice(error, self.say))


def advice(error: ClinkError, say: Strings) -> str:
    """What to do about `error`, without sending people to the doctor they are at."""
    own = OWN_WORDS.get(error.hint)
    return say(own) if own and error.key + ".hint" not in say else error.advice(say)

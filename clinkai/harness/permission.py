"""The gate of a session: policy first, then a person where one can be asked.

The only place where a question is opened and answered: the terminal, the browser and an editor all
answer through `answer`, and the first valid answer wins. A yes is for what was shown and for the
places that were judged: whoever runs the call gets both and compares (`tools/paths.usable`,
`tools/change.make`, `tools/bash.run`).
"""

from __future__ import annotations

import hashlib
import json
import shlex
import threading
from collections.abc import Callable

from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.errors import Cancelled
from clinkai.core.events import ApprovalDone, ApprovalOpen, Event
from clinkai.core.value import Value, replace
from clinkai.harness.policy import Policy, decide
from clinkai.loop.gate import Allow, Ask, Decision, Deny, Gate, Settled
from clinkai.loop.tool import Prepared

VERDICTS = ("once", "session", "prefix", "deny")


class Answer(Value):
    """What a person said to one question."""

    decision: str
    by: str
    note: str = ""
    command: str | None = None


class _Pending:
    def __init__(self, opened: ApprovalOpen) -> None:
        self.opened = opened
        self.ready = threading.Event()
        self.answer: Answer | None = None


class SessionGate(Gate):
    """policy: as of now, grants included. asks: somebody can be asked. keep: records a grant."""

    def __init__(self, policy: Policy, say: Strings, cwd: str, *, asks: bool,
                 keep: Callable[[dict], None]) -> None:
        self.policy = policy
        self.asks = asks
        self._say = say
        self._cwd = cwd
        self._keep = keep
        self._lock = threading.Lock()
        self._pending: dict[str, _Pending] = {}
        self._count = 0

    def switch(self, mode: str, confined: bool) -> None:
        """Have another mode from the next decision on."""
        with self._lock:
            self.policy = replace(self.policy, mode=mode, confined=confined)

    def decide(self, call: Prepared) -> Decision:
        return decide(call.effects, self.policy)

    def settle(self, call: Prepared, verdict: Decision, emit: Callable[[Event], None],
               cancel: Cancel) -> Settled:
        match verdict:
            case Allow(granted=granted):
                return Settled(granted or "allow")
            case Deny():
                return Settled("deny", self._refusal("gate.refused", verdict))
        if not self.asks:
            return Settled("deny", self._refusal("gate.nobody", verdict))
        opened = self._question(call, verdict)
        answer = self._ask(opened, emit, cancel)
        settled = self._settled(verdict, answer)
        return replace(settled, shown=opened.diff or "")

    def more_rounds(self, cap: int, emit: Callable[[Event], None], cancel: Cancel) -> bool:
        if not self.asks:
            return False
        title = self._say("gate.more_rounds", n=cap)
        answer = self._ask(self._open(kind="rounds", title=title), emit, cancel)
        return answer.decision != "deny"

    def pending(self) -> list[ApprovalOpen]:
        """The questions that wait for an answer, oldest first."""
        with self._lock:
            return [waiting.opened for waiting in self._pending.values()]

    def answer(self, aid: str, answer: Answer, digest: str) -> bool:
        """Answer a question; True where this answer won. False where it was answered before, is
        not open, or `digest` is of something else than what is shown. Raises ValueError for an
        unknown verdict."""
        if answer.decision not in VERDICTS:
            raise ValueError(f"no such verdict: {answer.decision}")
        with self._lock:
            waiting = self._pending.get(aid)
            if waiting is None or waiting.opened.digest != digest:
                return False
            del self._pending[aid]
            waiting.answer = answer
        waiting.ready.set()
        return True

    def _ask(self, opened: ApprovalOpen, emit: Callable[[Event], None], cancel: Cancel) -> Answer:
        waiting = _Pending(opened)
        with self._lock:
            self._pending[opened.aid] = waiting
        try:
            emit(opened)
            with cancel.watch(waiting.ready.set):
                waiting.ready.wait()
        finally:
            with self._lock:
                self._pending.pop(opened.aid, None)
                answer = waiting.answer
        if answer is None:
            emit(ApprovalDone(opened.aid, "deny", "", "cancelled"))
            raise Cancelled
        emit(ApprovalDone(opened.aid, answer.decision, answer.by, answer.note))
        return answer

    def _question(self, call: Prepared, verdict: Ask) -> ApprovalOpen:
        arguments = call.args.__dict__
        reason = self._say(verdict.key, **verdict.params or {})
        return self._open(
            kind=call.tool.name, call=call.call.id, title=reason, command=arguments.get("command"),
            path=arguments.get("path"), diff=call.preview(), risk=verdict.risk,
            rule=shlex.join(verdict.rule) if verdict.rule else None,
        )

    def _open(self, **shown: object) -> ApprovalOpen:
        self._count += 1
        shown = {"call": "", "command": None, "path": None, "diff": None, "risk": "low",
                 "rule": None, "cwd": self._cwd, **shown}
        digest = hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()
        return ApprovalOpen(aid=f"q{self._count}", digest=digest, **shown)

    def _settled(self, verdict: Ask, answer: Answer) -> Settled:
        decision = answer.decision
        if decision == "deny":
            return Settled("deny", self._refusal("gate.denied", verdict, answer.note))
        grant = None
        if answer.command is None:  # what was put in its place was not what the grant is about
            grant = self._grant(verdict, decision)
        if grant is None:
            return Settled("once", command=answer.command)
        self._keep(grant)
        with self._lock:
            self.policy = replace(self.policy, grants=(*self.policy.grants, grant))
        return Settled(decision, command=answer.command)

    def _grant(self, verdict: Ask, decision: str) -> dict | None:
        if decision == "session":
            return verdict.grant
        if decision == "prefix" and verdict.rule:
            return {"kind": "prefix", "rule": list(verdict.rule)}
        return None

    def _refusal(self, key: str, verdict: Decision, note: str = "") -> str:
        reason = self._say(verdict.key, **verdict.params or {})
        words = self._say(key, reason=reason)
        return f"{words} {self._say('gate.note', note=note)}" if note else words

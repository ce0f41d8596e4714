"""Permission as values. Deciding is pure (`harness/policy.py`); asking happens in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clinkai.core.value import Value

if TYPE_CHECKING:
    from clinkai.core.cancel import Cancel
    from clinkai.core.events import Event
    from clinkai.loop.tool import Prepared


class Decision(Value):
    """Base of the three verdicts; the highest rank over all effects of a call wins.

    key, params: the reason, from the catalogue; it names the word that caused the decision.
    """

    rank = 0
    name = ""
    key: str = ""
    params: dict | None = None
    risk: str = "low"


class Allow(Decision):
    """Runs without a question. granted: `session` or `prefix` where a person said so before."""

    name = "allow"
    granted: str = ""


class Ask(Decision):
    """A person is asked; with nobody to ask it is a refusal.

    grant: what `session` would record (None: it may not be kept); rule: what `prefix` would allow,
    as shown to the person (None: not offered).
    """

    rank = 1
    name = "ask"
    grant: dict | None = None
    rule: tuple | None = None


class Deny(Decision):
    """Does not run, whoever is asked."""

    rank = 2
    name = "deny"


class Settled(Value):
    """The outcome for one call. decision: allow, once, session, prefix or deny.

    reason: for the model, in its language, where it is denied. command: what a person put in place
    of the command that was asked for. shown: the diff that a person said yes to, empty where there
    was none to be shown; None where nobody was asked.
    """

    decision: str
    reason: str = ""
    command: str | None = None
    shown: str | None = None

    @property
    def allowed(self) -> bool:
        """True where the call may run."""
        return self.decision != "deny"


class Gate:
    """Protocol: decides a prepared call, asking a person where that is possible."""

    def decide(self, call: Prepared) -> Decision:
        """The verdict of the policy on a call; asks nobody."""
        raise NotImplementedError

    def settle(self, call: Prepared, verdict: Decision, emit: Callable[[Event], None],
               cancel: Cancel) -> Settled:
        """Return what may happen. Emits approval.open and approval.done where a person is asked.
        Raises Cancelled when cancelled while waiting."""
        raise NotImplementedError

    def more_rounds(self, cap: int, emit: Callable[[Event], None], cancel: Cancel) -> bool:
        """After `cap` rounds: True where a person wants as many again. False with nobody to ask."""
        return False

"""When a turn that leads nowhere is stopped. Pure bookkeeping; `turn.py` acts on the answer.

Sources of the numbers: the harness this product grows from (three failures, three repeats).
"""

from __future__ import annotations

from clinkai.core.value import Value

FAILURES_IN_A_ROW = 3
EQUAL_ROUNDS = 3
CONTINUATIONS = 2
"""How often an answer cut by the token limit is continued; a round with whole calls counts anew."""
THOUGHTS = 1
"""How often a model that only thought is asked for its answer; counted in the same way."""


class Trip(Value):
    """Why a turn stops: a catalogue key and its parameters."""

    key: str
    params: dict


class Outcome(Value):
    """One finished call. kind: ok, failure, denied or mistake (arguments, unknown tool)."""

    name: str
    arguments: str
    kind: str
    fingerprint: object


class Breakers:
    """Looks at the outcomes of each round and says when to stop."""

    def __init__(self) -> None:
        self._failures: dict[str, int] = {}
        self._rounds: list[set[tuple]] = []

    def after_round(self, outcomes: list[Outcome]) -> Trip | None:
        """The reason to stop after a round of calls, or None. Denials and mistakes in arguments
        are no failures: the model is told and may try again."""
        for outcome in outcomes:
            if outcome.kind == "ok":
                self._failures.pop(outcome.name, None)
            elif outcome.kind == "failure":
                count = self._failures[outcome.name] = self._failures.get(outcome.name, 0) + 1
                if count >= FAILURES_IN_A_ROW:
                    return Trip("notice.breaker.failures", {"tool": outcome.name, "n": count})
        self._rounds.append({(o.name, o.arguments, o.kind, o.fingerprint) for o in outcomes})
        recent = self._rounds[-EQUAL_ROUNDS:]
        if len(recent) == EQUAL_ROUNDS:
            same = set.intersection(*recent)
            if same:
                name = min(entry[0] for entry in same)
                return Trip("notice.breaker.repeat", {"tool": name, "n": EQUAL_ROUNDS})
        return None

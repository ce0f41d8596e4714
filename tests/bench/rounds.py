"""What the harness adds to a round: last byte of an answer to first byte of the next request."""

from __future__ import annotations

import drive

ROUNDS, REPEATS = 20, 5
LONG = 1_000
RAISED = {"CTX_BUDGET": 100_000_000, "MAX_ROUNDS": 100_000}


def measure() -> list[str]:
    """The rows: against the yardstick without and with fsync, and growth over a long session."""
    rows = []
    for what, where, goal in (("a round, log in memory", drive.MEMORY, 2.5),
                              ("a round, log on disk (fsync)", drive.disk(), 4.0)):
        own, other = [], []
        for _ in range(REPEATS):
            own.append(played(where, own=True))
            other.append(played(where, own=False))
        rows.append(drive.row(what, typical(own), typical(other), "ms", goal))
    long = played(drive.MEMORY, own=True, rounds=LONG)
    early, late = drive.middle(long[5:15]), drive.middle(long[-10:])
    rows.append(drive.row(f"round {LONG:,} against round 10", late, early, "ms", 3.0))
    return rows


def typical(sessions: list[list[float]]) -> float:
    """A round of all: halfway between a reading and a writing one. One median over both would lie
    in the gap between the slowest of the one and the fastest of the other, wherever that is."""
    kinds = [[ms for session in sessions for ms in session[kind::2]] for kind in (0, 1)]
    return sum(map(drive.middle, kinds)) / 2


def played(where: str, *, own: bool, rounds: int = ROUNDS) -> list[float]:
    """The overheads of one session, in milliseconds."""
    with drive.place(where) as top:
        drive.fill(top, rounds)
        with drive.Fake(kind="rounds", rounds=rounds) as fake:
            job = drive.product(fake.url, top, **RAISED) if own else drive.yardstick(fake.url, top)
            drive.run(job)
    found = fake.overheads()
    if len(found) != rounds:
        raise RuntimeError(f"{len(found)} rounds were played, not {rounds}")
    return found

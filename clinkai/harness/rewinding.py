"""Going back in a running session, and forking it: what besides the log has to follow.

    agent.rewind(to)                     go on after record `to`; nothing in the log is rewritten
    agent.rewind(to, files="restore")    and undo first what the turns that are left did to files

What the model has read of files counts again as it was at the point; what was granted since is to
be asked for again; the mode stays. To edit a message and send it again is to go back before it.
Not covered: a single file of a turn; the part of a turn that the point lies in.
"""

from __future__ import annotations

from collections.abc import Callable

from clinkai.core.branches import live
from clinkai.core.errors import SessionError, UsageError
from clinkai.core.events import Event, Notice
from clinkai.core.value import replace
from clinkai.harness import fork as forks
from clinkai.harness import opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clinkai.harness.agent import Agent

FILES = ("keep", "restore")


def rewind(agent: Agent, to: int, files: str, emit: Callable[[Event], None]) -> tuple:
    """Have the session of an agent at rest go on after record `to`. files: keep, or restore: undo
    what the turns from there to the newest did. Returns what became of these, `undo.Report` each.
    Raises UsageError, SessionError for no such record and the disk."""
    session = agent.session
    reports = _restored(agent, to, files)
    session.rewind(to, agent.mode)
    state = session.state
    agent.toolbox.left(state)
    kept = state.grants if opening.keeps_grants(session, agent.workspace) else ()
    agent.gate.policy = replace(agent.gate.policy, grants=kept)
    emit(Notice("info", "notice.rewound", {"to": to}))
    if any(message.images for message in state.messages):
        from clinkai.harness import images

        for notice in images.give_up(session, agent.settings.vision, agent.say):
            emit(notice)
    return reports


def fork(agent: Agent, at: int | None, files: str) -> forks.Fork:
    """The fork, of record `at` or of all, of the session of an agent at rest. files: as above.
    Raises UsageError, SessionError."""
    if at is None and agent.session:
        at = agent.session.state.last_seq
    _restored(agent, at, files)
    return forks.fork(agent.session.path, agent.sessions, at, agent.mode)


def _restored(agent: Agent, to: int | None, files: str) -> tuple:
    """What became of the turns after record `to`; it is checked that there is such a record."""
    session = agent.session
    if session is None:
        raise UsageError("error.rewind.nothing")
    if files not in FILES:
        raise UsageError("error.rewind.files", files=files[:40])
    if not 0 < to <= session.state.last_seq:
        raise SessionError("error.session.point", path=session.path, seq=to)
    return tuple(_undone(agent, to)) if files == "restore" else ()


def _undone(agent: Agent, to: int):
    """Undo the turns after record `to`, the newest first. This stands in the branch that is left:
    in the other one the model has nothing to be told of."""
    from clinkai.harness.undo import undo

    records = agent.toolbox.records()
    ours = {record["seq"] for record in live(records)}
    turns = [record["seq"] for record in records
             if record["type"] == "user" and not record.get("auto")]
    for number, seq in reversed(list(enumerate(turns, 1))):
        if seq > to and seq in ours:
            try:
                yield undo(agent.session, agent.workspace, number)
            except UsageError:
                pass  # it changed no file, or all of it is undone

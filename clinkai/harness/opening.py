"""What a session begins with: its folder, its system prompt and its tools."""

from __future__ import annotations

import os

from clinkai.core.catalogue import Strings
from clinkai.core.errors import WorkspaceError
from clinkai.core.events import Notice
from clinkai.harness import home, prefix
from clinkai.harness.session import Session
from clinkai.harness.sessions import Sessions
from clinkai.harness.settings import Settings
from clinkai.harness.store import Store
from clinkai.harness.toolbox import SessionToolbox, ToolContext
from clinkai.harness.tools import TOOLS
from clinkai.harness.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clinkai.harness.agent import Agent, Start


def resumed(start: Start, sessions: Sessions) -> Session:
    """The session that `start` goes on with. Raises SessionError."""
    here = os.path.realpath(start.workspace or os.getcwd())
    return Session.open(sessions.find(start.resume, here))


def workspace_of(wanted: str | None, session: Session | None,
                 settings: Settings) -> tuple[Workspace, list[Notice]]:
    """The folder `wanted`, else the session's own, else the current one; and what is to be said
    where the session goes on in another than its own. Raises WorkspaceError."""
    kept = session.state.workspace if session else ""
    path = os.path.realpath(wanted or kept or os.getcwd())
    if not os.path.isdir(path):
        key = "error.workspace.file" if os.path.exists(path) else "error.workspace.missing"
        raise WorkspaceError(key, path=path)
    if not os.access(path, os.R_OK | os.X_OK):
        raise WorkspaceError("error.workspace.unreadable", path=path)
    private = home.private(settings.home, settings.sessions)
    if session:  # it may lie anywhere, also in the workspace
        private += [session.path, Store(session).folder]
    elsewhere = {"was": kept, "now": path}
    moved = [Notice("warn", "notice.workspace", elsewhere)] if kept and path != kept else []
    return Workspace(path, private, settings.secrets_ok), moved


def frozen(workspace: Workspace, settings: Settings, say: Strings) -> tuple[prefix.Prefix, tuple]:
    """The prefix and the tool schemas of a new session. Raises UsageError, WorkspaceError."""
    chosen = tuple(tool for tool in TOOLS if tool.name in settings.tools)
    return (prefix.build(workspace, say, settings.system_prompt),
            SessionToolbox(chosen, None, say).schemas())


def toolbox(agent: Agent) -> SessionToolbox:
    """The tools that the session of `agent` has had from its first request on."""
    session, settings = agent.session, agent.settings

    def window() -> int | None:
        known, allowed = agent.provider.known_window, settings.ctx_budget
        return allowed if known is None else min(known, allowed)

    names = {schema["function"]["name"] for schema in session.state.tools}
    context = ToolContext(agent.workspace, agent.say, Store(session), agent.seen,
                          settings.tool_out_limit, settings.compound)
    tools = tuple(tool for tool in TOOLS if tool.name in names)
    noted = (path for path, _ in session.state.noted)
    return SessionToolbox(tools, context, agent.say, noted, window)


def log_is_inside(session: Session, workspace: Workspace) -> bool:
    """A log in the workspace is untrusted input: no grants are taken from it."""
    place = workspace.place(os.path.realpath(session.path))
    return place.zone == "bad" or not os.path.isabs(place.rel)


def keeps_grants(session: Session, workspace: Workspace) -> bool:
    """True where the log keeps what a person grants: it was granted for its own workspace."""
    own = session.state.workspace == workspace.path
    return own and not log_is_inside(session, workspace)

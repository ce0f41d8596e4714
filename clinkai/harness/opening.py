"""What a session begins with: its folder, its system prompt and its tools."""

from __future__ import annotations

import os

from clinkai.core.catalogue import Strings
from clinkai.core.errors import WorkspaceError
from clinkai.core.events import Notice
from clinkai.harness import prefix
from clinkai.harness.session import Session
from clinkai.harness.settings import Settings
from clinkai.harness.store import Store
from clinkai.harness.toolbox import SessionToolbox
from clinkai.harness.tools import TOOLS
from clinkai.harness.workspace import Workspace


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
    private = [settings.home, settings.sessions]
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

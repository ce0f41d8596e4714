"""First contact with a folder: what a person should know before an agent works in it."""

from __future__ import annotations

import os
from collections.abc import Callable

from clinkai.core.errors import WorkspaceError


def folder(wanted: str | None) -> str:
    """The real path of the workspace that is wanted, by default the current folder.
    Raises WorkspaceError where it is no folder that can be read."""
    try:
        path = os.path.realpath(os.getcwd() if wanted is None else wanted)
    except FileNotFoundError:
        raise WorkspaceError("cli.workspace.gone") from None
    if wanted == "" or not os.path.isdir(path):
        is_file = wanted != "" and os.path.exists(path)
        key = "error.workspace.file" if is_file else "error.workspace.missing"
        raise WorkspaceError(key, path=path if wanted else '""')
    if not os.access(path, os.R_OK | os.X_OK):
        raise WorkspaceError("error.workspace.unreadable", path=path)
    return path


def risk_of(workspace: str, user_home: str, clinkai_home: str) -> str:
    """Why working in this folder is risky, as a catalogue key; empty where it is not.

    All paths are real ones.
    """
    parent = workspace.rstrip(os.sep) + os.sep
    if parent == os.path.splitdrive(workspace)[0] + os.sep:
        return "cli.workspace.root"
    if user_home and os.path.normcase(workspace) == os.path.normcase(user_home):
        return "cli.workspace.home"
    if os.path.normcase(clinkai_home + os.sep).startswith(os.path.normcase(parent)):
        return "cli.workspace.clinkai"
    return ""


def check(workspace: str, user_home: str, clinkai_home: str,
          confirm: Callable[[str], bool] | None) -> None:
    """Raise WorkspaceError for a risky workspace that nobody confirms.

    confirm: shows the reason (a catalogue key) and lets a person say yes; None where there is none.
    """
    home = os.path.realpath(user_home) if user_home else ""
    risk = risk_of(os.path.realpath(workspace), home, os.path.realpath(clinkai_home))
    if risk and not (confirm and confirm(risk)):
        raise WorkspaceError(risk, path=workspace)

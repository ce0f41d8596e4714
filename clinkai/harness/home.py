"""CLINKAI_HOME: the folder of all that is written outside the workspace.

`locate` finds it and touches nothing; `prepare` creates it, for the commands that write.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from clinkai.core.errors import MachineError

FOLDER = ".clinkai"
MODE = 0o700


def user_home(environ: Mapping[str, str]) -> str:
    """The home folder of the user, or an empty string where there is none."""
    names = ("USERPROFILE",) if os.name == "nt" else ("HOME",)
    for name in names:
        if environ.get(name):
            return environ[name]
    if os.name == "nt":
        return environ.get("HOMEDRIVE", "") + environ.get("HOMEPATH", "")
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def expand(path: str, environ: Mapping[str, str]) -> str:
    """`path` made absolute, with `~` for the user's home folder; an empty one stays empty.
    Raises MachineError where the home folder is needed and unknown."""
    if path == "~" or path.startswith(("~/", "~" + os.sep)):
        folder = user_home(environ)
        if not folder:
            raise MachineError("setting.error.home_unknown")
        path = os.path.join(folder, path[2:])
    return absolute(path) if path else ""


def absolute(path: str) -> str:
    """`path` from the current folder. Raises MachineError where that does not exist any more."""
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        raise MachineError("error.cwd", path=path) from None


def locate(environ: Mapping[str, str]) -> str:
    """The absolute path of CLINKAI_HOME (default `~/.clinkai`). Raises MachineError."""
    return expand(environ.get("CLINKAI_HOME") or f"~/{FOLDER}", environ)


def private(path: str, sessions: str) -> list[str]:
    """What tools must not touch: this CLINKAI_HOME, the session folder, and the files of settings
    and rules also where they are links that lead elsewhere, maybe into the workspace."""
    return [path, sessions, *(os.path.join(path, name) for name in ("config.toml", "policy.toml"))]


def prepare(path: str) -> str:
    """Create the folder where it is missing (mode 0700) and return it.
    Raises MachineError where it cannot be created or nothing can be written in it."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            os.mkdir(path, MODE)
        except FileExistsError:
            if not os.path.isdir(path):
                raise
    except OSError as error:
        why = error.strerror or str(error)
        raise MachineError("setting.error.home_create", path=path, why=why) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise MachineError("setting.error.home_readonly", path=path)
    return path

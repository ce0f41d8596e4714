"""What commands get to see: a PATH without the workspace, an environment without keys.

`strict` is for what runs without a question: a short list of variables. `approved` is for what a
person said yes to: their environment without what steers other programs and without keys.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping

KEPT = frozenset(
    "HOME USER LOGNAME LANG LANGUAGE TZ TMPDIR TEMP TMP SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC "
    "PATHEXT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES "
    "PROGRAMFILES(X86) COMMONPROGRAMFILES PROGRAMW6432 NUMBER_OF_PROCESSORS OS "
    "PROCESSOR_ARCHITECTURE PSMODULEPATH".split()
)

STEERING = re.compile(
    r"GIT_.*|CLINKAI_.*|LD_.*|DYLD_.*|BASH_FUNC_.*|PAGER|.*_PAGER|LESS.*|EDITOR|VISUAL|BASH_ENV|ENV|"
    r"SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|IFS|CDPATH|GLOBIGNORE|PYTHONSTARTUP|PERL5OPT|PERL5DB|"
    r"RUBYOPT|NODE_OPTIONS|RIPGREP_CONFIG_PATH|GREP_OPTIONS|SSH_ASKPASS"
)
SECRET = re.compile(
    r".*(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|AUTH_HEADER|WEBHOOK)S?(_.*|)"
    r"|(.*_)?PASS|.+_(PWD|PAT)"
)
"""Names of variables that hold keys."""


def strict(root: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of a command nobody was asked about. root: real path of the workspace."""
    found = {
        name: value for name, value in environ.items()
        if name.upper() in KEPT or name.startswith("LC_")
    }
    found["PATH"] = os.pathsep.join(folders(root, environ))
    found["TERM"] = "dumb"
    return found


def approved(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of a command a person said yes to."""
    found = {
        name: value for name, value in environ.items()
        if not STEERING.fullmatch(name.upper()) and not SECRET.fullmatch(name.upper())
    }
    found["TERM"] = "dumb"
    return found


def folders(root: str, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The folders of PATH, without relative ones and those inside the workspace."""
    found = []
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder) and not _inside(os.path.realpath(folder), root):
            found.append(folder)
    return found


def find(program: str, root: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """The absolute path of a program, never inside the workspace, also not behind a link."""
    suffixes = ("",)
    if os.name == "nt":
        suffixes = tuple(environ.get("PATHEXT", ".COM;.EXE").lower().split(";"))
        suffixes = tuple(s for s in suffixes if s in (".com", ".exe")) or (".exe",)
    for folder in folders(root, environ):
        for suffix in suffixes:
            path = os.path.join(folder, program + suffix)
            real = os.path.realpath(path)
            if os.path.isfile(real) and os.access(real, os.X_OK) and not _inside(real, root):
                return path
    return None


def _inside(path: str, root: str) -> bool:
    if sys.platform in ("win32", "darwin"):
        path, root = path.casefold(), root.casefold()
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)

"""How git runs when nobody was asked: its environment, and a look at the repository first.

A repository delivered with its `.git` folder can name programs in its settings. Most are switched
off here, from above the repository's settings; those that cannot be make the question come back.
`ask_git` is for our own calls.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from clinkai.harness.shell import environment
from clinkai.harness.shell.script import Refused, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clinkai.harness.workspace import Workspace

SETTINGS = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.pager", "cat"),
    ("core.excludesFile", os.devnull),
    ("core.attributesFile", os.devnull),
    ("core.quotePath", "false"),
    ("diff.external", ""),
    ("diff.autoRefreshIndex", "false"),
    ("diff.submodule", "short"),
    ("diff.orderFile", os.devnull),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
    ("log.showSignature", "false"),
    ("log.diffMerges", "separate"),
    ("format.pretty", "medium"),
    ("color.ui", "false"),
    ("gpg.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
    ("safe.bareRepository", "explicit"),
)
"""Settings that win over the repository's own. Source: threat model, section 4; the others stop
programs inside submodules, merge drivers, signature checks by a default format, and files outside
that are read for patterns. `core.quotePath` shows names that are not ASCII as they are."""

PROGRAMS = re.compile(
    r"filter\..+|diff\..+\.(command|textconv)|merge\..+\.driver|gpg\..+|core\.fsmonitor|core\.pager"
    r"|core\.worktree|pager\..+|remote\..+\.(promisor|partialclonefilter)"
    r"|extensions\.partialclone|url\..+",
    re.IGNORECASE | re.DOTALL,
)
"""Keys of a repository's settings that make git start a program, fetch, or look elsewhere."""

SWITCHES = tuple(word for key, value in SETTINGS for word in ("-c", f"{key}={value}"))
"""The settings as options: understood by every version of git, unlike GIT_CONFIG_COUNT."""

VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}
"""The environment only git reads."""

BY_COMMAND = {"blame": r"blame\.ignorerevsfile", "annotate": r"blame\.ignorerevsfile"}
"""Keys that matter to one sub-command: blame prints the first line of that file as an error, and
no option or setting takes the file back."""

LOOSE = re.compile(r"[\\/]objects[\\/][0-9a-f]{2}\Z")
"""Folders of single objects, also those of submodules."""

LIMIT_S = 10
"""Seconds one of our own git calls may take."""


def ask_git(root: str, *args: str) -> str | None:
    """The output of a git command of ours in the folder `root`; None where git is missing or
    refuses. Raises TimeoutError after LIMIT_S seconds."""
    import subprocess

    program = environment.find("git", root)
    if not program:
        return None
    try:
        done = subprocess.run(
            (program, *SWITCHES, *args), cwd=root, env={**environment.strict(root), **VARIABLES},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=LIMIT_S, check=False,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    except OSError:
        return None
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else None


def inspect(ws: Workspace, word: Word, command: str) -> None:
    """Look at the repository git would use in the workspace. command: the sub-command.

    Raises Refused, naming the key, where it lies outside or its settings name programs. Without a
    repository there is nothing to see, and without git nothing will run.
    """
    try:
        where = ask_git(ws.path, "rev-parse", "--absolute-git-dir", "--git-common-dir")
        if where is None:
            return
        for folder in where.splitlines():
            _check_folder(os.path.realpath(os.path.join(ws.path, folder)), ws, word)
        listed = ask_git(ws.path, "config", "--list", "--show-scope", "--name-only", "-z")
    except TimeoutError:
        listed = None
    if listed is None:
        raise Refused("gate.git.settings", word.raw)
    fields = listed.split("\0")
    own = BY_COMMAND.get(command, "")
    for scope, key in zip(fields[::2], fields[1::2]):
        found = PROGRAMS.fullmatch(key) or re.fullmatch(own, key, re.IGNORECASE)
        if scope in ("local", "worktree") and found:
            raise Refused("gate.git.key", word.raw, name=key)


def _check_folder(folder: str, ws: Workspace, word: Word) -> None:
    """Refuse a repository outside, one that is the workspace itself, or that borrows objects."""
    inside = os.path.join(ws.path, "")
    if not folder.startswith(inside):
        raise Refused("gate.git.outside", word.raw, folder=folder)
    if os.path.exists(os.path.join(folder, "objects", "info", "alternates")):
        raise Refused("gate.git.borrows", word.raw)
    for path in (*(os.path.join(folder, name) for name in ("objects", "refs", "config")),
                 *_links(folder)):
        if not os.path.realpath(path).startswith(inside):
            raise Refused("gate.git.outside", word.raw, folder=path)


def _links(folder: str) -> Iterator[str]:
    """The links in a repository's folder: of most files git prints what it does not understand.
    Without hooks, which do not run, and the single objects, whose names nobody knows."""
    left, hooks = [folder], os.path.join(folder, "hooks")
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    if entry.path == hooks:
                        continue
                    if entry.is_symlink():
                        yield entry.path
                    elif entry.is_dir() and not LOOSE.search(entry.path):
                        left.append(entry.path)
        except OSError:
            continue  # what we cannot look into, git cannot read

"""Where the tools work, as the status line tells it: the branch of git, and the folder where that is
not the one of the system prompt.

git is not run for it: one small file is read. Not covered: work trees on Windows, and repositories
whose references are no files (reftable): they have no branch here.
"""

from __future__ import annotations

import os
import re

from clinkai.core.catalogue import Strings

POINTER = re.compile(r"gitdir: ([^\n\0]{1,4000})\n?")
"""The file `.git` of a work tree or a submodule. Source: gitrepository-layout(5)."""

BRANCH = re.compile(r"ref: refs/heads/([^\s\0-\x1f\x7f~^:?*\[\\]{1,200})\n?")
"""The file HEAD on a branch; what a name may hold. Source: git-check-ref-format(1)."""

COMMIT = re.compile(r"([0-9a-f]{7})[0-9a-f]{33,57}\n?")
"""The same on a commit."""

MOST = 4096
"""Bytes that are read of either."""


def place(folder: str, own: str, say: Strings) -> str:
    """The end of a status line; empty where there is nothing to tell. own: the folder that the
    model was told."""
    head = branch(folder)
    parts = (head and say("notice.status.branch", branch=head),
             folder != own and say("notice.status.folder", path=folder))
    return "".join(filter(None, parts))


def branch(folder: str) -> str:
    """The branch, or the beginning of the commit, that is checked out in `folder` or above it;
    empty where there is none."""
    while True:
        head = _read(f"{folder}/.git/HEAD", pointer=True)
        if head:
            found = BRANCH.fullmatch(head) or COMMIT.fullmatch(head)
            return found[1] if found else ""
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above


def _read(path: str, pointer: bool = False) -> str:
    """The beginning of a file; empty where there is none, or one that has to be waited for.
    pointer: its folder may be a file that names the real one."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except NotADirectoryError:
        git, name = os.path.split(path)
        found = POINTER.fullmatch(_read(git)) if pointer else None
        return _read(os.path.join(os.path.dirname(git), found[1], name)) if found else ""
    except (OSError, ValueError):
        return ""
    try:
        return os.read(fd, MOST).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(fd)

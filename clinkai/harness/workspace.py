"""The fence: where a path given by the model really leads.

A path is judged after every link in it is resolved, by its parts, never by a string prefix; names
are judged before and after resolving. `Workspace.place` decides nothing: it says in which zone a
path lies, and the policy makes a verdict of that.

Covered: links, dot-dot after links, siblings with the same prefix, case and Unicode forms of the
platform, Windows names. Not covered: a link put in place after the look; `harness/files` opens
part by part without following links, and refuses what changed in between.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from stat import S_ISLNK

from clinkai.core.value import Value
from clinkai.harness import names
from clinkai.harness.globs import Glob, expand

PLAIN = {"", ".", ".."}
"""Parts that a path straight down has none of."""


class Place(Value):
    """Where a path leads.

    text: as given. path: absolute, links resolved (empty for a bad one). rel: relative to the
    workspace with `/`, "" for the root; the absolute path when outside. zone: inside, outside,
    private (refused in every mode), secret and protected (asked as high risk), or bad; problem:
    the catalogue key of what is wrong with a bad one (`tool.path.*`, parameter `path`).
    """

    text: str
    path: str
    rel: str
    zone: str
    problem: str = ""


class Workspace:
    """One folder, its real path fixed at the start of a session.

    private: folders nothing may see (CLINKAI_HOME, the session folder). secrets_ok: globs of
    secret files that are free, matched against the path in the workspace or, without `/`, against
    its last part. platform: as in `sys.platform`.
    """

    def __init__(self, root: str | os.PathLike, private: Iterable = (),
                 secrets_ok: Iterable[str] = (), platform: str = sys.platform) -> None:
        self.path = os.path.realpath(root)
        """The real path of the root, as a string."""
        self.platform = platform
        self._fold = names.folder_of(platform)
        self._root = self._parts(self.path)
        self.private = tuple(os.path.realpath(folder) for folder in private)
        """The real paths of the private folders."""
        self._private = tuple(map(self._parts, self.private))
        self.hides = any(_starts(folder, self._root) for folder in self._private)
        """True where a private folder lies in the workspace."""
        self._secrets_ok = tuple(
            Glob(one.removeprefix("/") if "/" in one else "**/" + one)
            for glob in secrets_ok for one in expand(glob.casefold())
        )

    @property
    def root(self) -> Path:
        """The real path of the root."""
        return Path(self.path)

    def place(self, text: str, writes: bool = False) -> Place:
        """Say where `text` leads, for reading or for writing. Looks at links only; never raises."""
        problem = names.problem(text, self.platform)
        if problem:
            return Place(text, "", text, "bad", problem)
        down = self._plain(text)
        if down is not None:
            rel = "/".join(down)
            real = "/".join((self.path, *down))
            if self._in_private((*self._root, *map(self._fold, down))):
                return Place(text, real, rel, "private")
            return Place(text, real, rel, self._zone(rel, (), writes))
        spelled = os.path.join(self.path, text)
        try:
            real = os.path.realpath(spelled)
            if _in_loop(real):
                return Place(text, "", text, "bad", "tool.path.loop")
        except (OSError, ValueError):
            return Place(text, "", text, "bad", "tool.path.loop")
        if real.startswith("//"):  # POSIX keeps two slashes apart; the kernels we know do not
            real = real[1:]
        parts = self._parts(real)
        if self._in_private(parts):
            return Place(text, real, self._shown(parts, real), "private")
        if not _starts(parts, self._root):
            return Place(text, real, real, "outside")
        rel = self._shown(parts, real)
        return Place(text, real, rel, self._zone(rel, self._names_before(spelled), writes))

    def _plain(self, text: str) -> list[str] | None:
        """The parts of a path that leads straight down from the root, through no link; None for
        any other. They are what resolving gives, without resolving once more what the root lies
        in: nearly every path is one, and each is judged twice."""
        if os.sep != "/" or self.path == "/":
            return None
        text = text[2:] if text[:2] == "./" else text.removeprefix(self.path + "/")
        parts = [] if text == "." else text.split("/")
        if not PLAIN.isdisjoint(parts):
            return None
        at = self.path
        try:
            for part in (*parts, ""):
                if S_ISLNK(os.lstat(at).st_mode):
                    return None
                at += "/" + part
        except OSError:
            pass  # what is not there has nothing below it that could be a link
        return parts

    def is_private(self, path: str) -> bool:
        """True where the absolute real `path` lies in a private folder."""
        return bool(self._private) and self._in_private(self._parts(path))

    def _in_private(self, parts: tuple[str, ...]) -> bool:
        return any(_starts(parts, folder) for folder in self._private)

    def hidden(self, rel: str) -> bool:
        """True where the entry `rel` of the workspace is, or lies in, a private folder."""
        return self.is_private(os.path.join(self.path, rel))

    def is_secret(self, rel: str) -> bool:
        """True where a part of `rel` names a secret that SECRETS_OK does not free."""
        if not any(names.is_secret(part) for part in rel.split("/")):
            return False
        parts = rel.casefold().split("/")
        return not any(glob.matches(parts) for glob in self._secrets_ok)

    def _zone(self, rel: str, before: tuple[str, ...], writes: bool) -> str:
        after = tuple(rel.split("/"))
        every = after + before
        if any(names.is_git(name) for name in every):
            return "private"
        if writes and any(names.bare(name) == "node_modules" for name in every):
            return "private"
        if writes and (names.is_protected(after) or names.is_protected(before)):
            return "protected"
        if self.is_secret(rel) or self.is_secret("/".join(before)):
            return "secret"
        return "inside"

    def _names_before(self, spelled: str) -> tuple[str, ...]:
        """The parts below the root as they were given, links not resolved."""
        spelled = os.path.normpath(spelled)
        parts = self._parts(spelled)
        if _starts(parts, self._root):
            return tuple(_split(spelled)[len(self._root):])
        below: list[str] = []  # the root under another name: go up until it is found
        while True:
            spelled, last = os.path.split(spelled)
            if not last:
                return tuple(below)
            below.insert(0, last)
            if os.path.realpath(spelled) == self.path:
                return tuple(below)

    def _shown(self, parts: tuple[str, ...], real: str) -> str:
        if not _starts(parts, self._root):
            return real
        return "/".join(_split(real)[len(self._root):])

    def _parts(self, path: str) -> tuple[str, ...]:
        return tuple(self._fold(part) for part in _split(path))


def _in_loop(path: str) -> bool:
    """True where resolving gave up at a link: a resolved path leads through none."""
    while not os.path.lexists(path):
        path, before = os.path.dirname(path), path
        if path == before:
            return False
    return os.path.islink(path)


def _split(path: str) -> list[str]:
    if os.altsep:
        path = path.replace(os.altsep, os.sep)
    return [part for part in path.split(os.sep) if part]


def _starts(parts: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    return parts[: len(folder)] == folder

"""What Git ignores, worked out without Git.

The rules of `.gitignore` at each level and of `.git/info/exclude`; deeper files win over those
above, later lines over earlier ones. Where the workspace lies inside a larger repository the
`.gitignore` files above it count too, unless they ignore the workspace itself.

Not covered: the user's own excludes file and the index: a tracked file that a rule ignores counts
as ignored here, as in other search tools.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from clinkai.core.errors import ToolError
from clinkai.harness.files import Folder, open_folder
from clinkai.harness.globs import Glob, segment_source
from clinkai.harness.names import is_git
from clinkai.harness.workspace import Workspace

LARGEST = 500_000
"""Bytes of a rule file that are read; the largest seen in the wild have some 20,000."""

_WILD = re.compile(r"[*?\[\\]")


class Rule:
    """One line of a rule file."""

    def __init__(self, line: str, fold: bool) -> None:
        self.negated = line.startswith("!")
        line = line[self.negated:]
        self.folders_only = line.endswith("/")
        line = line[:-1] if self.folders_only else line
        self.last = line.rpartition("/")[2]
        """The pattern of the last name, by which candidates are found."""
        self.glob = Glob(line.removeprefix("/") if "/" in line else "**/" + line, fold)


class Rules:
    """The rules of one file; paths are relative to its folder."""

    def __init__(self, text: str, fold: bool = False) -> None:
        self._fold = fold
        lines = [_line(raw) for raw in text.removeprefix("\ufeff").split("\n")]
        self._rules = [Rule(line, fold) for line in lines if line.strip("/!")][::-1]
        self._maybe = self._candidates()

    def __bool__(self) -> bool:
        return bool(self._rules)

    def verdict(self, path: str, name: str, is_folder: bool) -> bool | None:
        """True: ignored; False: taken back by a `!` rule; None: no rule says anything."""
        if not self._maybe(name.casefold() if self._fold else name):
            return None
        parts = path.split("/")
        for rule in self._rules:
            if (is_folder or not rule.folders_only) and rule.glob.matches(parts):
                return not rule.negated
        return None

    def _candidates(self) -> Callable[[str], bool]:
        """A quick test of the last name: False where no rule can match. Nearly all names of a
        tree are through after this."""
        exact: set[str] = set()
        ends: list[str] = []
        others: list[str] = []
        for rule in self._rules:
            last = rule.last.casefold() if self._fold else rule.last
            if not _WILD.search(last):
                exact.add(last)
            elif last[0] == "*" and len(last) > 1 and not _WILD.search(last[1:]):
                ends.append(last[1:])
            elif (source := segment_source(last)) is not None:
                others.append(f"(?:{source})")
        suffixes = tuple(ends)
        if not others:
            return lambda name: name in exact or name.endswith(suffixes)
        rest = re.compile("|".join(others), re.DOTALL).fullmatch
        return lambda name: name in exact or name.endswith(suffixes) or bool(rest(name))


def _line(raw: str) -> str:
    """A line without its end, trailing blanks and, for a comment, without everything."""
    if raw.startswith("#"):
        return ""
    line = raw.removesuffix("\r")
    bare = line.rstrip(" ")
    slashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if slashes % 2 and bare != line else bare


class Level:
    """The rules that hold in one folder: its own, then those above.

    base: the folder of the rule file; before: what leads from there to the workspace, where the
    file lies above it.
    """

    def __init__(self, rules: Rules, base: str, above: Level | None, before: str = "") -> None:
        self._rules = rules
        self._skip = len(base) + 1 if base else 0
        self._above = above
        self._before = before

    def ignores(self, path: str, name: str, is_folder: bool) -> bool:
        """True where the entry `path` (its last part `name`) is ignored; its folders are not
        looked at."""
        level: Level | None = self
        while level is not None:
            verdict = level._rules.verdict((level._before + path)[level._skip:], name, is_folder)
            if verdict is not None:
                return verdict
            level = level._above
        return False


class Ignore:
    """The rules of a workspace, each file read when first needed."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._fold = workspace.platform in ("darwin", "win32")
        self._levels: dict[str, Level | None] = {}

    def ignored(self, rel: str, is_folder: bool) -> bool:
        """True where Git would not look at `rel` (relative to the workspace)."""
        parts = rel.split("/") if rel else []
        for count in range(1, len(parts) + 1):
            level = self.level("/".join(parts[:count - 1]))
            path = "/".join(parts[:count])
            folder = is_folder or count < len(parts)
            if is_git(parts[count - 1]):
                return True
            if level is not None and level.ignores(path, parts[count - 1], folder):
                return True
        return False

    def level(self, rel: str, folder: Folder | None = None) -> Level | None:
        """The rules for the entries of the folder `rel`; None where there are none. `folder` is
        that folder, where it is open already."""
        if rel not in self._levels:
            above = self.level(rel.rpartition("/")[0]) if rel else self._outermost()
            rules = Rules(self._read(rel, ".gitignore", folder), self._fold)
            self._levels[rel] = Level(rules, rel, above) if rules else above
        return self._levels[rel]

    def _read(self, rel: str, name: str, folder: Folder | None = None) -> str:
        try:
            if folder is None:
                with open_folder(self._workspace, rel) as folder:
                    return _content(folder, name)
            return _content(folder, name)
        except (OSError, ToolError):
            return ""

    def _outermost(self) -> Level | None:
        """The rules from outside the tree's own files: info/exclude and the repository above."""
        above = None
        if not os.path.lexists(os.path.join(self._workspace.path, ".git")):
            above = self._repository_above()
        rules = Rules(self._read(".git/info", "exclude"), self._fold)
        return Level(rules, "", above) if rules else above

    def _repository_above(self) -> Level | None:
        top = self._workspace.path
        folders: list[str] = []
        while not os.path.lexists(os.path.join(top, ".git")):
            top, before = os.path.dirname(top), top
            if top == before:
                return None
            folders.insert(0, top)
        found = [(self._outer_rules(path), _below(path, top)) for path in folders]
        found = [(rules, base) for rules, base in found if rules]
        way = _below(self._workspace.path, top)
        level = _chain(found, "")
        for count in range(1, way.count("/") + 2) if level else ():
            parts = way.split("/")[:count]
            if level.ignores("/".join(parts), parts[-1], True):
                return None
        return _chain(found, way + "/")

    def _outer_rules(self, path: str) -> Rules:
        try:
            with Folder(path, None) as folder:
                return Rules(_content(folder, ".gitignore"), self._fold)
        except (OSError, ToolError):
            return Rules("")


def _below(path: str, top: str) -> str:
    return path[len(top):].strip(os.sep).replace(os.sep, "/")


def _chain(found: list[tuple[Rules, str]], before: str) -> Level | None:
    level = None
    for rules, base in found:
        level = Level(rules, base, level, before)
    return level


def _content(folder: Folder, name: str) -> str:
    fd, _ = folder.open(name)
    try:
        return os.read(fd, LARGEST).decode("utf-8", "surrogateescape")
    finally:
        os.close(fd)

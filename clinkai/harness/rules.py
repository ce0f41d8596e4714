"""The standing rules: `--allow` of this run, and `policy.toml` in CLINKAI_HOME.

A rule is the beginning of a command, written as a shell would have its words: `git push`. The file
has two lists of them, `allow` and `deny`; anything else in it is an error that names the line, for
what is skipped could be what forbids. Nothing in the workspace is read here.
Not covered: what a rule matches (`shell/prefix`), verdicts (`policy`), changing the file
(`rules_file`).
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable

from clinkai.core.errors import UsageError
from clinkai.core.value import Value
from clinkai.harness.policy import Policy

FILE = "policy.toml"
LISTS = ("allow", "deny")


class Rules(Value):
    """What the file says: each rule as it is written there."""

    allow: tuple = ()
    deny: tuple = ()


def load(flags: Iterable[str], home: str, mode: str, workspace: str = "") -> Policy:
    """The standing policy in this mode. flags: the values of `--allow`; workspace: its real path:
    a file that lies there can forbid, and allows nothing. Raises UsageError."""
    path = path_in(home)
    stored = read(path)
    allow = [words(text, "--allow") for text in flags]
    if not lies_in(path, workspace):
        allow += [words(text, path) for text in stored.allow]
    return Policy(mode, tuple(allow), tuple(words(text, path) for text in stored.deny))


def lies_in(path: str, workspace: str) -> bool:
    """True where the file really lies in the workspace: whoever made that may have made it too."""
    return bool(workspace) and os.path.realpath(path).startswith(workspace.rstrip(os.sep) + os.sep)


def path_in(home: str) -> str:
    """Where the rules of this CLINKAI_HOME stand."""
    return os.path.join(home, FILE)


def read(path: str) -> Rules:
    """The rules in the file, all of them sound; none where there is no file. Raises UsageError."""
    text = text_of(path)
    return Rules() if text is None else parse(text, path)


def text_of(path: str) -> str | None:
    """What stands in the file; None where there is none. One that cannot be got at may forbid
    something, so that is an error. Raises UsageError."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError("error.policy.unreadable", path=path, why=error.strerror) from error
    from clinkai.harness import toml

    try:
        return toml.text_of(path)
    except OSError as error:
        raise UsageError("error.policy.unreadable", path=path, why=error.strerror) from error
    except UnicodeDecodeError as error:
        raise UsageError("error.policy.toml", path=path, why=str(error)) from error


def parse(text: str, path: str) -> Rules:
    """The rules in the text of the file at `path`. Raises UsageError."""
    from clinkai.harness import toml

    try:
        stored = toml.loads(text)
    except ValueError as error:
        raise UsageError("error.policy.toml", path=path, why=str(error)) from error
    for name, rules in stored.items():
        if name not in LISTS:
            raise UsageError("error.policy.name", path=_at(path, text, _KEY, name), name=name)
        if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
            raise UsageError("error.policy.list", path=_at(path, text, _KEY, name), name=name)
        for rule in rules:
            try:
                words(rule, path)
            except UsageError as error:
                where = _at(path, text, _RULE, rule)
                raise UsageError(error.key, **{**error.params, "where": where}) from error
    return Rules(**{name: tuple(rules) for name, rules in stored.items()})


def words(text: str, where: str) -> tuple[str, ...]:
    """A rule as words. where: it stands, for the error. Raises UsageError."""
    try:
        found = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError("error.policy.rule", where=where, rule=text, why=str(error)) from error
    if not found or not found[0]:
        raise UsageError("error.policy.empty", where=where)
    return found


_KEY = r"""^[ \t\[]*["']?{}\b"""
_RULE = r"""["']{}["'](?=[ \t]*(?:[],#]|$))"""


def _at(path: str, text: str, form: str, name: str) -> str:
    """`path` with the line where the name or rule stands, as `FILE:LINE`."""
    found = re.search(form.format(re.escape(name)), text, re.MULTILINE)
    return f"{path}:{text.count(chr(10), 0, found.start()) + 1}" if found else path

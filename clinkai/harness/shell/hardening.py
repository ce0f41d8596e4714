"""What really runs in the place of an allowed argv: the same, with the options that keep it safe.

A search through folders would read the secret files in them, so their names are left out of it;
settings files of a program are switched off; git is `git.harden`.

Not covered: busybox, whose grep and diff have no such options and say so.
"""

from __future__ import annotations

import os

from clinkai.harness import names
from clinkai.harness.shell import git, programs
from clinkai.harness.shell.options import Given, scan
from clinkai.harness.shell.script import Word

SECRETS = (
    *sorted(names.SECRET_NAMES),
    *(start + "*" for start in (".env", *names.KEYS)),
    *("*" + end for end in names.SECRET_ENDS),
    *(start + "*.json" for start in names.SECRET_JSON),
    ".git",
)
"""Globs of the names that are not searched; templates of secret files are among them."""


def harden(argv: tuple[str, ...], root: str) -> tuple[str, ...]:
    """The argv that runs in the folder `root` when nobody was asked about `argv`."""
    program = argv[0]
    if program == "git":
        return git.harden(argv)
    extra = EXTRA.get(program)
    if not extra:
        return argv
    spec = programs.TABLE.find(program)
    given, _, end = scan(spec, tuple(Word(text, text) for text in argv[1:]))
    return (*argv[:end + 1], *extra(given, root), *argv[end + 1:])


def _grep(given: Given, root: str) -> tuple[str, ...]:
    if not given.has("r", "recursive", "d", "directories"):
        return ()
    return tuple(f"--{what}={glob}" for glob in SECRETS for what in ("exclude", "exclude-dir"))


def _rg(given: Given, root: str) -> tuple[str, ...]:
    return ("--no-config", *(f"--iglob=!{glob}" for glob in SECRETS))


def _diff(given: Given, root: str) -> tuple[str, ...]:
    """Two folders are compared file by file, also without `-r`, and links in them are followed."""
    if not any(os.path.isdir(os.path.join(root, word.text)) for word in given.operands):
        return ()
    return ("--no-dereference", *(f"--exclude={glob}" for glob in SECRETS))


EXTRA = {"grep": _grep, "egrep": _grep, "fgrep": _grep, "rg": _rg, "diff": _diff}

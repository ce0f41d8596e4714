"""Prefix rules: a permission for all commands that begin with the same words.

Covered: matching one part of a line against a rule, and the rule that may be offered for a part.
Not covered: keeping rules, and lines that could not be read; no rule fits those.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinkai.harness.shell import danger

if TYPE_CHECKING:
    from clinkai.harness.shell.script import Part

PACKAGES = frozenset(
    "npm npx pnpm yarn bun pip pip3 pipx uv poetry conda mamba apt apt-get dnf yum pacman apk brew "
    "port gem bundle cargo-install go-install winget choco scoop snap flatpak nix nix-env rustup "
    "nvm pyenv composer".split()
)
"""Package tools fetch code and run it: each call is a decision of its own."""

FAMILIES = frozenset(
    "cargo go make dotnet gradle gradlew mvn ruff black tox nox hatch bazel cmake ctest ninja tsc "
    "eslint jest vitest swift zig mix rake just task meson docker kubectl gh terraform".split()
)
"""Programs whose first word says what they do."""

SUBCOMMAND = r"[a-z][a-z0-9:-]*"


def matches(part: Part, prefix: tuple[str, ...]) -> bool:
    """True where the part's program and arguments begin with `prefix`, word by word."""
    return bool(prefix) and part.argv[:len(prefix)] == tuple(prefix)


def rule_for(part: Part) -> tuple[str, ...] | None:
    """The rule a person may be offered for `part`: its program, sub-command and the options that
    follow at once. None where a rule would be a blank cheque: shells, interpreters, wrappers,
    package tools, git, whatever is high risk, and programs named by a path."""
    argv = part.argv
    program = danger.program_of(argv)
    never = (danger.SHELLS, danger.INTERPRETERS, danger.WRAPPERS, danger.FETCHES, PACKAGES)
    if part.listed or part.risk == "high" or program == "git" or argv[0] != program:
        return None
    if any(program in family for family in never) or not re.fullmatch(r"[a-z0-9][\w.+-]*", program):
        return None
    at = 1
    if program in FAMILIES:
        if at >= len(argv) or not re.fullmatch(SUBCOMMAND, argv[at]):
            return None
        at += 1
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "--":
        at += 1
    return argv[:at]

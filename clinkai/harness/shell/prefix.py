"""Prefix rules: a permission or a prohibition for all commands that begin with the same words.

Covered: matching one part of a line against a rule, the rule that may be offered for a part, and
which rules would allow any command at all. Not covered: keeping rules, and lines that could not be
read; no rule fits those.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinkai.harness.shell import danger

if TYPE_CHECKING:
    from clinkai.harness.shell.script import Part

PACKAGES = frozenset(
    "npm npx pnpm pnpx yarn bun bunx pip pipx uv uvx poetry pdm conda mamba apt apt-get dnf yum "
    "pacman apk brew port gem bundle winget choco scoop snap flatpak nix nix-env nix-shell rustup "
    "nvm pyenv composer cpan luarocks opam cabal stack mix hex vcpkg".split()
)
"""Package tools fetch code and run it: each call is a decision of its own."""

FETCHERS = frozenset((
    "cargo add", "cargo install", "cargo update", "go get", "go install", "go run", "go mod",
    "go generate", "dotnet add", "dotnet restore", "dotnet tool", "dotnet nuget", "dotnet new",
    "swift package", "zig fetch", "helm install", "gradle init",
))
"""Sub-commands of other programs that do the same."""

EXECUTORS = frozenset((
    "uv run", "poetry run", "pdm run", "pipx run", "conda run", "npm exec", "pnpm exec", "pnpm dlx",
    "yarn exec", "yarn dlx", "bundle exec", "nix run", "docker run", "docker exec", "hatch run",
    "coverage run", "mise exec", "direnv exec", "go run", "deno run",
))
"""Sub-commands that run whatever they are given."""

RUNNERS = frozenset(
    "git ash mksh rbash nu xonsh ipython bpython py pythonw ts-node tsx luajit guile racket sbcl "
    "clojure clj elixir erl escript octave gnuplot rlwrap sqlite3 psql mysql less more man tar "
    "rsync scp sftp zip tmux screen m4 dc chronic unbuffer faketime fakeroot".split()
)
"""Other programs that an option, or what they are given, makes run any command."""

ELEVATORS = frozenset("sudo doas su pkexec runuser run0 gosu su-exec".split())

FAMILIES = frozenset(
    "cargo go make dotnet gradle gradlew mvn ruff black tox nox hatch bazel cmake ctest ninja tsc "
    "eslint jest vitest swift zig mix rake just task meson docker kubectl gh terraform".split()
)
"""Programs whose first word says what they do."""

SUBCOMMAND = r"[a-z][a-z0-9:-]*"

GIT_VALUES = frozenset("-C -c --git-dir --work-tree --namespace --exec-path --config-env".split())
"""Options of git itself, before its sub-command, whose value is the next word."""


def matches(part: Part, prefix: tuple[str, ...]) -> bool:
    """True where the part's program and arguments begin with `prefix`, word by word."""
    return bool(prefix) and part.argv[:len(prefix)] == tuple(prefix)


def forbids(part: Part, prefix: tuple[str, ...]) -> bool:
    """True where a rule forbids the part: where it matches, also with the program named by its
    path or in other letters, with options of git before the sub-command, or started by a shell or
    another program that runs what it is given."""
    program = danger.program_of(part.argv)
    if _begins((program, *part.argv[1:]), prefix):
        return True
    if program == "git":
        return _begins(("git", *_without_options(part.argv[1:])), prefix)
    if _is_one(program, (danger.SHELLS, danger.WRAPPERS, ELEVATORS)):
        words = re.split(r"[\s;|&()'\"`]+", " ".join(part.argv[1:]))
        return any(_begins((danger.program_of((word,)), *words[i + 1:]), prefix)
                   for i, word in enumerate(words))
    return False


def rule_for(part: Part) -> tuple[str, ...] | None:
    """The rule a person may be offered for `part`: its program, sub-command and the options that
    follow at once. None where a rule would be a blank cheque: shells, interpreters, wrappers,
    package tools, git, whatever is high risk, and programs named by a path."""
    argv = part.argv
    program = danger.program_of(argv)
    if part.listed or part.risk == "high" or argv[0] != program:
        return None
    if _is_one(program, NEVER) or " ".join(argv[:2]) in FETCHERS | EXECUTORS:
        return None
    if not re.fullmatch(r"[a-z0-9][\w.+-]*", program):
        return None
    at = 1
    if program in FAMILIES:
        if at >= len(argv) or not re.fullmatch(SUBCOMMAND, argv[at]):
            return None
        at += 1
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "--":
        at += 1
    return argv[:at]


def is_blank(prefix: tuple[str, ...]) -> bool:
    """True where a rule would allow any command at all: a program that runs what it is given, and
    nothing (or only options, assignments and numbers) that says what."""
    program = danger.program_of(prefix)
    said = [word for word in prefix[1:] if not re.match(r"-|\d|\w+=", word)]
    if len(said) == 1 and f"{program} {said[0]}" in EXECUTORS:
        return True
    if not _is_one(program, (*NEVER, ELEVATORS)):
        return False
    if not said:
        return True
    return _is_one(program, (danger.SHELLS, danger.WRAPPERS, ELEVATORS)) and is_blank(tuple(said))


NEVER = (danger.SHELLS, danger.INTERPRETERS, danger.WRAPPERS, danger.FETCHES, PACKAGES, RUNNERS)


def _is_one(program: str, families: tuple[frozenset, ...]) -> bool:
    """True where one of the families has the program, also as `python3.11` or `clang-17`."""
    bare = re.sub(r"[-.]?\d[\d.]*$", "", program)
    return any(program in family or bare in family for family in families)


def _begins(argv: tuple[str, ...], prefix: tuple[str, ...]) -> bool:
    named = (danger.program_of(prefix), *prefix[1:])
    return argv[:len(named)] == named


def _without_options(words: tuple[str, ...]) -> tuple[str, ...]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in GIT_VALUES else 1
    return words[at:]

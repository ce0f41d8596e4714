"""Git commands that run without a question.

Covered: the reading forms of the common sub-commands, each with its own options; a sub-command
that also writes (`branch`, `tag`, `stash`) only in the form that cannot. What runs is not what was
typed: `harden` adds the options that stop a repository from naming programs, `git_run` has the
environment that goes with it and looks at the repository's settings first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinkai.harness.shell import git_run
from clinkai.harness.shell.options import Table, expand, read
from clinkai.harness.shell.script import Refused, Word

if TYPE_CHECKING:
    from clinkai.harness.shell.fence import Fence

GLOBALS = frozenset(("--no-pager", "-P", "--no-optional-locks"))
"""Options before the sub-command that only take power away."""

TABLE = Table(r"""
@diff ; -abmpRrstuwWz -U=NUMBER -M?PERCENT -C?PERCENT -B?PERCENT -S=TEXT -G=TEXT -I=TEXT -l=NUMBER
  --patch --no-patch --unified=NUMBER --raw --patch-with-raw --patch-with-stat --stat?SIZES
  --compact-summary --numstat --shortstat --dirstat?TEXT --summary --name-only --name-status
  --no-renames --find-renames?PERCENT --find-copies?PERCENT --find-copies-harder
  --irreversible-delete --diff-filter=WORD --pickaxe-all --pickaxe-regex --text
  --ignore-space-at-eol --ignore-cr-at-eol --ignore-space-change --ignore-all-space
  --ignore-blank-lines --ignore-matching-lines=TEXT --inter-hunk-context=NUMBER
  --function-context --check --full-index --binary --abbrev?NUMBER --no-abbrev --color?WORD
  --no-color --color-moved?WORD --no-color-moved --color-words?TEXT --word-diff?WORD
  --word-diff-regex=TEXT --minimal --patience --histogram --diff-algorithm=WORD --anchored=TEXT
  --exit-code --quiet --no-prefix --default-prefix --src-prefix=TEXT --dst-prefix=TEXT
  --line-prefix=TEXT --relative?PATH --no-relative --no-ext-diff --no-textconv --rename-empty
  --no-rename-empty --indent-heuristic --no-indent-heuristic
@log ; @diff -gqciEFP -n=COUNT -L=RANGE --oneline --graph --no-graph --all --branches?TEXT
  --tags?TEXT --remotes?TEXT --glob=TEXT --exclude=TEXT --decorate?WORD --no-decorate
  --decorate-refs=TEXT --decorate-refs-exclude=TEXT --clear-decorations --source --follow
  --merges --no-merges --min-parents=NUMBER --max-parents=NUMBER --no-min-parents
  --no-max-parents --first-parent --reverse --date-order --topo-order --author-date-order
  --author=TEXT --committer=TEXT --grep=TEXT --all-match --invert-grep --regexp-ignore-case
  --extended-regexp --fixed-strings --perl-regexp --basic-regexp --since=TEXT --after=TEXT
  --until=TEXT --before=TEXT --max-count=COUNT --skip=COUNT --max-age=COUNT --min-age=COUNT
  --format=FORMAT --pretty?FORMAT --abbrev-commit --no-abbrev-commit --date=TEXT --relative-date
  --parents --children --left-right --cherry-mark --cherry-pick --cherry --left-only --right-only
  --boundary --simplify-by-decoration --full-history --simplify-merges --dense --sparse
  --ancestry-path --show-pulls --walk-reflogs --merge --mailmap --no-mailmap --use-mailmap
  --no-use-mailmap --notes?TEXT --no-notes --encoding=WORD --expand-tabs?NUMBER
  --no-expand-tabs --not --cc --diff-merges=MERGES --no-diff-merges --log-size --remove-empty
  --no-walk?WORD --do-walk --ignore-missing
@refs ; --sort=ORDER --format=ATOMS --contains?REV --no-contains?REV --merged?REV --no-merged?REV
  --points-at=REV --color?WORD --no-color --ignore-case --column?TEXT --no-column
log ; @log ; REV* ; count
show ; @log ; REV* ; count
diff ; @diff --cached --staged --merge-base --ours --theirs --base ; REV* ; count
status ; -sbz -u?WORD --short --branch --show-stash --porcelain?WORD --long --untracked-files?WORD
  --ignored?WORD --renames --no-renames --find-renames?PERCENT --ahead-behind --no-ahead-behind
  --column?TEXT --no-column --null ; PATHSPEC*
blame, annotate ; -bcefFlnpstwW -L=TEXT -M?PERCENT -C?PERCENT --root --show-stats --show-name
  --show-number --show-email --date=TEXT --porcelain --line-porcelain --abbrev=NUMBER --minimal
  --color-lines --color-by-age --no-progress --first-parent --since=TEXT ; REV+
grep ; -acEFGhHiIlLnopPqrvwWz -e=TEXT -A=NUMBER -B=NUMBER -C=NUMBER -m=NUMBER --and --or --not
  --text --count --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case
  --word-regexp --invert-match --files-with-matches --name-only --files-without-match
  --line-number --column --only-matching --quiet --null --full-name --heading --break
  --show-function --function-context --cached --all-match
  --recursive --no-recursive --max-depth=NUMBER
  --max-count=NUMBER --after-context=NUMBER --before-context=NUMBER --context=NUMBER
  --color?WORD --no-color --no-textconv --threads=NUMBER ; TEXT/e REV* ; count
ls-files ; -cdfikmostuvz -x=TEXT --cached --deleted --modified --others --ignored --stage
  --unmerged --killed --directory --no-empty-directory --exclude=TEXT --exclude-standard
  --error-unmatch --full-name --abbrev?NUMBER --eol --deduplicate --debug ; PATHSPEC*
ls-tree ; -dlrtz --long --name-only --name-status --object-only --full-name --full-tree
  --abbrev?NUMBER ; REV REV*
cat-file ; -epst ; WORD/e/p/s/t REV
rev-parse ; -q --show-toplevel --show-prefix --show-cdup
  --git-dir --absolute-git-dir --git-common-dir --is-inside-git-dir --is-inside-work-tree
  --is-bare-repository --is-shallow-repository --abbrev-ref?WORD --short?NUMBER --verify --quiet
  --symbolic --symbolic-full-name --all --branches?TEXT --tags?TEXT --remotes?TEXT
  --show-object-format?WORD --revs-only --no-revs --flags --no-flags ; REV*
rev-list ; -gciEFP -n=COUNT --count --all --branches?TEXT --tags?TEXT --remotes?TEXT --glob=TEXT
  --exclude=TEXT --merges --no-merges --first-parent --reverse --date-order --topo-order
  --author=TEXT --committer=TEXT --grep=TEXT --since=TEXT --after=TEXT --until=TEXT --before=TEXT
  --max-count=COUNT --skip=COUNT --oneline --pretty?FORMAT --format=FORMAT --abbrev-commit
  --abbrev?NUMBER --date=TEXT --parents --children --left-right --left-only --right-only
  --cherry-pick --boundary --objects --not --timestamp --header ; REV* ; count
branch ; @refs -arvqi --all --remotes --verbose --quiet --list --show-current --abbrev?NUMBER
  --no-abbrev -l ; REV* ; listing
tag ; @refs -i -n?NUMBER -l --list ; REV* ; listing
for-each-ref ; @refs --count=NUMBER --shell --perl --python --tcl --include-root-refs ; PATHSPEC*
show-ref ; -dqs --head --heads --tags --branches --dereference --hash?NUMBER --verify --abbrev?NUMBER
  --quiet ; REV*
remote ; -v --verbose
remote get-url ; --all --push ; NAME
stash list ; @log ; ; count
stash show ; @diff --include-untracked --only-untracked ; REV? ; count
reflog ; @log ; ; count
reflog show ; @log ; REV* ; count
worktree list ; -vz --verbose --porcelain
merge-base ; -a --all --octopus --is-ancestor --fork-point --independent ; REV REV*
name-rev ; --tags --name-only --no-undefined --always --refs=TEXT --exclude=TEXT ; REV+
describe ; --tags --all --always --long --contains --exact-match --first-parent --abbrev=NUMBER
  --candidates=NUMBER --match=TEXT --exclude=TEXT --debug ; REV*
shortlog ; -censw --committer --email --numbered --summary --group=WORD --all --no-merges
  --merges --since=TEXT --until=TEXT --after=TEXT --before=TEXT --author=TEXT --max-count=COUNT
  -n --branches?TEXT --tags?TEXT --remotes?TEXT ; REV*
check-ignore ; -nqvz --quiet --verbose --non-matching --no-index ; PATH+
check-attr ; -az --all --cached ; TEXT/a/all PATH+
symbolic-ref ; -q --quiet --short ; REV
count-objects ; -vH --verbose --human-readable
diff-tree ; @diff -c --cc --no-commit-id --root --always --pretty?FORMAT --format=FORMAT ; REV+
cherry ; -v --abbrev?NUMBER ; REV*
version ; --build-options
""", "git ")

LISTS = {
    "branch": ("list", "contains", "no-contains", "merged", "no-merged", "points-at"),
    "tag": ("l", "list", "contains", "no-contains", "merged", "no-merged", "points-at"),
}
"""Options with which an operand is a pattern; without them it names something new. `branch -l` is
none of them: before Git 2.19 it created."""

PLAIN_DIFF = ("--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=all")
HARDENING = {
    **dict.fromkeys(
        ("diff", "log", "show", "stash list", "stash show", "reflog",
         "reflog show", "diff-tree"), PLAIN_DIFF),
    "status": ("--ignore-submodules=all",),
    "blame": ("--no-textconv",),
    "annotate": ("--no-textconv",),
    "grep": ("--no-textconv", "--no-recurse-submodules"),
}
"""Added right after the sub-command: no program of the repository's choice, nothing started inside
a submodule, whose own settings would count there (threat model, section 4)."""


def check(words: tuple[Word, ...], fence: Fence) -> tuple[str, ...]:
    """The argv of a reading git command, still without the hardening. Raises Refused."""
    argv = tuple(word.text for word in words)
    if argv[1:] == ("--version",):
        return argv
    at = 1
    while at < len(words) and argv[at] in GLOBALS:
        at += 1
    if at == len(words):
        raise Refused("gate.git.none", words[0].raw)
    if argv[at].startswith("-"):
        raise Refused("gate.option", words[at].raw, program="git")
    name, at = _subcommand(argv, at)
    spec = TABLE.find(name) if not name.startswith("@") else None
    if not spec:
        raise Refused("gate.git.sub", words[at - 1].raw)
    given = read(spec, expand(spec, words[at:], fence), fence)
    if "listing" in spec.tags and given.operands and not given.has(*LISTS[name]):
        raise Refused("gate.git.names", given.operands[0].raw, program=f"git {name}")
    git_run.inspect(fence.ws, words[0], name)
    return argv


def harden(argv: tuple[str, ...]) -> tuple[str, ...]:
    """What runs in the place of an allowed `argv`."""
    at = 1
    while at < len(argv) and argv[at] in GLOBALS:
        at += 1
    if at == len(argv) or argv[at] == "--version":
        return argv
    name, at = _subcommand(argv, at)
    return argv[:1] + git_run.SWITCHES + argv[1:at] + HARDENING.get(name, ()) + argv[at:]


def _subcommand(argv: tuple[str, ...], at: int) -> tuple[str, int]:
    """The sub-command, of two words where the table has it so, and the position after it."""
    two = " ".join(argv[at:at + 2])
    if at + 1 < len(argv) and TABLE.find(two):
        return two, at + 2
    return " ".join(argv[at:at + 1]), at + 1

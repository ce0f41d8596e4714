from __future__ import annotations

import shutil

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.value import replace
from clinkai.harness.shell import git_run
from clinkai.harness.shell.judge import judge
from clinkai.harness.shell.run import Job, run_script
from clinkai.harness.shell.script import Part, Script
from clinkai.harness.workspace import Workspace
from tests.harness.shell import repository
from tests.harness.shell.repository import NAMING, POWERLESS

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="no git")

READING = (
    "git status", "git status -sb", "git status --porcelain=v2", "git diff", "git diff --stat",
    "git diff HEAD~1 -- README.md", "git diff --cached", "git diff feature main", "git log -p",
    "git log --oneline -5", "git log --graph --all", "git log -m -p", "git show", "git show v1",
    "git show HEAD:README.md", "git blame README.md", "git grep -n one", "git ls-files -m",
    "git ls-files -o --exclude-standard", "git ls-tree -r HEAD", "git cat-file -p HEAD",
    "git rev-parse HEAD", "git rev-list --count HEAD", "git branch -avv", "git branch --merged",
    "git tag -l 'v*'", "git for-each-ref", "git show-ref", "git remote -v", "git stash list",
    "git stash list -p", "git stash show", "git stash show -p 'stash@{0}'", "git reflog",
    "git reflog show -p", "git worktree list", "git merge-base main feature", "git describe --tags",
    "git shortlog -sn HEAD", "git check-ignore -v x", "git check-attr -a README.md",
    "git diff-tree -p HEAD", "git cherry -v feature", "git count-objects -v", "git name-rev HEAD",
    "git symbolic-ref --short HEAD", "git annotate README.md", "git diff new.txt README.md",
)

@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return repository.make(tmp_path_factory.mktemp("git") / "ws")


@pytest.fixture
def ws(tmp_path, original):
    return Workspace(shutil.copytree(original, tmp_path / "ws", symlinks=True))


def run(ws: Workspace, command: str):
    script = judge(command, "posix", ws)
    assert script.listed, (command, script.trouble)
    return run_script(script, Job(ws.path, Strings("en")))


@pytest.mark.slow
def test_every_reading_command_runs_in_a_plain_repository(ws):
    outcomes = {command: run(ws, command) for command in READING}
    failed = {c: d.output for c, d in outcomes.items() if d.exit and "check-ignore" not in c
              and c != "git diff new.txt README.md"}
    assert failed == {}


@pytest.mark.slow
def test_no_canary_fires(ws, tmp_path):
    repository.set_canary(ws.root, tmp_path / "canary", POWERLESS)
    for command in READING:
        done = run(ws, command)
        assert (command, repository.fired(tmp_path / "canary")) == (command, "")
        assert b"root:" not in done.output and b"\x1b" not in done.output


@pytest.mark.slow
def test_no_canary_fires_even_without_the_look_at_the_settings(ws, tmp_path):
    keys = {k: v for k, v in NAMING.items() if not k.startswith(("filter", "core.worktree"))}
    for key in ("remote.origin.promisor", "extensions.partialClone"):
        del keys[key]
    allowed = [judge(command, "posix", ws) for command in READING]
    repository.set_canary(ws.root, tmp_path / "canary", {**POWERLESS, **keys})
    for script in allowed:
        run_script(script, Job(ws.path, Strings("en")))
        assert (script.text, repository.fired(tmp_path / "canary")) == (script.text, "")


def test_a_setting_that_names_a_program_is_asked_about(ws):
    config = ws.root / ".git" / "config"
    plain = config.read_text()
    for key, value in NAMING.items():
        config.write_text(plain)
        repository.setting(ws.root / ".git", key, value.replace("{}", "./x"))
        script = judge("git status", "posix", ws)
        assert script.trouble == ("gate.git.key", {"word": "git", "name": _shown(key)})


def _shown(key: str) -> str:
    first, *middle, last = key.split(".")
    return ".".join((first.lower(), *middle, last.lower()))


@pytest.mark.parametrize(("command", "listed"), [
    ("git blame README.md", False), ("git annotate README.md", False), ("git log -p", True),
])
def test_a_file_of_revisions_outside_is_not_read_out_in_an_error(ws, command, listed):
    repository.setting(ws.root / ".git", "blame.ignoreRevsFile", "/etc/passwd")
    assert judge(command, "posix", ws).listed is listed


def test_settings_brought_in_from_another_file_count(ws):
    (ws.root / "more.cfg").write_text("[filter \"x\"]\n\tclean = ./x\n")
    repository.setting(ws.root / ".git", "include.path", "../more.cfg")
    assert judge("git diff", "posix", ws).trouble[1]["name"] == "filter.x.clean"


def test_settings_of_a_work_tree_count(ws):
    repository.git(ws.root, "config", "extensions.worktreeConfig", "true")
    repository.git(ws.root, "config", "--worktree", "core.fsmonitor", "./x")
    assert judge("git status", "posix", ws).trouble[1]["name"] == "core.fsmonitor"


def test_a_repository_outside_is_asked_about(ws, tmp_path):
    (tmp_path / "ws" / "inner").mkdir()
    inner = Workspace(tmp_path / "ws" / "inner")
    assert judge("git log", "posix", inner).trouble[0] == "gate.git.outside"
    (tmp_path / "pointer").mkdir()
    (tmp_path / "pointer" / ".git").write_text(f"gitdir: {tmp_path}/ws/.git\n")
    pointer = Workspace(tmp_path / "pointer")
    assert judge("git log", "posix", pointer).trouble[0] == "gate.git.outside"


@pytest.mark.parametrize("name", [
    "packed-refs", "shallow", "info/attributes", "info/grafts", "logs/HEAD", "refs/heads/x",
    "rebase-merge/done", "worktrees/x/locked", "objects/pack/x.pack", "objects/ab", "sequencer",
])
def test_a_link_out_of_the_repository_is_asked_about(ws, tmp_path, name):
    """git says `unexpected line in .git/packed-refs: ...` and prints the line."""
    link = ws.root / ".git" / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(tmp_path)
    assert judge("git log", "posix", ws).trouble == (
        "gate.git.outside", {"word": "git", "folder": str(link)})


def test_links_within_the_workspace_and_hooks_are_not_asked_about(ws, tmp_path):
    (ws.root / ".git" / "hooks").symlink_to(tmp_path)
    (ws.root / ".git" / "AUTO_MERGE").symlink_to("../README.md")
    assert judge("git log", "posix", ws).listed


def test_objects_from_elsewhere_are_asked_about(ws, tmp_path):
    (ws.root / ".git/objects/info/alternates").write_text(f"{tmp_path}/other/.git/objects\n")
    assert judge("git log", "posix", ws).trouble[0] == "gate.git.borrows"


def test_a_bare_repository_that_is_the_workspace_is_not_used(tmp_path):
    (tmp_path / "bare").mkdir()
    repository.git(tmp_path / "bare", "init", "-q", "--bare")
    repository.git(tmp_path / "bare", "config", "core.fsmonitor", "./x")
    bare = Workspace(tmp_path / "bare")
    script = judge("git status", "posix", bare)
    assert not script.listed or b"fatal" in run(bare, "git status").output


def test_our_own_calls_fire_no_canary(ws, tmp_path):
    repository.set_canary(ws.root, tmp_path / "canary", {**POWERLESS, **NAMING, "core.worktree": "../.."})
    assert git_run.ask_git(ws.path, "rev-parse", "--abbrev-ref", "HEAD") == "main\n"
    judge("git status", "posix", ws)
    assert repository.fired(tmp_path / "canary") == ""


def test_without_a_repository_git_is_allowed_and_says_so(tmp_path):
    done = run(Workspace(tmp_path), "git status")
    assert done.exit == 128 and b"not a git repository" in done.output


def test_only_what_is_listed_runs_without_a_shell(tmp_path):
    script = Script("x", "posix", (Part(("rm", "x")),))
    with pytest.raises(ValueError):
        run_script(script, Job(str(tmp_path), Strings("en")))
    assert replace(script, parts=()).listed is False


WRITING = (
    "git branch new", "git branch -l new", "git branch -v new", "git branch -a new", "git tag new",
    "git tag -n new", "git stash", "git stash push", "git stash list x", "git remote update",
    "git remote set-url origin x", "git reflog expire", "git worktree add x", "git branch --sort=x n",
    "git symbolic-ref HEAD refs/heads/x", "git log --output=x", "git log -ox", "git log -O x",
    "git diff --no-index a b", "git log --format=%G?", "git log --format='%+GS'",
    "git log --pretty=mine", "git for-each-ref --format='%(signature)'", "git show HEAD:.env",
    "git show main:../x", "git log -- .env", "git log -L1,2:../x", "git blame -L1,2 ../x",
    "git grep -Ovi x", "git grep --recurse-submodules x", "git grep --no-index x",
    "git grep --untracked x", "git grep --no-exclude-standard x", "git grep --untr x", "git status -v",
    "git diff --submodule=diff", "git diff --ignore-submodules=none", "git describe --dirty",
    "git -C . status", "git -c a=b status", "git log --exec=x",
    "git cat-file --batch", "git cat-file --textconv HEAD:x", "git config --list", "git bisect log",
    "git submodule status", "git fetch", "git --exec-path=. status", "git ls-files -X ../x",
    "git check-ignore --stdin", "git rev-parse --parseopt", "git rev-parse --show-superproject-working-tree", "git show :.env", "git show :0:.env",
    "git diff ':!../x'", "git diff --relative=..", "git log --remerge-diff", "git whatchanged",
)


def test_other_git_commands_are_asked_about(tmp_path):
    plain = Workspace(tmp_path)
    assert [c for c in WRITING if judge(c, "posix", plain).listed] == []

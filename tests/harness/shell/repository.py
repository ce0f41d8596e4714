"""A real repository whose every setting that can name a program names a canary."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

GIT_ENV = {
    "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@b", "GIT_AUTHOR_DATE": "2024-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2024-01-02T03:04:05Z",
}

NAMING = {
    "core.fsmonitor": "{}", "core.pager": "{}", "pager.log": "{}", "pager.status": "{}",
    "diff.evil.command": "{}", "diff.evil.textconv": "{}", "filter.evil.clean": "{}",
    "filter.evil.process": "{}", "merge.evil.driver": "{}", "gpg.program": "{}",
    "gpg.ssh.program": "{}", "url.x.insteadOf": "y", "remote.origin.promisor": "true",
    "extensions.partialClone": "origin", "core.worktree": "/etc",
}
"""Settings that bring the question back."""

POWERLESS = {
    "diff.external": "{}", "core.editor": "{}", "sequence.editor": "{}", "alias.status": "!{}",
    "alias.log": "!{}", "core.askPass": "{}", "core.sshCommand": "{}", "credential.helper": "{}",
    "log.showSignature": "true", "format.pretty": "%G?", "log.diffMerges": "remerge",
    "diff.submodule": "diff", "status.submoduleSummary": "true", "submodule.recurse": "true",
    "interactive.diffFilter": "{}",
    "core.excludesFile": "/etc/passwd", "core.attributesFile": "/etc/passwd",
    "uploadpack.packObjectsHook": "{}", "trailer.x.command": "{}", "tar.tar.command": "{}",
    "core.alternateRefsCommand": "{}", "diff.tool": "x", "difftool.x.cmd": "{}",
    "trace2.eventTarget": "{}x", "help.browser": "{}", "man.viewer": "{}", "color.ui": "always",
}
"""Settings that are switched off from above, or that no listed command looks at."""


def git(folder: Path, *args: str) -> str:
    done = subprocess.run(
        ("git", "-c", "protocol.file.allow=always", "-c", "core.hooksPath=/dev/null",
         "-c", "init.templateDir=", *args),
        cwd=folder, env=GIT_ENV, check=True, capture_output=True, text=True,
    )
    return done.stdout


def make(folder: Path) -> Path:
    """A repository with two commits, a branch, a tag, a stash, a change and a submodule."""
    other = folder.parent / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    (other / "s.txt").write_text("s\n")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "s")
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "README.md").write_text("one\n")
    (folder / ".gitattributes").write_text("*.md diff=evil filter=evil merge=evil\n")
    git(folder, "add", ".")
    git(folder, "submodule", "--quiet", "add", str(other), "sub")
    git(folder, "commit", "-q", "-m", "first")
    (folder / "README.md").write_text("one\ntwo\n")
    git(folder, "commit", "-q", "-am", "second")
    git(folder, "branch", "feature", "HEAD~1")
    git(folder, "tag", "v1")
    (folder / "README.md").write_text("one\ntwo\nstashed\n")
    git(folder, "stash", "-q")
    (folder / "README.md").write_text("one\nchanged\n")
    (folder / "new.txt").write_text("new\n")
    (folder / "sub" / "s.txt").write_text("changed\n")
    return folder


def set_canary(folder: Path, canary: Path, keys: dict[str, str]) -> None:
    """Write `keys` into the repository's settings and its submodule's; `{}` is the canary program,
    which leaves a file behind. Hooks are canaries too."""
    canary.mkdir()
    program = canary / "sing"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}/fired\nexec cat\n')
    program.chmod(0o755)
    for where in (folder / ".git", folder / ".git" / "modules" / "sub"):
        for key, value in keys.items():
            setting(where, key, value.replace("{}", str(program)))
        hooks = where / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("post-index-change", "post-checkout", "reference-transaction", "pre-commit",
                     "fsmonitor-watchman"):
            (hooks / name).write_text(program.read_text())
            (hooks / name).chmod(0o755)


def setting(repository: Path, key: str, value: str) -> None:
    """As `git config KEY VALUE`."""
    section, *middle, name = key.split(".")
    sub = f' "{".".join(middle)}"' if middle else ""
    with open(repository / "config", "a") as file:
        file.write(f'[{section}{sub}]\n\t{name} = "{value}"\n')


def fired(canary: Path) -> str:
    found = canary / "fired"
    return found.read_text() if found.exists() else ""

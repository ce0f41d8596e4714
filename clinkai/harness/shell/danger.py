"""Which unlisted commands are high risk: a single key must not be enough to approve them.

High: what deletes, publishes, asks for higher rights, feeds the network to a shell, or names
something outside the workspace, a secret or a protected file. This is a mark for the person who
is asked, not a fence: a name that is not here is still asked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clinkai.harness.shell.fence import Fence

LOSES = frozenset(
    "rm rmdir unlink shred srm truncate dd mkfs wipefs fdisk parted del erase rd ri remove-item "
    "clear-content clc clear-item format format-volume remove-itemproperty cipher".split()
)
RIGHTS = frozenset(
    "sudo doas su pkexec runuser chroot chown chgrp setfacl mount umount insmod modprobe systemctl "
    "service launchctl crontab at iptables nft useradd usermod passwd visudo reboot shutdown halt "
    "poweroff reg regedit icacls takeown sc schtasks set-executionpolicy set-acl runas".split()
)
PUBLISHES = frozenset((
    "git push", "git send-email", "npm publish", "pnpm publish", "yarn publish", "cargo publish",
    "twine upload", "docker push", "podman push", "gh release", "gh pr", "gh repo", "gem push",
    "helm push", "kubectl apply", "kubectl delete", "terraform apply", "terraform destroy",
))
UNDOES = frozenset((
    "git reset", "git clean", "git gc", "git prune", "git filter-branch", "git update-ref", "git rm",
    "git restore", "git checkout", "docker rm", "docker rmi", "docker system", "npm unpublish",
    "git stash drop", "git stash clear", "git branch -D", "git branch -d", "git reflog expire",
    "git reflog delete", "git tag -d", "git worktree remove",
))
FETCHES = frozenset("curl wget iwr irm invoke-webrequest invoke-restmethod nc ncat fetch".split())
SHELLS = frozenset(
    "sh bash zsh dash ksh fish csh tcsh busybox pwsh powershell cmd iex invoke-expression".split()
)
INTERPRETERS = frozenset(
    "python python2 python3 pypy node deno bun perl ruby php lua tclsh expect osascript awk gawk "
    "mawk nawk sed ed vim vi emacs r rscript julia groovy scala ghci irb java jshell gdb".split()
)
WRAPPERS = frozenset(
    "env xargs timeout nice nohup stdbuf setsid time command builtin exec eval parallel watch "
    "script strace ltrace ionice taskset unshare nsenter find fd start-process saps cmd source . "
    "ssh docker podman kubectl flatpak wsl trap flock chrt setarch uv npx pnpx bunx pipx".split()
)
DELETES = frozenset("-delete -exec -execdir -ok -okdir".split())
WORD = r"[A-Za-z][A-Za-z0-9_.-]*"
LEAVES = (r"(?:^|[\s\"'=:(])(?:/(?!dev/null\b)|~|\.\.(?:[\\/]|\s|$)|[A-Za-z]:[\\/]|\\\\)")
"""A path in a text that was not understood, which leads away from the workspace. These are plain
strings: at start-up nobody waits for them to be compiled."""


def program_of(argv: tuple[str, ...]) -> str:
    """The bare name of the program, in small letters."""
    name = re.split(r"[\\/]", argv[0])[-1].casefold()
    return name.removesuffix(".exe")


def of_command(argv: tuple[str, ...], fence: Fence) -> str:
    """low or high, of one unlisted command."""
    program = program_of(argv)
    if program in LOSES or program in RIGHTS or program.startswith("mkfs."):
        return "high"
    two, three = f"{program} {' '.join(argv[1:2])}", f"{program} {' '.join(argv[1:3])}"
    if two in PUBLISHES or two in UNDOES or three in UNDOES:
        return "high"
    if program == "find" and not DELETES.isdisjoint(argv):
        return "high"
    if program in SHELLS or program in WRAPPERS:
        words = {word.casefold() for text in argv[1:] for word in re.findall(WORD, text)}
        if words & (LOSES | RIGHTS) or _pulls(words):
            return "high"
    return "high" if any(_is_away(word, fence) for word in argv[1:]) else "low"


def of_line(argvs: tuple[tuple[str, ...], ...], joins: tuple[str, ...]) -> str:
    """low or high, of how commands are joined: something fetched that goes into a shell."""
    fetched = False
    for i, argv in enumerate(argvs):
        if i and joins[i - 1] != "|":
            fetched = False
        program = program_of(argv)
        if fetched and (program in SHELLS or program in INTERPRETERS or program in WRAPPERS):
            return "high"
        fetched = fetched or program in FETCHES
    return "low"


def of_text(text: str) -> str:
    """low or high, of a line that could not be read."""
    words = [word.casefold() for word in re.findall(WORD, text)]
    pairs = {f"{one} {two}" for one, two in zip(words, words[1:])}
    known = set(words)
    if known & (LOSES | RIGHTS) or pairs & (PUBLISHES | UNDOES) or _pulls(known):
        return "high"
    return "high" if re.search(LEAVES, text) else "low"


def _pulls(words: set[str]) -> bool:
    return bool(words & FETCHES) and bool(words & SHELLS)


def _is_away(word: str, fence: Fence) -> bool:
    """True where a word, or what follows `=` in an option, is a path that asks for care."""
    if word.startswith("-"):
        word = word.partition("=")[2]
    if not word or len(word) > 1000:
        return False
    if fence.dialect == "powershell":
        word = word.replace("\\", "/")
    return fence.ws.place(word, writes=True).zone not in ("inside", "bad") or word.startswith("~")

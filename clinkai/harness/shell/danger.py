"""Which unlisted commands are high risk: a single key must not be enough to approve them.

High: what deletes, publishes, asks for higher rights, feeds the network or hidden text to a shell,
or names something outside the workspace, a secret or a protected file. This is a mark for the
person who is asked, not a fence: a name that is not here is still asked. A line that could not be
read is judged by the words in it, and marked rather once too often.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clinkai.harness.shell.fence import Fence

LOSES = frozenset(
    "rm rmdir unlink shred srm truncate dd mkfs wipefs fdisk parted del erase rd ri remove-item "
    "clear-content clc clear-item format format-volume remove-itemproperty cipher "
    "clear-itemproperty clear-disk clear-recyclebin remove-partition uninstall-module "
    "uninstall-package".split()
)
RIGHTS = frozenset(
    "sudo doas su pkexec runuser run0 gosu su-exec chroot chown chgrp setfacl mount umount insmod "
    "modprobe systemctl service launchctl crontab at iptables nft useradd usermod passwd visudo "
    "reboot shutdown halt poweroff reg regedit icacls takeown sc schtasks set-executionpolicy "
    "set-acl runas stop-computer restart-computer".split()
)
SENDS = frozenset("scp sftp publish-module publish-script publish-psresource".split())
ALWAYS = LOSES | RIGHTS | SENDS

ACTS_OF = """
git: push, send-email, reset, clean, gc, prune, filter-branch, filter-repo, update-ref, rm, restore,
  checkout, switch -f, switch --force, switch --discard-changes, stash drop, stash clear,
  branch -D, branch -d, branch --delete, tag -d, tag --delete, reflog expire, reflog delete,
  worktree remove, remote remove, remote rm
npm, pnpm, yarn: publish, unpublish, npm publish, run publish, run deploy, run release, deploy
docker, podman: push, image push, rm, rmi, image rm, image prune, container rm, container prune,
  volume rm, volume prune, system prune
gh: release create, release delete, release edit, release upload, pr create, pr merge, pr close,
  pr comment, pr edit, pr review, issue create, issue close, issue comment, issue delete, issue edit,
  repo create, repo delete, repo edit, repo archive, repo rename, repo fork, gist create, gist delete,
  secret set, workflow run
kubectl: apply, delete, create, replace, patch, edit, scale, drain
helm: push, install, upgrade, uninstall, rollback
terraform, tofu: apply, destroy
aws: s3 rm, s3 sync, s3 cp, s3 mv, s3 rb
cargo: publish, yank
gem: push, yank
twine: upload
nuget: push
dotnet: nuget push
poetry, flit, hatch, uv, pdm, vsce, ovsx, wrangler: publish
gradle, gradlew: publish
mvn, firebase, netlify, vercel, wrangler, fly, flyctl: deploy
gcloud: deploy, app deploy, run deploy, functions deploy
make, just, task: deploy, publish, release, upload
apt, apt-get: remove, purge, autoremove
rsync: --delete, --remove-source-files
"""
"""Programs, and the words and options that make them delete or publish."""

VALUED = frozenset(
    "-C -c -R -H -n --git-dir --work-tree --namespace --context --config --repo --tag --prefix "
    "--profile --region --project --filter -w --workspace".split()
)
"""Options before a sub-command whose value is the next word."""

FETCHES = frozenset(
    "curl wget iwr irm invoke-webrequest invoke-restmethod nc ncat fetch aria2c downloadstring "
    "downloadfile".split()
)
DECODES = frozenset("base64 base32 xxd openssl uudecode".split())
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
    "ssh docker podman kubectl flatpak wsl trap flock chrt setarch uv npx pnpx bunx pipx "
    "toybox systemd-run setpriv prlimit numactl firejail bwrap proot fakechroot dbus-run-session "
    "dbus-launch xvfb-run valgrind perf hyperfine entr direnv mise rtx pixi rye dotenv catchsegv "
    "ccache batch lldb".split()
)
RUNS = SHELLS | WRAPPERS
TAKES = SHELLS | frozenset("eval source scriptblock".split())
"""What runs a text it is given."""

RESERVED = frozenset("if then elif else do while until time ! {".split())
DELETES = frozenset("-delete -exec -execdir -ok -okdir".split())
CODE = frozenset(
    "rmtree unlink os.remove rmdir removedirs rmsync unlinksync rmdirsync rm_rf file.delete rm "
    "sudo".split()
)
"""Names in a program given on the command line that delete."""

WORD = r"(?<![\w-])[A-Za-z][A-Za-z0-9_.-]*"
METHOD = r"(?i)[.:]delete\("
ENCODED = r"(?i)-e(?:c|nc?|nco\w*)?"
EMPTIES = r"(?:^|[;&|]) *(?:: *|true *)?>(?![>&])"
"""A redirection of nothing: what the file held is gone."""

SOURCED = r"(?:^|[;&|]) *\. +<\("
HOMES = (r"\$\{?(?i:home|oldpwd|te?mp|tmpdir|env:(?:userprofile|(?:local)?appdata|te?mp|home\w*|"
         r"systemroot|windir|program\w+))\b")
PRINTS = r"(?i) *(?:echo|printf|write-output|write-host) [^<>|;&]*"
LEAVES = (r"(?:^|[\s\"'=(]|:(?!//))(?:/(?!dev/null\b)|~|\.\.(?:[\\/]|\s|$)|[A-Za-z]:[\\/]|\\\\)")
"""A path in a text that was not understood, which leads away from the workspace. These are plain
strings: at start-up nobody waits for them to be compiled."""

DRIVE = (r"(?i)(?:[a-z]|env|hk(?:lm|cu|cr|u|cc)|registry|cert|function|variable|alias|wsman|temp|"
         r"microsoft\.[\w.\\]+)::?(?!//)|[\\/]")
"""How a path of another drive or provider of PowerShell begins."""

_found: set[tuple[str, ...]] = set()


def program_of(argv: tuple[str, ...]) -> str:
    """The bare name of the program, in small letters."""
    name = re.split(r"[\\/]", argv[0])[-1].casefold()
    return name.removesuffix(".exe")


def of_command(argv: tuple[str, ...], fence: Fence) -> str:
    """low or high, of one unlisted command."""
    argv = _bare(argv)
    program = program_of(argv)
    if program in ALWAYS or program.startswith("mkfs.") or _acts_in(argv):
        return "high"
    if program == "find" and not DELETES.isdisjoint(argv):
        return "high"
    if program in ("powershell", "pwsh") and any(re.fullmatch(ENCODED, w) for w in argv):
        return "high"
    if program == "rsync" and any(":" in word for word in argv[1:]):
        return "high"
    if program in RUNS:
        given = argv[1:] if program in SHELLS else [w for w in argv[1:] if w[:1] != "-"]
        if any(_has_deed(re.findall(WORD, text)) for text in (*given, " ".join(given))):
            return "high"
    elif program in INTERPRETERS and _has_code(argv):
        return "high"
    return "high" if any(_is_away(word, fence) for word in argv[1:]) else "low"


def of_line(argvs: tuple[tuple[str, ...], ...], joins: tuple[str, ...]) -> str:
    """low or high, of how commands are joined: something fetched or hidden that is run."""
    piped = False
    files: set[str] = set()
    for i, argv in enumerate(argvs):
        argv = _bare(argv)
        program = program_of(argv)
        piped = piped and joins[i - 1] == "|"
        if piped and _reads_commands(program, argv):
            return "high"
        if files & {_last(word) for word in argv} and (
                program in RUNS or program in INTERPRETERS or _last(argv[0]) in files):
            return "high"
        if program in FETCHES:
            files |= {_last(word) for word in argv[1:]} - {""}
        piped = piped or program in FETCHES or program in DECODES or program in (
            "echo", "printf", "write-output") and _has_deed(argv[1:])
    return "low"


def of_text(text: str) -> str:
    """low or high, of a line that could not be read."""
    if _has_deed(re.findall(WORD, text)) or re.search(METHOD, text) or re.search(EMPTIES, text):
        return "high"
    if re.search(LEAVES, text) or re.search(SOURCED, text):
        return "high"
    return "high" if re.search(HOMES, text) and not re.fullmatch(PRINTS, text) else "low"


def _bare(argv: tuple[str, ...]) -> tuple[str, ...]:
    """`argv` without reserved words and assignments before the program, and with the module in the
    place of `python -m`."""
    at = 0
    while at < len(argv) - 1 and (argv[at] in RESERVED or re.match(r"\w+=", argv[at])):
        at += 1
    argv = argv[at:]
    if program_of(argv) in INTERPRETERS and argv[1:2] == ("-m",) and len(argv) > 2:
        return argv[2:]
    return argv


def _acts() -> set[tuple[str, ...]]:
    """ACTS_OF as tuples: program, words, options."""
    if not _found:
        for line in ACTS_OF.replace("\n  ", " ").strip().split("\n"):
            programs, _, acts = line.partition(": ")
            _found.update((program, *act.split()) for program in programs.split(", ")
                          for act in acts.split(", "))
    return _found


def _acts_in(argv: tuple[str, ...]) -> bool:
    """True where the sub-command of `argv` and its options delete or publish."""
    program, words, at = program_of(argv), [], 1
    while at < len(argv) and len(words) < 2:
        if argv[at].startswith("-"):
            at += 2 if argv[at] in VALUED else 1
        else:
            words.append(argv[at])
            at += 1
    tried = {(program, *words[:1]), (program, *words)}
    tried |= {(program, *words[:n], word) for word in argv if word[:1] == "-" for n in (0, 1)}
    return not tried.isdisjoint(_acts())


def _has_deed(words: list[str] | tuple[str, ...]) -> bool:
    """True where words in a row name something high risk."""
    words = [word.casefold() for word in words]
    known = set(words)
    if known & ALWAYS or known & FETCHES and known & TAKES:
        return True
    pairs = zip(words, [*words[1:], ""], [*words[2:], "", ""])
    return any(not {(a, b), (a, b, c)}.isdisjoint(_acts()) for a, b, c in pairs)


def _has_code(argv: tuple[str, ...]) -> bool:
    """True where a program on the command line deletes, or runs what it fetches."""
    words = {word.casefold() for text in argv[1:] if not text.startswith("-")
             for word in re.findall(WORD, text)}
    known = words | {piece for word in words for piece in word.split(".")}
    fetches = known & {"urlopen", "urllib", "requests", "fetch"}
    return bool(known & CODE or fetches and known & {"exec", "eval"})


def _reads_commands(program: str, argv: tuple[str, ...]) -> bool:
    """True for a program that takes what a pipe brings for commands."""
    if program in INTERPRETERS:
        return all(word.startswith("-") and word[:2] not in ("-c", "-e", "-m") for word in argv[1:])
    return program in RUNS and (program in SHELLS or not SHELLS.isdisjoint(argv))


def _last(word: str) -> str:
    """The last part of a path or address."""
    return re.split(r"[\\/]", re.sub(r"^\w+://[^/]*", "", word))[-1]


def _is_away(word: str, fence: Fence) -> bool:
    """True where a word, or the value in an option, is a path that asks for care."""
    if word.startswith("-"):
        glued = re.match(r"--?[\w-]+[=:](.*)|-\w([/~].*|\.\.[\\/].*)", word, re.DOTALL)
        word = (glued.group(1) or glued.group(2) or "") if glued else ""
    if not word or len(word) > 1000 or re.match(r"\w\w+://", word):
        return False
    if fence.dialect == "powershell":
        if re.match(DRIVE, word):
            return True
        word = word.replace("\\", "/")
    return fence.ws.place(word, writes=True).zone not in ("inside", "bad") or word.startswith("~")

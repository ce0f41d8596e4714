"""What a file name alone says: secret, protected, the repository's own, illegal.

Pure functions of names; nothing here touches the disk. Names are compared as the least careful
file system would (`bare`): without case, without the characters HFS+ ignores, without the trailing
dots and blanks Windows drops, so that no spelling of `.git` gets by on any disk.

Sources: `.env` list from the architecture (section 7), protected names from the threat model
(section 5.5), ignorable characters and `git~1` from Git's CVE-2014-9390, device names from
Microsoft's "Naming Files, Paths, and Namespaces".

Not covered: what a file holds; a secret under a harmless name is not recognised.
"""

from __future__ import annotations

import re

IGNORED_BY_HFS = {
    code: None
    for span in ((0x200C, 0x200F), (0x202A, 0x202E), (0x206A, 0x206F), (0xFEFF, 0xFEFF))
    for code in range(span[0], span[1] + 1)
}

SECRET_NAMES = frozenset((
    ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf",
    ".htpasswd", ".dockercfg", ".s3cfg", ".boto", ".ssh", ".gnupg", ".aws", ".azure", ".kube",
    "credentials", ".credentials", "credentials.json", "application_default_credentials.json",
))
"""Files that usually hold credentials, and folders of nothing else."""

SECRET_ENDS = (
    ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk",
)
SECRET_JSON = ("client_secret", "service_account", "service-account")
"""Beginnings of names that are secret when they end in .json."""

ENV_OPEN = frozenset((".env.dev", ".env.development"))
ENV_OPEN_ENDS = (".example", ".sample", ".template")
"""Of the names that begin with `.env`, those made to be read."""

KEYS = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
KEYS_OPEN_ENDS = (".pub", ".py", ".md")
"""Private keys by the beginning of their name, and what is none all the same."""

PROTECTED_NAMES = frozenset((
    ".git", ".clinkai", ".vscode", ".idea", ".husky", ".claude", ".cursor", ".codex", ".gemini",
    ".roo", ".mcp.json", ".envrc", ".devcontainer", ".devcontainer.json", ".opencode", ".kiro",
    ".windsurf", ".amazonq", ".trae", ".zed", ".aider.conf.yml", ".pre-commit-config.yaml",
    ".lefthook.yml", ".exrc", ".nvimrc", ".nvim.lua",
))
"""Settings of git's hooks, of editors and of agents, which name commands that these run."""

PROTECTED_PAIRS = frozenset(((".github", "hooks"),))

DEVICES = frozenset((
    "con", "prn", "aux", "nul", "clock$", "conin$", "conout$",
    *(kind + n for kind in ("com", "lpt") for n in "0123456789\u00b9\u00b2\u00b3"),
))

LONGEST = 32_767
"""Characters of a path, at most: the limit of Windows, eight times that of Linux."""

MISTAKES = frozenset(
    "tool.path." + kind for kind in ("empty", "nul", "long", "encoding", "characters", "loop")
)
"""Problems that are a slip: the tool answers them with an error. The others are refused."""


def bare(name: str) -> str:
    """The form in which a name is looked up in the lists above."""
    if not name.isascii():
        name = name.translate(IGNORED_BY_HFS)
    return name.casefold().rstrip(". ") or name


def is_git(name: str) -> bool:
    """True for the repository folder or pointer file, also under its short Windows name."""
    if name.isascii() and name[:4].lower() not in (".git", "git~"):
        return False
    return bare(name) in (".git", "git~1")


def is_secret(name: str) -> bool:
    """True where one part of a path usually holds credentials."""
    name = bare(name)
    if name in SECRET_NAMES or name.endswith(SECRET_ENDS):
        return True
    if name.startswith(".env"):
        return name not in ENV_OPEN and not name.endswith(ENV_OPEN_ENDS)
    if name.startswith(KEYS):
        return not name.endswith(KEYS_OPEN_ENDS)
    return name.endswith(".json") and name.startswith(SECRET_JSON)


def is_protected(parts: tuple[str, ...]) -> bool:
    """True where writing to the path could make another program act: hooks, editor tasks,
    settings of agents."""
    names = [bare(part) for part in parts]
    return not PROTECTED_NAMES.isdisjoint(names) or not PROTECTED_PAIRS.isdisjoint(
        zip(names, names[1:])
    )


def folder_of(platform: str):
    """Return the function that maps a name to what the platform's disks compare."""
    if platform == "darwin":
        return _fold_mac
    return str.casefold if platform == "win32" else str


def _fold_mac(name: str) -> str:
    if name.isascii():
        return name.casefold()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFD", name).casefold())


def problem(text: str, platform: str) -> str:
    """The catalogue key of what makes `text` no path at all on `platform`, or an empty string."""
    if not text:
        return "tool.path.empty"
    if "\0" in text:
        return "tool.path.nul"
    if len(text) > LONGEST:
        return "tool.path.long"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "tool.path.encoding"
    if text.startswith("~"):
        return "tool.path.tilde"
    return windows_problem(text) if platform == "win32" else ""


_SHORT_NAME = re.compile(r"[^.~]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?", re.ASCII)


def windows_problem(text: str) -> str:
    """As `problem`, for the forms only Windows has. Such names must not even be tested for
    existence: that alone sends the user's hash to a host named in a UNC path."""
    text = text.replace("/", "\\")
    if text.startswith("\\\\"):
        return "tool.path.unc"
    if text.startswith("\\"):
        return "tool.path.drive"
    if re.match(r"[A-Za-z]:", text):
        if text[2:3] != "\\":
            return "tool.path.drive"
        text = text[3:]
    if ":" in text:
        return "tool.path.stream"
    for part in text.split("\\"):
        if part in ("", ".", ".."):
            continue
        if part.split(".")[0].rstrip(" ").casefold() in DEVICES:
            return "tool.path.device"
        if part[-1] in ". ":
            return "tool.path.trailing"
        if _SHORT_NAME.fullmatch(part):
            return "tool.path.short"
        if any(c in '<>"|?*' or c < " " for c in part):
            return "tool.path.characters"
    return ""

"""Where a confined command may read, run programs and write: rules as values.

Landlock gives rights to folders with all that is in them and takes none away again. What must stay
closed is therefore left out: a folder that holds it is not given, its other children are. A child
that appears while a command runs is closed for that command.

Pure: folders are listed by the function that the caller gives. Not covered: a secret under a name
that is not in the table, secrets in the workspace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os.path import basename, dirname, join

from clinkai.core.value import Value
from clinkai.harness import names

SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/gnu", "/snap",
    "/run/current-system", "/home/linuxbrew", "/sys", "/proc", "/dev/urandom", "/dev/random",
)
"""Read and run. What lies in /proc of a process outside is closed by Landlock itself."""

SETTINGS = "/etc"
SETTINGS_SECRETS = (
    "shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "ssh", "ssl/private",
    "krb5.keytab", "security/opasswd", "NetworkManager", "wireguard", "ppp", "kubernetes",
)
"""Closed by their modes, but not to root."""

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")
SHARED_MEMORY = "/dev/shm"

SECRETS = tuple("""
.aws .azure .gnupg .kube .oci .pki .ssh .vault-token .netrc .npmrc .pypirc .git-credentials .pgpass
.my.cnf .s3cfg .boto .dockercfg .htpasswd .password-store .terraform.d .terraformrc .fly .claude
.claude.json .codex .gemini .cursor .clinkai .mozilla .thunderbird .bitcoin .ethereum .electrum
.monero .putty .rclone.conf .msmtprc .fetchmailrc .smbcredentials .bash_history .zsh_history
.python_history .node_repl_history .psql_history .mysql_history .sqlite_history .lesshst .viminfo
.Xauthority .ICEauthority .dbus .gvfs snap .var Library AppData .gnome2 .kde .wine .snowflake
.cargo/credentials .cargo/credentials.toml .docker/config.json .m2/settings.xml
.m2/settings-security.xml .gradle/gradle.properties .gem/credentials .bundle/config
.composer/auth.json .subversion/auth .huggingface .cache/huggingface/token
.cache/huggingface/stored_tokens .cache/mozilla .cache/google-chrome .cache/chromium
.cache/BraveSoftware .cache/thunderbird .nuget/NuGet/NuGet.Config .sbt/.credentials
.ivy2/.credentials .vscode-server/data .vscode-server/.token .gsutil .jupyter/jupyter_server_config.json
.local/share/keyrings .local/share/kwalletd .local/share/gnupg .local/share/password-store
.local/share/TelegramDesktop .local/share/jupyter/runtime .local/share/fish/fish_history
.local/share/opencode .local/share/containers .local/state/bash .local/share/Trash
.config/gh .config/glab-cli .config/hub .config/hub.conf .config/gcloud .config/doctl .config/op
.config/fly .config/netlify .config/heroku .config/stripe .config/rclone .config/sops .config/age
.config/containers .config/helm .config/git/credentials .config/pip .config/pypoetry .config/uv
.config/configstore .config/google-chrome .config/google-chrome-beta .config/google-chrome-unstable
.config/chromium .config/microsoft-edge .config/BraveSoftware .config/vivaldi .config/opera
.config/mozilla .config/Code .config/VSCodium .config/Cursor .config/github-copilot .config/Slack
.config/discord .config/Signal .config/Element .config/Bitwarden .config/1Password
.config/KeePass .config/keepassxc .config/evolution .config/filezilla .config/remmina .config/zed
.config/opencode .config/goose .config/io.datasette.llm .config/syncthing .config/nix
""".split())
"""Below the home folder: keys and passwords, what was typed, profiles of browsers and the like."""

Children = Callable[[str], Iterable[tuple[str, str]]]
"""The names in a folder, each with the real path it leads to where it is a link, else "". Empty
for what is no folder or cannot be read."""


class Rule(Value):
    """kind: one of rights.KINDS. Paths are real."""

    path: str
    kind: str


class Site(Value):
    """All paths are real. root: the workspace; home: of the user, "" where there is none; closed:
    what must not be read; programs: the folders of PATH; temp: the private temporary folder;
    admin: the user is root."""

    root: str
    home: str
    closed: tuple = ()
    programs: tuple = ()
    temp: str = ""
    admin: bool = False


def secrets(home: str) -> tuple[str, ...]:
    """The paths of the table below a home folder."""
    return tuple(join(home, path) for path in SECRETS) if home else ()


def is_wide(site: Site, private: Iterable[str]) -> bool:
    """True for a workspace that holds the home folder or what belongs to the program: writing in
    it is more than a command may do unasked."""
    return any(inside(path, site.root) for path in (site.home, *private) if path)


def rules(site: Site, writes: bool, children: Children) -> tuple[Rule, ...]:
    """What a command may do. writes: in the workspace, the temporary folder and shared memory;
    without it nowhere, and nothing in the workspace is run."""
    shut = (*site.closed, *(() if writes else (site.root,)))
    etc = tuple(join(SETTINGS, name) for name in SETTINGS_SECRETS) if site.admin else ()
    found = [Rule(path, "run") for path in SYSTEM]
    found += [Rule(path, "run") for path in spread(SETTINGS, etc, children)]
    found += [Rule(path, "device") for path in DEVICES]
    if site.home:
        found += [Rule(path, "run") for path in spread(site.home, (*shut, site.home), children)]
    found += [Rule(path, "run") for path in _toolchains(site, shut)]
    found.append(Rule(site.root, "write" if writes else "look"))
    if writes:
        found += [Rule(path, "write") for path in (SHARED_MEMORY, site.temp)]
    return tuple(dict.fromkeys(found))


def spread(base: str, shut: tuple[str, ...], children: Children) -> list[str]:
    """The fewest paths that hold all below `base` that is not in `shut`; `base` itself, where it is
    in `shut`, is only not given as a whole. In a folder that is taken apart, names that are secret
    anywhere are left out, and links count where they lead clear of all that is shut."""
    below = tuple(path for path in shut if inside(path, base))
    if not below:
        return [base]
    found = []
    for name, target in children(base):
        path = join(base, name)
        if names.is_secret(name) or path in shut:
            continue
        if not target:
            found += spread(path, below, children)
        elif not touches(target, shut):
            found.append(target)
    return found


def inside(path: str, base: str) -> bool:
    """True for `base` itself and what is below it."""
    return path == base or path.startswith(base.rstrip("/") + "/")


def touches(path: str, others: Iterable[str]) -> bool:
    """True where one of the others holds the path or lies in it."""
    return any(inside(path, other) or inside(other, path) for other in others)


def _toolchains(site: Site, shut: tuple[str, ...]) -> list[str]:
    """What PATH names: `X/bin` stands for X, unless that is at the top of the disk."""
    found = []
    for folder in site.programs:
        whole = dirname(folder)
        given = whole if basename(folder) in ("bin", "sbin") and whole.count("/") > 1 else folder
        if not touches(given, (*shut, site.home)) and given.count("/") > 1:
            found.append(given)
    return found

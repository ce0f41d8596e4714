"""The same policy as a profile of `sandbox-exec`, in the language of macOS: a value.

Not covered: starting it. Nobody has run it on macOS, so nothing relies on it; a command there is
asked about as without a sandbox.
"""

from __future__ import annotations

from clinkai.harness.sandbox.paths import Site, is_wide

SYSTEM = ("/usr", "/bin", "/sbin", "/System", "/Library", "/opt", "/Applications",
          "/private/etc", "/private/var/db/timezone", "/private/var/select", "/dev")
DEVICES = ("/dev/null", "/dev/zero", "/dev/tty")


def profile(site: Site, writes: bool) -> str:
    """The text for `sandbox-exec -p`. Later rules win, so what is closed stands last. Raises
    ValueError for a workspace that holds the home folder."""
    if writes and is_wide(site, ()):
        raise ValueError("a workspace that holds the home folder")
    places = [site.root, *(() if not writes or not site.temp else (site.temp,))]
    readable = [*SYSTEM, *((site.home,) if site.home else ()), *places]
    closed = [path for path in site.closed if path != site.root]
    lines = [
        "(version 1)", "(deny default)", "(allow process-fork)", "(allow signal (target same-sandbox))",
        "(allow sysctl-read)", "(allow file-read-metadata)",
        f"(allow file-read* process-exec {_below(readable)})",
        f"(allow file-write-data {_each(DEVICES)})",
    ]
    if writes:
        git = f"{site.root}/.git"
        lines.append(f"(allow file-write* {_below(places)})")
        lines.append(f"(deny file-write* {_below([f'{git}/config', f'{git}/hooks'])})")
    if closed:
        lines.append(f"(deny file-read* file-write* process-exec {_below(closed)})")
        lines.append(f"(allow file-read* {_below([site.root])})")
    lines.append("(deny network*)")
    return "\n".join(lines) + "\n"


def _below(paths: list[str]) -> str:
    return " ".join(f"(subpath {_quoted(path)})" for path in paths)


def _each(paths: tuple[str, ...]) -> str:
    return " ".join(f"(literal {_quoted(path)})" for path in paths)


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'

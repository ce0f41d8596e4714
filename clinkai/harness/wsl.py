"""Which address a server on the Windows host has, seen from inside WSL.

Covered: WSL 1 (one network with Windows), WSL 2 with NAT (the host is the gateway) and with
mirrored networking (the host is 127.0.0.1). Pure functions of the texts of `/proc/version`,
`/proc/net/route` and `/proc/net/dev`; `look` reads them.
Not covered: what the Windows firewall lets through, and containers inside WSL.
"""

from __future__ import annotations

from clinkai.core.value import Value

RTF_UP, RTF_GATEWAY = 0x1, 0x2
"""Flags of a route; source: linux/route.h."""


class Windows(Value):
    """The Windows host. mode: shared (WSL 1), nat, mirrored or unknown; address: an IPv4 address
    to try for it, or an empty string where none can be told."""

    mode: str
    address: str


def windows_host(version: str, route: str, dev: str = "") -> Windows | None:
    """The Windows host of this WSL system, or None where this is not WSL.

    version, route, dev: the texts of /proc/version, /proc/net/route and /proc/net/dev.
    Mirrored networking is known by the interface `loopback0` (as Docker tells it, moby#48075):
    there the gateway is the router of the house, not Windows.
    """
    release = version.lower()
    if "microsoft" not in release:
        return None
    if "wsl2" not in release and "microsoft-standard" not in release:
        return Windows("shared", "127.0.0.1")
    if "loopback0" in _interfaces(dev):
        return Windows("mirrored", "127.0.0.1")
    address = gateway(route)
    return Windows("nat", address) if address else Windows("unknown", "")


def gateway(route: str) -> str:
    """The IPv4 address of the default route with the lowest metric in the text of
    /proc/net/route, or an empty string."""
    best: tuple[int, str] | None = None
    for line in route.splitlines()[1:]:
        parts = line.split()
        try:
            destination, via, flags = (int(parts[i], 16) for i in (1, 2, 3))
            metric, mask = int(parts[6]), int(parts[7], 16)
        except (IndexError, ValueError):
            continue
        wanted = RTF_UP | RTF_GATEWAY
        if destination or mask or flags & wanted != wanted:
            continue
        # The kernel prints the number as it lies in memory: the first byte is the lowest one.
        address = ".".join(str(via >> shift & 255) for shift in (0, 8, 16, 24))
        if best is None or metric < best[0]:
            best = (metric, address)
    return best[1] if best else ""


def look() -> Windows | None:
    """The Windows host of the running system, or None."""
    return windows_host(_text("/proc/version"), _text("/proc/net/route"), _text("/proc/net/dev"))


def _interfaces(dev: str) -> set[str]:
    return {line.partition(":")[0].strip() for line in dev.splitlines() if ":" in line}


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""

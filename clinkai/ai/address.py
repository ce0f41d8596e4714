"""The address of a model server, and which key may go there.

Covered: http and https, any path before or without `/v1`, every spelling of a loopback address.
Not covered: whether anything answers there (`ai/transport.py`).
"""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from clinkai.ai import DEFAULT_KEY
from clinkai.core.errors import UsageError
from clinkai.core.value import Value


class Address(Value):
    """base: the base URL without a slash at its end; root: the same without `/v1`, where servers
    have what is no part of the OpenAI interface; loopback: it cannot leave this machine."""

    base: str
    root: str
    scheme: str
    host: str
    loopback: bool


def read_address(base_url: str) -> Address:
    """Return `base_url` as an Address. Raises UsageError for anything but http(s)://HOST[/...]."""
    text = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        if not host.isascii():
            host.encode("idna")
    except ValueError:
        raise UsageError("error.address", value=base_url) from None
    plain = all(c > " " and c not in "\x7f?#@" for c in text) and parts.path.isascii()
    if parts.scheme not in ("http", "https") or not host or not plain or port == 0:
        raise UsageError("error.address", value=base_url)
    return Address(text, text.removesuffix("/v1"), parts.scheme, host, is_loopback(host))


def is_loopback(host: str) -> bool:
    """True for a host that is this machine by its name or number alone, without asking a DNS."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        packed = socket.inet_aton(name)
    except OSError:
        try:
            packed = socket.inet_pton(socket.AF_INET6, name)
        except OSError:
            return False
        if packed[:15] == bytes(15):
            return packed[15] in (0, 1)
        packed = packed[12:] if packed[:12] == bytes(10) + b"\xff\xff" else b""
    # 0.0.0.0 and :: connect to this machine.
    return packed[:1] == b"\x7f" or packed == bytes(4)


def key_for(address: Address, key: str) -> str:
    """The key to send to `address`, or an empty string. Raises UsageError for a key that no HTTP
    header can carry."""
    if not key or (key == DEFAULT_KEY and not address.loopback):
        return ""
    if not key.isprintable() or any(ord(c) > 255 for c in key):
        raise UsageError("error.key")
    return key


def in_the_clear(address: Address, key: str) -> bool:
    """True where sending `key` to `address` lets others on the way read it."""
    return bool(key_for(address, key)) and address.scheme == "http" and not address.loopback

"""Event frames as they go over the wire to the page: plain server-sent events.

`id: E.N` (E: epoch of the server start, N: number within the session), `event: TYPE`, `data:` one
line of JSON in ASCII, so that no text inside can end the line. Frames of the connection itself
(hello, hb, bye, session.status) have no id: they do not move the reader's cursor.
"""

from __future__ import annotations

import json
import re

RETRY = b"retry: 1000\n\n"
"""First bytes of a stream: the reconnect delay in ms for readers that have no better rule."""

_CURSOR = re.compile(r"([0-9a-f]{1,16})\.([0-9]{1,15})")


def data(body: dict) -> bytes:
    """The event and data lines of `body`, without an id."""
    text = json.dumps(body, separators=(",", ":"))
    return f"event: {body['type']}\ndata: {text}\n\n".encode("ascii")


def numbered(epoch: str, n: int, lines: bytes) -> bytes:
    """The frame with its id in front."""
    return b"id: %b.%d\n%b" % (epoch.encode("ascii"), n, lines)


def cursor(text: str, epoch: str) -> int | None:
    """The number in a Last-Event-ID of this epoch; None for anything else."""
    match = _CURSOR.fullmatch(text)
    return int(match[2]) if match and match[1] == epoch else None

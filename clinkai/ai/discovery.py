"""Finding a model server on this machine, where none was named and none is at the usual address.

Only 127.0.0.1 is ever asked, and only with the key that is known to all: whatever listens there
gets no secret. All ports are asked at once.
Not covered: when to look, and which of several to take (`harness/reach.py`).
"""

from __future__ import annotations

import threading
from time import monotonic
from typing import TYPE_CHECKING

from clinkai.ai import DEFAULT_KEY
from clinkai.ai.address import read_address
from clinkai.ai.connect import Line
from clinkai.ai.recognise import Server, recognise
from clinkai.core.cancel import Cancel
from clinkai.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

PORTS = (18080, 9931, 8080, 11434, 1234, 8000, 30000, 5001, 1337)
"""Where servers listen unless told otherwise: ours, llama.cpp (new and old), Ollama, LM Studio,
vLLM, SGLang, KoboldCpp, Jan."""

CONNECT = 0.4
"""Seconds to connect within this machine. Windows takes longer to say that nobody listens."""

SILENCE = 2.0
LONGEST = 5.0
"""Seconds an answer may take, and all questions to all ports together."""


class Found(Value):
    """A model server: its address and what it says of itself."""

    base_url: str
    server: Server


def listens(base_url: str) -> bool:
    """True where something takes a connection at `base_url`; nothing is sent."""
    from urllib.parse import urlsplit

    address = read_address(base_url)
    port = urlsplit(address.base).port or (443 if address.scheme == "https" else 80)
    line = Line(Cancel(), address.base, CONNECT, CONNECT)
    try:
        line.connect((address.host, port)).close()
    except OSError:
        return False
    finally:
        line.close()
    return True


def listening(ports: Sequence[int] = PORTS) -> tuple[str, ...]:
    """The addresses of those ports of this machine where something takes a connection, whatever
    it is; nothing is sent."""
    from concurrent.futures import ThreadPoolExecutor

    urls = [local(port) for port in ports]
    with ThreadPoolExecutor(len(urls) or 1) as pool:
        return tuple(url for url, taken in zip(urls, pool.map(listens, urls)) if taken)


def local(port: int) -> str:
    """The usual address of a server at this port of this machine."""
    return f"http://127.0.0.1:{port}/v1"


def discover(cancel: Cancel, ports: Sequence[int] = PORTS) -> tuple[Found, ...]:
    """The model servers on these ports of 127.0.0.1, in this order. What listens there and is no
    model server is left out. Raises Cancelled only."""
    own = Cancel()
    answers: dict[int, Found] = {}

    def ask(port: int) -> None:
        found = _ask(port, own)
        if found:
            answers[port] = found

    until = monotonic() + LONGEST
    threads = [threading.Thread(target=ask, args=(port,), daemon=True) for port in ports]
    with cancel.watch(own.set):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until - monotonic()))
        own.set()
    cancel.check()
    return tuple(answers[port] for port in ports if port in answers)


def _ask(port: int, cancel: Cancel) -> Found | None:
    from clinkai.ai.transport import Transport
    from clinkai.core.errors import Cancelled

    base_url = local(port)
    transport = Transport(base_url, api_key=DEFAULT_KEY, idle_timeout=SILENCE,
                          connect_timeout=CONNECT)
    try:
        server = recognise(transport, cancel)
    except Cancelled:
        return None
    return Found(base_url, server) if server.kind or server.models else None

"""The connection of one request, which another thread can cut at any moment.

`http.client` and `urllib.request` do the talking; this module gives them a socket that it holds
on to from before it connects. Closing a response from another thread would wait for the whole
silence of the server; `shutdown` of the held socket wakes whoever waits for it at once.

Covered: name look-up, connecting, TLS and waiting for an answer can all be cut; connecting has a
limit of its own.
Not covered: on systems where `shutdown` does not wake a connecting socket (Windows), a cut while
connecting takes effect at that limit at the latest.
"""

from __future__ import annotations

import socket
import threading
from http.client import HTTPConnection, HTTPSConnection
from time import monotonic
from typing import TYPE_CHECKING
from urllib.request import AbstractHTTPHandler, Request

from clinkai.core.errors import Cancelled

if TYPE_CHECKING:
    from ssl import SSLContext

    from clinkai.core.cancel import Cancel


class Line:
    """The socket of one request. `cut` may be called from any thread, before, while or after it
    is connected, and more than once."""

    def __init__(self, cancel: Cancel, name: str, connect_timeout: float,
                 idle_timeout: float) -> None:
        self.cancel = cancel
        self.name = name
        """The other end, for people; HOST:PORT, perhaps of a proxy, once it is asked for."""
        self.host = ""
        self.connect_timeout = connect_timeout
        self.idle_timeout = idle_timeout
        self.ready = False
        """True once connected, TLS included."""
        self._sock: socket.socket | None = None
        self._held: socket.socket | None = None
        self._lock = threading.Lock()
        self._watch = cancel.watch(self.cut)
        self._watch.__enter__()

    def cut(self) -> None:
        """End the connection now; whoever waits for it gets an error or the end of the data."""
        with self._lock:
            if self._held is not None:
                try:
                    self._held.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # not connected, or ended by the other side

    def close(self) -> None:
        """Let go of the connection."""
        self._watch.__exit__(None, None, None)
        self.cut()
        self._hold(None)

    def limit(self, seconds: float) -> None:
        """From now on wait at most `seconds` for the next bytes."""
        if self._sock is not None:
            self._sock.settimeout(max(seconds, 0.001))

    def connect(self, address: tuple[str, int], *_: object) -> socket.socket:
        """Return a connected socket, as `socket.create_connection` does.

        Every address of the host gets its share of the time. Raises OSError, Cancelled.
        """
        deadline = monotonic() + self.connect_timeout
        self.host, port = address
        self.name = f"[{self.host}]:{port}" if ":" in self.host else f"{self.host}:{port}"
        found = self._look_up(self.host, port)
        problem: OSError = OSError("no address")
        for number, (family, kind, protocol, _name, place) in enumerate(found):
            self.cancel.check()
            share = (deadline - monotonic()) / (len(found) - number)
            try:
                return self._connect(socket.socket(family, kind, protocol), place, share)
            except OSError as error:
                problem = error
        self.cancel.check()
        raise problem

    def connected(self, sock: socket.socket) -> None:
        """Connecting is done: from now on every silence may take the idle limit."""
        self._sock = sock
        self.ready = True
        self.limit(self.idle_timeout)

    def _connect(self, sock: socket.socket, place: tuple, seconds: float) -> socket.socket:
        try:
            sock.settimeout(max(seconds, 0.001))
            # A duplicate: TLS takes the descriptor away from the socket it wraps.
            self._hold(sock.dup())
            self.cancel.check()
            sock.connect(place)
            self.cancel.check()
            return sock
        except BaseException:
            sock.close()
            raise

    def _hold(self, sock: socket.socket | None) -> None:
        with self._lock:
            before, self._held = self._held, sock
        if before is not None:
            before.close()

    def _look_up(self, host: str, port: int) -> list[tuple]:
        if host.count(".") == 3 and host.replace(".", "").isdigit():
            return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, port))]
        # As bytes: a str makes Python import its IDNA tables, 4 ms, whatever the name.
        name = host.encode("ascii") if host.isascii() else host
        if host == "localhost" or ":" in host:
            return socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        answer: list = []
        done = threading.Event()

        def ask() -> None:
            try:
                answer.append(socket.getaddrinfo(name, port, type=socket.SOCK_STREAM))
            except OSError as error:
                answer.append(error)
            except UnicodeError as error:
                answer.append(socket.gaierror(socket.EAI_NONAME, str(error)))
            done.set()

        # A look-up cannot be cut: it is left behind in a thread of its own.
        with self.cancel.watch(done.set):
            threading.Thread(target=ask, daemon=True).start()
            done.wait(self.connect_timeout)
        self.cancel.check()
        if not answer:
            raise TimeoutError("the name was not resolved in time")
        if isinstance(answer[0], OSError):
            raise answer[0]
        return answer[0]


class OnLine:
    """What a connection of `http.client` has to do to run over a Line."""

    def __init__(self, host: str, *, line: Line, **options: object) -> None:
        super().__init__(host, **options)
        self.line = line
        self._create_connection = line.connect

    def connect(self) -> None:
        """Connect, TLS and the tunnel of a proxy included."""
        super().connect()
        self.line.connected(self.sock)

    def send(self, data: object) -> None:
        """Send; a server that stopped reading may have answered already (413), so go on to that."""
        try:
            super().send(data)
        except (BrokenPipeError, ConnectionResetError):
            if not self.line.ready:
                raise


class Connection(OnLine, HTTPConnection):
    """HTTP over a Line."""


class TlsConnection(OnLine, HTTPSConnection):
    """HTTPS over a Line."""


class LineHandler(AbstractHTTPHandler):
    """The handler of an opener whose requests carry their Line in the attribute `line`."""

    def __init__(self, context: SSLContext | None) -> None:
        super().__init__()
        self.context = context

    def http_open(self, request: Request) -> object:
        """Send a request over plain HTTP."""
        return self.do_open(Connection, request, line=request.line)

    def https_open(self, request: Request) -> object:
        """Send a request over TLS."""
        return self.do_open(TlsConnection, request, line=request.line, context=self.context)

    http_request = https_request = AbstractHTTPHandler.do_request_

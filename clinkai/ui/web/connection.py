"""One connection: read a request strictly, check it, answer, close after any refusal.

Each connection has a thread of its own, with time limits on everything but an event stream.
Nothing is logged but defects of ours, and those without the request: it holds the token.
"""

from __future__ import annotations

import socket
import socketserver
import time
import traceback

from clinkai.ui.web import answer, guard, request, routes
from clinkai.ui.web.answer import Answer, Stream
from clinkai.ui.web.request import Head, Refused

LINGER = 1.0
"""Seconds that an unread rest is thrown away for, so that the refusal is not lost with it."""
PIECE = 64 * 1024


class Gone(Exception):
    """The other side closed the connection, or was silent between two requests."""


class Connection(socketserver.BaseRequestHandler):
    """Serves the requests of one client, one after the other. `server` is a `server.Listener`."""

    def setup(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = b""

    def handle(self) -> None:
        try:
            while self._one():
                pass
        except (Gone, OSError):
            pass

    def _one(self) -> bool:
        """Serve one request; False where the connection is to be closed."""
        method = ""
        try:
            head = self._head()
            method = head.method
            given = self._answer(head)
        except Refused as refused:
            self._refuse(refused, method)
            return False
        except (Gone, OSError):
            raise
        except Exception as error:
            self.server.defect(_where(error))
            self._refuse(Refused(500, "web.http.defect"), method)
            return False
        if isinstance(given, Stream):
            self._stream(given)
            return False
        close = head.get("connection").lower() == "close"
        self._send(answer.encode(given, close=close))
        return not close

    def _answer(self, head: Head) -> Answer | Stream:
        rules, service = self.server.guard, self.server.service
        rules.place(head)
        rules.method(head)
        if not head.path.startswith("/api/"):
            return self._page(head)
        rules.bearer(head)
        length = guard.body_length(head)
        return routes.serve(service, head, self._body(head, length))

    def _page(self, head: Head) -> Answer:
        if head.path not in self.server.static:
            raise Refused(404, "web.http.path")
        if head.method != "GET":
            raise Refused(405, "web.http.method")
        guard.body_length(head)
        head.params(())
        return self.server.static.get(head.path)

    # -- reading

    def _head(self) -> Head:
        deadline = time.monotonic() + self.server.idle
        while not (length := request.complete(self._buffer)):
            self._buffer += self._receive(deadline, begun=self._buffer != b"")
        head, self._buffer = self._buffer[:length], self._buffer[length:]
        return request.parse(head)

    def _body(self, head: Head, length: int) -> bytes:
        expected = head.get("expect").lower()
        if expected == "100-continue":
            self.request.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        elif expected:
            raise Refused(417, "web.http.framing")
        deadline = time.monotonic() + self.server.idle
        pieces, missing = [self._buffer[:length]], length - len(self._buffer)
        self._buffer = self._buffer[length:]
        while missing > 0:
            piece = self._receive(deadline, begun=True)
            pieces.append(piece[:missing])
            self._buffer = piece[missing:]
            missing -= len(piece)
        return b"".join(pieces)

    def _receive(self, deadline: float, *, begun: bool) -> bytes:
        self.request.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            piece = self.request.recv(PIECE)
        except TimeoutError:
            if begun:
                raise Refused(408, "web.http.slow") from None
            raise Gone from None
        if not piece:
            raise Gone
        return piece

    # -- writing

    def _send(self, data: bytes) -> None:
        self.request.settimeout(self.server.idle)
        self.request.sendall(data)

    def _stream(self, stream: Stream) -> None:
        """Write frames until they end or the client is gone: a viewer less, nothing more."""
        try:
            self._send(answer.stream_head())
            for frame in stream.frames:
                self._send(frame)
        except OSError:
            pass
        except Exception as error:
            self.server.defect(_where(error))
        finally:
            stream.frames.close()

    def _refuse(self, refused: Refused, method: str) -> None:
        text = self.server.service.say(refused.key, **refused.params)
        extra = {401: (("WWW-Authenticate", "Bearer"),), 405: (("Allow", "GET, POST"),)}
        body = answer.of({"error": {"key": refused.key, "text": text}}, refused.status)
        given = Answer(body.status, body.type, body.body, extra.get(refused.status, ()))
        self._send(answer.encode(given, close=True, body=method != "HEAD"))
        self.request.shutdown(socket.SHUT_WR)
        deadline = time.monotonic() + LINGER
        self.request.settimeout(LINGER)
        while time.monotonic() < deadline and self.request.recv(PIECE):
            pass


def _where(error: Exception) -> str:
    """An error of ours in one line, with the place it comes from."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.filename.replace(chr(92), '/').rpartition('/')[2]}:{frame.lineno}"
    return f"{type(error).__name__}: {error} ({place})"

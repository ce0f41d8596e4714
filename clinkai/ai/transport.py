"""HTTP to one model server.

Covered: one request at a time over a connection of its own; no limit on the whole, only on
silence (`idle_timeout`: any byte starts it anew) and on connecting; a cut from another thread;
gzip and deflate, although neither is asked for; every way to fail as a member of `core.errors`.
Loopback hosts are never asked through a proxy; redirects are refused, since following them would
carry the key to another host.
Not covered: trying again (the caller's decision), HTTP/2, cookies.
"""

from __future__ import annotations

import json
from http.client import BadStatusLine, HTTPException, HTTPResponse, IncompleteRead
from time import monotonic
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import OpenerDirector, ProxyHandler, UnknownHandler
from urllib.request import Request as UrlRequest

from clinkai import __version__
from clinkai.ai.address import key_for, read_address
from clinkai.ai.connect import Line, LineHandler
from clinkai.core.errors import (
    BadResponse, Cancelled, ClinkError, ModelServerError, ServerTimeout, StreamBroken, Unreachable,
    UsageError,
)
from clinkai.core.text import one_line, size

if TYPE_CHECKING:
    from ssl import SSLContext

    from clinkai.core.cancel import Cancel

CONNECT_TIMEOUT = 10.0
"""Seconds until an address that takes no connection is given up."""

PIECE = 65_536
PACKED_PIECE = 4_096
"""Bytes read at once; of packed answers fewer, since each may become a thousand times as many."""

BODY_LIMIT = 64_000_000
"""Bytes of a body that is read as a whole: far above any model list or answer."""

HIDDEN = "********"
"""Stands for the key where a server repeats it in an error."""

SECRET = 8
"""Characters from which on a key is hidden; a shorter one is a word such as `ollama`, and no
secret."""

REDIRECTS = {301, 302, 303, 307, 308}


class Transport:
    """The way to one model server. Raises UsageError for an address, a key or certificates that
    cannot be used."""

    def __init__(self, base_url: str, *, api_key: str = "", ca_file: str = "",
                 idle_timeout: float = 1800.0, connect_timeout: float = CONNECT_TIMEOUT) -> None:
        self.address = read_address(base_url)
        self.idle_timeout = idle_timeout
        self.connect_timeout = connect_timeout
        self._headers = {
            "Content-Type": "application/json", "Accept": "*/*",
            "User-Agent": f"ClinkAI/{__version__}",
        }
        key = key_for(self.address, api_key)
        self._key = key if len(key) >= SECRET else ""
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._opener = OpenerDirector()
        self._opener.addheaders = []
        context = _tls(ca_file) if self.address.scheme == "https" else None
        handlers = [LineHandler(context), UnknownHandler()]
        if not self.address.loopback:
            handlers.append(ProxyHandler())
        for handler in handlers:
            self._opener.add_handler(handler)

    def within(self, seconds: float) -> Transport:
        """The same way, for questions that are to be answered without `seconds` of silence, the
        time to connect included."""
        other = object.__new__(Transport)
        other.__dict__.update(self.__dict__, idle_timeout=min(seconds, self.idle_timeout),
                              connect_timeout=min(seconds, self.connect_timeout))
        return other

    def keyed(self, header: str, bearer: bool, headers: dict[str, str]) -> Transport:
        """The same way with more `headers`, and with the key, if one is sent at all, in `header`.
        bearer: it stays a bearer token too."""
        other = object.__new__(Transport)
        ours = {**self._headers, **headers}
        token = ours.get("Authorization")
        if token:
            ours[header] = token.removeprefix("Bearer ")
            if not bearer:
                del ours["Authorization"]
        other.__dict__.update(self.__dict__, _headers=ours)
        return other

    def hide_key(self, error: ModelServerError) -> None:
        """Take the key out of an error: some servers repeat the one they refuse, and errors are
        shown and kept."""
        for name, value in error.params.items():
            if self._key and isinstance(value, str):
                error.params[name] = value.replace(self._key, HIDDEN)

    def open(self, method: str, path: str, body: bytes | bytearray | None,
             cancel: Cancel) -> Response:
        """Send a request and return the answer once its head is there, whatever its status.

        path: below the base URL (`models`), or below the root of the server (`/props`).
        Raises Unreachable, ServerTimeout, StreamBroken, BadResponse (also for a redirect),
        Cancelled.
        """
        cancel.check()
        url = (self.address.root if path.startswith("/") else self.address.base + "/") + path
        request = UrlRequest(url, body, self._headers, method=method)
        line = Line(cancel, self.address.base, self.connect_timeout, self.idle_timeout)
        request.line = line
        try:
            answer = self._opener.open(request)
            if answer.status in REDIRECTS:
                target = one_line(answer.headers.get("Location", "?"))
                answer.close()
                raise BadResponse("error.bad_response.redirect", status=answer.status,
                                  target=target)
            return Response(answer, line)
        except (OSError, HTTPException) as error:
            line.close()
            raise _problem(error, line) from error
        except BaseException:
            line.close()
            raise

    def get_json(self, path: str, cancel: Cancel, limit: int = BODY_LIMIT) -> object:
        """Return what GET `path` answers. Raises as `open` does, and the error that the server
        reports with any status but 200."""
        try:
            with self.open("GET", path, None, cancel) as response:
                body = response.read_all(limit)
                if response.status != 200:
                    from clinkai.ai.failures import classify

                    raise classify(response.status, response.headers, body)
            return read_json(body)
        except ModelServerError as error:
            self.hide_key(error)
            raise


class Response:
    """An answer whose head is there. Use it as a context manager: leaving it ends the connection.

    headers: case-insensitive, `.get(name)`.
    """

    def __init__(self, answer: HTTPResponse, line: Line) -> None:
        self.status = answer.status
        self.headers = answer.headers
        self._answer = answer
        self._line = line
        self._until: float | None = None
        self._unpack = _unpacker(answer.headers.get("Content-Encoding", ""))
        self._piece = PIECE if self._unpack is None else PACKED_PIECE

    def __enter__(self) -> Response:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection, also in the middle of the answer."""
        self._line.close()
        self._answer.close()

    def hurry(self, seconds: float) -> None:
        """From now on the whole rest has to come within `seconds`; later reads time out."""
        self._until = monotonic() + seconds

    def read_some(self) -> bytes:
        """Return the next bytes as they come, b"" at the end.

        Raises ServerTimeout, StreamBroken, BadResponse, Cancelled.
        """
        while True:
            if self._until is not None:
                self._line.limit(self._until - monotonic())
            try:
                data = self._answer.read1(self._piece)
            except (OSError, HTTPException) as error:
                raise _problem(error, self._line) from error
            if not data:
                self._check_end()
                return b""
            if self._unpack is None:
                return data
            data = self._unpack.feed(data)
            if data:
                return data

    def read_all(self, limit: int = BODY_LIMIT) -> bytes:
        """Return the whole rest. Raises BadResponse for more than `limit` bytes, else as
        `read_some`."""
        pieces: list[bytes] = []
        total = 0
        while piece := self.read_some():
            pieces.append(piece)
            total += len(piece)
            if total > limit:
                raise too_large(limit)
        return b"".join(pieces)

    def _check_end(self) -> None:
        self._line.cancel.check()
        if self._answer.length or (self._unpack is not None and not self._unpack.eof):
            raise StreamBroken("error.stream.ended")


def read_json(body: bytes) -> object:
    """The JSON value in `body`. Raises BadResponse for anything else."""
    text = body.decode("utf-8-sig", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadResponse("error.bad_response.json", start=one_line(text, 80)) from None


def too_large(limit: int) -> BadResponse:
    """The error for an answer without an end."""
    return BadResponse("error.bad_response.large", limit=size(limit))


def _problem(error: Exception, line: Line) -> ClinkError:
    """The member of the error tree for what urllib, http.client or the socket raised."""
    if line.cancel.is_set():
        return Cancelled()
    if isinstance(error, URLError):
        error = error.reason if isinstance(error.reason, Exception) else OSError(error.reason)
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    if not line.ready:
        return _unreachable(error, why, line)
    if isinstance(error, TimeoutError):
        return ServerTimeout("error.timeout", seconds=f"{line.idle_timeout:g}")
    if isinstance(error, IncompleteRead):
        return StreamBroken("error.stream.ended")
    if isinstance(error, OSError):
        return StreamBroken("error.stream.closed", why=why)
    if isinstance(error, BadStatusLine):
        why = ascii(error.line)[:80]
    return BadResponse("error.bad_response.http", address=line.name, why=why)


def _unreachable(error: Exception, why: str, line: Line) -> Unreachable:
    import ssl
    from socket import gaierror

    if isinstance(error, ssl.SSLError):
        reason = getattr(error, "verify_message", "") or why
        return Unreachable("error.unreachable.tls", address=line.name, why=reason)
    if isinstance(error, gaierror):
        return Unreachable("error.unreachable.name", host=line.host, why=why)
    if isinstance(error, ConnectionRefusedError):
        return Unreachable("error.unreachable.refused", address=line.name)
    if isinstance(error, TimeoutError):
        return Unreachable("error.unreachable.slow", address=line.name,
                           seconds=f"{line.connect_timeout:g}")
    return Unreachable("error.unreachable.other", address=line.name, why=why)


def _tls(ca_file: str) -> SSLContext:
    import ssl

    try:
        return ssl.create_default_context(cafile=ca_file or None)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError("error.ca_file", path=ca_file, why=why) from error


def _unpacker(encoding: str) -> Unpacker | None:
    """What inflates an answer of that Content-Encoding; None where nothing is to be done."""
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return None
    if encoding in ("gzip", "x-gzip", "deflate"):
        return Unpacker(encoding == "deflate")
    raise BadResponse("error.bad_response.encoding", why=ascii(encoding)[:40])


class Unpacker:
    """Inflates gzip, also of several members, and deflate with and without its header. eof: what
    was begun is complete."""

    def __init__(self, deflate: bool) -> None:
        self.eof = False
        self._deflate = deflate
        self._object: object | None = None
        self._head = b""

    def feed(self, data: bytes) -> bytes:
        """Take bytes, return what they hold. Raises BadResponse."""
        import zlib

        out = b""
        while data:
            if self._object is None:
                self._head += data
                if len(self._head) < 2:
                    break
                data, self._head = self._head, b""
                if self.eof and data[0] != 31:
                    break  # padding after a member
                whole = int.from_bytes(data[:2]) % 31 == 0 and data[0] & 15 == 8
                bare = self._deflate and not whole and data[0] != 31
                # 32: either header
                self._object = zlib.decompressobj(-zlib.MAX_WBITS if bare else zlib.MAX_WBITS | 32)
            try:
                out += self._object.decompress(data)
            except zlib.error as error:
                raise BadResponse("error.bad_response.encoding", why=str(error)) from error
            self.eof, data = self._object.eof, self._object.unused_data
            if self.eof:
                self._object = None
        return out

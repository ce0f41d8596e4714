"""The head of an HTTP/1.1 request, read strictly: bytes in, a Head out, no I/O.

Covered: request line, header lines, repeated headers that must be single, query strings.
Refused: bare line feeds, folded lines, blanks before the colon, absolute and authority forms,
other versions, Transfer-Encoding, Content-Encoding, more than HEAD_LIMIT bytes.
Not covered: percent-decoding of paths. A path is compared as it was sent, so that there is only
one spelling of each.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from clinkai.core.value import Value

HEAD_LIMIT = 32 * 1024
LINE_LIMIT = 8 * 1024
HEADER_COUNT = 100

_LINE = re.compile(rb"([A-Z]{1,20}) ([\x21-\x7e]+) HTTP/([0-9])\.([0-9])")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_SINGLE = ("host", "authorization", "origin", "content-type", "content-length", "sec-fetch-site",
           "last-event-id", "x-client")


class Refused(Exception):
    """A request that gets an error answer: status, catalogue key, parameters."""

    def __init__(self, status: int, key: str, **params: object) -> None:
        super().__init__(status, key)
        self.status = status
        self.key = key
        self.params = params


class Head(Value):
    """A well-formed head. headers: lower-case name to value; repeated ones are joined by a comma.

    query: the text after `?`, undecoded.
    """

    method: str
    path: str
    query: str
    headers: dict

    def get(self, name: str) -> str:
        """The value of a header by its lower-case name; empty where it is absent."""
        return self.headers.get(name, "")

    def params(self, allowed: tuple[str, ...]) -> dict[str, str]:
        """The query as a dictionary. Raises Refused for unknown, repeated or broken parameters."""
        if not self.query:
            return {}
        try:
            pairs = parse_qsl(self.query, keep_blank_values=True, strict_parsing=True,
                              errors="strict", max_num_fields=16)
        except ValueError:
            raise Refused(400, "web.http.query", name=self.query[:80]) from None
        found = dict(pairs)
        unknown = sorted(found.keys() - set(allowed))
        if unknown or len(found) != len(pairs):
            raise Refused(400, "web.http.query", name=unknown[0][:80] if unknown else pairs[0][0])
        return found


def complete(data: bytes) -> int:
    """How many of the bytes received so far are the head, its blank line included; 0: not all yet.

    Raises Refused as soon as they can no longer become one.
    """
    end = data.find(b"\r\n\r\n")
    # Looking at the last part only would miss a bare line feed that came in an earlier one.
    bare = re.search(rb"(?<!\r)\n", data[:end] if end >= 0 else data)
    if bare:
        raise Refused(400, "web.http.framing")
    if end < 0 and b"\r\n" not in data and len(data) > LINE_LIMIT:
        raise Refused(414, "web.http.long")
    if max(end, len(data) if end < 0 else 0) > HEAD_LIMIT:
        raise Refused(431, "web.http.long")
    return end + 4 if end >= 0 else 0


def parse(head: bytes) -> Head:
    """The head made of exactly these bytes, blank line included. Raises Refused."""
    first, *rest = head[:-4].split(b"\r\n")
    if len(first) > LINE_LIMIT:
        raise Refused(414, "web.http.long")
    line = _LINE.fullmatch(first)
    if not line:
        raise Refused(400, "web.http.framing")
    method, target = line[1].decode(), line[2].decode()
    if line[3] + line[4] != b"11":
        raise Refused(505, "web.http.version")
    if not target.startswith("/") or "#" in target:
        raise Refused(400, "web.http.target")
    headers = _headers(rest)
    if "host" not in headers:
        raise Refused(400, "web.http.host")
    if "transfer-encoding" in headers:
        raise Refused(501, "web.http.transfer")
    if "content-encoding" in headers:
        raise Refused(415, "web.http.encoding")
    path, _, query = target.partition("?")
    return Head(method, path, query, headers)


def _headers(lines: list[bytes]) -> dict[str, str]:
    if len(lines) > HEADER_COUNT:
        raise Refused(431, "web.http.long")
    headers: dict[str, str] = {}
    for line in lines:
        match = _HEADER.fullmatch(line)
        if not match:
            raise Refused(400, "web.http.framing")
        name = match[1].decode().lower()
        value = match[2].decode("latin-1").rstrip(" \t")
        if name in headers:
            if name in _SINGLE:
                raise Refused(400, "web.http.twice", name=name)
            value = f"{headers[name]}, {value}"
        headers[name] = value
    return headers

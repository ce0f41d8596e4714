"""Answers as values, and their bytes: every one carries the same protective headers.

Header values come from this module and from fixed tables only, never from a request; `encode`
refuses line breaks all the same.
"""

from __future__ import annotations

import json

from clinkai.core.value import Value

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The content security policy: nothing from elsewhere, no markup from strings."""

PROTECTION = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)

JSON = "application/json"
EVENTS = "text/event-stream"

REASONS = {
    100: "Continue", 200: "OK", 202: "Accepted", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
    409: "Conflict", 411: "Length Required", 413: "Content Too Large", 414: "URI Too Long",
    415: "Unsupported Media Type", 417: "Expectation Failed", 422: "Unprocessable Content",
    429: "Too Many Requests", 431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 505: "HTTP Version Not Supported",
}


class Answer(Value):
    """A complete answer. headers: further (name, value) pairs."""

    status: int
    type: str
    body: bytes
    headers: tuple = ()


class Stream(Value):
    """An answer without end. frames: an iterator of bytes, closed when the client is gone."""

    frames: object


def of(body: object, status: int = 200) -> Answer:
    """`body` as JSON in ASCII."""
    return Answer(status, JSON, json.dumps(body, separators=(",", ":")).encode())


def encode(answer: Answer, *, close: bool, body: bool = True) -> bytes:
    """The bytes of an answer; `body=False` leaves the body out (the method was HEAD)."""
    headers = [("Content-Type", answer.type), ("Content-Length", str(len(answer.body))),
               *answer.headers]
    return _head(answer.status, headers, close) + (answer.body if body else b"")


def stream_head() -> bytes:
    """The head of an event stream; it ends with the connection."""
    return _head(200, [("Content-Type", EVENTS), ("X-Accel-Buffering", "no")], True)


def _head(status: int, headers: list[tuple[str, str]], close: bool) -> bytes:
    lines = [f"HTTP/1.1 {status} {REASONS[status]}"]
    ending = [("Connection", "close")] if close else []
    for name, value in (*headers, *PROTECTION, *ending):
        if "\r" in value or "\n" in value:
            raise ValueError(f"line break in header {name}")
        lines.append(f"{name}: {value}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")

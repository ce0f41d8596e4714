"""Heads are read strictly, however the bytes are cut, and the guard says who may ask."""

from __future__ import annotations

import pytest

from clinkai.ui.web import guard, request
from clinkai.ui.web.request import Head, Refused

GUARD = guard.Guard(8080, "secret-token", ("laptop.lan:9",))


def read(data: bytes) -> Head:
    length = request.complete(data)
    assert length == len(data), "more bytes wanted"
    return request.parse(data)


def status(act) -> int:
    try:
        act()
    except Refused as refused:
        return refused.status
    return 200


def test_a_head_is_read():
    data = b"GET /api/x?a=1&b=%20c HTTP/1.1\r\nHost: h\r\nX-Two:a \r\nx-two: b\r\n\r\n"
    head = read(data)
    assert head == Head("GET", "/api/x", "a=1&b=%20c", {"host": "h", "x-two": "a, b"})
    assert head.params(("a", "b")) == {"a": "1", "b": " c"}


def test_a_head_is_complete_at_its_blank_line_and_not_before():
    data = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    assert [request.complete(data[:n]) for n in range(len(data) + 1)] == [0] * len(data) + [len(data)]
    assert request.complete(data + b"GET /next") == len(data)


@pytest.mark.parametrize(("data", "expected"), [
    (b"GET / HTTP/1.1\nHost: h\n\n", 400),
    (b"GET / HTTP/1.1\r\nHost: h\n", 400),
    (b"\r\n\r\n", 400),
    (b"get / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
    (b"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
    (b"GET / x HTTP/1.1\r\nHost: h\r\n\r\n", 400),
    (b"GET /\xc3\xa9 HTTP/1.1\r\nHost: h\r\n\r\n", 400),
    (b"GET / HTTP/1.0\r\nHost: h\r\n\r\n", 505),
    (b"PRI * HTTP/2.0\r\n\r\n", 505),
    (b"GET /\r\n\r\n", 400),
    (b"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 400),
    (b"GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400),
    (b"GET /#x HTTP/1.1\r\nHost: h\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\n: a\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\x00b\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nAuthorization: x\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", 501),
    (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n\r\n", 415),
    (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    (b"GET /" + b"a" * 9000, 414),
    (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 40_000, 431),
    (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 40_000 + b"\r\n\r\n", 431),
    (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: a\r\n" * 200 + b"\r\n", 431),
])
def test_a_malformed_head_is_refused(data, expected):
    assert status(lambda: read(data)) == expected


@pytest.mark.parametrize("query", ["a=1&a=2", "c=1", "a", "a=%ff", "a=1&", "&".join(["a=1"] * 40)])
def test_a_query_that_a_route_does_not_know_is_refused(query):
    head = Head("GET", "/", query, {})
    assert status(lambda: head.params(("a", "b"))) == 400


@pytest.mark.parametrize(("headers", "expected"), [
    ({"host": "127.0.0.1:8080"}, 200),
    ({"host": "localhost:8080"}, 200),
    ({"host": "[::1]:8080"}, 200),
    ({"host": "laptop.lan:9"}, 200),
    ({"host": "laptop.lan:8080"}, 403),
    ({"host": "127.0.0.1"}, 403),
    ({"host": "127.0.0.1:80"}, 403),
    ({"host": "localhost:8080.evil"}, 403),
    ({"host": ""}, 403),
    ({"host": "localhost:8080", "origin": "http://localhost:8080"}, 200),
    ({"host": "localhost:8080", "origin": "http://laptop.lan:9"}, 200),
    ({"host": "localhost:8080", "origin": "https://localhost:8080"}, 403),
    ({"host": "localhost:8080", "origin": "http://localhost:8081"}, 403),
    ({"host": "localhost:8080", "origin": "null"}, 403),
    ({"host": "localhost:8080", "origin": ""}, 403),
    ({"host": "localhost:8080", "sec-fetch-site": "same-origin"}, 200),
    ({"host": "localhost:8080", "sec-fetch-site": "none"}, 200),
    ({"host": "localhost:8080", "sec-fetch-site": "same-site"}, 403),
    ({"host": "localhost:8080", "sec-fetch-site": "cross-site"}, 403),
    ({"host": "localhost:8080", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "iframe"}, 403),
])
def test_only_our_own_page_may_ask(headers, expected):
    assert status(lambda: GUARD.place(Head("GET", "/api/status", "", headers))) == expected


@pytest.mark.parametrize(("path", "expected"), [("/", 200), ("/api/status", 403)])
def test_a_link_from_elsewhere_opens_the_page_and_nothing_else(path, expected):
    headers = {"host": "localhost:8080", "sec-fetch-site": "cross-site",
               "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert status(lambda: GUARD.place(Head("GET", path, "", headers))) == expected


def test_browsers_leave_out_port_80():
    head = Head("GET", "/", "", {"host": "localhost", "origin": "http://localhost"})
    assert status(lambda: guard.Guard(80, "t").place(head)) == 200
    assert status(lambda: GUARD.place(head)) == 403


@pytest.mark.parametrize(("value", "expected"), [
    ("Bearer secret-token", 200), ("Bearer secret-toke", 401), ("bearer secret-token", 401),
    ("Bearer  secret-token", 401), ("secret-token", 401), ("Bearer \xff", 401), ("", 401),
])
def test_the_token_is_compared_exactly(value, expected):
    head = Head("GET", "/api/status", "", {"authorization": value})
    assert status(lambda: GUARD.bearer(head)) == expected


@pytest.mark.parametrize(("method", "headers", "expected"), [
    ("POST", {"content-type": "application/json", "content-length": "2"}, 200),
    ("POST", {"content-type": "application/json"}, 411),
    ("POST", {"content-type": "application/json", "content-length": "-1"}, 400),
    ("POST", {"content-type": "application/json", "content-length": "+2"}, 400),
    ("POST", {"content-type": "application/json", "content-length": "2_0"}, 400),
    ("POST", {"content-type": "application/json", "content-length": "\u0662"}, 400),
    ("POST", {"content-type": "application/json", "content-length": ""}, 400),
    ("POST", {"content-type": "application/json", "content-length": "2, 2"}, 400),
    ("POST", {"content-type": "application/json", "content-length": "99999999"}, 413),
    ("POST", {"content-type": "application/json", "content-length": "1" * 30}, 413),
    ("POST", {"content-type": "text/plain", "content-length": "2"}, 415),
    ("POST", {"content-type": "application/json; charset=x", "content-length": "2"}, 415),
    ("POST", {"content-length": "2"}, 415),
    ("GET", {}, 200),
    ("GET", {"content-length": "0"}, 200),
    ("GET", {"content-length": "1"}, 400),
])
def test_the_body_is_json_of_a_given_length(method, headers, expected):
    assert status(lambda: guard.body_length(Head(method, "/", "", headers))) == expected

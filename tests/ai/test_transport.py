"""HTTP to a model server over real sockets: what arrives, and how every failure is named."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import zlib
from pathlib import Path

import pytest

from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import (
    AuthRefused, BadResponse, ClinkError, ServerTimeout, StreamBroken, Unreachable, UsageError,
)
from tests.server import Answer, FakeServer, error, ok, raw

TLS = Path(__file__).parent.parent / "cases/tls"


def transport(server, **options):
    return Transport(server.base_url, **{"idle_timeout": 30, **options})


def fetch(server, cancel=None, **options):
    """The whole body of a chat request, or the error."""
    try:
        with transport(server, **options).open("POST", "chat/completions", b"{}",
                                               cancel or Cancel()) as response:
            return response.read_all()
    except ClinkError as failed:
        return type(failed), failed.key, failed.params


def listen(play):
    """A server for one connection: `play(connection)` in a thread. Returns address, thread."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        with listener, listener.accept()[0] as connection:
            play(connection)

    thread = threading.Thread(target=serve)
    thread.start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}/v1", thread


def test_a_request_reaches_the_server_as_written():
    with FakeServer([ok({})]) as server:
        way = transport(server, api_key="secret")
        with way.open("POST", "chat/completions", bytearray(b'{"a":1}'), Cancel()) as response:
            assert (response.status, response.read_all()) == (200, b"{}")
        assert way.get_json("models", Cancel())["data"] == [{"id": "local", "object": "model"}]
        assert way.get_json("/props", Cancel())["total_slots"] == 1
    post, models, props = server.requests
    assert (post.method, post.path, post.body) == ("POST", "/v1/chat/completions", b'{"a":1}')
    assert (models.path, props.path) == ("/v1/models", "/props")
    assert post.headers == {
        "Accept-Encoding": "identity", "Content-Length": "7", "Host": f"127.0.0.1:{server.port}",
        "Content-Type": "application/json", "Accept": "*/*", "User-Agent": "ClinkAI/0.1.0",
        "Authorization": "Bearer secret", "Connection": "close",
    }


def test_no_key_means_no_header():
    with FakeServer() as server:
        transport(server, api_key="").get_json("models", Cancel())
    assert "Authorization" not in server.requests[0].headers


@pytest.mark.parametrize("chunked", [True, False])
def test_bytes_are_handed_out_as_they_come(chunked):
    go = threading.Event()
    with FakeServer([Answer(["one", lambda: go.wait(30), "two"], chunked=chunked)]) as server:
        with transport(server).open("POST", "chat/completions", b"{}", Cancel()) as response:
            assert response.read_some() == b"one"
            go.set()
            assert (response.read_some(), response.read_some()) == (b"two", b"")


@pytest.mark.parametrize(("body", "encoding", "outcome"), [
    (gzip.compress(b"x" * 300_000), "gzip", b"x" * 300_000),
    (gzip.compress(b"he") + gzip.compress(b"llo") + b"\0\0", "gzip", b"hello"),
    (zlib.compress(b"hello"), "deflate", b"hello"),
    (zlib.compress(b"hello")[2:-4], "deflate", b"hello"),
    (b"hello", "identity", b"hello"),
    (gzip.compress(b"hello")[:-9], "gzip", (StreamBroken, "error.stream.ended", {})),
    (b"hello", "br", (BadResponse, "error.bad_response.encoding", {"why": "'br'"})),
    (b"hello", "gzip", (BadResponse, "error.bad_response.encoding",
                        {"why": "Error -3 while decompressing data: incorrect header check"})),
])
def test_packed_answers_are_unpacked(body, encoding, outcome):
    pieces = [body[at:at + 1000] for at in range(0, len(body), 1000)]
    with FakeServer([Answer(pieces, headers={"Content-Encoding": encoding})]) as server:
        assert fetch(server) == outcome


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
BROKEN = {
    "no answer": (b"", (StreamBroken, "error.stream.closed",
                        {"why": "Remote end closed connection without response"})),
    "half a head": (HEAD, b""),
    "short body": (HEAD + b"Content-Length: 9\r\n\r\nabc",
                   (StreamBroken, "error.stream.ended", {})),
    "chunk cut": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
                  (StreamBroken, "error.stream.ended", {})),
    "no last chunk": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
                      (StreamBroken, "error.stream.ended", {})),
    "chunk without size": (HEAD + b"Transfer-Encoding: chunked\r\n\r\nhello\r\n",
                           (StreamBroken, "error.stream.ended", {})),
    "endless chunk size": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 70_000,
                           (BadResponse, "error.bad_response.http",
                            {"why": "got more than 65536 bytes when reading chunk size"})),
    "not HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n",
                 (BadResponse, "error.bad_response.http", {"why": "'SSH-2.0-OpenSSH_9.6\\r\\n'"})),
    "endless head": (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000,
                     (BadResponse, "error.bad_response.http",
                      {"why": "got more than 65536 bytes when reading header line"})),
    "other protocol": (b"HTTP/3.0 200 OK\r\n\r\n",
                       (BadResponse, "error.bad_response.http", {"why": "HTTP/3.0"})),
}


@pytest.mark.parametrize(("sent", "outcome"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_answer_has_a_name(sent, outcome):
    with FakeServer([raw(sent)]) as server:
        got = fetch(server)
    if isinstance(got, tuple) and got[1] == "error.bad_response.http":
        assert got[2].pop("address") == f"127.0.0.1:{server.port}"
    assert got == outcome


def test_a_reset_has_a_name():
    with FakeServer([raw(HEAD + b"Content-Length: 9\r\n\r\nabc", end="reset")]) as server:
        assert fetch(server) == (StreamBroken, "error.stream.closed",
                                 {"why": "Connection reset by peer"})


def test_a_refused_connection_has_a_name():
    with FakeServer() as server:
        pass
    assert fetch(server) == (Unreachable, "error.unreachable.refused",
                             {"address": f"127.0.0.1:{server.port}"})


def test_a_name_without_an_address_has_a_name(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with pytest.raises(Unreachable) as failed:
        Transport(f"http://{'x' * 80}.invalid/v1").get_json("models", Cancel())
    assert (failed.value.key, failed.value.params["host"]) == ("error.unreachable.name",
                                                               "x" * 80 + ".invalid")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("pieces", [[], [HEAD], [HEAD + b"\r\n: ping\n\n"]])
def test_silence_ends_in_a_timeout(pieces):
    with FakeServer([raw(b"", pieces=pieces, end="stall")]) as server:
        assert fetch(server, idle_timeout=0.2) == (ServerTimeout, "error.timeout",
                                                   {"seconds": "0.2"})


@pytest.mark.slow
def test_any_byte_starts_the_idle_limit_anew():
    with FakeServer([Answer([":\n"] * 12, pause=0.1)]) as server:
        assert fetch(server, idle_timeout=0.7) == b":\n" * 12


def test_a_hurried_answer_times_out_although_bytes_come():
    with FakeServer([Answer([":\n"] * 1000, pause=0.05)]) as server:
        with transport(server).open("POST", "chat/completions", b"{}", Cancel()) as response:
            response.hurry(0.3)
            with pytest.raises(ServerTimeout):
                response.read_all()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_refused_and_named(status):
    with FakeServer([ok({})]) as other:
        target = other.base_url + "/chat/completions"
        with FakeServer([Answer([], status, {"Location": target})]) as server:
            assert fetch(server, api_key="secret") == (
                BadResponse, "error.bad_response.redirect", {"status": status, "target": target})
        assert other.requests == []


def test_a_loopback_server_is_never_asked_through_a_proxy(monkeypatch):
    with FakeServer() as proxy, FakeServer([ok({})]) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert fetch(server) == b"{}"
        assert proxy.requests == []


def test_another_host_is_asked_through_the_proxy(monkeypatch):
    with FakeServer() as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        proxy.routes["GET http://model.example/v1/models"] = ok({"data": []})
        way = Transport("http://model.example/v1", api_key="local-3090")
        assert way.get_json("models", Cancel()) == {"data": []}
    assert "Authorization" not in proxy.requests[0].headers


def test_a_proxy_of_another_kind_is_an_error(monkeypatch):
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(Unreachable) as failed:
        Transport("http://model.example/v1").get_json("models", Cancel())
    assert failed.value.params == {"address": "http://model.example/v1",
                                   "why": "unknown url type: socks5"}


def test_an_answer_that_comes_before_the_body_was_read_is_seen():
    def play(connection):
        connection.recv(100)
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65_536):
            pass

    url, thread = listen(play)
    with Transport(url).open("POST", "x", b"x" * 20_000_000, Cancel()) as response:
        assert response.status == 413
    thread.join(30)


def test_a_body_beyond_the_limit_is_refused():
    with FakeServer([Answer(["x" * 1000] * 20)]) as server:
        with transport(server).open("POST", "chat/completions", b"{}", Cancel()) as response:
            with pytest.raises(BadResponse) as failed:
                response.read_all(limit=10_000)
    assert (failed.value.key, failed.value.params) == ("error.bad_response.large",
                                                       {"limit": "10.0 kB"})


@pytest.mark.parametrize(("answer", "kind", "key"), [
    (error(401, {"error": {"message": "Invalid API Key"}}), AuthRefused, "error.auth"),
    (error(200, "<html>"), BadResponse, "error.bad_response.json"),
    (error(200, ""), BadResponse, "error.bad_response.json"),
    (error(200, "[" * 100_000), BadResponse, "error.bad_response.json"),
    (error(200, b"\xff\xfe"), BadResponse, "error.bad_response.json"),
])
def test_get_json_names_what_is_no_answer(answer, kind, key):
    with FakeServer() as server:
        server.routes["GET /v1/models"] = answer
        with pytest.raises(kind) as failed:
            transport(server).get_json("models", Cancel())
    assert failed.value.key == key


def server_tls():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "server.pem", TLS / "server.key")
    return context


def test_a_server_with_its_own_certificate_is_trusted_through_ca_file():
    with FakeServer([ok({"a": 1})], tls=server_tls()) as server:
        assert fetch(server, ca_file=str(TLS / "server.pem")) == b'{"a": 1}'
        kind, key, params = fetch(server)
    assert (kind, key) == (Unreachable, "error.unreachable.tls")
    assert params == {"address": f"127.0.0.1:{server.port}", "why": "self-signed certificate"}


def test_https_to_a_plain_server_is_named():
    with FakeServer() as server:
        server.base_url = server.base_url.replace("http:", "https:")
        kind, key, _ = fetch(server)
    assert (kind, key) == (Unreachable, "error.unreachable.tls")


@pytest.mark.parametrize("name", ["missing.pem", "README.md", ""])
def test_certificates_that_cannot_be_used_are_named(name):
    with pytest.raises(UsageError) as failed:
        Transport("https://example.org/v1", ca_file=str(TLS / name))
    assert failed.value.key == "error.ca_file"
    assert failed.value.params["path"] == str(TLS / name)

"""Cancelling from another thread ends a request in whatever it waits for."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import Cancelled, Unreachable
from tests.server import Answer, FakeServer, raw

TLS = Path(__file__).parent.parent / "cases/tls"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


class Deaf:
    """A listening socket that takes no connection: its queue is full."""

    def __enter__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        self.address = self.listener.getsockname()
        self.waiting = []
        while True:
            client = socket.socket()
            self.waiting.append(client)
            client.settimeout(0.05)
            try:
                client.connect(self.address)
            except TimeoutError:
                return self

    def __exit__(self, *_):
        for client in self.waiting:
            client.close()
        self.listener.close()


def read_to_the_end(way, cancel, outcome):
    try:
        with way.open("POST", "chat/completions", b"{}", cancel) as response:
            response.read_all()
    except BaseException as ended:
        outcome.append(type(ended))


def cancelled_after(seconds, way, ready=None):
    """The outcome of a request that is cancelled once `ready` is set and `seconds` have passed."""
    cancel, outcome = Cancel(), []
    thread = threading.Thread(target=read_to_the_end, args=(way, cancel, outcome))
    thread.start()
    if ready is not None:
        assert ready.wait(30)
    timer = threading.Timer(seconds, cancel.set)
    timer.start()
    thread.join(30)
    timer.join()
    assert not thread.is_alive()
    return outcome


def test_a_request_that_is_cancelled_before_it_starts_is_never_sent():
    cancel = Cancel()
    cancel.set()
    with FakeServer() as server:
        with pytest.raises(Cancelled):
            Transport(server.base_url).open("GET", "models", None, cancel)
    assert server.requests == []


@pytest.mark.parametrize("pieces", [[], [HEAD], [HEAD, "data: {}\n\n"]])
def test_a_silent_server_is_left_at_once(pieces):
    written = threading.Event()
    with FakeServer([raw(b"", pieces=[*pieces, written.set], end="stall")]) as server:
        assert cancelled_after(0, Transport(server.base_url), written) == [Cancelled]
        assert server.chats[0].gone.wait(30)


def test_a_chatty_server_is_left_at_once():
    written = threading.Event()
    answer = Answer([":\n", written.set, *[":\n"] * 10_000], pause=0.002)
    with FakeServer([answer]) as server:
        assert cancelled_after(0, Transport(server.base_url), written) == [Cancelled]
        assert server.chats[0].gone.wait(30)


@pytest.mark.parametrize("seconds", [0, 0.0005, 0.002, 0.01, 0.05, 0.1])
def test_connecting_ends_at_once(seconds):
    with Deaf() as deaf:
        way = Transport(f"http://127.0.0.1:{deaf.address[1]}/v1", connect_timeout=600)
        assert cancelled_after(seconds, way) == [Cancelled]


def test_connecting_has_its_own_limit():
    with Deaf() as deaf:
        way = Transport(f"http://127.0.0.1:{deaf.address[1]}/v1", connect_timeout=0.2)
        with pytest.raises(Unreachable) as failed:
            way.open("GET", "models", None, Cancel())
    assert (failed.value.key, failed.value.params) == (
        "error.unreachable.slow", {"address": f"127.0.0.1:{deaf.address[1]}", "seconds": "0.2"})


def silent_listener():
    """Takes connections and says nothing: no TLS handshake is ever answered."""
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, f"https://127.0.0.1:{listener.getsockname()[1]}/v1"


@pytest.mark.parametrize("seconds", [0.001, 0.05])
def test_a_tls_handshake_ends_at_once(seconds):
    listener, url = silent_listener()
    with listener:
        way = Transport(url, ca_file=str(TLS / "server.pem"), connect_timeout=600)
        assert cancelled_after(seconds, way) == [Cancelled]


def test_a_tls_handshake_counts_as_connecting():
    listener, url = silent_listener()
    with listener:
        way = Transport(url, ca_file=str(TLS / "server.pem"), connect_timeout=0.2)
        with pytest.raises(Unreachable) as failed:
            way.open("GET", "models", None, Cancel())
    assert failed.value.key == "error.unreachable.slow"


def test_a_silent_tls_server_is_left_at_once():
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "server.pem", TLS / "server.key")
    written = threading.Event()
    with FakeServer([raw(HEAD, pieces=[HEAD, written.set], end="stall")], tls=context) as server:
        way = Transport(server.base_url, ca_file=str(TLS / "server.pem"))
        assert cancelled_after(0, way, written) == [Cancelled]
        assert server.chats[0].gone.wait(30)


def test_sending_to_a_server_that_does_not_read_ends_at_once():
    listener = socket.create_server(("127.0.0.1", 0))
    with listener:
        way = Transport(f"http://127.0.0.1:{listener.getsockname()[1]}/v1")
        cancel, outcome = Cancel(), []

        def send():
            try:
                way.open("POST", "x", bytes(50_000_000), cancel)
            except BaseException as ended:
                outcome.append(type(ended))

        thread = threading.Thread(target=send)
        thread.start()
        connection = listener.accept()[0]
        with connection:
            assert connection.recv(10)
            cancel.set()
            thread.join(30)
    assert outcome == [Cancelled]

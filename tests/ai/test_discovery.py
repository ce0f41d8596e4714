"""Finding model servers on this machine. The ports are those of fake servers, never real ones."""

from __future__ import annotations

import socket
import threading

import pytest

from clinkai.ai.automatic import Automatic
from clinkai.ai.discovery import PORTS, Found, discover, listens
from clinkai.ai.openai import OpenAIClient
from clinkai.ai.provider import Provider, Reply
from clinkai.ai.recognise import Server
from clinkai.ai.scripted import ScriptedProvider
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import Cancelled
from clinkai.core.messages import TokenCount
from tests.ai.chat import request
from tests.server import FakeServer, ok


def free_port() -> int:
    """A port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def owned(server: FakeServer, owner: str, *names: str) -> FakeServer:
    server.routes["GET /v1/models"] = ok({"data": [{"id": n, "owned_by": owner} for n in names]})
    return server


def test_the_ports_are_those_of_the_servers_people_use():
    assert PORTS == (18080, 9931, 8080, 11434, 1234, 8000, 30000, 5001, 1337)


def test_servers_are_found_in_the_order_of_the_ports():
    with FakeServer() as one, FakeServer() as two, FakeServer(models=None) as web:
        owned(one, "vllm", "a"), owned(two, "library", "b", "c")
        found = discover(Cancel(), (two.port, free_port(), web.port, one.port))
        assert found == (Found(two.base_url, Server("ollama", ("b", "c"))),
                         Found(one.base_url, Server("vllm", ("a",))))


def test_a_server_without_a_model_is_found_where_its_kind_is_known():
    with FakeServer(models=()) as server:
        assert discover(Cancel(), (server.port,)) == ()
        server.routes["GET /api/version"] = ok({"version": "0.12.3"})
        [found] = discover(Cancel(), (server.port,))
    assert found.server == Server("ollama", (), "0.12.3")


def test_what_is_no_model_server_is_left_out():
    said = threading.Event()

    def greet(listener):
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
            said.wait(20)

    with socket.create_server(("127.0.0.1", 0)) as listener, FakeServer() as server:
        threading.Thread(target=greet, args=(listener,), daemon=True).start()
        ports = (listener.getsockname()[1], server.port)
        assert [found.base_url for found in discover(Cancel(), ports)] == [server.base_url]
        said.set()


def test_no_secret_key_is_shown_to_whoever_listens():
    with FakeServer() as server:
        discover(Cancel(), (server.port,))
        assert {r.headers.get("Authorization") for r in server.requests} == {"Bearer local-3090"}


def test_the_search_can_be_cancelled():
    cancel = Cancel()
    with FakeServer(slow_start=True) as server, pytest.raises(Cancelled):
        threading.Timer(0.05, cancel.set).start()
        discover(cancel, (server.port,))


def test_whether_something_listens_is_seen_without_a_request():
    with FakeServer() as server:
        assert listens(server.base_url)
        assert server.requests == []
    assert not listens(server.base_url)
    assert not listens(f"http://localhost:{free_port()}/v1")


class Own(Provider):
    """The client of a kind of server of its own."""

    name = "ollama"
    known_window = 4096


@pytest.mark.parametrize(("owner", "name", "kind"), [
    ("library", "ollama", "ollama"), ("vllm", "openai", "vllm"), ("somebody", "openai", ""),
])
def test_the_client_fits_the_server(owner, name, kind):
    with FakeServer() as server:
        owned(server, owner, "m")
        usual = OpenAIClient(Transport(server.base_url), "m")
        provider = Automatic(usual, {"ollama": Own})
        assert (provider.name, provider.kind) == ("openai", "")
        for _ in range(3):
            provider.ready(Cancel())
        assert (provider.name, provider.kind) == (name, kind)
        assert len([r for r in server.requests if r.path == "/v1/models"]) == 1
        window = 4096 if name == "ollama" else 16384 if kind == "" else None
        assert (provider.window(Cancel()), provider.known_window) == (window, window)


def test_an_answer_is_that_of_the_client_in_use():
    reply = Reply("hi", "", "", (), "stop", TokenCount())
    provider = Automatic(ScriptedProvider([reply]), {})
    assert list(provider.stream(request(), Cancel()))[-1] == reply
    provider.close()

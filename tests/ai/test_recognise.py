"""Which server it is, by what each kind really sends, over sockets."""

from __future__ import annotations

import pytest

from clinkai.ai.openai import OpenAIClient
from clinkai.ai.recognise import NAMES, Server, recognise
from clinkai.ai.servers import LADDERS
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import Cancelled
from tests.server import Answer, FakeServer, error, ok, raw

LM_MODEL = {"id": "q", "type": "llm", "compatibility_type": "gguf", "state": "loaded"}
LOADING = {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}
LM_STUDIO_UNKNOWN = ok({"error": "Unexpected endpoint or method. (GET /models)"})
PAGE = Answer("<!doctype html><title>Web</title>", 200, {"Content-Type": "text/html"})


def entry(name: str, **more) -> dict:
    return {"id": name, "object": "model", "created": 1, **more}


def listing(*entries: dict, head: str = ""):
    """A list of models, with the header `Server` where one is given."""
    if not head:
        return ok({"object": "list", "data": list(entries)})
    import json

    body = json.dumps({"object": "list", "data": list(entries)})
    return raw(f"HTTP/1.1 200 OK\r\nServer: {head}\r\nContent-Length: {len(body)}\r\n"
               f"Content-Type: application/json\r\nConnection: close\r\n\r\n{body}".encode())


def headed(status: int, head: str, body: str = "{}"):
    return raw(f"HTTP/1.1 {status} X\r\nServer: {head}\r\nContent-Length: {len(body)}\r\n"
               f"Connection: close\r\n\r\n{body}".encode())


KINDS = [
    # what GET /v1/models answers, other pages -> the server, how many questions it took
    (listing(entry("q", owned_by="llamacpp", meta={"n_ctx": 5})), {}, Server("llama.cpp", ("q",)), 1),
    (listing(entry("q"), head="llama.cpp"), {}, Server("llama.cpp", ("q",)), 1),
    (listing(entry("a", owned_by="vllm"), entry("b", owned_by="vllm")), {},
     Server("vllm", ("a", "b")), 1),
    (listing(entry("q", owned_by="sglang")), {}, Server("sglang", ("q",)), 1),
    (listing(entry("q", owned_by="organization_owner")), {}, Server("lmstudio", ("q",)), 1),
    (listing(entry("q", owned_by="organization-owner")), {}, Server("lmstudio", ("q",)), 1),
    (listing(entry("q", owned_by="koboldcpp"), head="KoboldCppServer 1"), {},
     Server("koboldcpp", ("q",)), 1),
    (listing(entry("q", owned_by="tabbyAPI")), {}, Server("tabby", ("q",)), 1),
    (listing(entry("q"), head="BaseHTTP/0.6 Python/3.12.1"), {}, Server("mlx", ("q",)), 1),
    (listing(entry("qwen3:8b", owned_by="library")), {}, Server("ollama", ("qwen3:8b",)), 1),
    (listing(entry("hf.co/u/q", owned_by="u"), entry("x", owned_by="library")), {},
     Server("ollama", ("hf.co/u/q", "x")), 1),
    (listing(entry("hf.co/u/q", owned_by="hf.co/u")), {"/api/version": {"version": "0.12.3"}},
     Server("ollama", ("hf.co/u/q",), "0.12.3"), 2),
    (ok({"object": "list", "data": None}), {"/api/version": {"version": "0.12.3"}},
     Server("ollama", (), "0.12.3"), 3),
    # KoboldCpp answers as Ollama too.
    (listing(entry("q")), {"/api/version": {"version": "0.7.0"},
                           "/api/extra/version": {"result": "KoboldCpp", "version": "1.99"}},
     Server("koboldcpp", ("q",), "1.99"), 2),
    # Without /v1 in the address the list is not there; Ollama says so in plain text.
    (error(404, "404 page not found"), {"/api/version": {"version": "0.12.3"}},
     Server("ollama", (), "0.12.3"), 3),
    (LM_STUDIO_UNKNOWN, {"/api/v0/models": {"object": "list", "data": [LM_MODEL]}},
     Server("lmstudio"), 4),
    # Not one of ours, and none of ours either by a page that it has in common with them.
    (listing(entry("q", owned_by="llama-swap")), {"/api/version": {"version": "1"}},
     Server("", ("q",)), 1),
    (listing(entry("gpt", owned_by="system")), {}, Server("", ("gpt",)), 1),
    (listing(entry("q", owned_by="me")), {"/api/version": {"version": "1", "commit": "a"}},
     Server("", ("q",)), 2),
    (listing(entry("q")), {}, Server("", ("q",)), 4),
    (listing(entry("q", owned_by=5)), {"/api/version": {"version": 7}},
     Server("", ("q",)), 4),
    (PAGE, {"/api/version": {"version": "0.6", "deployment_id": ""}}, Server(), 1),
    (error(401, {"error": {"message": "key"}}), {}, Server(), 1),
    (headed(401, "llama.cpp"), {}, Server("llama.cpp"), 1),
    (error(404, ""), {"/api/extra/version": [], "/api/version": "x", "/api/v0/models": {}},
     Server(), 4),
    (ok("[[[["), {}, Server(), 4), (ok([5, None, ["x"]]), {}, Server(), 4),
    # It loads, or is not well: asked again.
    (error(503, LOADING), {}, Server(settled=False), 1),
    (headed(503, "llama.cpp"), {}, Server("llama.cpp"), 1),
    (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), {}, Server(settled=False), 1),
    (Answer("", 302, {"Location": "https://elsewhere.example/"}), {}, Server(settled=False), 1),
]


@pytest.mark.parametrize(("models", "pages", "server", "questions"), KINDS)
def test_a_server_is_known_by_what_it_says_of_itself(models, pages, server, questions):
    with FakeServer(models=None, n_ctx=None, health=None) as fake:
        fake.routes["GET /v1/models"] = models
        for path, body in pages.items():
            fake.routes[f"GET {path}"] = ok(body)
        found = recognise(Transport(fake.base_url), Cancel())
        assert (found, len(fake.requests)) == (server, questions)


def test_nobody_is_a_server_to_ask_again():
    with FakeServer() as fake:
        pass
    assert recognise(Transport(fake.base_url), Cancel()) == Server(settled=False)


def test_a_silent_server_is_left_alone_after_one_question():
    with FakeServer(slow_start=True) as fake:
        found = recognise(Transport(fake.base_url, idle_timeout=0.05), Cancel())
        assert (found, len(fake.requests)) == (Server(settled=False), 1)


def test_an_answer_without_an_end_is_no_answer():
    with FakeServer() as fake:
        fake.routes["GET /v1/models"] = Answer(["[", "\n"], end="stall", chunked=True)
        found = recognise(Transport(fake.base_url, idle_timeout=0.05), Cancel())
    assert found == Server(settled=False)


def test_cancelling_ends_the_question():
    cancel = Cancel()
    with FakeServer() as fake:
        fake.routes["GET /v1/models"] = Answer([cancel.set], end="stall", chunked=True)
        with pytest.raises(Cancelled):
            recognise(Transport(fake.base_url), cancel)


def test_each_kind_has_a_way_to_its_window():
    assert set(LADDERS) == {*NAMES, ""}


@pytest.mark.parametrize(("answers", "asked"), [
    ([listing(entry("q", owned_by="vllm"))], 1),
    ([listing(entry("q", owned_by="openai"))], 1),
    ([error(503, LOADING), listing(entry("q", owned_by="vllm"))], 2),
    ([headed(503, "llama.cpp")], 1),
])
def test_a_client_asks_until_it_was_answered(answers, asked):
    with FakeServer() as fake:
        left = list(answers)
        fake.routes["GET /v1/models"] = lambda request: left.pop(0)
        client = OpenAIClient(Transport(fake.base_url), "q")
        for _ in range(4):
            client.ready(Cancel())
        lists = [r for r in fake.requests if r.path == "/v1/models"]
        assert len(lists) == asked and left == []

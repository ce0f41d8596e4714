"""What servers say of themselves, over sockets."""

from __future__ import annotations

import pytest

from clinkai.ai.patience import models_when_loaded
from clinkai.ai.servers import context_window, health, list_models, sees_images
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import BadResponse, Cancelled, ServerLoading
from tests.server import FakeServer, error, ok, raw


def listing(body, status=200):
    with FakeServer() as server:
        server.routes["GET /v1/models"] = error(status, body)
        return list_models(Transport(server.base_url), Cancel())


@pytest.mark.parametrize(("body", "names"), [
    ({"object": "list", "data": [{"id": "a"}, {"id": "b"}]}, ("a", "b")),
    ({"models": [{"name": "a:1b", "model": "a:1b"}, {"name": "b"}]}, ("a:1b", "b")),
    ({"data": [{"object": "model"}, {"key": "k"}, {"name": "n"}, "plain", {"id": "i"}, None, 5]},
     ("k", "n", "plain", "i")),
    ({"data": [{"id": "a"}, {"id": "a"}, {"id": ""}, {"id": None, "name": "b"}]}, ("a", "b")),
    ({"data": None}, ()), ({"data": []}, ()), ([{"id": "a"}, "b"], ("a", "b")),
])
def test_the_models_are_listed(body, names):
    assert listing(body) == names


def test_a_server_that_loads_is_asked_again_until_it_was_silent_too_long():
    told = []
    with FakeServer() as server:
        server.routes["GET /v1/models"] = error(503, {"error": {"message": "Loading model"}})
        way = Transport(server.base_url, idle_timeout=0.1)
        with pytest.raises(ServerLoading):
            models_when_loaded(way, Cancel(), lambda: told.append(len(server.requests)))
        asked = [n for n, r in enumerate(server.requests, 1) if r.path.endswith("/models")]
        assert len(asked) > 1 and told == asked[:-1]
        stop = Cancel()
        with pytest.raises(Cancelled):
            models_when_loaded(Transport(server.base_url), stop, stop.set)


@pytest.mark.parametrize(("body", "status", "kind"), [
    ({"error": {"message": "Loading model"}}, 503, ServerLoading),
    ({"status": "ok"}, 200, BadResponse), ("<html>", 200, BadResponse), (5, 200, BadResponse),
    ({"data": "x"}, 200, BadResponse),
])
def test_what_is_no_list_is_an_error(body, status, kind):
    with pytest.raises(kind):
        listing(body, status)


@pytest.mark.parametrize(("props", "models", "window"), [
    ({"default_generation_settings": {"n_ctx": 4096}}, {"data": []}, 4096),
    ({"default_generation_settings": {"n_ctx": 0}},
     {"data": [{"id": "m", "meta": {"n_ctx": 8192, "n_ctx_train": 1}}]}, 8192),
    (None, {"data": [{"id": "m", "max_model_len": 32768}]}, 32768),
    (None, {"data": [{"id": "m", "loaded_context_length": 5, "max_context_length": 9}]}, 5),
    (None, {"data": [{"id": "x", "max_model_len": 1}, {"id": "m", "max_model_len": 2}]}, 2),
    (None, {"data": [{"id": "other", "max_model_len": 7}]}, 7),
    (None, {"data": [{"id": "x", "max_model_len": 1}, {"id": "y", "max_model_len": 2}]}, None),
    (None, {"data": [{"id": "m", "max_model_len": "many"}]}, None),
    (None, None, None), ([], {"data": 5}, None),
])
def test_the_window_is_what_the_server_says(props, models, window):
    with FakeServer(n_ctx=None, models=None) as server:
        if props is not None:
            server.routes["GET /props"] = ok(props)
        if models is not None:
            server.routes["GET /v1/models"] = ok(models)
        assert context_window(Transport(server.base_url), "m", Cancel()) == window


PS = {"models": [{"name": "m:latest", "model": "m:latest", "context_length": 4096},
                 {"name": "n:7b", "context_length": 8192}]}
LOADED = {"data": [{"id": "x", "state": "loaded", "loaded_context_length": 1},
                   {"id": "m", "state": "loaded", "loaded_context_length": 8192,
                    "max_context_length": 131072}]}
IDLE = {"data": [{"id": "m", "state": "not-loaded", "max_context_length": 131072}]}
TRAINED = {"models": [{"id": "m", "meta": {"n_ctx_train": 131072}}]}


@pytest.mark.parametrize(("kind", "pages", "window"), [
    ("llama.cpp", {"/props": {"default_generation_settings": {"n_ctx": 4096}}}, 4096),
    # Several models behind one server: it says 0 until one is named.
    ("llama.cpp", {"/props": {"default_generation_settings": {"n_ctx": 0}},
                   "/props?model=m": {"default_generation_settings": {"n_ctx": 8192}}}, 8192),
    ("", {"/props?model=m": {"default_generation_settings": {"n_ctx": 8192}}}, 8192),
    ("llama.cpp", {"/v1/models": {"data": [{"id": "m", "meta": {"n_ctx": 5}}]}}, 5),
    ("llama.cpp", {"/v1/models": TRAINED}, None),
    ("vllm", {"/v1/models": {"data": [{"id": "m", "max_model_len": 32768}]}}, 32768),
    ("sglang", {"/v1/models": {"data": [{"id": "m", "max_model_len": 32768}]}}, 32768),
    ("lmstudio", {"/api/v0/models": LOADED}, 8192), ("lmstudio", {"/api/v0/models": IDLE}, None),
    ("ollama", {"/api/ps": PS}, 4096), ("ollama", {"/api/ps": {"models": []}}, None),
    ("ollama", {"/v1/models": {"data": [{"id": "m", "context_length": 9}]}}, None),
    ("koboldcpp", {"/api/extra/true_max_context_length": {"value": 12288}}, 12288),
    ("koboldcpp", {"/api/extra/true_max_context_length": [1]}, None),
    ("tabby", {"/v1/model": {"id": "m", "parameters": {"max_seq_len": 16384}}}, 16384),
    ("mlx", {"/v1/models": {"data": [{"id": "m"}]}}, None), ("vllm", {}, None),
])
def test_each_kind_of_server_is_asked_where_it_says_it(kind, pages, window):
    with FakeServer(n_ctx=None, models=None) as server:
        for path, body in pages.items():
            server.routes[f"GET {path}"] = ok(body)
        assert context_window(Transport(server.base_url), "m", Cancel(), kind) == window


VISION = {"modalities": {"vision": True, "audio": False}}
KINDS = {"data": [{"id": "x", "type": "vlm"}, {"id": "m", "type": "llm"},
                  {"id": "n", "type": "embeddings"}, {"id": "o", "type": []}]}


@pytest.mark.parametrize(("kind", "model", "pages", "sees"), [
    ("llama.cpp", "", {"/props": VISION}, True), ("", "m", {"/props?model=m": VISION}, True),
    ("llama.cpp", "m", {"/props?model=m": {"modalities": {"vision": False}}}, False),
    ("llama.cpp", "m", {"/props?model=m": {"modalities": []}}, None), ("llama.cpp", "m", {}, None),
    ("lmstudio", "x", {"/api/v0/models": KINDS}, True),
    ("lmstudio", "m", {"/api/v0/models": KINDS}, False),
    ("lmstudio", "n", {"/api/v0/models": KINDS}, None),
    ("lmstudio", "o", {"/api/v0/models": KINDS}, None),
    ("lmstudio", "y", {"/api/v0/models": KINDS}, None), ("lmstudio", "m", {}, None),
    ("vllm", "m", {"/props?model=m": VISION}, None),
])
def test_whether_a_model_sees_is_asked_where_the_server_says_it(kind, model, pages, sees):
    with FakeServer(n_ctx=None, models=None) as server:
        for path, body in pages.items():
            server.routes[f"GET {path}"] = ok(body)
        assert sees_images(Transport(server.base_url), model, Cancel(), kind) is sees


def test_a_model_is_named_as_an_address_can_carry_it():
    with FakeServer(n_ctx=None, models=None) as server:
        context_window(Transport(server.base_url), "a/b c&d:é", Cancel(), "llama.cpp")
        assert server.requests[1].path == "/props?model=a%2Fb%20c%26d%3A%C3%A9"


@pytest.mark.parametrize(("answer", "state"), [
    (ok({"status": "ok"}), "ok"), (ok(""), "ok"), (None, "none"),
    (error(503, {"error": {"message": "Loading model"}}), "loading"),
    (error(200, "", {"Content-Encoding": "br"}), "none"), (error(500, ""), "down"),
    (error(502, "<html>"), "down"), (raw(b"", end="reset"), "down"), (raw(b"HTTP"), "none"),
    (error(503, {"status": "no slot available"}), "ok"), (error(401, ""), "none"),
])
def test_health_tells_a_loading_server_from_a_dead_one(answer, state):
    with FakeServer(health=None) as server:
        if answer is not None:
            server.routes["GET /health"] = answer
        assert health(Transport(server.base_url), Cancel()) == state


def test_nobody_is_down():
    with FakeServer() as server:
        pass
    assert health(Transport(server.base_url), Cancel()) == "down"


@pytest.mark.parametrize("ask", [health, lambda way, cancel: context_window(way, "m", cancel)])
def test_cancelling_is_no_answer(ask):
    cancel = Cancel()
    cancel.set()
    with FakeServer() as server, pytest.raises(Cancelled):
        ask(Transport(server.base_url), cancel)

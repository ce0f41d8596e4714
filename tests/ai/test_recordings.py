"""Answers of a real llama-server, replayed byte by byte over a real socket."""

from __future__ import annotations

from pathlib import Path

import pytest

from clinkai.ai.openai import OpenAIClient
from clinkai.ai.provider import PrefillPart, Reply, TextPart
from clinkai.ai.servers import context_window, list_models
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import ContextOverflow, RequestRefused
from clinkai.core.messages import TokenCount
from tests.ai.chat import request, stream
from tests.server import FakeServer, raw

LIVE = Path(__file__).parent.parent / "cases/live"


def recorded(name):
    return (LIVE / f"llamacpp-{name}.http").read_bytes()


MARKUP = ("dropped_markup",)
"""The model was not stopped at the end of its turn, and went on with one of somebody else."""


def cut(content, count, warnings=()):
    return Reply(content, "", "", (), "length", count, "", warnings)


def progress(total, cached, *steps):
    return [PrefillPart(done, total, cached, ms) for done, ms in steps]


CHATS = {
    "text": (
        progress(47, 0, (0, 0), (18, 547), (43, 844), (47, 1113)),
        cut("Say hello in one long sentence.\n", TokenCount(47, 0, 24, 1116.8, 1358.106), MARKUP),
    ),
    "toolcall": (
        progress(47, 0, (0, 0), (18, 61), (43, 145), (47, 173)),
        cut("\n", TokenCount(47, 0, 96, 174.36, 5081.577), MARKUP),
    ),
    "length": (
        progress(31, 0, (0, 0), (1, 2150), (27, 2621), (31, 2648)),
        cut("Write a long story about", TokenCount(31, 0, 5, 2651.841, 78.378)),
    ),
    "progress": (
        progress(2624, 1, (1, 0), (2049, 14217), (2108, 14975), (2620, 18976), (2624, 19206)),
        cut("assistant\nassistant\n", TokenCount(2624, 1, 4, 19209.934, 1564.444)),
    ),
    "badtoolargs": (
        progress(56, 1, (1, 0), (52, 1313), (56, 1746)),
        cut("", TokenCount(56, 1, 4, 1747.667, 543.066), MARKUP),
    ),
}


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize("name", CHATS)
def test_a_recorded_chat_is_read_however_it_is_cut(name, size):
    data = recorded(name)
    pieces = [data[at:at + size] for at in range(0, len(data), size)]
    prefill, reply = CHATS[name]
    with FakeServer([raw(b"", pieces=pieces)]) as server:
        client = OpenAIClient(Transport(server.base_url))
        *parts, last = client.stream(request(), Cancel())
    assert last.count.ttft_ms > 0
    assert [part for part in parts if isinstance(part, PrefillPart)] == prefill
    assert "".join(part.text for part in parts if isinstance(part, TextPart)) == reply.content
    assert last == Reply(**{**reply.__dict__, "count": TokenCount(
        **{**reply.count.__dict__, "ttft_ms": last.count.ttft_ms})})


@pytest.mark.parametrize(("name", "kind", "key", "params"), [
    ("404", RequestRefused, "error.refused.missing", {"message": "File Not Found"}),
    ("badjson", RequestRefused, "error.refused",
     {"message": "Expected 'messages' to be an array"}),
    ("overflow", ContextOverflow, "error.overflow.counted",
     {"message": "request (20024 tokens) exceeds the available context size (16384 tokens), "
                 "try increasing it", "prompt": 20024, "limit": 16384}),
])
def test_a_recorded_refusal_is_classified(name, kind, key, params):
    with FakeServer([raw(recorded(name))]) as server:
        (error,) = stream(server)
    assert (type(error), error.key, error.params) == (kind, key, params)


def test_the_recorded_pages_name_the_model_and_its_window():
    with FakeServer() as server:
        server.routes["GET /v1/models"] = raw(recorded("models"))
        server.routes["GET /props"] = raw(recorded("props"))
        transport = Transport(server.base_url)
        assert list_models(transport, Cancel()) == ("local",)
        assert context_window(transport, "local", Cancel()) == 16384
        del server.routes["GET /props"]
        server.n_ctx = None
        assert context_window(transport, "local", Cancel()) == 16384

"""The wires an agent can speak over, for tests that are to hold on each of them.

    @pytest.mark.parametrize("wire", QUICK)
    def test_x(tmp_path, wire):
        with server(wire, [reply("hi")]) as fake, Run(tmp_path, **spoken(wire, fake)) as run:

`reply` is told in the language of the wire (`tests/server.py`). The fixture `scripted` is for tests
that give an agent its provider: replies of the loop's tests, over each wire.
"""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from clinkai.ai.provider import Provider, Reply
from clinkai.ai.scripted import ScriptedProvider
from clinkai.core.catalogue import Strings
from clinkai.harness import providers
from clinkai.harness.settings import load
from tests.server import Answer, FakeServer, reply

SERVERS = {"openai": {}, "ollama": {"ollama": 131_072}, "anthropic": {}}
"""The wires, by the value of PROVIDER that selects each, and what makes a FakeServer one of it."""

LACKING = {"ollama": {"tool_choice"}, "anthropic": {"frequency_penalty"}}
"""Fields of requests that a wire has not."""

RENAMED = {"num_predict": "max_tokens"}
"""Fields that another wire names otherwise."""

WIRES = tuple(SERVERS)

OTHERS = tuple(wire for wire in WIRES if wire != "openai")

QUICK = ("openai", *(pytest.param(wire, marks=pytest.mark.slow) for wire in OTHERS))
"""All of them, the others left to CI."""


def server(wire: str, script: object = (), **options: object) -> FakeServer:
    """A fake server of that wire."""
    return FakeServer(script, **SERVERS[wire], **options)


def spoken(wire: str, fake: FakeServer) -> dict:
    """What a `Run` is to be made with."""
    return {"base_url": fake.base_url, "wire": wire}


def broken(*pieces: str) -> Answer:
    """An answer whose connection is cut after these pieces of text."""
    made = reply(pieces=pieces)
    del made.pieces[-1]
    made.end, made.usage, made.chunked = "reset", None, False
    return made


def fields(body: dict) -> dict:
    """The fields of a request, `messages` aside, by the names that OpenAI's wire has for them."""
    flat = {**body, **body.get("options", {})}
    return {RENAMED.get(k, k): v for k, v in flat.items() if k not in ("messages", "options")}


def told(made: Reply) -> Answer:
    """The answer of a server that a client understands as `made`."""
    calls = [(call.name, call.broken or call.arguments) for call in made.tool_calls]
    return reply(made.content, reasoning=made.reasoning, calls=calls, finish=made.finish)


def client(wire: str, fake: FakeServer) -> Provider:
    """The bare client of that wire, which speaks with `fake`."""
    environ = {"HOME": "/", "CLINKAI_HOME": "/nowhere", "CLINKAI_BASE_URL": fake.base_url,
               "CLINKAI_PROVIDER": wire, "CLINKAI_MODEL": "local", "CLINKAI_IDLE_TIMEOUT": "20"}
    return providers.raw(load({}, environ), Strings("en"))


@pytest.fixture(params=["demo", *(pytest.param(wire, marks=pytest.mark.slow) for wire in WIRES)])
def scripted(request):
    """Call with replies to get a provider that gives them: without a wire, and over each."""
    if request.param == "demo":
        yield in_order
        return
    with ExitStack() as servers:
        yield lambda *replies: client(request.param, servers.enter_context(
            server(request.param, [told(made) for made in replies])))


def in_order(*replies: object) -> ScriptedProvider:
    """A provider that gives these replies without a wire."""
    script = iter(replies)
    return ScriptedProvider(lambda request: next(script))

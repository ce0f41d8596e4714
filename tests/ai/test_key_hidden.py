"""A key that a server repeats in an error is shown nowhere."""

from __future__ import annotations

import pytest

from clinkai.ai.openai import OpenAIClient
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.errors import ModelServerError
from tests.ai.chat import request
from tests.server import Answer, FakeServer, error, event, raw

KEY = "sk-SECRET-123456"
ANSWERS = {
    "refused": error(401, {"error": {"message": f"Incorrect API key provided: {KEY}."}}),
    "plain": error(403, f"bad key {KEY}"),
    "page": Answer([f"<title>Who is {KEY}?</title>"], 200, {"Content-Type": "text/html"}),
    "redirect": Answer([], 302, {"Location": f"http://other/?key={KEY}", "Content-Length": "0"}),
    "stream": Answer([event({"error": {"message": f"no budget for {KEY}"}})]),
    "no HTTP": raw(f"hello {KEY}\r\n\r\n".encode()),
}


@pytest.mark.parametrize("name", list(ANSWERS))
@pytest.mark.parametrize("way", ["chat", "list"])
def test_the_key_is_taken_out_of_every_error(name, way):
    with FakeServer([ANSWERS[name]]) as server:
        server.routes["GET /v1/models"] = ANSWERS[name]
        transport = Transport(server.base_url, api_key=KEY, idle_timeout=10.0)
        with pytest.raises(ModelServerError) as caught:
            if way == "chat":
                list(OpenAIClient(transport).stream(request(), Cancel()))
            else:
                transport.get_json("models", Cancel())
    say = Strings("en")
    words = caught.value.text(say) + caught.value.advice(say) + repr(caught.value.params)
    assert KEY not in words and "********" in words


def test_a_short_key_is_a_word_and_no_secret():
    with FakeServer([error(401, {"error": {"message": "ollama does not know you"}})]) as server:
        transport = Transport(server.base_url, api_key="ollama")
        with pytest.raises(ModelServerError) as caught:
            list(OpenAIClient(transport).stream(request(), Cancel()))
    assert "ollama does not know you" in caught.value.text(Strings("en"))

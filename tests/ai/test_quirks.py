"""Answers of servers as people reported them, over real sockets.

Calls and thinking that a server left inside the text are not taken out of it yet; their rows are
named here.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clinkai.ai.provider import Reply, TextPart, ThinkPart
from clinkai.ai.servers import list_models
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import ModelServerError
from tests.ai.chat import request, stream
from tests.server import FakeServer, case

CASES = Path(__file__).parent.parent / "cases/quirks.jsonl"
ROWS = [
    json.loads(line)
    for line in CASES.read_text("utf-8").splitlines()
]
CHATS = [row for row in ROWS if row["area"] != "models"]
INSIDE_TEXT = {
    "reasoning-harmony-bare-15", "reasoning-stray-close-09", "reasoning-think-tags-04",
    "reasoning-thinking-alias-11", "reasoning-unclosed-length-07", "reasoning-unclosed-stop-08",
    "text-gemma4-57", "text-hermes-41", "text-hermes-noclose-42", "text-in-reasoning-59",
    "text-json-bare-47", "text-json-fence-48", "text-lfm2-53", "text-llama3-50", "text-mistral-51",
    "text-qwen-noopen-45", "text-qwen-xml-44", "tool-name-glm-37", "tool-residue-40",
}


def found(row):
    """What came of the answer, in the form of a row's `expect`."""
    with FakeServer([case(row)]) as server:
        *parts, last = stream(server, request(), idle_timeout=0.4)
    texts = {kind: "".join(p.text for p in parts if isinstance(p, kind)).strip()
             for kind in (TextPart, ThinkPart)}
    body = {"content": texts[TextPart], "reasoning": texts[ThinkPart], "tool_calls": [],
            "finish": "error", "error_kind": None, "usage": None}
    count = last.count
    if count.prompt is not None or count.completion is not None:
        body["usage"] = {"prompt": count.prompt, "completion": count.completion,
                         "cached": count.cached}
    if isinstance(last, Reply):
        assert (last.content.strip(), last.reasoning.strip()) == tuple(texts.values())
        body["finish"] = last.finish
        body["tool_calls"] = [
            {"name": c.name, "arguments": None if c.broken else json.loads(c.arguments)}
            for c in last.tool_calls]
    else:
        body["error_kind"] = last.kind
        body["overflow"] = {name: last.params.get(name) for name in ("prompt", "limit")}
        body["retry_after_s"] = last.params.get("retry_after_s")
    return body


@pytest.mark.parametrize("row", [r for r in CHATS if r["id"] not in INSIDE_TEXT],
                         ids=lambda r: r["id"])
def test_a_reported_answer_is_understood(row):
    body = found(row)
    accepted = [{**row["expect"], **other} for other in ({}, *row.get("also_ok", ()))]
    for expected in accepted:
        expected.update(content=expected["content"].strip(),
                        reasoning=expected["reasoning"].strip())
        expected.pop("warn", None)
    assert any({**body, **expected} == body for expected in accepted), (body, accepted)


@pytest.mark.parametrize("row", [r for r in ROWS if r["area"] == "models"], ids=lambda r: r["id"])
def test_a_reported_list_of_models_is_understood(row):
    with FakeServer() as server:
        server.routes["GET /v1/models"] = case(row)
        try:
            models, kind = list(list_models(Transport(server.base_url), Cancel())), None
        except ModelServerError as error:
            models, kind = [], error.kind
    assert (models, kind) == (row["expect"].get("models", []), row["expect"]["error_kind"])


def test_the_rows_that_are_left_out_exist():
    assert {row["id"] for row in ROWS} >= INSIDE_TEXT

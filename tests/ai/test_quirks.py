"""Answers of servers as people reported them, over real sockets: through the client, and as
`probe` shows them.

The rules are those of `wire-quirks.md`; each row of the table names its own in `why`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clinkai.ai.provider import Reply, TextPart, ThinkPart
from clinkai.core.messages import Message
from clinkai.core.text import estimate_tokens
from clinkai.harness.settings import load
from clinkai.ui import probe
from tests.ai.chat import TOOLS, request, stream
from tests.server import FakeServer, case

CASES = Path(__file__).parent.parent / "cases"


def rows(name):
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").splitlines()]


ROWS, MORE = rows("quirks.jsonl"), rows("quirks_more.jsonl")
CHATS = [row for row in ROWS if row["area"] != "models"]
MORE_CHATS = [row for row in MORE if row["area"] != "models"]
MODELS = [row for row in ROWS + MORE if row["area"] == "models"]
SILENCE = 0.3
"""Seconds after which a row that stalls is given up; the others never pause as long."""

TURNED = {"unclosed_thinking"}
"""With these warnings what was shown as thinking is the answer."""


@pytest.fixture(scope="module")
def server():
    """A server that answers with `server.row`."""
    with FakeServer(lambda body: case(server.row, server.pause)) as server:
        server.pause = 0
        server.routes["GET /v1/models"] = lambda asked: case(server.row)
        yield server


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


def prompt(row):
    """The user's message: as long as the row says."""
    size = row.get("sent_prompt_tokens_est", 1)
    words = "".join(f"word {n} " for n in range(size // 2))
    while estimate_tokens(words) > size + 3:
        words = words[:-3]
    return words or "hi"


def tools(row):
    return TOOLS if row.get("tools") is None else tuple(row["tools"])


def of_the_client(row, server):
    """What the client makes of the answer, in the form of a row's `expect`."""
    asked = request(Message("user", prompt(row)), tools=tools(row))
    *parts, last = stream(server, asked, idle_timeout=SILENCE)
    said = {kind: "".join(p.text for p in parts if isinstance(p, kind))
            for kind in (TextPart, ThinkPart)}
    count = last.count
    known = count.prompt is not None or count.completion is not None
    body = {"content": said[TextPart], "reasoning": said[ThinkPart], "tool_calls": [],
            "finish": "error", "error_kind": None, "warn": (), "usage": known and {
                "prompt": count.prompt, "completion": count.completion, "cached": count.cached}}
    if not isinstance(last, Reply):
        return {**body, "error_kind": last.kind, "retry_after_s": last.params.get("retry_after_s"),
                "overflow": {name: last.params.get(name) for name in ("prompt", "limit")}}
    assert last.content == said[TextPart]
    assert last.reasoning == said[ThinkPart] or TURNED.intersection(last.warnings)
    calls = [{"name": c.name, "arguments": None if c.broken else json.loads(c.arguments)}
             for c in last.tool_calls]
    return {**body, "reasoning": last.reasoning, "finish": last.finish, "tool_calls": calls,
            "warn": last.warnings}


def of_probe(row, server, home):
    """What `probe` prints."""
    settings = load({}, {"CLINKAI_BASE_URL": server.base_url, "CLINKAI_MODEL": "local",
                         "CLINKAI_IDLE_TIMEOUT": str(SILENCE)}, str(home))
    return probe.probe(settings, prompt(row), tools(row))


def agrees(body, row):
    """True where everything a row expects is in `body`."""
    expect = dict(row["expect"])
    others = expect.pop("also_ok", ())
    warn = expect.pop("warn", None)
    if warn and warn not in body["warn"]:
        return False
    body = {**body, "usage": body["usage"] or None}
    return any(all(_same(body[key], value) for key, value in {**expect, **other}.items())
               for other in ({}, *others))


def _same(found, expected):
    return found.strip() == expected.strip() if isinstance(expected, str) else found == expected


@pytest.mark.sampled(3)
@pytest.mark.parametrize("row", CHATS, ids=lambda row: row["id"])
def test_a_reported_answer_is_understood(row, server, home):
    server.row, server.pause = row, 0.002
    body = of_the_client(row, server)
    assert agrees(body, row), (body, row["expect"])
    printed = of_probe(row, server, home)
    assert agrees(printed, row), (printed, row["expect"])


@pytest.mark.sampled(5)
@pytest.mark.parametrize("row", MORE_CHATS, ids=lambda row: row["id"])
def test_a_neighbour_of_a_reported_answer_is_understood(row, server, home):
    server.row, server.pause = row, 0
    printed = of_probe(row, server, home)
    assert agrees(printed, row), (printed, row["expect"])


@pytest.mark.parametrize("row", MODELS, ids=lambda row: row["id"])
def test_a_reported_list_of_models_is_understood(row, server, home):
    server.row = row
    settings = load({}, {"CLINKAI_BASE_URL": server.base_url}, str(home))
    expect = row["expect"]
    assert probe.models(settings) == {"models": expect.get("models", []),
                                      "error_kind": expect["error_kind"]}

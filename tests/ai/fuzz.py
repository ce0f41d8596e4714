"""Damaged answers: recordings, cut and changed at random, read by each client without a socket.

    outcome(name, seed)     one run: raises AssertionError for what must never happen, whatever came

A run takes one of the recordings of a wire, changes it (bytes flipped, fields deleted or of another
type, events lost, an end missing), cuts it anywhere, and lets the client read it. It has to end in
a Reply or in a member of the error tree, and each argument of each call has to stand in the stream.
A wire is a row of WIRES: a client, and how an answer looks on it.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from email.message import Message as Headers
from functools import cache
from pathlib import Path

from clinkai.ai.anthropic import AnthropicClient
from clinkai.ai.ollama import OllamaClient
from clinkai.ai.openai import OpenAIClient
from clinkai.ai.provider import Reply
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import ModelServerError, ServerTimeout, StreamBroken
from tests.ai.chat import request
from tests.server import anthropic_reply, call_chunk, chunk, event, ollama_reply, words

CASES = Path(__file__).parent.parent / "cases"
MADE = 90
"""Answers that are made, beside what was recorded."""

TEXTS = ("I will read the file first.", "", "Done: 3 of 4 tests pass — see `a.py`.", "你好，世界",
         "| a | b |\n|---|---|\n| 1 | 2 |\n", "<b>bold</b> and \\\\ and \"quotes\"", "x" * 500)
CALLS = (("read", {"path": "src/main.py"}), ("ls", {"path": "."}), ("bash", {"command": "ls -la"}),
         ("write", {"path": "notes/ä.md", "content": "# Title\n\n\t\"quoted\" \\ text\n" * 3}),
         ("edit", {"path": "b.py", "old": "x = {'a': 1}", "new": "x = {\"a\": [2, 3]}"}),
         ("grep", {"pattern": r"def \w+\(", "path": "tests"}))
OTHER = (None, 0, -1, "", "x", [], {}, [None], {"a": 1}, True, 1e300, [[]], "\ud83d")


class Recording:
    """One answer as it came: body is what the transport hands over, end close, reset or stall."""

    def __init__(self, status, headers, body, end="close"):
        self.status, self.headers, self.body, self.end = status, headers, body, end


def openai_events(think, text, calls, dice):
    """An answer of an OpenAI-compatible server, as the pieces of its body."""
    field = dice.choice(("reasoning_content", "reasoning"))
    pieces = [chunk({"role": "assistant", "content": None})]
    pieces += [chunk({field: piece}) for piece in words(think)]
    pieces += [chunk({"content": piece}) for piece in words(text)]
    for index, (name, arguments) in enumerate(calls):
        raw, step = json.dumps(arguments, ensure_ascii=False), dice.choice((3, 11, 1000))
        pieces.append(call_chunk(index, "", id=f"call_{index}", name=name))
        pieces += [call_chunk(index, raw[at:at + step]) for at in range(0, len(raw), step)]
    pieces.append(chunk({}, "tool_calls" if calls else "stop"))
    usage = {"prompt_tokens": 90, "completion_tokens": 9}
    return [*pieces, event({"choices": [], "usage": usage}), "data: [DONE]\n\n"]


def anthropic_events(think, text, calls, dice):
    """The same in the manner of `/v1/messages`; the thinking is signed or not."""
    answer = anthropic_reply(text, reasoning=think, calls=calls,
                             signature=dice.choice(("", "c2ln")))
    return [*answer.pieces, *answer.usage(90, 9)]


def ollama_lines(think, text, calls, dice):
    """The same as lines of `/api/chat`."""
    answer = ollama_reply(text, reasoning=think, calls=calls)
    return [*answer.pieces, *answer.usage(90, 9)]


WIRES = {
    "openai": (OpenAIClient, openai_events, "llamacpp-[!a]*.http", True),
    "ollama": (OllamaClient, ollama_lines, "ollama-*.http", False),
    "anthropic": (AnthropicClient, anthropic_events, "llamacpp-anthropic*.http", False),
}
"""Name: client, maker of answers, its recordings, whether the reported quirks are of its wire."""


@cache
def recordings(wire):
    """All answers of a wire, undamaged."""
    _, make, pattern, quirks = WIRES[wire]
    found = [_recorded(path.read_bytes()) for path in sorted((CASES / "live").glob(pattern))]
    lines = (CASES / "quirks.jsonl").read_text("utf-8").splitlines() if quirks else ()
    found += map(_reported, map(json.loads, lines))
    for number in range(MADE):
        dice = random.Random(number)
        calls = dice.choices(CALLS, k=dice.choice((0, 1, 1, 2, 3)))
        think, text = dice.choices(TEXTS, k=2)
        if not (think or text or calls):
            text = TEXTS[0]
        body = "".join(make(think, text, calls, dice)).encode()
        found.append(Recording(200, {"Content-Type": "text/event-stream"}, body))
    return found


def _recorded(data):
    head, _, body = data.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines if ": " in line)
    if "chunked" in head.decode().lower():
        body = _unchunked(body)
    return Recording(int(status.split()[1]), headers, body)


def _reported(row):
    import base64

    pieces = [base64.b64decode(p["b64"]) if isinstance(p, dict) else p.encode()
              for p in row["body_chunks"]]
    body = b"".join(pieces)
    if "Transfer-Encoding" in row["headers"]:
        body = _unchunked(body)
    if "Content-Encoding" in row["headers"]:
        body = gzip.decompress(body)
    return Recording(row["status"], row["headers"], body, row["end"])


def _unchunked(body):
    parts = []
    while body:
        size, _, body = body.partition(b"\r\n")
        parts.append(body[:int(size or b"0", 16)])
        body = body[len(parts[-1]) + 2:]
    return b"".join(parts)


# -- damage


def damaged(recording, dice):
    """The recording as it came over a bad line from a careless server."""
    body = recording.body
    kinds = dice.choices(("nothing", "flip", "field", "lost", "short"), (1, 3, 5, 1, 1), k=2)
    for kind in kinds:
        if not body:
            break
        if kind == "flip":
            body = bytearray(body)
            for _ in range(dice.choice((1, 1, 3, 20))):
                body[dice.randrange(len(body))] ^= 1 << dice.randrange(8)
            body = bytes(body)
        elif kind == "short":
            body = body[:dice.randrange(len(body)) + 1]
        elif kind != "nothing":
            body = _changed_lines(body, kind, dice)
    return Recording(recording.status, recording.headers, body,
                     dice.choice((recording.end, recording.end, "close", "reset", "stall")))


def _changed_lines(body, kind, dice):
    lines = body.split(b"\n")
    full = [n for n, line in enumerate(lines) if b"{" in line]
    for n in dice.sample(full, min(len(full), dice.choice((1, 1, 2, 5)))):
        if kind == "lost":
            lines[n] = b""
            continue
        start = lines[n].index(b"{")
        try:
            value = json.loads(lines[n][start:])
        except ValueError:
            continue
        _change(value, dice)
        lines[n] = lines[n][:start] + json.dumps(value).encode()
    return b"\n".join(lines)


def _change(value, dice):
    """Delete one field anywhere in `value`, or give it another type."""
    places = []

    def walk(node):
        for key, inner in list(node.items() if isinstance(node, dict) else enumerate(node)):
            places.append((node, key))
            if isinstance(inner, (dict, list)):
                walk(inner)

    walk(value)
    if places:
        node, key = dice.choice(places)
        if dice.random() < 0.7:
            del node[key]
        else:
            node[key] = dice.choice(OTHER)


def cuts(body, dice):
    """The body in pieces: single bytes, a few, or all at once; at most some hundred of them."""
    longest = max(dice.choice((1, 5, 60, 1000, 100_000)), len(body) // 200)
    at, pieces = 0, []
    while at < len(body):
        size = 1 + int(dice.random() * longest)
        pieces.append(body[at:at + size])
        at += size
    return pieces


# -- reading


class Played(Transport):
    """The way to a server that gives one answer."""

    def __init__(self, recording, pieces):
        super().__init__("http://127.0.0.1:9/v1")
        self.recording, self.pieces = recording, pieces

    def keyed(self, *_, **__):
        return self

    def open(self, method, path, body, cancel):
        return PlayedResponse(self.recording, self.pieces)


class PlayedResponse:
    """What `transport.Response` is to a client."""

    def __init__(self, recording, pieces):
        self.status = recording.status
        self.headers = Headers()
        for name, value in recording.headers.items():
            self.headers[name] = value
        self._pieces = iter(pieces)
        self._end = recording.end
        self._patience = 5

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._patience = 0

    def close(self):
        self._patience = 0

    def hurry(self, seconds):
        pass

    def read_some(self):
        data = next(self._pieces, b"")
        if not data:
            assert self._patience, "reads on for ever"
            self._patience -= 1
            if self._end == "reset":
                raise StreamBroken("error.stream.closed", why="reset")
            if self._end == "stall":
                raise ServerTimeout("error.timeout", seconds="1")
        return data

    def read_all(self, limit=0):
        return b"".join(iter(self.read_some, b""))


def outcome(wire, seed):
    """One run: the Reply, or the error it ended in."""
    dice = random.Random(seed)
    recording = damaged(dice.choice(recordings(wire)), dice)
    asked = request(tools=()) if dice.random() < 0.1 else request()
    client = WIRES[wire][0](Played(recording, cuts(recording.body, dice)))
    parts = []
    try:
        for part in client.stream(asked, Cancel()):
            parts.append(part)
    except ModelServerError as error:
        return error
    reply = parts[-1]
    assert [type(part) for part in parts].count(Reply) == 1 and isinstance(reply, Reply)
    check_calls(reply, recording.body)
    return reply


def check_calls(reply, body):
    """Every call is valid JSON, and all of its arguments stood in the stream."""
    if not reply.tool_calls:
        return
    sources = said(body)
    for call in reply.tool_calls:
        for leaf in (call.name, *_leaves(json.loads(call.arguments))):
            plain = bare(leaf)
            assert any(plain in source for source in sources), (call, leaf)


def said(body):
    """The texts of the stream, put together in the ways in which they may belong together: each
    field by itself for each number of a call, each field, all of them."""
    texts = {}
    for line in body.decode("utf-8", "replace").splitlines():
        start = line.find("{")
        try:
            value = json.JSONDecoder(strict=False).raw_decode(line, max(start, 0))[0]
        except ValueError:
            value = None
        pieces = list(_texts(value, (), None)) if value is not None else []
        for path, index, text in (*pieces, ((), None, line)):
            for key in {(path, index), (path, None), ()}:
                texts.setdefault(key, []).append(text)
    return [bare("".join(pieces)) for pieces in texts.values()]


def _texts(value, path, index):
    if isinstance(value, dict):
        index = value.get("index", index)
        index = index if isinstance(index, int) else None
        for key, inner in value.items():
            yield from _texts(inner, (*path, key), index)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, path, index)
    if isinstance(value, (dict, list)):
        if {"arguments", "input", "partial_json"} & set(path):
            yield path, index, json.dumps(value, ensure_ascii=False)
    elif value is not None:
        yield path, index, value if isinstance(value, str) else json.dumps(value)


def _leaves(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, str) or type(value) is int:
        yield str(value)


def bare(text):
    r"""Letters and digits alone, escapes undone: `{\"a\":\"b\"}` and `{"a": "b"}` are the same."""
    text = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    text = re.sub(r"\\+[nrtbf]", " ", text)
    return re.sub(r"[\W_]+", "", text).lower()

"""The event-stream parser against every shared vector, whole and byte by byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clinkai.ai.sse import Frame, SseParser

CASES = Path(__file__).parent.parent / "cases/sse/vectors.jsonl"
VECTORS = [
    json.loads(line)
    for line in CASES.read_text("utf-8").splitlines()
]

# What a lenient client sees at the end of a stream; by the standard these events are dropped.
AT_THE_END = {
    "eof-no-empty-line": [Frame("message", "b", "", None)],
    "eof-mid-line": [Frame("message", "b", "", None)],
    "eof-done-unterminated": [Frame("message", "[DONE]", "", None)],
    "eof-id-not-committed": [Frame("message", "b", "2", None)],
}


def parse(chunks):
    parser = SseParser()
    frames = [frame for chunk in chunks for frame in parser.feed(chunk)]
    before = frames, parser.last_event_id, parser.retry
    return before, parser.close()


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v["id"])
def test_a_vector_gives_its_events_however_it_is_cut(vector):
    chunks = [chunk.encode("latin-1") for chunk in vector["chunks"]]
    whole = b"".join(chunks)
    events = [Frame(e["event"], e["data"], e["id"], e["retry"]) for e in vector["events"]]
    expected = ((events, vector["last_event_id"], vector["retry"]),
                AT_THE_END.get(vector["id"], []))
    assert parse(chunks) == expected
    assert parse([whole]) == expected
    assert parse([bytes([byte]) for byte in whole]) == expected


def test_only_vectors_about_the_end_of_the_stream_are_read_leniently():
    assert {v["id"] for v in VECTORS if "eof" in v["tags"]} >= AT_THE_END.keys()
    assert len(VECTORS) == 141


@pytest.mark.parametrize(("stream", "strays"), [
    (b'error: {"code":400}\n\n', [(0, 'error: {"code":400}')]),
    (b'{"error":"x"}\n', [(0, '{"error":"x"}')]),
    (b'data: x\n\nstray\ndata: y\nother\n\n', [(1, "stray"), (2, "other")]),
    (b": comment\ndata: x\nevent: y\nid: 1\nretry: 5\n\n", []),
    (b"event: error\nid: 9\n\n", [(0, "error")]),
    (b"event: other\n\n", []),
    (b"<html>\n" * 50, [(0, "<html>")] * 16),
])
def test_lines_that_are_no_field_are_kept_aside(stream, strays):
    parser = SseParser()
    parser.feed(stream)
    assert parser.strays == strays


def test_a_long_line_is_taken_piece_by_piece_in_linear_time():
    parser = SseParser()
    assert parser.feed(b"data: ") == []
    for _ in range(200_000):
        parser.feed(b"xy")
    assert parser.feed(b"\n\n") == [Frame("message", "xy" * 200_000, "", None)]

"""Whatever comes over the wire: an answer or an error of ours, and no argument out of thin air."""

from __future__ import annotations

import random

import pytest

from clinkai.ai.provider import Reply
from clinkai.core.errors import ModelServerError
from clinkai.core.value import replace
from tests.ai import fuzz
from tests.ai.chat import stream
from tests.server import Answer, FakeServer

RUNS = 500


def test_there_are_200_recordings():
    assert len(fuzz.recordings("openai")) >= 200


@pytest.mark.sampled(3)
@pytest.mark.parametrize("wire", fuzz.WIRES)
def test_a_damaged_answer_is_read_or_refused(wire):
    runs = RUNS // len(fuzz.WIRES)
    ends = [type(fuzz.outcome(wire, seed)) for seed in range(runs)]
    replies = ends.count(Reply)
    assert runs * 0.2 < replies < runs
    assert all(issubclass(end, (Reply, ModelServerError)) for end in ends)


@pytest.mark.parametrize("wire", fuzz.WIRES)
def test_an_undamaged_answer_is_read_whatever_the_cuts(wire):
    for number, recording in enumerate(fuzz.recordings(wire)[-fuzz.MADE:][:20]):
        replies = []
        for seed in (number, -number):
            pieces = fuzz.cuts(recording.body, random.Random(seed))
            client = fuzz.WIRES[wire][0](fuzz.Played(recording, pieces))
            *_, reply = client.stream(fuzz.request(), fuzz.Cancel())
            replies.append((reply.content, reply.reasoning, reply.tool_calls, reply.finish))
        assert replies[0] == replies[1], number


def test_over_real_sockets_it_is_the_same():
    for seed in range(12):
        dice = random.Random(seed)
        recording = fuzz.damaged(dice.choice(fuzz.recordings("openai")), dice)
        pieces = fuzz.cuts(recording.body, dice)[:400]
        headers = {"Content-Type": recording.headers.get("Content-Type", "text/event-stream")}
        answer = Answer(pieces, recording.status, headers, chunked=True,
                        end=dice.choice(("close", "reset")))
        with FakeServer([answer]) as server:
            last = stream(server, idle_timeout=5)[-1]
        assert isinstance(last, (Reply, ModelServerError))
        if isinstance(last, Reply):
            fuzz.check_calls(last, recording.body)


def test_an_argument_out_of_thin_air_is_noticed():
    recording = next(r for r in fuzz.recordings("openai") if b"src/main.py" in r.body)
    client = fuzz.WIRES["openai"][0](fuzz.Played(recording, [recording.body]))
    *_, reply = client.stream(fuzz.request(), fuzz.Cancel())
    fuzz.check_calls(reply, recording.body)
    call = replace(reply.tool_calls[0], arguments='{"path": "src/mean.py"}')
    with pytest.raises(AssertionError):
        fuzz.check_calls(replace(reply, tool_calls=(call,)), recording.body)

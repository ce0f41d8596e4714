"""What should have been cached is known exactly; why it was not is read from the gap."""

from __future__ import annotations

import pytest

from clinkai.ai.provider import Request
from clinkai.core.events import Notice, Usage
from clinkai.core.messages import Image, Message, TokenCount, ToolCall
from clinkai.core.state import Sampling, State
from clinkai.core.value import replace
from clinkai.loop.ledger import Cost, Ledger
from tests.loop.turns import call, play, say

TASK = Message("user", "task")
LOOK = Message("assistant", "", tool_calls=(ToolCall("1", "ls", "{}"),), finish="tool_calls")
SEEN = Message("tool", "a\nb", call_id="1", name="ls")
DONE = Message("assistant", "done", reasoning="hm", reasoning_field="reasoning", finish="stop")
NEXT = Message("user", "next")
FIRST = Request("m", "S", ({"name": "ls"},), (TASK,), 100)
SECOND = replace(FIRST, messages=(TASK, LOOK, SEEN))
THIRD = replace(FIRST, messages=(TASK, LOOK, SEEN, DONE, NEXT))


@pytest.mark.parametrize(("second", "broke", "cause"), [
    (SECOND, "", ""),
    (replace(SECOND, messages=(Message("user", "task"), LOOK, SEEN)), "", ""),
    (replace(SECOND, max_tokens=200, temperature=1.0, tool_choice="ls"), "", ""),
    (replace(SECOND, system="T"), "", "changed"),
    (replace(SECOND, tools=()), "", "changed"),
    (replace(SECOND, messages=(SEEN,)), "", "changed"),
    (replace(SECOND, messages=(Message("user", "tasks"), LOOK, SEEN)), "", "changed"),
    (replace(SECOND, messages=(replace(TASK, images=(Image("a", "b"),)), LOOK, SEEN)), "", "changed"),
    (replace(SECOND, messages=()), "", "changed"),
    (replace(SECOND, model="n"), "", "model"),
    (replace(SECOND, sampling=Sampling(thinking="off")), "", "settings"),
    (replace(SECOND, messages=(NEXT,)), "archived", "archived"),
    (SECOND, "status", "status"),
], ids=["extends", "equal messages", "a documented retry", "system prompt", "tools", "lost messages",
        "another word", "an image", "nothing", "model", "thinking", "archive", "ephemeral status"])
def test_a_request_extends_the_one_before_or_says_why_not(second, broke, cause):
    ledger = Ledger(State())
    ledger.sends(FIRST)
    assert ledger.cost(TokenCount(100, 0, 10), kept=True) == Cost(None, "")
    ledger.sends(second, broke)
    assert ledger.cost(TokenCount(150, 109, 10), kept=True) == Cost(0, cause)


@pytest.mark.parametrize(("request_", "cause"), [
    (SECOND, ""), (THIRD, ""), (FIRST, "changed"),
    (replace(SECOND, system="T"), "changed"), (replace(SECOND, messages=(TASK, LOOK, DONE)), "changed"),
])
def test_another_process_proves_it_by_what_was_kept(request_, cause):
    ledger = Ledger(State())
    ledger.sends(FIRST)
    ledger.sends(SECOND)
    later = Ledger(State(proof=ledger.proof, counted=1000, prompt=900))
    later.sends(request_)
    assert later.cost(TokenCount(1100, 999, 5), kept=True) == Cost(0, cause)


@pytest.mark.parametrize(("request_", "cached", "kept", "cost"), [
    (SECOND, 8_199, True, Cost(0, "")),
    (SECOND, 8_180, True, Cost(19, "")),
    (SECOND, 9_000, True, Cost(0, "")),
    (SECOND, None, True, Cost(None, "")),
    (SECOND, 7_996, True, Cost(203, "answer")),
    (SECOND, 7_999, False, Cost(0, "")),
    (SECOND, 7_484, True, Cost(715, "rewound")),
    (THIRD, 5_000, True, Cost(3_199, "template")),
    (SECOND, 0, True, Cost(8_199, "lost")),
], ids=["exact", "a block", "more", "not told", "answer rendered anew", "answer not kept", "checkpoint",
        "thinking left out", "gone"])
def test_the_cause_is_read_from_the_gap(request_, cached, kept, cost):
    ledger = Ledger(State())
    ledger.sends(FIRST)
    ledger.cost(TokenCount(8_000, 0, 200), kept=kept)
    ledger.sends(request_)
    assert ledger.cost(TokenCount(9_500, cached, 5), kept=True) == cost


@pytest.mark.parametrize("later", [False, True], ids=["next", "in another process"])
@pytest.mark.parametrize(("cached", "alike", "cause", "asked"), [
    (0, False, "template", True), (0, True, "lost", True), (0, None, "lost", True),
    (5_000, True, "rewound", True), (5_000, None, "template", True), (4_000, False, "template", True),
    (8_199, False, "", False), (7_996, False, "answer", False),
])
def test_that_earlier_messages_are_rendered_anew_is_asked_where_there_is_a_gap(
        later, cached, alike, cause, asked):
    questions = []

    def server(request, count):
        questions.append((request, count))
        return alike

    ledger = Ledger(State(), server)
    ledger.sends(SECOND)
    ledger.cost(TokenCount(8_000, 0, 200), kept=True)
    if later:
        ledger = Ledger(State(proof=ledger.proof, counted=8_200, prompt=8_000), server)
    ledger.sends(THIRD)
    assert ledger.cost(TokenCount(9_500, cached, 5), kept=True).cause == cause
    assert questions == [(THIRD, 3)] * asked


def test_each_cause_is_told_once_a_turn_and_what_we_announce_not_again():
    ledger = Ledger(State())
    usage = Usage(2, 9000, 0, 0.0, 5, 100.0, 10.0, 5, 9005, 90_000)
    told = Notice("warn", "notice.cache.lost", {"lost": 8000, "seconds": 80})
    assert [ledger.remark(Cost(8000, cause), usage) for cause in ("", "model", "lost", "lost")] == [
        None, None, told, None]


def test_a_turn_keeps_cost_and_proof_with_its_usage():
    cold = replace(say("done"), count=TokenCount(3_000, 0, 10))
    played = play(replace(say("", call("1", text="x")), count=TokenCount(2_000, 0, 10)), cold)
    first, second = (e for e in played.events if isinstance(e, Usage))
    assert (first.lost, first.cause, first.proof[:2]) == (None, "", "1:")
    assert (second.lost, second.cause, second.proof[:2]) == (2_009, "lost", "3:")
    assert played.ended.state.proof == second.proof
    assert [e.key for e in played.events if isinstance(e, Notice)] == ["notice.cache.lost"]

"""The elapsed time while the first token is waited for."""

from __future__ import annotations

import threading

import pytest

from clinkai.ai.provider import PrefillPart, TextPart, WaitPart
from clinkai.core.events import Delta, Prefill, RunEnd
from clinkai.loop.pulse import Pulse
from tests.loop.turns import play, say

EVERY = 0.02


class Heard(list):
    """Events; `wait(n)` until there are n."""

    def __init__(self):
        self.more = threading.Condition()

    def __call__(self, event):
        with self.more:
            self.append(event)
            self.more.notify_all()

    def wait(self, n):
        with self.more:
            assert self.more.wait_for(lambda: len(self) >= n, 10)


def test_the_time_is_told_until_the_first_token_and_never_too_often():
    heard, other = Heard(), Heard()
    pulse, clock = Pulse(heard, EVERY), Pulse(other, EVERY)
    told = []
    for waits in (3, 5):
        pulse.begin()
        heard.wait(len(told) + waits)
        pulse.stop()
        steps = [event.ms for event in heard[len(told):]]
        assert min(b - a for a, b in zip([0, *steps], steps)) >= EVERY * 1000 - 1
        told = list(heard)
    clock.begin()
    other.wait(3)
    clock.close()
    assert heard == told, "nothing is told after the first token"
    assert all(event == Prefill(0, 0, 0, event.ms) for event in told)
    pulse.close()
    pulse._thread.join(10)
    assert not pulse._thread.is_alive()


def test_what_the_server_said_last_is_told_again_grown_older():
    heard = Heard()
    pulse = Pulse(heard, EVERY)
    pulse.begin()
    pulse.progress(PrefillPart(300, 500, 100, 1000))
    heard.wait(2)
    pulse.close()
    first, second = heard[:2]
    assert first == Prefill(300, 500, 100, 1000, 200.0, 1000)
    assert (second.done, second.total, second.tps) == (300, 500, 200.0)
    assert second.ms > 1000 and second.left_ms < 1000


def test_a_time_left_that_is_over_is_not_known_any_more():
    heard = Heard()
    pulse = Pulse(heard, EVERY)
    pulse.begin()
    pulse.progress(PrefillPart(499, 500, 100, 1000))
    heard.wait(3)
    pulse.close()
    assert [(e.done, e.left_ms) for e in heard[:3]] == [(499, 3), (499, None), (499, None)]


@pytest.mark.parametrize("part", [WaitPart("down", 90.0), WaitPart("rate", 90.0, 0.001)], ids=lambda p: p.why)
def test_after_a_wait_the_time_counts_from_the_new_request(part):
    heard = Heard()
    pulse = Pulse(heard, EVERY)
    pulse.begin()
    pulse.wait(part)
    heard.wait(8)
    pulse.close()
    phases = [e.phase for e in heard[1:]]
    silent = phases.index("read")
    assert phases == [part.why] * silent + ["read"] * (len(phases) - silent)
    assert (silent > 1) == (part.left is None), "a client may be silent for a moment"
    assert [e.ms for e in heard[1:1 + silent]] == sorted(e.ms for e in heard[1:1 + silent])
    assert heard[1 + silent].ms < 90_000 and heard[-1].ms > heard[1 + silent].ms


def test_nothing_is_told_of_a_prompt_once_the_answer_began():
    heard = Heard()
    pulse = Pulse(heard, EVERY)
    pulse.progress(PrefillPart(1, 2, 0, 3))
    pulse.wait(WaitPart("down", 0.0))
    assert heard == []


def test_a_turn_tells_no_progress_after_its_first_token_and_leaves_no_thread():
    played = play([PrefillPart(1, 2, 0, 3), TextPart("x"), PrefillPart(2, 2, 0, 3), say("x")])
    kinds = [type(e) for e in played.events]
    assert kinds.count(Prefill) == 1 and kinds.index(Prefill) < kinds.index(Delta)
    assert kinds[-1] is RunEnd
    for thread in threading.enumerate():
        if thread.name == "pulse":
            thread.join(10)
            assert not thread.is_alive()

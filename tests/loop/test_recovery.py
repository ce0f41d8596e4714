"""An answer that breaks, restarts, repeats itself or calls a tool wrongly: what the turn does."""

from __future__ import annotations

import pytest

from clinkai.ai.provider import (
    ArgsPart, PrefillPart, RestartPart, TextPart, ThinkPart, WaitPart,
)
from clinkai.core.errors import (
    AuthRefused, BadResponse, Cancelled, ContextOverflow, RateLimited, RequestRefused, ServerLoading,
    ServerTimeout, StreamBroken, Unreachable,
)
from clinkai.core.events import Delta, MsgEnd, MsgStart, Notice, Prefill, record_of
from clinkai.core.messages import TokenCount
from clinkai.core.state import Sampling, fold
from clinkai.core.value import replace
from clinkai.loop.recovery import BREAKS, resampled, window_for
from tests.loop.turns import call, play, say

BROKEN = StreamBroken("error.stream.ended")


def told(played, ch="text", role="assistant") -> list[tuple]:
    """(message, text) of all messages in order, parts with one mid joined."""
    roles = {e.mid: e.role for e in played.events if isinstance(e, MsgStart)}
    texts: dict[str, str] = {}
    for event in played.events:
        if isinstance(event, Delta) and event.ch == ch and roles[event.mid] == role:
            assert event.off == len(texts.get(event.mid, ""))
            texts[event.mid] = texts.get(event.mid, "") + event.s
    return list(texts.items())


def notices(played) -> list[tuple]:
    return [(e.level, e.key) for e in played.events if isinstance(e, Notice)]


def records(played) -> list[dict]:
    return [record for e in played.events if (record := record_of(e))]


def dropped(played) -> list[dict]:
    return [r for r in records(played) if r.get("kind") == "dropped"]


def roles(request) -> list[str]:
    return [m.role for m in request.messages]


# -- an answer that broke


PASSING = [BROKEN, Unreachable("error.unreachable.refused", address="x"), BadResponse("error.bad_response.nothing"),
           ServerLoading("error.loading", message="x"), RateLimited("error.rate", message="x", retry_after_s=None)]


@pytest.mark.parametrize("error", PASSING, ids=lambda e: type(e).__name__)
def test_an_answer_that_breaks_after_text_goes_on_where_it_stopped(error):
    played = play([TextPart("one "), TextPart("two "), error], say("three"))
    assert played.reason == ("done", 0)
    assert told(played) == [("m1", "one two three")]
    assert [m[0] for m in played.messages] == ["assistant", "user", "assistant"]
    assert played.messages[0] == ("assistant", "one two ", (), "error")
    assert notices(played) == [("warn", "notice.broken")]
    [notice] = [e for e in played.events if isinstance(e, Notice)]
    assert not notice.params["why"].endswith((".", "。")), "it stands within a sentence"
    assert [r["auto"] for r in records(played) if r.get("auto")] == ["notice.ask.broken"]
    assert roles(played.requests[1]) == ["user", "assistant", "user"]


def test_an_answer_that_breaks_again_and_again_ends_the_turn_with_the_error():
    played = play(*[[TextPart(f"{n} "), BROKEN] for n in range(BREAKS + 1)])
    assert (played.reason, len(played.requests)) == (("error", 3), BREAKS + 1)
    assert told(played) == [("m1", "0 1 2 3 ")]


@pytest.mark.parametrize(("error", "reason"), [
    (AuthRefused("error.auth", message="x"), ("error", 3)),
    (RequestRefused("error.refused", message="x"), ("error", 3)),
    (ContextOverflow("error.overflow.counted", prompt=9, limit=5), ("context", 6)),
    (ServerTimeout("error.timeout", seconds=1), ("error", 3)),
    (Cancelled(), ("cancelled", 130)),
], ids=lambda e: type(e).__name__)
def test_what_asking_again_does_not_mend_ends_the_turn(error, reason):
    played = play([TextPart("half"), error])
    finish = "cancelled" if reason[0] == "cancelled" else "error"
    assert (played.reason, played.messages) == (reason, [("assistant", "half", (), finish)])
    assert len(played.requests) == 1 and notices(played) == []


@pytest.mark.parametrize("parts", [
    [], [ThinkPart("hm", "reasoning")], [ArgsPart(0, "echo", '{"te')],
], ids=["nothing", "thinking", "a call"])
def test_an_answer_that_breaks_before_text_was_tried_again_by_the_client(parts):
    assert play([*parts, BROKEN]).reason == ("error", 3)


def test_finished_tools_do_not_run_again_and_a_call_in_the_air_never():
    first = say("look", call("a", text="1"))
    broken = [TextPart("Then "), ArgsPart(0, "echo", '{"text": "2'), BROKEN]
    played = play(first, broken, say("I ", call("b", text="2")), say("done"))
    assert (played.reason, played.tools.ran) == (("done", 0), ["a", "b"])
    assert [m[0] for m in played.messages] == [
        "assistant", "tool", "assistant", "user", "assistant", "tool", "assistant"]


def test_what_the_server_calls_lasting_is_not_asked_again():
    error = StreamBroken("error.stream.ended")
    error.lasting = True
    assert play([TextPart("half"), error]).reason == ("error", 3)


def test_thinking_before_the_text_is_kept_with_it():
    played = play([ThinkPart("hm", "reasoning"), TextPart("a"), BROKEN], say("b"))
    kept = played.ended.state.messages[1]
    assert (kept.reasoning, kept.reasoning_field, kept.content) == ("hm", "reasoning", "a")


# -- an answer that was begun again by the client


def test_what_was_thought_before_a_restart_is_void_but_not_lost():
    restart = RestartPart("error.stream.ended", {})
    played = play([ThinkPart("wrong ", "reasoning"), ArgsPart(0, "echo", "{"), restart,
                   ThinkPart("right", "reasoning"), TextPart("answer"), say("answer", think="right")])
    assert (played.reason, len(played.requests)) == (("done", 0), 1)
    assert told(played, "think") == [("m1", "wrong "), ("m2", "right")]
    assert told(played) == [("m2", "answer")]
    assert [(e.mid, e.finish) for e in played.events if isinstance(e, MsgEnd)] == [("m1", "error"), ("m2", "stop")]
    assert dropped(played) == [
        {"type": "meta", "kind": "dropped", "finish": "error", "think": "wrong ", "args": "{"}]
    assert played.messages == [("assistant", "answer", (), "stop")]
    assert fold([{"type": "user", "content": "task"}, *records(played)]).messages == played.ended.state.messages


def test_a_restart_of_an_answer_that_goes_on_keeps_it_one_text():
    restart = RestartPart("error.stream.ended", {})
    played = play(say("one ", finish="length"),
                  [ThinkPart("hm", "reasoning"), restart, TextPart("two"), say("two")])
    assert told(played) == [("m1", "one two")]
    assert [d["think"] for d in dropped(played)] == ["hm"]


# -- waiting


def test_a_wait_is_noted_once_and_its_time_told_each_time():
    played = play([WaitPart("loading", 0.0), WaitPart("loading", 1.1), WaitPart("retry", 0.0, 0.4),
                   WaitPart("retry", 0.0, 0.8), say("x")])
    assert notices(played) == [("info", "notice.wait.loading"), ("warn", "notice.wait.retry"),
                               ("warn", "notice.wait.retry")]
    assert [e for e in played.events if isinstance(e, Prefill)] == [
        Prefill(0, 0, 0, 0, None, None, "loading"), Prefill(0, 0, 0, 1100, None, None, "loading"),
        Prefill(0, 0, 0, 0, None, 400, "retry"), Prefill(0, 0, 0, 0, None, 800, "retry"),
    ]
    assert len([r for r in records(played) if r.get("kind") == "notice"]) == 3


def test_how_far_the_prompt_is_read_is_told_with_speed_and_time_left():
    played = play([PrefillPart(3000, 9000, 1000, 2000), PrefillPart(1000, 9000, 1000, 5), say("x")])
    assert [e for e in played.events if isinstance(e, Prefill)] == [
        Prefill(3000, 9000, 1000, 2000, 1000.0, 6000), Prefill(1000, 9000, 1000, 5, None, None)]


# -- an answer that repeats itself


def repeats(text="", think=""):
    return say(text, think=think, finish="repeat")


def test_an_answer_that_repeats_itself_goes_on_once_with_another_sampling():
    played = play(repeats("list: a b"), say("and the end"), say("never"), temperature=0.6,
                  sampling=Sampling(seed=7, top_p=0.9))
    assert (played.reason, len(played.requests)) == (("done", 0), 2)
    assert played.messages[0] == ("assistant", "list: a b", (), "repeat")
    assert [m[0] for m in played.messages] == ["assistant", "user", "assistant"]
    assert [t for _, t in told(played)] == ["list: a b", "and the end"]
    assert played.requests[1].temperature == 1.0
    assert played.requests[1].sampling == Sampling(seed=8, top_p=0.9, frequency_penalty=0.5)
    assert notices(played) == [("warn", "notice.repetition")]


@pytest.mark.parametrize(("was", "becomes"), [
    (None, 1.2), (0.0, 0.4), (0.7, 1.1), (1.0, 1.2), (1.5, 1.5),
])
def test_the_temperature_rises_to_its_limit_and_never_falls(was, becomes):
    request = play(say("x"), temperature=was).requests[0]
    assert resampled(request).temperature == becomes


def test_another_sampling_is_for_that_one_request():
    played = play(repeats("x"), say("", call("a")), say("done"), temperature=0.6)
    assert [r.temperature for r in played.requests] == [0.6, 1.0, 0.6]
    assert [r.sampling for r in played.requests][2] == Sampling()


@pytest.mark.parametrize("nothing", [repeats(), repeats("\n", "hm hm")], ids=["nothing", "thinking"])
def test_thinking_that_repeats_itself_is_asked_for_again_with_the_same_messages(nothing):
    shown = [ThinkPart("hm hm hm hm", "reasoning"), nothing]
    played = play(shown, say("done"))
    first, second = played.requests
    assert played.reason == ("done", 0)
    assert (first.messages, first.temperature, second.temperature) == (second.messages, None, 1.2)
    assert dropped(played) == [
        {"type": "meta", "kind": "dropped", "finish": "repeat", "think": "hm hm hm hm"}]
    assert played.messages == [("assistant", "done", (), "stop")]
    assert [mid for mid, _ in told(played)] != ["m1"]


@pytest.mark.parametrize("second", [repeats("b b"), repeats("", "hm")], ids=["text", "thinking"])
def test_the_second_repetition_ends_the_turn_and_says_what_to_do(second):
    played = play(repeats("a a"), second)
    assert (played.reason, len(played.requests)) == (("breaker", 5), 2)
    assert "CLINKAI_TEMPERATURE" in played.ended.end.detail
    assert played.messages[-1] == ("assistant", second.content, (), "repeat")


def test_a_second_repetition_of_nothing_leaves_nothing_behind():
    played = play(repeats(), repeats())
    assert (played.reason, played.messages) == (("breaker", 5), [])


# -- an invalid call


def choices(played) -> list:
    return [request.tool_choice for request in played.requests]


BAD, ODD = call("a", broken="{oops"), call("b", wrong=1)


@pytest.mark.parametrize(("rounds", "expected"), [
    ([[BAD]], [None, "echo", None]),
    ([[ODD]], [None, "echo", None]),
    ([[BAD, ODD]], [None, "echo"]),
    ([[BAD], [ODD], [call("c")]], [None, "echo", None, None]),
    ([[BAD], [call("c")], [ODD]], [None, "echo", None, "echo"]),
    ([[BAD, call("c")]], [None, None]),
    ([[BAD, call("c", "fail", wrong=1)]], [None, None]),
    ([[call("a", "nothing")]], [None, None]),
    ([[call("a", "fail")]], [None, None]),
    ([[call("a", "forbidden")]], [None, None]),
])
def test_an_invalid_call_is_made_again_once_under_the_servers_constraint(rounds, expected):
    played = play(*[say("", *calls) for calls in rounds], *[say("", call("z", text="z"))] * (len(expected) > 2), say("done"))
    assert choices(played)[:len(expected)] == expected
    assert all(choice in (None, "echo") for choice in choices(played))


def test_a_call_beside_one_that_was_cut_is_not_constrained():
    played = play(say("", BAD, finish="length", cut="write"), say("done"))
    assert choices(played) == [None, None]


# -- what had to be mended


def test_what_was_mended_is_told_once_a_turn_and_kept_with_each_answer():
    mended = replace(say("", call("a")), warnings=("repaired_call", "no_usage", "field_rejected:top_k"))
    again = replace(say("", call("b", text="2")), warnings=("repaired_call",))
    played = play(mended, again, say("done"))
    assert notices(played) == [("info", "notice.wire.repaired_call"), ("info", "notice.wire.field_rejected")]
    assert [r.get("wire") for r in records(played) if r["type"] == "assistant"] == [
        ["repaired_call", "field_rejected:top_k"], ["repaired_call"], None]


def test_a_prompt_that_was_cut_is_told_with_what_mends_it():
    cut = replace(say("x"), count=TokenCount(prompt=5), warnings=("prompt_truncated",))
    notice = next(e for e in play(cut, max_tokens=5000).events if isinstance(e, Notice))
    assert (notice.level, notice.key) == ("warn", "notice.wire.prompt_truncated")
    assert notice.params["prompt"] == 5 < notice.params["sent"] and notice.params["need"] == 8192


def test_a_window_is_one_that_people_use():
    assert [window_for(n) for n in (1, 4096, 4097, 100_000)] == [4096, 4096, 8192, 131_072]


# -- what was told and what stands


@pytest.mark.parametrize(("parts", "reply", "stands"), [
    ([TextPart("hm. so </think> yes")], say("yes", think="hm. so"),
     {"text": "yes", "think": "hm. so"}),
    ([ThinkPart("the answer", "t")], say("the answer"), {"text": "the answer", "think": ""}),
    ([ThinkPart("hm\n", "t"), TextPart("yes\n")], say("yes", think="hm"), None),
    ([TextPart("a b b")], say("a b", finish="repeat"), {"text": "a b", "think": ""}),
])
def test_a_message_that_is_not_what_its_pieces_told_says_how_it_stands(parts, reply, stands):
    played = play([*parts, reply], say("again"))
    assert [e.stands for e in played.events if isinstance(e, MsgEnd)][0] == stands

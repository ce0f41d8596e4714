from __future__ import annotations

import pytest

from clinkai.ai.scripted import ScriptedProvider
from clinkai.core.errors import Cancelled, ContextOverflow, StreamBroken, Unreachable
from clinkai.core.events import Delta, MsgEnd, MsgStart, Notice, RunEnd, ToolEnd, Usage, record_of
from clinkai.core.messages import TokenCount
from clinkai.core.state import fold
from clinkai.core.value import replace
from clinkai.loop.gate import Settled
from tests.loop.turns import DenyForbidden, call, play, say


def types(played) -> list[str]:
    """The types of a turn's events, runs of the same one shortened."""
    found: list[str] = []
    for event in played.events:
        if not found or found[-1] != event.type:
            found.append(event.type)
    return found


def test_an_answer_ends_the_turn():
    played = play(say("hello", think="hm"))
    assert played.reason == ("done", 0)
    assert types(played) == ["round.start", "msg.start", "delta", "msg.end", "usage", "run.end"]
    assert played.messages == [("assistant", "hello", (), "stop")]


def test_calls_run_in_order_and_their_results_go_back():
    played = play(say("look", call("a", text="1"), call("b", text="2")), say("done"))
    assert played.tools.ran == ["a", "b"] and played.tools.numbers == [1, 2]
    assert played.messages == [
        ("assistant", "look", ("a", "b"), "tool_calls"), ("tool", "a", True, "allow"),
        ("tool", "b", True, "allow"), ("assistant", "done", (), "stop"),
    ]
    assert types(played) == [
        "round.start", "msg.start", "delta", "msg.end", "usage", "tool.start", "tool.end",
        "tool.start", "tool.end", "round.start", "msg.start", "delta", "msg.end", "usage", "run.end",
    ]


def test_each_request_extends_the_one_before():
    played = play(say("", call("a")), say("", call("b"), call("c")), say("done"))
    requests = played.requests
    for before, after in zip(requests, requests[1:]):
        assert after.messages[: len(before.messages)] == before.messages
        assert (after.system, after.tools) == (before.system, before.tools)


def test_the_state_is_the_fold_of_the_records():
    played = play(say("x", call("a", text="1"), think="t"), say("done"))
    records = [{"type": "user", "content": "task"}]
    records += [record for event in played.events if (record := record_of(event))]
    assert fold(records).messages == played.ended.state.messages


@pytest.mark.parametrize(("made", "ok", "decision"), [
    (call("a", "nothing"), False, "allow"),
    (call("a", broken="{oops"), False, "allow"),
    (call("a", wrong=1), False, "allow"),
    (call("a", text=3), False, "allow"),
    (call("a", "fail"), False, "allow"),
    (call("a", "forbidden"), False, "deny"),
    (call("a"), True, "allow"),
])
def test_every_call_gets_one_result_whatever_is_wrong_with_it(made, ok, decision):
    played = play(say("", made, call("z")), say("done"))
    assert played.messages[1:3] == [("tool", "a", ok, decision), ("tool", "z", True, "allow")]
    assert [e.call for e in played.events if isinstance(e, ToolEnd)] == ["a", "z"]


def test_denied_calls_are_counted_and_end_nothing():
    denied = [say("", call(f"c{n}", "forbidden", text=str(n))) for n in range(4)]
    played = play(*denied, say("done"))
    assert (played.reason, played.ended.end.denied) == (("done", 0), 4)


# -- breakers


def test_the_round_cap_ends_the_turn():
    played = play(*[say("", call(f"c{n}", text=str(n))) for n in range(9)], rounds=3)
    assert (played.reason, len(played.requests)) == (("cap", 4), 3)


def test_a_person_may_allow_as_many_rounds_again():
    gate = DenyForbidden(more=True)
    played = play(*[say("", call("c", text=str(n))) for n in range(5)], say("done"), gate=gate, rounds=2)
    assert (played.reason, len(played.requests)) == (("done", 0), 6)


@pytest.mark.parametrize(("names", "reason"), [
    (["fail", "fail", "fail"], ("breaker", 5)),
    (["fail", "fail", "echo"], ("done", 0)),
    (["nothing", "nothing", "nothing", "nothing"], ("breaker", 5)),
])
def test_three_failures_of_a_tool_in_a_row_stop_the_turn(names, reason):
    replies = [say("", call(f"c{n}", name, text=str(n))) for n, name in enumerate(names)]
    if names[0] == "nothing":
        replies = [say("", call(f"c{n}", name)) for n, name in enumerate(names)]
    assert play(*replies, say("done")).reason == reason


def test_a_success_of_the_tool_between_failures_counts_anew():
    def both(n, *names):
        return say("", *[call(f"c{n}{i}", name, text=f"{n}{i}") for i, name in enumerate(names)])

    assert play(both(1, "fail"), both(2, "echo"), both(3, "fail"), both(4, "fail")).reason[0] == "breaker"


@pytest.mark.parametrize(("texts", "reason"), [
    (["x", "x", "x"], ("breaker", 5)),
    (["x", "x", "y", "x", "x"], ("done", 0)),
    (["x", "x"], ("done", 0)),
])
def test_the_same_call_with_the_same_result_in_three_rounds_stops_the_turn(texts, reason):
    replies = [say("", call(f"c{n}", text=text)) for n, text in enumerate(texts)]
    assert play(*replies, say("done")).reason == reason


def test_the_same_call_twice_in_one_round_is_no_repetition():
    assert play(say("", call("a"), call("b"), call("c")), say("done")).reason == ("done", 0)


# -- answers cut by the output limit


def test_a_cut_answer_is_continued_without_a_seam():
    played = play(say("one ", finish="length"), say("two ", finish="length"), say("three"))
    texts = [e for e in played.events if isinstance(e, Delta) and e.mid == "m1"]
    assert "".join(e.s for e in texts) == "one two three"
    assert [e.off for e in texts] == [sum(len(t.s) for t in texts[:n]) for n in range(len(texts))]
    assert [m[0] for m in played.messages] == ["assistant", "user", "assistant", "user", "assistant"]
    assert played.reason == ("done", 0)


def test_an_answer_is_continued_twice_at_most():
    played = play(*[say("x", finish="length")] * 3)
    assert (played.reason, len(played.requests)) == (("breaker", 5), 3)


def test_a_cut_call_never_runs_and_is_asked_for_with_twice_the_limit():
    played = play(say("", finish="length", cut="write"), say("w", finish="length", cut="write"),
                  say("done"), max_tokens=1000)
    assert [r.max_tokens for r in played.requests] == [1000, 2000, 4000]
    assert played.tools.ran == []
    first, asked, second, parts, last = played.messages
    assert (first, second, last) == (
        ("assistant", "[cut off]", (), "length"), ("assistant", "w", (), "length"),
        ("assistant", "done", (), "stop"),
    )
    assert "write" in asked[1] and "write" in parts[1] and asked != parts


def test_whole_calls_before_a_cut_one_run_first():
    played = play(say("", call("a"), finish="length", cut="write"), say("done"))
    assert [m[0] for m in played.messages] == ["assistant", "tool", "user", "assistant"]


def test_a_doubled_limit_stays_within_the_window():
    played = play(say("", finish="length", cut="write"), say("done"), max_tokens=1000, window=3000)
    assert 1000 <= played.requests[1].max_tokens < 2000 + 900


def test_thinking_alone_is_continued_once_and_then_stops():
    for only in (say("", think="hm"), say("\n\n", think="hm"), say(" ", finish="length")):
        assert play(only, say("done")).reason == ("done", 0)
        assert len(play(only, say("done")).requests) == 2
        assert play(only, only).reason == ("breaker", 5)


def test_thinking_goes_on_where_a_cut_answer_stopped():
    played = play(say("a", think="one ", finish="length"), say("b", think="two"))
    told = [(e.ch, e.off, e.s) for e in played.events if isinstance(e, Delta) and e.mid == "m1"]
    assert told == [("think", 0, "one "), ("text", 0, "a"), ("think", 4, "two"), ("text", 1, "b")]


def test_a_round_with_whole_calls_counts_anew():
    cut = say("", finish="length", cut="write")
    replies = [cut, cut, say("", call("a")), cut, cut, say("", call("b")), say("done")]
    played = play(*replies, max_tokens=100)
    assert played.reason == ("done", 0)
    assert [r.max_tokens for r in played.requests] == [100, 200, 400, 100, 200, 400, 100]


def test_a_cut_answer_and_thinking_alone_are_counted_apart():
    played = play(say("x", finish="length"), say("", think="hm"), say("done"))
    assert played.reason == ("done", 0)


# -- cancelling


def on(kind):
    """Stop the turn at the first event of that kind."""
    def watch(event, cancel):
        if isinstance(event, kind):
            cancel.set()
    return watch


def test_cancelling_while_the_answer_streams_keeps_the_text():
    played = play(say("hello " * 50, call("a")), watch=on(Delta))
    content = played.messages[0][1]
    assert played.reason == ("cancelled", 130)
    assert played.messages == [("assistant", content, (), "cancelled")]
    assert ("hello " * 50).startswith(content) and content


@pytest.mark.parametrize("how", ["raise", "return"])
def test_cancelling_in_a_call_answers_all_of_them(how):
    played = play(say("", call("a", "stop", text=how), call("b"), call("c")))
    assert played.reason == ("cancelled", 130)
    assert [m[:2] for m in played.messages[1:]] == [("tool", "a"), ("tool", "b"), ("tool", "c")]
    assert played.tools.ran == ["a"]


def test_cancelling_between_calls_answers_all_of_them():
    played = play(say("", call("a"), call("b")), watch=on(ToolEnd))
    assert [m[:3] for m in played.messages[1:]] == [("tool", "a", True), ("tool", "b", False)]


def test_cancelling_between_permission_and_running_runs_nothing():
    class Late(DenyForbidden):
        def settle(self, prepared, verdict, emit, cancel):
            cancel.set()
            return Settled("once")

    played = play(say("", call("a"), call("b")), gate=Late())
    assert played.reason == ("cancelled", 130)
    assert played.tools.ran == []
    assert [m[:3] for m in played.messages[1:]] == [("tool", "a", False), ("tool", "b", False)]


def test_cancelling_while_the_window_is_asked_for_answers_all_calls():
    class Asked(ScriptedProvider):
        def window(self, cancel):
            cancel.set()
            raise Cancelled

    played = play(say("", call("a"), call("b")), provider=Asked)
    assert played.reason == ("cancelled", 130)
    assert [m[:3] for m in played.messages[1:]] == [("tool", "a", False), ("tool", "b", False)]


def test_a_refused_call_made_again_and_again_stops_the_turn():
    assert play(*[say("", call("a", "forbidden"))] * 3).reason == ("breaker", 5)


# -- the server


@pytest.mark.parametrize(("error", "reason"), [
    (Unreachable("error.unreachable.refused", address="x"), ("error", 3)),
    (StreamBroken("error.timeout", seconds=1), ("error", 3)),
    (ContextOverflow("error.overflow.counted", prompt=9, limit=5), ("context", 6)),
])
def test_an_error_of_the_server_ends_the_turn_with_words(error, reason):
    played = play(error)
    assert (played.reason, played.messages) == (reason, [])
    assert len(played.ended.end.detail.splitlines()) == 2


@pytest.mark.parametrize(("limits", "named"), [
    ({"budget": 3}, "CLINKAI_CTX_BUDGET"), ({"window": 160}, "CLINKAI_MAX_TOKENS"),
])
def test_a_request_that_cannot_fit_is_not_sent_and_the_limit_is_named(limits, named):
    played = play(**limits)
    assert (played.reason, played.requests) == (("context", 6), [])
    what, advice = played.ended.end.detail.splitlines()
    assert named in what and named in advice


def test_what_a_round_cost_is_told():
    played = play(say("hello"))
    usage = next(e for e in played.events if isinstance(e, Usage))
    assert (usage.n, usage.prompt, usage.cached, usage.hit, usage.out, usage.ctx) == (1, 100, 80, 80.0, 10, 110)
    assert played.ended.state.counted == 110


def test_what_a_server_does_not_count_is_estimated():
    silent = replace(say("hello " * 30, call("a")), count=TokenCount())
    played = play(silent, say("done"))
    first, second = (e for e in played.events if isinstance(e, Usage))
    assert (first.prompt, first.cached, first.hit, first.out) == (None,) * 4
    assert first.ctx and (second.prompt, second.ctx) == (100, 110)


def test_message_ids_are_never_used_twice():
    played = play(say("", call("a"), finish="length", cut="w"), say("x", call("b", text="2")), say("done"))
    ids = [e.mid for e in played.events if isinstance(e, MsgStart)]
    assert len(ids) == len(set(ids))


def test_the_end_is_the_last_event_and_comes_once():
    played = play(say("done"))
    assert [isinstance(e, RunEnd) for e in played.events].count(True) == 1
    assert isinstance(played.events[-1], RunEnd)


@pytest.mark.parametrize(("text", "thinking", "finish", "told", "asked"), [
    ("x", "", "length", "notice.continued", "notice.ask.continue"),
    ("", "hm", "length", "notice.thought", "notice.ask.answer"),
    ("", "hm", "stop", "notice.thought", "notice.ask.answer"),
])
def test_going_on_is_told(text, thinking, finish, told, asked):
    played = play(say(text, finish=finish, think=thinking), say("done"))
    assert [e.key for e in played.events if isinstance(e, Notice)] == [told]
    assert [e.record["auto"] for e in played.events if isinstance(e, MsgEnd) and e.record.get("auto")] == [asked]


@pytest.mark.parametrize(("finish", "why"), [("length", "CLINKAI_MAX_TOKENS"), ("stop", "another model")])
def test_thinking_alone_ends_with_what_would_help(finish, why):
    played = play(*[say("", finish=finish, think="hm")] * 2)
    assert played.ended.end.exit == 5 and why in played.ended.end.detail
    assert "CLINKAI_THINKING=off" in played.ended.end.detail


def results(played) -> list[str]:
    return [m.content for m in played.ended.state.messages if m.role == "tool"]


def test_the_last_results_before_the_cap_say_so_and_stay_as_sent():
    played = play(*[say("", call(f"c{n}", text=str(n))) for n in range(5)], rounds=5)
    told = [n for n, r in enumerate(results(played), 1) if "[status: " in r]
    assert told == [2, 4]
    assert results(played)[1] == "1\n\n[status: round 2 of 5, context 0%]"


def test_an_ephemeral_status_is_sent_with_each_request_and_never_kept():
    played = play(say("", call("a", text="x")), say("done"), status="ephemeral")
    assert [r.messages[-1].content for r in played.requests] == [
        "task\n\n[status: round 1 of 15, context 0%]", "x\n\n[status: round 2 of 15, context 0%]"]
    assert results(played) == ["x"]

"""What is in flight is a fold of the events; what a finished run still says is known as late."""

from __future__ import annotations

from clinkai.core.events import (
    ApprovalDone, ApprovalOpen, Delta, MsgEnd, MsgStart, Prefill, Queue, RoundStart, RunEnd, RunStart, ToolEnd,
    ToolOut, ToolStart, Usage, to_json,
)
from clinkai.ui.web import live
from clinkai.ui.web.live import Live


def fed(*events) -> Live:
    fold = Live()
    for event in events:
        fold.feed(body(event))
    return fold


def body(event, rid="r1") -> dict:
    return to_json(event, "s1", rid, 1.0)


START = RunStart("m", "/ws", 15)
RUN = {"rid": "r1", "state": "running", "round": 0, "cap": 15, "model": "m", "tools": []}


def test_nothing_is_in_flight_at_first():
    assert Live().snapshot() == {
        "run": None, "inflight": None, "approvals": [], "queue": [], "meters": {},
    }


def test_a_message_is_kept_while_it_is_written():
    fold = fed(START, RoundStart(2), MsgStart("m1", "assistant"), Delta("m1", "think", 0, "hm"),
               Delta("m1", "text", 0, "Hel"), Delta("m1", "text", 3, "lo"), Delta("m1", "args", 0, "{}"))
    assert fold.snapshot()["run"] == {**RUN, "round": 2}
    assert fold.snapshot()["inflight"] == {
        "mid": "m1", "role": "assistant", "ch": "args", "off": 0, "text": "Hello",
        "think_off": 0, "think": "hm", "args": 2,
    }
    fold.feed(body(MsgEnd("m1", "stop", 5)))
    assert fold.snapshot()["inflight"] is None


def test_a_continued_answer_begins_at_its_offset():
    fold = fed(START, MsgStart("m1", "assistant"), Delta("m1", "text", 7, "more"),
               Delta("m1", "think", 3, "hm"), Delta("m1", "args", 5, "{}"))
    assert fold.snapshot()["inflight"] == {
        "mid": "m1", "role": "assistant", "ch": "args", "off": 7, "text": "more", "think_off": 3, "think": "hm",
        "args": 7,
    }


def test_a_tool_at_work_is_kept_with_the_newest_part_of_its_output():
    start = ToolStart("c1", "bash", "make", {"command": "make"}, "low")
    fold = fed(START, start, ToolOut("c1", 0, "one\n"), ToolOut("c1", 4, "two\n"))
    shown = fold.snapshot()["run"]["tools"]
    assert shown == [{**body(start), "off": 0, "out": "one\ntwo\n"}]
    piece = "x" * live.OUT_KEPT
    for n in range(3):
        fold.feed(body(ToolOut("c1", 8 + n * live.OUT_KEPT, piece)))
    tool = fold.snapshot()["run"]["tools"][0]
    assert len(tool["out"]) <= 2 * live.OUT_KEPT
    assert tool["off"] + len(tool["out"]) == 8 + 3 * live.OUT_KEPT
    fold.feed(body(ToolEnd("c1", True, 0, 1, 1, False, None, "allow")))
    assert fold.snapshot()["run"]["tools"] == []


def test_open_questions_queue_and_figures_are_kept():
    question = ApprovalOpen("a1", "c1", "bash", "t", "rm x", None, None, "/ws", "high", None, "d")
    usage = Usage(1, 10, 5, 50.0, 2, None, None, None, 12, 100)
    fold = fed(START, question, usage, Queue(["q"]))
    assert fold.snapshot()["run"]["state"] == "approval"
    assert fold.snapshot()["approvals"] == [body(question)]
    assert (fold.snapshot()["queue"], fold.snapshot()["meters"]) == (["q"], body(usage))
    fold.feed(body(ApprovalDone("a1", "deny", "web", "")))
    assert (fold.snapshot()["approvals"], fold.snapshot()["run"]["state"]) == ([], "running")


def test_reading_the_prompt_is_shown_until_the_next_round():
    fold = fed(START, RoundStart(1), Prefill(5, 10, 2, 30, 100.0, 50))
    assert fold.snapshot()["run"]["prefill"] == {
        "done": 5, "total": 10, "cached": 2, "ms": 30, "tps": 100.0, "left_ms": 50, "phase": "read"}
    fold.feed(body(RoundStart(2)))
    assert "prefill" not in fold.snapshot()["run"]


def test_the_end_of_a_run_ends_all_that_is_in_flight_and_what_follows_is_late():
    fold = fed(START, MsgStart("m1", "assistant"), ToolStart("c1", "ls", "ls", {}, "low"),
               RunEnd("cancelled", "", 130, 0, {}))
    assert {k: fold.snapshot()[k] for k in ("run", "inflight", "approvals")} == {
        "run": None, "inflight": None, "approvals": [],
    }
    assert fold.late(body(ToolOut("c1", 0, "late")))
    assert not fold.late(body(ToolOut("c1", 0, "other run"), rid="r2"))
    fold.feed(body(START))
    assert not fold.late(body(ToolOut("c1", 0, "the same name again")))

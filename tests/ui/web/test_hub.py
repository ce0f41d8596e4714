"""Resuming, bounded queues, joined pieces, heartbeats and the end, without a socket."""

from __future__ import annotations

import json
import threading

import pytest

from clinkai.core.events import Delta, MsgStart, Notice, RunEnd, RunStart, ToolOut, to_json
from clinkai.ui.web.channel import Bounds
from clinkai.ui.web.hub import Hub, TooMany

SID = "0123abcd"
STILL = Bounds(beat=10.0, pace=0.0)
"""No waiting for more text; a second heartbeat is the end of a test that waits in vain."""


def hub(bounds: Bounds = STILL, items=lambda sid, seq: []) -> Hub:
    return Hub("e1", items, bounds)


def notice(n: int) -> dict:
    return to_json(Notice("info", "notice.model", {"model": n}), SID, "", 1.0)


def delta(off: int, text: str, rid: str = "r1") -> dict:
    return to_json(Delta("m1", "text", off, text), SID, rid, 1.0)


def frames(data: bytes) -> list[dict]:
    """The frames in these bytes: their body with the frame's `id`."""
    found = []
    for part in data.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in part.split("\n") if line)
        if "data" in lines:
            body = json.loads(lines["data"])
            assert body["type"] == lines["event"]
            found.append({"id": lines.get("id", ""), **body})
    return found


class Reader:
    """Reads a watch frame by frame."""

    def __init__(self, watch) -> None:
        self.watch = watch
        self._iterator = iter(watch)
        self._ready: list[dict] = []

    def next(self) -> dict:
        while not self._ready:
            self._ready = frames(next(self._iterator))
        return self._ready.pop(0)

    def until(self, kind: str) -> list[dict]:
        found = [self.next()]
        while found[-1]["type"] != kind:
            found.append(self.next())
        return found


def opened(a_hub: Hub, last_id: str = "", client: tuple[str, str] = ("", "")) -> Reader:
    """A reader past its greeting."""
    reader = Reader(a_hub.watch(SID, last_id, client))
    reader.greeting = reader.until("hb")
    return reader


def test_a_stream_begins_with_hello_and_a_heartbeat():
    a_hub = hub()
    reader = opened(a_hub)
    hello, hb = reader.greeting
    assert {k: hello[k] for k in ("id", "type", "sid", "epoch", "head", "resume")} == {
        "id": "", "type": "hello", "sid": SID, "epoch": "e1", "head": 0, "resume": "fresh",
    }
    assert (hb["id"], hb["type"]) == ("", "hb")


def test_a_fresh_reader_gets_a_snapshot_and_then_every_event():
    a_hub = hub(items=lambda sid, seq: [{"type": "x", "sid": sid, "upto": seq}])
    a_hub.feed(notice(1), 7)
    reader = opened(a_hub)
    # This one comes before the snapshot is taken, and is part of it.
    a_hub.feed(notice(2), 8)
    snapshot = reader.next()
    assert (snapshot["type"], snapshot["id"]) == ("snapshot", "e1.2")
    assert snapshot["items"] == [{"type": "x", "sid": SID, "upto": 8}]
    a_hub.feed(notice(3), 9)
    assert reader.next()["id"] == "e1.3"


def test_events_are_numbered_without_a_gap():
    a_hub = hub()
    reader = opened(a_hub)
    assert reader.next()["type"] == "snapshot"
    for n in range(5):
        a_hub.feed(notice(n))
    assert [reader.next()["id"] for _ in range(5)] == [f"e1.{n}" for n in range(1, 6)]


@pytest.mark.parametrize(("last_id", "resume", "first"), [
    ("e1.3", "replay", "e1.4"),
    ("e1.0", "replay", "e1.1"),
    ("e1.5", "replay", None),
    ("e1.6", "snapshot", "e1.5"),
    ("e2.3", "snapshot", "e1.5"),
    ("e1.99999999999999999999", "snapshot", "e1.5"),
    ("e1.-1", "snapshot", "e1.5"),
    ("3", "snapshot", "e1.5"),
    ("", "fresh", "e1.5"),
])
def test_a_cursor_of_this_start_is_served_and_any_other_gets_a_snapshot(last_id, resume, first):
    a_hub = hub()
    for n in range(5):
        a_hub.feed(notice(n))
    reader = Reader(a_hub.watch(SID, last_id, ("", "")))
    hello, *replayed, _ = reader.until("hb")
    assert (hello["resume"], hello["head"]) == (resume, 5)
    if resume == "replay":
        assert [f["id"] for f in replayed] == ([f"e1.{n}" for n in range(int(first[3:]), 6)] if first else [])
    else:
        assert replayed == []
        assert {k: v for k, v in reader.next().items() if k in ("id", "type")} == {"type": "snapshot", "id": first}


@pytest.mark.parametrize(("bounds", "kept"), [
    (Bounds(ring=3, beat=10.0), 3), (Bounds(ring_bytes=500, beat=10.0), 2),
])
def test_a_cursor_older_than_the_ring_gets_a_snapshot(bounds, kept):
    a_hub = hub(bounds)
    for n in range(10):
        a_hub.feed(notice(n))
    resumes = [Reader(a_hub.watch(SID, f"e1.{n}", ("", ""))).next()["resume"] for n in range(11)]
    first = resumes.index("replay")
    assert 10 - first in (kept, kept + 1)
    assert resumes == ["snapshot"] * first + ["replay"] * (11 - first)


@pytest.mark.parametrize("bounds", [
    Bounds(queue=3, beat=10.0), Bounds(queue_bytes=600, beat=10.0),
])
def test_a_slow_reader_loses_its_queue_and_gets_a_snapshot(bounds):
    a_hub = hub(bounds)
    reader = opened(a_hub)
    assert reader.next()["type"] == "snapshot"
    for n in range(10):
        a_hub.feed(notice(n))
    assert reader.watch.viewer.size <= 600
    taken = reader.next()
    assert (taken["type"], taken["id"]) == ("snapshot", "e1.10")
    a_hub.feed(notice(11))
    assert reader.next()["id"] == "e1.11"


def test_an_event_during_a_snapshot_follows_it():
    a_hub = hub(items=lambda sid, seq: a_hub.feed(notice(2), 8) or [])
    a_hub.channel(SID).mark(6)
    a_hub.feed(notice(1), 7)
    reader = opened(a_hub)
    assert [reader.next()["id"] for _ in range(2)] == ["e1.1", "e1.2"]


def test_a_run_that_begins_while_the_log_is_read_makes_the_snapshot_be_taken_again():
    asked: list = []

    def items(sid: str, seq: int | None) -> list:
        asked.append(seq)
        if len(asked) == 1:
            a_hub.channel(sid).mark(4)
            a_hub.feed(notice(1), 5)
        return []

    a_hub = hub(items=items)
    reader = opened(a_hub)
    assert reader.next()["id"] == "e1.1"
    assert asked == [None, 5]


def test_pieces_of_text_are_joined_and_nothing_overtakes_them():
    a_hub = hub(Bounds(beat=10.0, pace=3600.0, join=10))
    channel = a_hub.channel(SID)
    reader = opened(a_hub)
    reader.next()
    a_hub.feed(delta(0, "ab"))
    for off in range(2, 18, 2):
        a_hub.feed(delta(off, "cd"))
    a_hub.feed(notice(1))
    got = reader.until("notice")
    assert [f["s"] for f in got[:-1]] == ["ab", "cdcdcdcdcd", "cdcdcd"]
    assert [f["off"] for f in got[:-1]] == [0, 2, 12]
    assert channel.head == 4


@pytest.mark.parametrize(("first", "second"), [
    (delta(0, "a"), delta(5, "gap")),
    (delta(0, "a"), to_json(Delta("m1", "think", 1, "b"), SID, "r1", 1.0)),
    (delta(0, "a"), to_json(Delta("m2", "text", 1, "b"), SID, "r1", 1.0)),
    (delta(0, "a"), delta(1, "b", rid="r2")),
    (to_json(ToolOut("c1", 0, "a"), SID, "r1", 1.0), to_json(ToolOut("c2", 1, "b"), SID, "r1", 1.0)),
])
def test_only_pieces_of_one_text_are_joined(first, second):
    a_hub = hub(Bounds(pace=3600.0))
    for body in (delta(0, "leading"), first, second, notice(1)):
        a_hub.feed(body)
    assert a_hub.channel(SID).head == 4


def test_a_piece_that_nothing_follows_is_sent_by_its_reader():
    a_hub = hub(Bounds(beat=10.0, pace=0.05))
    reader = opened(a_hub)
    reader.next()
    a_hub.feed(delta(0, "one"))
    a_hub.feed(delta(3, "two"))
    assert "".join(reader.next()["s"] for _ in range(2)) == "onetwo"


def test_what_a_finished_run_still_says_is_dropped():
    a_hub = hub()
    for event in (RunStart("m", "/ws", 1), RunEnd("cancelled", "", 130, 0, {}), MsgStart("m9", "assistant")):
        a_hub.feed(to_json(event, SID, "r1", 1.0))
    assert a_hub.channel(SID).head == 2


def test_heartbeats_come_while_nothing_happens():
    reader = opened(hub(Bounds(beat=0.02)))
    assert reader.next()["type"] == "snapshot"
    assert [reader.next()["type"] for _ in range(3)] == ["hb"] * 3


def test_a_browser_with_too_many_streams_loses_its_oldest():
    a_hub = hub(Bounds(per_browser=2, beat=10.0))
    first, second, other = (opened(a_hub, "e1.0", client) for client in
                            [("b1", "t1"), ("b1", "t2"), ("b2", "t1")])
    third = opened(a_hub, "e1.0", ("b1", "t3"))
    assert (first.next()["type"], first.watch.viewer.bye) == ("bye", "evicted")
    assert [r.watch.viewer.bye for r in (second, other, third)] == ["", "", ""]


def test_a_tab_that_comes_back_takes_the_place_of_its_old_stream():
    a_hub = hub(Bounds(per_browser=2, beat=10.0))
    readers = [opened(a_hub, "e1.0", ("b1", tab)) for tab in ("t1", "t2", "t1")]
    assert [r.watch.viewer.bye for r in readers] == ["evicted", "", ""]


def test_there_is_a_limit_to_all_streams():
    a_hub = hub(Bounds(viewers=2))
    watches = [a_hub.watch(SID, "", ("", "")) for _ in range(2)]
    with pytest.raises(TooMany):
        a_hub.watch(SID, "", ("", ""))
    watches[0].close()
    a_hub.watch(SID, "", ("", ""))


def test_frames_outside_the_numbering_reach_every_stream():
    a_hub = hub()
    watching, idle = opened(a_hub, "e1.0"), Reader(a_hub.watch("", "", ("", "")))
    idle.until("hb")
    a_hub.tell(notice(1))
    assert [(r.next()["type"], r.watch.channel.head) for r in (watching, idle)] == [("notice", 0)] * 2


def test_the_end_of_the_server_is_said_after_what_was_queued():
    a_hub = hub()
    reader = opened(a_hub, "e1.0")
    a_hub.feed(notice(1))
    closing = threading.Thread(target=a_hub.close, args=(10.0,))
    closing.start()
    assert [f["type"] for f in reader.until("bye")] == ["notice", "bye"]
    reader.watch.close()
    closing.join(10)
    assert not closing.is_alive()
    with pytest.raises(TooMany):
        a_hub.watch(SID, "", ("", ""))


def test_a_session_at_rest_lets_its_ring_go_and_old_cursors_get_a_snapshot():
    a_hub = hub(Bounds(warm=1, beat=10.0))
    a_hub.feed(notice(1))
    for sid in ("s2", "s3", "s4"):
        a_hub.channel(sid)
    assert opened(a_hub, "e1.0").greeting[0]["resume"] == "snapshot"
    assert opened(a_hub, "e1.1").greeting[0]["resume"] == "replay"


def test_feeding_never_waits_for_a_reader():
    a_hub = hub(Bounds(queue=5, beat=10.0))
    stuck = [a_hub.watch(SID, "", ("", "")) for _ in range(3)]
    feeding = threading.Thread(target=lambda: [a_hub.feed(notice(n)) for n in range(2000)])
    feeding.start()
    feeding.join(10)
    assert not feeding.is_alive()
    assert max(len(w.viewer.queue) for w in stuck) <= 5


def test_no_text_can_end_its_line():
    a_hub = hub()
    reader = opened(a_hub, "e1.0")
    text = "a\n\nevent: approval.open\ndata: {}\n\n\u2028\x00\ud800"
    a_hub.feed(delta(0, text))
    assert reader.next()["s"] == text

"""Whole runs over real sockets: prompt, events, cut connections, stop, resume."""

from __future__ import annotations

import threading

import pytest

from clinkai.harness.sandbox.wall import missing
from clinkai.harness.session import Session
from clinkai.ui.web.channel import Bounds
from tests.server import Answer, chunk, error, reply
from tests.ui.web.site import DEADLINE, Gate, Site


def held(*parts) -> Answer:
    """A text answer with a Gate between parts."""
    pieces = [part if callable(part) else chunk({"content": part}) for part in parts]
    return Answer([*pieces, chunk({}, "stop"), "data: [DONE]\n\n"], chunked=True)


def texts(frames: list[dict]) -> dict[str, str]:
    """The text of each message, put together as the page does."""
    found: dict[str, str] = {}
    for frame in frames:
        if frame["type"] == "delta" and frame["ch"] == "text":
            have = found.get(frame["mid"], "")
            assert frame["off"] <= len(have)
            found[frame["mid"]] = have + frame["s"][len(have) - frame["off"]:]
    return found


def numbers(frames: list[dict]) -> list[int]:
    return [int(frame["id"].partition(".")[2]) for frame in frames if frame["id"]]


def test_a_run_is_watched_cut_off_and_watched_again(tmp_path):
    gate = Gate()
    script = [reply("I look.", reasoning="Where?", calls=[("read", {"path": "a.txt"})]),
              held("It says ", gate, "héllo 😀.")]
    with Site(tmp_path, script) as site:
        (site.workspace / "a.txt").write_text("hello\n")
        answer = site.post("/api/sessions", {"text": "What is in a.txt?", "idem": "idem-0001"})
        assert answer.status == 202
        sid, rid = answer.json["sid"], answer.json["rid"]
        assert gate.reached.wait(DEADLINE)
        first = site.events(sid)
        seen = first.until("snapshot")
        first.close()
        cursor = seen[-1]["id"]
        gate.go.set()
        site.settled(sid)
        again = site.events(sid, Last_Event_ID=cursor)
        gap = again.until("run.end")
        assert gap[0]["resume"] == "replay"
        at = int(cursor.partition(".")[2])
        assert numbers(gap) == list(range(at + 1, site.service.hub.channel(sid).head + 1))
        assert {f["rid"] for f in gap if f["id"]} == {rid}
        inflight = seen[-1]["inflight"]
        start = {"type": "delta", "ch": "text", "mid": inflight["mid"], "off": 0, "s": inflight["text"]}
        assert list(texts([start, *gap]).values()) == ["It says héllo 😀."]
        records = site.log(sid)
        assert [r["content"] for r in records if r["type"] == "assistant"] == ["I look.", "It says héllo 😀."]
        assert records[answer.json["seq"] - 1]["content"] == "What is in a.txt?"
        again.close()


def test_events_come_in_the_order_of_the_table(tmp_path):
    gate = Gate()
    script = [reply("First.", reasoning="Hm."), held(gate, "Second."),]
    with Site(tmp_path, script) as site:
        sid = site.ask("one")["sid"]
        stream = site.events(sid)
        stream.until("snapshot")
        assert site.post(f"/api/sessions/{sid}/messages", {"text": "two"}).status == 202
        gate.go.set()
        frames = [f for f in stream.until("run.end") if f["id"]]
        kinds = [f["type"] for f in frames]
        assert [k for n, k in enumerate(kinds) if k != "delta" or kinds[n - 1] != "delta"] == [
            "run.start", "msg.start", "delta", "msg.end", "round.start", "msg.start", "delta", "msg.end",
            "usage", "run.end",
        ]
        assert frames[-1]["reason"] == "done"
        stream.close()


def test_a_replay_shows_what_was_seen_live(tmp_path):
    script = [reply("I look.", reasoning="Where?", calls=[("read", {"path": "a.txt"})]), reply("Done.")]
    with Site(tmp_path, script) as site:
        (site.workspace / "a.txt").write_text("hello\n")
        sid = site.ask("go")["sid"]
        items = site.get(f"/api/sessions/{sid}/items").json
        replayed = items["items"]
        stream = site.events(sid, Last_Event_ID="e0e0.0")
        live = [{k: v for k, v in frame.items() if k != "id"} for frame in stream.until("run.end")[1:]]
        stream.close()
        assert items["more"] is False
        kept = ("msg.start", "msg.end", "tool.start", "tool.out", "tool.end", "usage", "run.start", "run.end")
        assert [b["type"] for b in replayed if b["type"] in kept] == [b["type"] for b in live if b["type"] in kept]
        assert list(texts(replayed).values()) == list(texts(live).values())
        for kind in ("tool.start", "usage", "run.start", "run.end"):
            same = [[{k: v for k, v in b.items() if k not in ("rid", "ts", "seq")} for b in bodies
                     if b["type"] == kind] for bodies in (replayed, live)]
            assert same[0] == same[1]
        thought = "".join(b["s"] for b in replayed if b["type"] == "delta" and b["ch"] == "think")
        assert thought == "Where?"


def test_what_would_be_asked_is_refused_with_the_reason(tmp_path):
    script = [reply("", calls=[("bash", {"command": "rm -r build"})]), reply("I may not.")]
    with Site(tmp_path, script) as site:
        sid = site.ask("clean up")["sid"]
        items = site.get(f"/api/sessions/{sid}/items").json["items"]
        ends = [b for b in items if b["type"] == "tool.end"]
        outs = [b["s"] for b in items if b["type"] == "tool.out"]
        assert [(b["decision"], b["ok"]) for b in ends] == [("deny", False)]
        assert "rm" in outs[0]
        assert [b["denied"] for b in items if b["type"] == "run.end"] == [1]


def test_stop_ends_the_request_to_the_model_and_keeps_the_text(tmp_path):
    gate = Gate()
    with Site(tmp_path, [held("Partly", gate, " never")]) as site:
        answer = site.post("/api/sessions", {"text": "go"}).json
        stream = site.events(answer["sid"])
        assert gate.reached.wait(DEADLINE)
        assert site.post(f"/api/runs/{answer['rid']}/cancel", {}).status == 202
        frames = stream.until("run.end")
        gate.go.set()
        assert frames[-1]["reason"] == "cancelled"
        assert [r["content"] for r in site.log(answer["sid"]) if r["type"] == "assistant"] == ["Partly"]
        assert site.post(f"/api/runs/{answer['rid']}/cancel", {}).status == 202
        stream.close()


def test_a_second_message_is_refused_while_a_run_is_active(tmp_path):
    gate = Gate()
    with Site(tmp_path, [held(gate, "One."), reply("Two.")]) as site:
        sid = site.post("/api/sessions", {"text": "one"}).json["sid"]
        assert gate.reached.wait(DEADLINE)
        refused = site.post(f"/api/sessions/{sid}/messages", {"text": "two"})
        assert (refused.status, refused.json["error"]["key"]) == (409, "web.busy")
        gate.go.set()
        site.settled(sid)
        site.ask("two", sid)
        assert [r["content"] for r in site.log(sid) if r["type"] == "user"] == ["one", "two"]


def test_a_message_sent_twice_is_one_message(tmp_path):
    with Site(tmp_path, [reply("One."), reply("Two.")]) as site:
        body = {"text": "one", "idem": "0123456789abcdef"}
        answers: list[dict] = []
        threads = [threading.Thread(target=lambda: answers.append(site.post("/api/sessions", body).json))
                   for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(DEADLINE)
        assert answers[0] == answers[1] == answers[2]
        site.settled(answers[0]["sid"])
        assert len(site.model.chats) == 1
        assert len(site.service.sessions()) == 1
        site.ask("two")


def test_a_session_goes_on_after_the_server_was_restarted(tmp_path):
    with Site(tmp_path, [reply("One.")]) as site:
        sid = site.ask("one")["sid"]
        before = site.model.chats[-1].json
    with Site(tmp_path, [reply("Two.")]) as site:
        assert [s["id"] for s in site.get("/api/sessions").json["sessions"]] == [sid]
        stream = site.events(sid, Last_Event_ID="aaaa.3")
        hello, _, snapshot = stream.until("snapshot")
        assert (hello["resume"], snapshot["run"]) == ("snapshot", None)
        assert list(texts(snapshot["items"]).values()) == ["one", "One."]
        site.ask("two", sid)
        after = site.model.chats[-1].json
        assert after["messages"][: len(before["messages"])] == before["messages"]
        assert [f["reason"] for f in stream.until("run.end") if f["type"] == "run.end"] == ["done"]
        stream.close()


def test_the_sidebar_hears_of_every_session(tmp_path):
    gate = Gate()
    with Site(tmp_path, [reply("One."), held(gate, "Two.")]) as site:
        one = site.ask("first prompt\nmore")["sid"]
        idle = site.events()
        idle.until("hb")
        site.post(f"/api/sessions/{one}/messages", {"text": "again"})
        frames = idle.until("session.status")
        assert {k: frames[-1][k] for k in ("sid", "title", "state", "id")} == {
            "sid": one, "title": "first prompt", "state": "running", "id": "",
        }
        listed = site.get("/api/sessions").json["sessions"]
        assert [(s["id"], s["title"], s["state"]) for s in listed] == [(one, "first prompt", "running")]
        gate.go.set()
        done = idle.until("session.status")[-1]
        assert (done["state"], done["unread"]) == ("done", True)
        assert site.get("/api/sessions").json["sessions"][0]["unread"] is True
        site.events(one).close()
        assert site.get("/api/sessions").json["sessions"][0]["unread"] is False
        idle.close()


def test_a_session_that_another_process_writes_is_refused_clearly(tmp_path):
    with Site(tmp_path, [reply("One.")]) as site:
        sid = site.ask("one")["sid"]
        path = site.service.logs.path(sid)
    with Site(tmp_path) as site:
        other = Session.open(path)
        refused = site.post(f"/api/sessions/{sid}/messages", {"text": "two"})
        assert (refused.status, refused.json["error"]["key"]) == (409, "error.session.locked")
        assert site.get("/api/sessions").json["sessions"][0]["state"] == "running"
        other.close()


def test_an_error_of_the_model_server_ends_the_run_with_words(tmp_path):
    with Site(tmp_path, [error(500, {"error": {"message": "out of memory"}})]) as site:
        sid = site.ask("one")["sid"]
        end = site.get(f"/api/sessions/{sid}/items").json["items"][-1]
        assert (end["type"], end["reason"], end["exit"]) == ("run.end", "error", 3)
        assert "out of memory" in end["detail"]


@pytest.mark.slow
def test_a_reader_that_does_not_read_slows_nobody(tmp_path):
    text = " ".join(map(str, range(4000)))[:16_000]
    bounds = Bounds(queue_bytes=50_000)
    with Site(tmp_path, [reply(pieces=[text] * 200)], bounds=bounds) as site:
        answer = site.post("/api/sessions", {"text": "go"}).json
        stuck = site.events(answer["sid"])
        site.settled(answer["sid"])
        assert [len(r["content"]) for r in site.log(answer["sid"]) if r["type"] == "assistant"] == [3_200_000]
        frames = stuck.until("run.end", "snapshot")
        while frames[-1]["type"] == "snapshot" and frames[-1]["run"]:
            frames = stuck.until("run.end", "snapshot")
        stuck.close()


@pytest.mark.parametrize(("limit", "more"), [(2, True), (500, False)])
def test_a_session_is_read_page_by_page(tmp_path, limit, more):
    with Site(tmp_path, [reply(f"Answer {n}.") for n in range(6)]) as site:
        sid = site.ask("prompt 0")["sid"]
        for n in range(1, 6):
            site.ask(f"prompt {n}", sid)
        newest = site.get(f"/api/sessions/{sid}/items?limit={limit}").json
        assert newest["more"] is more
        pages = [newest]
        while pages[0]["more"]:
            path = f"/api/sessions/{sid}/items?limit={limit}&before={pages[0]['first']}"
            pages.insert(0, site.get(path).json)
        whole = [item for page in pages for item in page["items"]]
        wanted = [t for n in range(6) for t in (f"prompt {n}", f"Answer {n}.")]
        assert list(texts(whole).values()) == wanted
        assert [i["seq"] for i in whole] == sorted(i["seq"] for i in whole)


def test_what_is_known_before_there_is_a_session_is_told_in_it(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "model.json").write_text("{")
    told = ["setting.notice.model_damaged", *(["notice.sandbox"] if missing() else [])]
    with Site(tmp_path, [reply("One.")], mode="sandbox") as site:
        site.service.settings = site.settings.changed(model="")
        sid = site.ask("one")["sid"]
        items = site.get(f"/api/sessions/{sid}/items").json["items"]
        assert [item["key"] for item in items if item["type"] == "notice"] == told
        stream = site.events(sid)
        shown = stream.until("snapshot")[-1]
        stream.close()
        assert [item["key"] for item in shown["items"] if item["type"] == "notice"] == told

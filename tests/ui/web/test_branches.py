"""Going back, forking and summing up over a real socket."""

from __future__ import annotations

import pytest

from clinkai.harness.session import Session
from tests.server import reply
from tests.ui.web.site import DEADLINE, Gate, Site
from tests.ui.web.test_mode import said
from tests.ui.web.test_run import held, texts


LONG = " ".join(map(str, range(2_000)))


def shown(site, sid: str) -> list[str]:
    return list(texts(site.get(f"/api/sessions/{sid}/items").json["items"]).values())


def test_a_message_is_edited_and_sent_again(tmp_path):
    with Site(tmp_path, [*map(reply, ("one", "two", "three"))]) as site:
        sid = site.ask("first")["sid"]
        seq = site.ask("second", sid)["seq"]
        watched = site.events(sid)
        cursor = watched.until("snapshot")[-1]["id"]
        for _ in range(2):  # the second one is a repetition
            answer = site.post(f"/api/sessions/{sid}/rewind",
                               {"to": seq - 1, "text": "other", "files": "keep", "idem": "idem-0001"})
            assert answer.status == 202 and answer.json["left"] == []
        site.settled(sid)
        assert said(site) == ["first", "other"] and len(site.model.chats) == 3
        assert shown(site, sid) == ["first", "one", "other", "three"]
        again = watched.until("snapshot")[-1]
        watched.close()
        assert "second" not in texts(again["items"]).values()
        late = site.events(sid, Last_Event_ID=cursor)
        assert late.until("snapshot")[-1]["type"] == "snapshot"
        late.close()
        records = site.log(sid)
        assert [r["content"] for r in records if r["type"] == "user"] == ["first", "second", "other"]
        assert records[answer.json["seq"] - 1]["content"] == "other"


def test_going_back_without_a_message_waits_for_one(tmp_path):
    with Site(tmp_path, [*map(reply, ("one", "two"))]) as site:
        sid = site.ask("first")["sid"]
        answer = site.post(f"/api/sessions/{sid}/rewind", {"to": 1})
        assert (answer.status, answer.json["rid"]) == (200, "")
        assert shown(site, sid) == []
        site.ask("other", sid)
        assert said(site) == ["other"]


def test_a_fork_leaves_the_session_as_it_is(tmp_path):
    with Site(tmp_path, [*map(reply, ("one", "two", "three", "four"))]) as site:
        sid = site.ask("first")["sid"]
        seq = site.ask("second", sid)["seq"]
        answer = site.post(f"/api/sessions/{sid}/fork", {"at": seq - 1, "text": "other"})
        assert answer.status == 202
        other = answer.json["sid"]
        site.settled(other)
        assert said(site) == ["first", "other"]
        assert shown(site, other) == ["first", "one", "other", "three"]
        assert shown(site, sid) == ["first", "one", "second", "two"]
        site.ask("third", sid)
        assert said(site) == ["first", "second", "third"]
        listed = site.get("/api/sessions").json["sessions"]
        assert {s["id"] for s in listed} == {sid, other}


def test_a_summary_by_hand_is_a_run_of_the_session(tmp_path):
    with Site(tmp_path, [*map(reply, (LONG, "two", "all of it", "three"))]) as site:
        sid = site.ask("first")["sid"]
        site.ask("second", sid)
        answer = site.post(f"/api/sessions/{sid}/compact", {"wish": "keep names"})
        assert (answer.status, answer.json["sid"]) == (202, sid)
        site.settled(sid)
        assert "keep names" in site.model.chats[-1].json["messages"][-1]["content"]
        assert [r.get("failed") for r in site.log(sid) if r.get("kind") == "archived"] == [""]
        assert site.post(f"/api/sessions/{sid}/compact", {"wish": 1}).status == 400
        site.ask("third", sid)
        assert "all of it" in site.model.chats[-1].json["messages"][1]["content"]


def test_what_runs_is_not_gone_back_in(tmp_path):
    gate = Gate()
    with Site(tmp_path, [reply("one"), held("I ", gate, "wait.")]) as site:
        sid = site.ask("first")["sid"]
        site.post(f"/api/sessions/{sid}/messages", {"text": "second"})
        assert gate.reached.wait(DEADLINE)
        answers = [site.post(f"/api/sessions/{sid}/{way}", body)
                   for way, body in (("rewind", {"to": 1}), ("fork", {}))]
        gate.go.set()
        site.settled(sid)
        assert [answer.status for answer in answers] == [409, 409]
        assert "at work" in answers[0].json["error"]["text"]


def test_a_session_of_another_process_can_only_be_forked(tmp_path):
    with Site(tmp_path, [reply("one")]) as site:
        sid = site.ask("first")["sid"]
    with Site(tmp_path, [reply("two")]) as site:
        held_by = Session.open(site.service.logs.path(sid))
        answer = site.post(f"/api/sessions/{sid}/rewind", {"to": 1})
        assert (answer.status, answer.json["error"]["key"]) == (409, "error.session.locked")
        assert site.post(f"/api/sessions/{sid}/fork", {}).status == 200
        held_by.close()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("way", "body", "status"), [
    ("rewind", {}, 400), ("rewind", {"to": "1"}, 400), ("rewind", {"to": True}, 400),
    ("rewind", {"to": 0}, 400), ("rewind", {"to": 99}, 409), ("rewind", {"at": 1}, 400),
    ("rewind", {"to": 1, "files": "burn"}, 400), ("rewind", {"to": 1, "text": " "}, 400),
    ("rewind", {"to": 1, "text": 3}, 400), ("rewind", {"to": 1, "idem": "x"}, 400),
    ("fork", {"at": 99}, 409), ("fork", {"at": 1.5}, 400), ("fork", {"to": 1}, 400),
    ("fork", {"files": ["keep"]}, 400),
])
def test_what_names_no_point_is_refused(tmp_path, way, body, status):
    with Site(tmp_path, [reply("one")]) as site:
        sid = site.ask("first")["sid"]
        assert site.post(f"/api/sessions/{sid}/{way}", body).status == status
        assert shown(site, sid) == ["first", "one"]
        assert site.post(f"/api/sessions/{'0' * 8}/{way}", {"to": 1} if way == "rewind" else {}).status == 404

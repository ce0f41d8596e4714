"""Changing the mode of a session over a real socket."""

from __future__ import annotations

import pytest

from clinkai.core.catalogue import Strings
from tests.server import reply
from tests.ui.web.site import DEADLINE, Gate, Site
from tests.ui.web.test_run import held

TOLD = "\n\n" + Strings("en")("notice.told.plan")


def said(site) -> list[str]:
    """What the person said, as the model got it last."""
    return [m["content"] for m in site.model.chats[-1].json["messages"] if m["role"] == "user"]


def modes(site, sid: str) -> list[str]:
    return [r["mode"] for r in site.log(sid) if r.get("kind") == "mode"]


def test_a_session_changes_its_mode_also_while_it_runs(tmp_path):
    gate = Gate()
    write = [("write", {"path": "a.txt", "content": "x"})]
    script = [reply("Hello."), held("I ", gate, "wait."), reply("", calls=write), reply("No.")]
    with Site(tmp_path, script) as site:
        sid = site.ask("one")["sid"]
        site.post(f"/api/sessions/{sid}/messages", {"text": "two"})
        assert gate.reached.wait(DEADLINE)
        answer = site.post(f"/api/sessions/{sid}/mode", {"mode": "plan"})
        gate.go.set()
        site.settled(sid)
        assert (answer.status, answer.json) == (200, {"mode": "plan"})
        site.ask("three", sid)
        assert said(site) == ["one", "two", "three" + TOLD] and modes(site, sid) == ["plan"]
        assert not (site.workspace / "a.txt").exists()
        items = site.get(f"/api/sessions/{sid}/items").json["items"]
        assert [i["key"] for i in items if i["type"] == "notice"] == ["notice.mode.plan"]


def test_a_session_that_is_not_open_keeps_the_change(tmp_path):
    with Site(tmp_path, [reply("Hello.")]) as site:
        sid = site.ask("one")["sid"]
    with Site(tmp_path, [reply("Hello.")], mode="ask") as site:
        stream = site.events(sid)
        stream.until("snapshot")
        assert site.post(f"/api/sessions/{sid}/mode", {"mode": "plan"}).status == 200
        assert stream.until("notice")[-1]["key"] == "notice.mode.plan" and modes(site, sid) == ["plan"]
        stream.close()
        site.ask("two", sid)  # `--mode` of the server does not undo what was chosen on the page
        assert said(site) == ["one", "two" + TOLD] and modes(site, sid) == ["plan"]


@pytest.mark.parametrize(("sid", "body", "status"), [
    ("", {"mode": "yolo"}, 422), ("", {"mode": 3}, 400), ("", {}, 400),
    ("", {"mode": "plan", "allow": "rm"}, 400), ("00000000", {"mode": "plan"}, 404),
])
def test_what_is_no_mode_or_no_session_is_refused(tmp_path, sid, body, status):
    with Site(tmp_path, [reply("Hello.")]) as site:
        own = site.ask("one")["sid"]
        assert site.post(f"/api/sessions/{sid or own}/mode", body).status == status
        assert modes(site, own) == []

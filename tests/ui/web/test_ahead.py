"""When the page is opened, the model server reads what a new session begins with."""

from __future__ import annotations

import threading

import pytest

from tests.ai.test_llamacpp import slots
from tests.server import Answer, reply
from tests.ui.web.site import DEADLINE, Site


def opened(tmp_path, script, **flags) -> Site:
    site = Site(tmp_path, script, **flags)
    site.model.owner = "llamacpp"
    site.model.routes["GET /slots"] = slots((False, 1))
    return site


def test_the_first_message_goes_to_the_session_that_was_read_ahead(tmp_path):
    ahead = threading.Event()
    with opened(tmp_path, [Answer([ahead.set], end="stall"), reply("one"), reply("two")]) as site:
        site.get("/api/status")
        assert ahead.wait(DEADLINE)
        assert site.get("/api/sessions").json["sessions"] == []
        sid = site.ask("first")["sid"]
        site.get("/api/status")  # a session is open: its cache is left alone
        site.ask("second", sid)
        tokens = [chat.json["max_tokens"] for chat in site.model.chats]
        assert tokens == [1, 4096, 4096] and len(site.get("/api/sessions").json["sessions"]) == 1


@pytest.mark.parametrize("flags", [{"warm_up": False}, {"provider": "demo"}])
def test_nothing_is_asked_where_it_is_off(tmp_path, flags):
    with opened(tmp_path, [], **flags) as site:
        site.get("/api/status")
    assert site.model.requests == []


def test_a_page_that_nobody_writes_in_leaves_nothing(tmp_path):
    ahead = threading.Event()
    with opened(tmp_path, [Answer([ahead.set], end="stall")]) as site:
        site.get("/api/status")
        assert ahead.wait(DEADLINE)
        site.stop()
        assert site.model.chats[0].gone.wait(DEADLINE) and site.service.sessions() == []

"""Which server is talked to where none was named. The ports are those of fake servers."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest

from clinkai.core.errors import Unreachable, UsageError
from clinkai.harness.models import FILE, choose_model, remember, remembered, remembered_address
from clinkai.harness.reach import Way, reach
from clinkai.harness.settings import Settings
from tests.harness.agents import settings_for
from tests.server import FakeServer, error, ok


def gone() -> str:
    """An address where nobody answers any more."""
    with FakeServer() as server:
        return server.base_url


@pytest.fixture
def servers():
    """Three servers: an Ollama, a vLLM and one of an unknown kind."""
    with ExitStack() as stack:
        made = [stack.enter_context(FakeServer(models=("x", "y", "z", "w"))) for _ in range(3)]
        for server, owner in zip(made, ("library", "vllm")):
            server.routes["GET /v1/models"] = ok({"data": [{"id": owner, "owned_by": owner}]})
        yield made


def unnamed(tmp_path, base_url: str, **flags: object) -> Settings:
    """Settings whose default address is `base_url`."""
    settings = settings_for(tmp_path, **{"model": "", **flags})
    values = {**settings.values, "base_url": base_url}
    return Settings({**values, "model": flags.get("model", "")}, settings.sources)


def never(lines):
    raise AssertionError(f"asked without need: {lines}")


def ports(servers) -> tuple[int, ...]:
    return tuple(server.port for server in servers)


def test_the_usual_address_is_used_where_somebody_answers(tmp_path, servers):
    settings = unnamed(tmp_path, servers[0].base_url)
    assert reach(settings, never, ports(servers)) == Way(settings)
    assert [server.requests for server in servers] == [[], [], []]


def test_an_address_that_was_set_is_the_only_one(tmp_path, servers):
    settings = settings_for(tmp_path, gone())
    assert reach(settings, never, ports(servers)) == Way(settings)
    assert [server.requests for server in servers] == [[], [], []]


def test_the_stand_in_needs_no_server(tmp_path, servers):
    settings = unnamed(tmp_path, gone(), provider="demo")
    assert reach(settings, never, ports(servers)) == Way(settings)


def test_the_only_server_found_is_used_and_named(tmp_path, servers):
    was, [ollama, _, unknown] = gone(), servers
    for server, title in ((ollama, f"{ollama.base_url} (Ollama)"), (unknown, unknown.base_url)):
        way = reach(unnamed(tmp_path, was), never, (server.port,))
        assert way.settings.base_url == server.base_url
        assert way.notices == (("notice.server.found", {
            "was": was, "server": title, "address": server.base_url}),)


def test_of_several_the_first_is_used_where_nobody_can_be_asked(tmp_path, servers):
    was, [ollama, vllm, unknown] = gone(), servers
    way = reach(unnamed(tmp_path, was), None, ports(servers))
    assert way.settings.base_url == ollama.base_url
    assert way.notices == (("notice.server.several", {
        "was": was, "server": f"{ollama.base_url} (Ollama)", "address": ollama.base_url,
        "others": f"{vllm.base_url} (vLLM), {unknown.base_url}"}),)
    assert remembered_address(way.settings.home) == ""


def test_of_several_a_person_chooses_once(tmp_path, servers):
    was, [ollama, vllm, unknown] = gone(), servers
    asked = []

    def ask(lines):
        asked.append(lines)
        return lines[1]

    settings = unnamed(tmp_path, was)
    assert reach(settings, ask, ports(servers)).settings.base_url == vllm.base_url
    assert asked == [(f"{ollama.base_url} (Ollama)  library", f"{vllm.base_url} (vLLM)  vllm",
                      f"{unknown.base_url}  x, y, z, ...")]
    assert reach(settings, never, ports(servers)).settings.base_url == vllm.base_url
    assert reach(settings, None, ports(servers)).settings.base_url == vllm.base_url
    # What was chosen and is gone is no answer.
    assert reach(settings, None, ports([ollama, unknown])).settings.base_url == ollama.base_url


def test_a_choice_that_cannot_be_kept_is_a_notice(tmp_path, servers):
    settings = unnamed(tmp_path, gone()).changed(home=str(tmp_path / "nowhere"))
    way = reach(settings, lambda lines: lines[0], ports(servers))
    assert [key for key, _ in way.notices] == ["notice.server.several",
                                               "setting.notice.model_not_kept"]


def test_the_server_that_has_the_wanted_model_is_used(tmp_path, servers):
    way = reach(unnamed(tmp_path, gone(), model="vllm"), never, ports(servers))
    assert way.settings.base_url == servers[1].base_url
    assert [key for key, _ in way.notices] == ["notice.server.found"]


def test_where_the_wire_is_set_only_servers_that_speak_it_are_used(tmp_path, servers):
    settings = unnamed(tmp_path, gone(), provider="ollama")
    assert reach(settings, never, ports(servers)).settings.base_url == servers[0].base_url
    with pytest.raises(Unreachable) as caught:
        reach(settings, never, ports(servers[1:]))
    assert caught.value.key == "error.unreachable.no_ollama"
    assert servers[2].base_url in caught.value.text(settings.say)


def test_what_listens_and_does_not_show_what_it_is_is_named(tmp_path):
    settings = unnamed(tmp_path, gone())
    with FakeServer(models=None) as web, FakeServer() as locked:
        locked.routes["GET /v1/models"] = error(401, {"error": "Unauthorized"})
        with pytest.raises(Unreachable) as caught:
            reach(settings, never, (web.port, 9, locked.port))
    assert caught.value.key == "error.unreachable.strangers"
    assert caught.value.params["found"] == f"{web.base_url}, {locked.base_url}"
    assert "CLINKAI_API_KEY" in caught.value.advice(settings.say)


def test_nobody_anywhere_is_an_error_that_says_what_was_tried(tmp_path):
    settings = unnamed(tmp_path, gone())
    with FakeServer() as server:
        pass
    with pytest.raises(Unreachable) as caught:
        reach(settings, never, (server.port,))
    assert settings.base_url in caught.value.text(settings.say)
    advice = caught.value.advice(settings.say)
    assert "CLINKAI_BASE_URL" in advice and str(server.port) in advice
    assert caught.value.exit_code == 3


def test_model_and_address_are_kept_side_by_side(tmp_path):
    home = str(tmp_path)
    assert remember(home, address="http://127.0.0.1:1/v1") == ()
    assert (remembered(home), remembered_address(home)) == (("", ()), "http://127.0.0.1:1/v1")
    choose_model("", home, lambda: ("a", "b"), lambda models: "b")
    assert (remembered(home), remembered_address(home)) == (("b", ()), "http://127.0.0.1:1/v1")
    assert json.loads((tmp_path / FILE).read_text()) == {
        "v": 1, "model": "b", "address": "http://127.0.0.1:1/v1"}


def test_a_damaged_file_does_not_keep_a_choice_from_being_kept(tmp_path):
    (tmp_path / FILE).write_text('{"model": 3, "address": ["x"]}')
    assert remembered_address(str(tmp_path)) == ""
    assert remember(str(tmp_path), address="http://127.0.0.1:1/v1") == ()
    assert remembered_address(str(tmp_path)) == "http://127.0.0.1:1/v1"


def test_a_menu_that_is_left_is_an_error(tmp_path, servers):
    def leave(lines):
        raise UsageError("cli.error.not_chosen")

    with pytest.raises(UsageError):
        reach(unnamed(tmp_path, gone()), leave, ports(servers))

from __future__ import annotations

import json
import socket

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.errors import UsageError
from clinkai.harness import doctor, settings
from clinkai.harness.doctor import Finding, exit_code
from clinkai.harness.doctor_server import windows_hint
from clinkai.harness.wsl import Windows
from tests.ai.test_llamacpp import CAPS, templates
from tests.server import Answer, FakeServer, chunk, error, ok, raw, reply

DEADLINE = 30.0
EN = Strings("en")
CALL = reply(calls=[("harbour_code", {"harbour": "north"})])
CODE = reply("The code is 7341.")
SERVER_IDS = ["server", "models", "completion", "context", "tools", "cache"]
MACHINE_IDS = ["sessions", "sandbox", "terminal"]
NAMES = {"models": {"data": [{"id": "local", "owned_by": "llamacpp"}]}}


def listed(*rows: dict):
    return ok({"object": "list", "data": list(rows)})


def visit(tmp_path, server: FakeServer | str, deadline: float = DEADLINE, **env: str):
    """The findings of one visit, by id, with the environment's settings on top."""
    url = server if isinstance(server, str) else server.base_url
    chosen = settings.load({}, {"CLINKAI_BASE_URL": url, "CLINKAI_LANG": "en", **env},
                           str(tmp_path / "home"))
    found = doctor.run(chosen, str(tmp_path / "work"), deadline_s=deadline)
    return {finding.id: finding for finding in found}


def llamacpp(script, **options) -> FakeServer:
    server = FakeServer(script, **options)
    server.routes["GET /v1/models"] = listed({"id": "local", "owned_by": "llamacpp"})
    return server


def test_a_server_in_order_passes_every_check(tmp_path):
    told = []
    with llamacpp([reply("ready"), CALL, CODE]) as server:
        chosen = settings.load({}, {"CLINKAI_BASE_URL": server.base_url}, str(tmp_path / "home"))
        found = doctor.run(chosen, str(tmp_path / "work"), deadline_s=DEADLINE,
                           emit=told.append)
        requests = [chat.json for chat in server.chats]
    assert [finding.id for finding in found] == ["python", "settings", *SERVER_IDS, "slots",
                                                 *MACHINE_IDS]
    assert tuple(told) == found
    statuses = {f.id: f.status for f in found if f.id not in ("sandbox", "terminal")}
    assert set(statuses.values()) == {"ok"}, found
    assert exit_code(found) == 0
    by_id = {finding.id: finding for finding in found}
    assert by_id["server"].detail == f"{server.base_url} answers (llama.cpp)"
    assert by_id["models"].detail == "local; served: local"
    assert by_id["context"].detail == "16384 tokens"
    assert [r["model"] for r in requests] == ["local"] * 3
    assert requests[2]["messages"][:2] == requests[1]["messages"]
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("path", ["", "/v1"])
def test_the_messages_api_is_looked_at_in_its_own_language(tmp_path, path):
    with llamacpp([reply("ready"), CALL, CODE]) as server:
        found = visit(tmp_path, f"http://127.0.0.1:{server.port}{path}",
                      CLINKAI_PROVIDER="anthropic")
        asked = {request.path for request in server.chats}
    assert {found[id].status for id in SERVER_IDS} == {"ok"}, found
    assert asked == {"/v1/messages"}


def test_a_dead_server_is_named_with_its_address(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    found = visit(tmp_path, f"http://127.0.0.1:{port}/v1")
    assert found["server"].status == "fail"
    assert f"127.0.0.1:{port}" in found["server"].detail
    assert found["server"].hint.startswith("Start the model server, or set CLINKAI_BASE_URL")
    assert "Ollama :11434" in found["server"].hint
    assert list(found) == ["python", "settings", "server", *MACHINE_IDS]
    assert exit_code(found.values()) == 3


def test_a_loading_model_is_no_dead_server(tmp_path):
    loading = error(503, {"error": {"message": "Loading model", "code": 503,
                                    "type": "unavailable_error"}})
    with FakeServer() as server:
        server.routes["GET /v1/models"] = loading
        found = visit(tmp_path, server)
    assert found["server"] == Finding(
        "server", "fail", f"{server.base_url} is there and still loads its model",
        "Wait until the server says that it is ready, then run doctor again.")
    assert exit_code(found.values()) == 3


@pytest.mark.slow
def test_a_server_that_takes_the_connection_and_says_nothing_ends_in_time(tmp_path):
    with FakeServer(slow_start=True) as server:
        found = visit(tmp_path, server, deadline=0.5)
        server.release.set()
    assert found["server"].status == "fail"
    assert found["server"].detail.startswith("The server takes the connection and then says no")
    assert list(found) == ["python", "settings", "server", *MACHINE_IDS]


@pytest.mark.slow
def test_a_server_that_only_trickles_ends_in_time(tmp_path):
    # Every byte resets a limit on silence: the limit of all checks together must hold all the same.
    with llamacpp([Answer([": still here\n\n"] * 2000, chunked=True, pause=0.02)]) as server:
        found = visit(tmp_path, server, deadline=3.0)
    assert found["completion"].status == "fail"
    assert found["completion"].detail.startswith("The server takes the request and gives no")
    assert "tools" not in found and "sandbox" in found


@pytest.mark.parametrize(("answer", "words"), [
    (error(401, {"error": {"message": "bad key"}}), "CLINKAI_API_KEY"),
    (Answer("<html><title>Router</title></html>", 200, {"Content-Type": "text/html"}), "/v1"),
    (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "CLINKAI_BASE_URL"),
    (Answer("", 302, {"Location": "https://elsewhere.example/"}), "CLINKAI_BASE_URL"),
])
def test_what_is_no_model_server_gets_a_hint_that_fits(tmp_path, answer, words):
    with FakeServer() as server:
        server.routes["GET /v1/models"] = answer
        found = visit(tmp_path, server)
    assert found["server"].status == "fail"
    assert words in found["server"].hint
    assert exit_code(found.values()) == 3


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("models", "wanted", "status", "words"), [
    (["a", "b"], "", "warn", "several are served and none is chosen; the first is checked: a, b"),
    (["a", "b"], "b", "ok", "b; served: a, b"),
    (["a"], "x", "warn", "x is not among those served: a"),
    ([f"m{n}" for n in range(11)], "m3", "ok",
     "m3; served: m0, m1, m2, m3, m4, m5, m6, m7 and 3 more"),
])
def test_the_model_that_is_meant_is_named(tmp_path, models, wanted, status, words):
    with FakeServer([reply("ready"), CALL, CODE], models=models) as server:
        found = visit(tmp_path, server, CLINKAI_MODEL=wanted)
        asked = {chat.json["model"] for chat in server.chats}
    assert (found["models"].status, found["models"].detail) == (status, words)
    assert asked == {wanted or models[0]}


def test_a_server_without_models_fails(tmp_path):
    with FakeServer(models=()) as server:
        found = visit(tmp_path, server)
    assert found["models"].status == "fail"
    assert "ollama pull" in found["models"].hint
    assert "completion" not in found


def test_a_server_without_a_list_works_with_a_named_model(tmp_path):
    with FakeServer([reply("ready"), CALL, CODE], models=None) as server:
        named = visit(tmp_path, server, CLINKAI_MODEL="x")
        unnamed = visit(tmp_path, server)
    assert (named["models"].status, named["tools"].status) == ("warn", "ok")
    assert unnamed["models"].status == "fail"


@pytest.mark.parametrize(("n_ctx", "status", "words"), [
    (16384, "ok", ""), (4096, "warn", "-c 32768"), (None, "warn", "-c 32768"),
])
def test_a_small_or_unknown_window_says_which_flag_makes_it_larger(tmp_path, n_ctx, status, words):
    with llamacpp([reply("ready"), CALL, CODE], n_ctx=n_ctx) as server:
        found = visit(tmp_path, server)
    assert found["context"].status == status
    assert words in found["context"].hint


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("provider", "trained", "told", "status", "words"), [
    ("auto", 32768, {}, "ok", "32768 tokens"), ("ollama", 32768, {}, "ok", "32768 tokens"),
    ("auto", 4096, {}, "warn", "4096 tokens"), ("openai", 32768, {}, "warn", "4096 tokens"),
    ("auto", 4096, {"models": [{"name": "other"}]}, "warn",
     "the server does not say; 90.0k tokens are assumed"),
])
def test_ollama_is_spoken_with_as_in_a_run_and_asked_what_it_set_aside(
        tmp_path, provider, trained, told, status, words):
    with FakeServer([reply("ready"), CALL, CODE], ollama=trained) as server:
        if told:
            server.routes["GET /api/ps"] = ok(told)
        if provider == "openai":
            server.loaded["local"] = 4096
        found = visit(tmp_path, server, CLINKAI_PROVIDER=provider)
        path = "/v1/chat/completions" if provider == "openai" else "/api/chat"
        assert [chat.path for chat in server.chats] == [path] * 3
    assert (found["context"].status, found["context"].detail) == (status, words)
    assert ("CLINKAI_CTX_BUDGET" in found["context"].hint) == (status == "warn")
    assert ("OLLAMA_CONTEXT_LENGTH" in found["context"].hint) == (status == "warn")


REJECTS = error(422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"],
                                  "msg": "Extra inputs are not permitted"}]})
BOTH = error(500, {"error": {"message": "Cannot pass both content and thinking in an assistant "
                                        "message with tool calls!"}})


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("id", "words", "script"), [
    ("completion", "rejects the field stream_options", [REJECTS, reply("ready"), CALL, CODE]),
    ("tools", "in one field", [
        reply("ready"), reply("I look.", reasoning="Hm.", calls=[("harbour_code", {"harbour": "north"})]),
        BOTH, CODE]),
])
def test_what_a_run_gets_over_is_told_and_no_failure(tmp_path, id, words, script):
    with llamacpp(script) as server:
        found = visit(tmp_path, server)
    assert {found[check].status for check in SERVER_IDS} == {"ok"}, found
    assert [f.id for f in found.values() if words in f.detail] == [id]


def test_a_server_that_loads_its_model_at_the_first_request_is_told_as_that(tmp_path):
    with llamacpp([error(503, {"error": {"message": "Loading model", "code": 503}})]) as server:
        found = visit(tmp_path, server)
        assert found["completion"].detail == f"{server.base_url} is there and still loads its model"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("owner", "answers", "status", "words"), [
    ("llamacpp", [error(500, {"error": {"message": "tools param requires --jinja flag"}})],
     "fail", "--jinja"),
    ("vllm", [error(400, {"object": "error", "message": '"auto" tool choice requires '
                          "--enable-auto-tool-choice and --tool-call-parser to be set"})],
     "fail", "--enable-auto-tool-choice"),
    ("library", [error(400, {"error": {"message": "local does not support tools"}})],
     "fail", "ollama show"),
    ("llamacpp", [reply('<tool_call>{"name": "harbour_code"'), reply("ready")], "warn", "--jinja"),
    ("vllm", [reply('```json\n{"name": "harbour_code"}'), reply("ready")],
     "warn", "--tool-call-parser"),
    ("llamacpp", [reply("The north harbour is nice."), reply("ready")], "warn", "Small models"),
    ("llamacpp", [reply("", reasoning="Hmm, hmm", finish="length"), reply("ready")],
     "warn", "CLINKAI_MAX_TOKENS"),
    ("llamacpp", [reply(calls=[("harbour_code", {"harbour": "south"})]), CODE], "warn", "larger"),
    ("llamacpp", [reply(calls=[("harbour_codes", {})]), CODE], "warn", "larger"),
    ("llamacpp", [CALL, reply("I cannot know that.")], "warn", "tool results"),
])
def test_a_tool_call_that_fails_names_its_likeliest_cause(tmp_path, owner, answers, status, words):
    with FakeServer([reply("ready"), *answers], owner=owner,
                    ollama=32768 if owner == "library" else None) as server:
        found = visit(tmp_path, server)
    assert found["tools"].status == status, found["tools"]
    assert words in found["tools"].hint
    assert exit_code(found.values()) == (3 if status == "fail" else 0)


def usage(prompt: int, cached: int | None) -> dict:
    details = {} if cached is None else {"prompt_tokens_details": {"cached_tokens": cached}}
    return {"prompt_tokens": prompt, "completion_tokens": 9, **details}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("owner", "cached", "status", "words"), [
    ("llamacpp", 210, "ok", ""), ("llamacpp", 0, "warn", "-ctxcp 0"),
    ("other", 3, "warn", "prefix"),
    ("vllm", None, "warn", "--enable-prompt-tokens-details"),
    ("sglang", None, "warn", "--enable-cache-report"), ("library", None, "ok", ""),
])
def test_a_cache_that_does_not_work_or_is_not_reported_is_seen(tmp_path, owner, cached, status,
                                                               words):
    call = reply(calls=[("harbour_code", {"harbour": "north"})], usage=usage(200, 0))
    with FakeServer([reply("ready"), call, reply("7341", usage=usage(230, cached))], owner=owner,
                    ollama=32768 if owner == "library" else None) as server:
        found = visit(tmp_path, server)
    assert found["cache"].status == status
    assert words in found["cache"].hint


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("keeps", "caps", "shows", "thinks", "told"), [
    ("asked", CAPS, True, True, ("ok", "preserve_thinking", "")),
    ("always", {}, True, True, ("ok", "by the template", "")),
    ("never", CAPS, True, True, ("warn", "left out", "-ctxcp 128")),
    ("never", CAPS, True, False, ("ok", "left out", "")),
    ("never", {}, False, True, ("warn", "each round", "--chat-template-file")),
])
def test_what_becomes_of_thinking_is_told_with_its_cost(tmp_path, keeps, caps, shows, thinks, told):
    script = [reply("ready", reasoning="hm" if thinks else ""), CALL, CODE]
    with FakeServer(script, owner="llamacpp") as server:
        server.props = {"chat_template": "x", "chat_template_caps": caps, "total_slots": 3}
        server.routes["POST /apply-template"] = templates(keeps, shows)
        found = visit(tmp_path, server)
    status, words, hint = told
    assert (found["thinking"].status, words in found["thinking"].detail) == (status, True)
    assert hint in found["thinking"].hint and bool(found["thinking"].hint) == bool(hint)
    assert found["slots"].detail.startswith("3: ")


def test_the_speed_is_told_where_the_server_counts(tmp_path):
    with llamacpp([reply("ready"), CALL, CODE]) as server:
        found = visit(tmp_path, server)
    assert "first word after" in found["completion"].detail


@pytest.mark.slow
def test_a_session_folder_that_cannot_be_made_is_a_fault_of_this_machine(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with llamacpp([reply("ready"), CALL, CODE]) as server:
        found = visit(tmp_path, server, CLINKAI_SESSIONS=str(tmp_path / "file/sessions"))
    assert found["sessions"].status == "fail"
    assert str(tmp_path / "file/sessions") in found["sessions"].detail
    assert exit_code(found.values()) == 2


def test_the_demo_provider_needs_no_server(tmp_path):
    found = visit(tmp_path, "http://127.0.0.1:9/v1", CLINKAI_PROVIDER="demo")
    assert found["server"] == Finding("server", "ok", "the demo provider needs none")
    assert exit_code(found.values()) == 0


def test_keys_are_masked_and_sources_named(tmp_path):
    found = visit(tmp_path, "http://10.1.2.3:9/v1", deadline=0.2, CLINKAI_API_KEY="sk-secret-1")
    assert "sk-secret-1" not in json.dumps(doctor.to_json(found.values()))
    assert "API_KEY=******** (environment)" in found["settings"].detail
    assert found["settings"].status == "warn"
    assert "plain http" in found["settings"].hint


def test_settings_that_cannot_be_read_are_a_finding_too():
    found = doctor.of_bad_settings(UsageError("error.address", value="x"), EN)
    assert [(f.id, f.status) for f in found] == [("python", "ok"), ("settings", "fail")]
    assert exit_code(found) == 2


@pytest.mark.parametrize(("statuses", "code"), [
    ({}, 0), ({"server": "warn", "sandbox": "warn"}, 0), ({"server": "fail"}, 3),
    ({"tools": "fail", "sandbox": "warn"}, 3), ({"sessions": "fail"}, 2),
    ({"sessions": "fail", "server": "fail"}, 2), ({"settings": "fail"}, 2),
])
def test_the_exit_code_says_whose_fault_it_is(statuses, code):
    assert exit_code(Finding(id, status, "") for id, status in statuses.items()) == code


FINDINGS = (Finding("python", "ok", "3.11"), Finding("server", "fail", "gone", "start it"))


def test_json_has_the_checks_and_the_exit_code():
    assert doctor.to_json(FINDINGS) == {
        "checks": [{"id": "python", "status": "ok", "detail": "3.11", "hint": ""},
                   {"id": "server", "status": "fail", "detail": "gone", "hint": "start it"}],
        "exit": 3,
    }


@pytest.mark.parametrize(("lang", "lines"), [
    ("en", ["ok    Python        3.11", "FAIL  Server        gone\n      -> start it", "",
            "Not ready yet: checks that failed: 1 of 2. Mend the first one marked FAIL, then run "
            "doctor again."]),
    ("zh", ["正常  Python        3.11", "失败  服务器        gone\n      -> start it", "",
            "尚未就绪：2 项检查中有 1 项失败。请先解决第一个标为“失败”的项目，再运行 doctor。"]),
])
def test_people_get_a_line_for_each_check_and_a_summary(lang, lines):
    assert doctor.lines(FINDINGS, Strings(lang)) == lines


@pytest.mark.parametrize(("windows", "url", "words"), [
    (Windows("nat", "172.25.96.1"), "http://127.0.0.1:18080/v1", "http://172.25.96.1:18080/v1"),
    (Windows("nat", "172.25.96.1"), "http://localhost/api/v1", "http://172.25.96.1/api/v1"),
    (Windows("mirrored", "127.0.0.1"), "http://127.0.0.1:1234/v1", "http://127.0.0.1:1234/v1"),
    (Windows("shared", "127.0.0.1"), "http://127.0.0.1:1234/v1", "WSL 1"),
    (Windows("unknown", ""), "http://127.0.0.1:1234/v1", "ip route"),
])
def test_under_wsl_the_address_of_windows_is_given(windows, url, words):
    assert all(words in windows_hint(windows, url, Strings(lang)) for lang in ("en", "zh"))


@pytest.mark.slow
def test_a_tool_call_without_end_leaves_time_to_look_at_the_cache(tmp_path):
    endless = Answer([chunk({"content": "and "})] * 3, chunked=True, end="stall")
    again = reply("and", usage=usage(200, 190))
    with llamacpp([reply("ready"), endless, again]) as server:
        findings = visit(tmp_path, server, deadline=4.0)
    assert (findings["tools"].status, findings["cache"].status) == ("warn", "ok")
    assert "190 of 200" in findings["cache"].detail

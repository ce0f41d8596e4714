"""What is asked of a llama.cpp server beside the turns: fields of the session, reading ahead, files."""

from __future__ import annotations

import json
import threading

import pytest

from clinkai.ai.provider import PrefillPart, Provider, Request
from clinkai.core.errors import ContextFull
from clinkai.core.events import Notice, Usage
from clinkai.core.state import State
from clinkai.core.value import replace
from clinkai.harness.warm import UNDER_WAY, Warm
from tests.ai.test_llamacpp import CAPS, TEMPLATE, slots, templates
from tests.harness.agents import DEADLINE, Run
from tests.server import Answer, FakeServer, error, ok, reply


def llama(script, *, keeps="never", caps=(), rows=slots((False, 1)), total=1):
    """A llama.cpp whose template and slots are such."""
    server = FakeServer(script, owner="llamacpp")
    server.props = {"chat_template": TEMPLATE, "chat_template_caps": dict(caps),
                    "total_slots": total}
    server.routes["POST /apply-template"] = templates(keeps)
    server.routes["GET /slots"] = rows
    return server


def records(path) -> list[dict]:
    """Of a session log."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def heads(server) -> set[bytes]:
    """What stands before the messages, in the requests of turns."""
    return {chat.body[:chat.body.index(b'"messages"')] for chat in server.chats}


def opened(tmp_path, server, resume=None, **flags) -> Run:
    """An agent of a conversation, at its prompt."""
    run = Run(tmp_path, base_url=server.base_url, resume=resume, **flags)
    run.agent._ahead = True
    return run


def warmed(run) -> None:
    """Let it read ahead to the end."""
    run.agent._aside._warm.wait(DEADLINE)


# -- fields

@pytest.mark.sampled(2)
@pytest.mark.parametrize(("keeps", "caps", "rows", "total", "flags", "sent"), [
    ("asked", CAPS, slots((False, 1)), 1, {},
     {"chat_template_kwargs": {"preserve_thinking": True}}),
    ("asked", CAPS, slots((False, 1)), 1, {"thinking": "on"},
     {"chat_template_kwargs": {"enable_thinking": True, "preserve_thinking": True}}),
    ("asked", CAPS, slots((False, 1)), 1,
     {"extra_body": '{"chat_template_kwargs": {"preserve_thinking": false}}'},
     {"chat_template_kwargs": {"preserve_thinking": False}}),
    ("never", CAPS, slots((False, 3), (False, 2)), 2, {}, {"id_slot": 1}),
    ("never", {}, slots((False, 1)), 1, {}, {}),
])
def test_a_session_says_the_same_in_every_request_and_when_it_goes_on(
        tmp_path, keeps, caps, rows, total, flags, sent):
    script = [reply("", calls=[("ls", {})]), reply("one"), reply("two"), reply("three")]
    with llama(script, keeps=keeps, caps=caps, rows=rows, total=total) as server:
        with Run(tmp_path, base_url=server.base_url, **flags) as run:
            run.say("first")
            run.say("second")
            path = run.agent.session.path
        server.routes["GET /slots"] = slots((False, 1), (False, 9))  # another would be chosen now
        server.props["chat_template"] = "another"
        with Run(tmp_path, base_url=server.base_url, resume=path, **flags) as run:
            run.say("third")
            assert run.of(Usage)[-1].cause != "settings"
        told = [{k: chat.json.get(k) for k in ("chat_template_kwargs", "id_slot") if k in chat.json}
                for chat in server.chats]
        assert told == [sent] * 4 and len(heads(server)) == 1
    kept = [r["fields"] for r in records(path) if r.get("kind") == "server"]
    assert len(kept) == bool(sent)


@pytest.mark.parametrize("field", ["id_slot", "chat_template_kwargs"])
def test_a_field_that_the_server_rejects_is_left_out_for_good(tmp_path, field):
    refused = error(400, {"error": {"message": f"Unknown parameter: '{field}'", "param": field}})
    script = [refused, reply("one"), reply("two")]
    with llama(script, keeps="asked", caps=CAPS, rows=slots((False, 3), (False, 2)),
               total=2) as server:
        with Run(tmp_path, base_url=server.base_url) as run:
            assert run.say("first").reason == "done"
        with Run(tmp_path, base_url=server.base_url) as run:  # another session
            assert run.say("second").reason == "done"
            assert [n.key for n in run.of(Notice)] == []
        assert [field in chat.json for chat in server.chats] == [True, False, False]


def test_a_session_whose_server_was_down_first_says_what_that_wants(tmp_path):
    with Run(tmp_path, base_url="http://127.0.0.1:9/v1") as run:
        assert run.say("anybody there?").exit == 3
        path = run.agent.session.path
    with llama([reply("yes")], rows=slots((False, 3), (False, 2)), total=2) as server:
        with Run(tmp_path, base_url=server.base_url, resume=path) as run:
            run.say("again")
        assert server.chats[0].json["id_slot"] == 1


# -- how much a message is

@pytest.mark.parametrize(("length", "counted", "asked", "reason"), [
    (40_000, 900, True, "done"), (32_000, 14_000, True, "context"), (400, 1, False, "done"),
    (400_000, 1, False, "context"),
])
def test_a_message_that_may_not_fit_is_counted_by_the_server(tmp_path, length, counted, asked,
                                                             reason):
    text = "word " * (length // 5)
    with llama([reply("ok")]) as server:
        server.routes["POST /tokenize"] = ok({"tokens": [1] * counted})
        with Run(tmp_path, base_url=server.base_url, max_tokens=4000) as run:
            try:
                told = run.say(text).reason
            except ContextFull:
                told = "context"
        assert told == reason
        assert ("/tokenize" in [r.path for r in server.requests]) == asked


# -- reading ahead

def alike(ahead, real) -> bool:
    """True where `real` begins with all of `ahead` but its last message, and differs before the
    messages in the number of tokens only."""
    head, tail = ahead.split(b'"messages":', 1)
    tail = tail[:tail.rindex(b'{"role":"user","content":"?"}')]
    real_head, real_tail = real.split(b'"messages":', 1)
    return head.replace(b'"max_tokens":1,', b'"max_tokens":4096,') == real_head \
        and real_tail.startswith(tail)


THOUGHT = reply("well", reasoning="because")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("keeps", "turn", "after"), [
    ("never", THOUGHT, 1), ("never", reply("no thought"), 0), ("always", THOUGHT, 0),
])
def test_what_comes_next_is_read_while_the_person_types(tmp_path, keeps, turn, after):
    """Before the first message, and after a turn whose thinking the template takes out again."""
    x = reply("x", usage={"prompt_tokens": 700, "prompt_tokens_details": {"cached_tokens": 100}})
    script = [x, turn, *[x] * after, reply("two"), x, reply("three"), reply("four")]
    with llama(script, keeps=keeps) as server:
        with opened(tmp_path, server) as run:
            run.agent.warm_up()
            warmed(run)
            assert server.chats[0].json["max_tokens"] == 1
            run.say("first")
            warmed(run)
            run.say("second")
            run.agent._aside._warm.stop()
            path = run.agent.session.path
            assert [usage.ahead for usage in run.of(Usage)] == [600, 600 * after]
        with opened(tmp_path, server, resume=path) as run:
            run.agent.warm_up()
            warmed(run)
            run.say("third")
            run.say("fourth")
            costs = [(usage.cause, usage.ahead) for usage in run.of(Usage)]
        sent = [chat.body for chat in server.chats]
        real = [body for body in sent if b'"max_tokens":1,' not in body]
        ahead = [n for n, body in enumerate(sent) if body not in real]
        assert ahead == [0, *[2] * after, 3 + after]
        assert all(alike(sent[n], sent[n + 1]) for n in ahead)
        assert costs == [("ahead", 600), ("", 0)]
        kinds = [r["type"] for r in records(path) if r["type"] != "meta"]
        assert kinds == ["init", *["user", "assistant"] * 4]


@pytest.mark.parametrize(("rows", "owner", "flags"), [
    (slots((True, 1)), "llamacpp", {}), (error(501, "off"), "llamacpp", {}),
    (slots((False, 1)), "vllm", {}), (slots((False, 1)), "llamacpp", {"warm_up": False}),
], ids=["busy", "not known", "another server", "off"])
def test_nothing_is_read_ahead(tmp_path, rows, owner, flags):
    with FakeServer([reply("one")], owner=owner) as server:
        server.routes["GET /slots"] = rows
        with opened(tmp_path, server, **flags) as run:
            run.agent.warm_up()
            warmed(run)
            assert server.chats == []
            run.say("first")


def test_a_run_without_a_conversation_reads_nothing_ahead(tmp_path):
    with llama([THOUGHT]) as server, Run(tmp_path, base_url=server.base_url) as run:
        run.say("first")
        warmed(run)
        assert len(server.chats) == 1


def test_reading_ahead_is_cut_when_the_message_is_sent(tmp_path):
    came = threading.Event()
    with llama([Answer([came.set], end="stall"), reply("one")]) as server:
        with opened(tmp_path, server) as run:
            run.agent.warm_up()
            assert came.wait(DEADLINE)
            assert run.say("first").reason == "done"
            assert server.chats[0].gone.wait(DEADLINE)
            assert len(server.chats) == 2


def test_what_was_read_until_it_was_cut_is_counted_once():
    """For the turn that comes next; a cause that is there already stays."""
    read = threading.Event()

    class Reading(Provider):
        def twin(self):
            return self

        def stream(self, request, cancel):
            yield PrefillPart(500, 900, 40, 9)
            read.set()
            assert cancel.wait(DEADLINE)
            cancel.check()

    warm, state = Warm(), State()
    for _ in range(2):
        read.clear()
        warm.start(Reading(), lambda cancel: Request("m", "S", (), (), 1))
        assert read.wait(DEADLINE)
        warm.stop()
    assert warm.told(replace(state, broke="model")) == replace(state, broke="model", ahead=920)
    assert warm.told(state) == state


def test_a_turn_in_another_session_cuts_it_too(tmp_path):
    came = threading.Event()
    with llama([Answer([came.set], end="stall"), reply("one")]) as server:
        with opened(tmp_path, server) as idle, Run(tmp_path, base_url=server.base_url) as run:
            idle.agent.warm_up()
            assert came.wait(DEADLINE)
            run.say("first")
            assert server.chats[0].gone.wait(DEADLINE)
            warmed(idle)
            assert UNDER_WAY == set()


# -- the cache in a file

@pytest.mark.parametrize(("saved", "loaded", "cached", "keys"), [
    (ok({"n_saved": 90}), ok({"n_restored": 90}), 100, []),
    (ok({"n_saved": 90}), ok({"n_restored": 90}), 0, ["notice.kv.unproved"]),
    (error(501, {"error": {"message": "no folder"}}), error(400, {"error": {"message": "gone"}}), 0,
     ["notice.kv.restore"]),
])
def test_the_cache_is_kept_when_a_session_is_closed(tmp_path, saved, loaded, cached, keys):
    def counts(prompt, cached):
        return {"prompt_tokens": prompt, "completion_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": cached}}

    with llama([reply("one", usage=counts(100, 0)), reply("two", usage=counts(130, cached)),
                reply("three", usage=counts(160, 134))]) as server:
        server.routes["POST /slots/0?action=save"] = saved
        server.routes["POST /slots/0?action=restore"] = loaded
        events = []
        with Run(tmp_path, base_url=server.base_url, kv_save=True) as run:
            run.say("first")
            path, sid = run.agent.session.path, run.agent.sid
        assert [n.key for n in run.of(Notice)] == ["notice.kv.save"] * (saved.status != 200)
        with Run(tmp_path, base_url=server.base_url, kv_save=True, resume=path) as run:
            run.say("second")
            run.say("third")
            events = [n.key for n in run.of(Notice) if n.key.startswith("notice.kv")]
        files = [(r.path, r.json) for r in server.requests if r.path.startswith("/slots/")]
        name = {"filename": f"clinkai-{sid}.bin"}
        assert events[:len(keys)] == keys
        assert files == [(f"/slots/0?action={act}", name) for act in ("save", "restore", "save")]

"""What llama.cpp offers beside answering, asked for once and only where it is llama.cpp."""

from __future__ import annotations

import pytest

from clinkai.ai.learned import Learned
from clinkai.ai.llamacpp import KEEP, NEXT, RESULT, TURN, WHY, Props, read_props
from clinkai.ai.openai import OpenAIClient
from clinkai.ai.provider import Request
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import ModelServerError
from clinkai.core.messages import Message
from clinkai.core.state import Sampling
from tests.server import FakeServer, error, ok

CAPS = {"supports_preserve_reasoning": True}
TEMPLATE = "{{ messages }}"


def templates(keeps, shows=True, honest=True):
    """What answers /apply-template: keeps old thinking always, where it is asked to, or never."""
    def answer(request):
        body = request.json
        asked = body.get("chat_template_kwargs", {}).get("preserve_thinking", False)
        last = max(n for n, m in enumerate(body["messages"]) if m["role"] == "user")
        out = []
        for n, message in enumerate(body["messages"]):
            why = message.get("reasoning_content", "") if shows else ""
            if not (n > last or keeps == "always" or keeps == "asked" and asked):
                why = ""
            out.append(f"<{message['role']}>{why}{message['content']}")
        more = "<assistant>" if body.get("add_generation_prompt", True) else ""
        return ok({"prompt": "".join(out) + more})
    return answer


def known(server, learned=None):
    client = OpenAIClient(Transport(server.base_url), "local", learned)
    client.ready(Cancel())
    return client


@pytest.mark.parametrize(("told", "head", "props"), [
    ({"default_generation_settings": {"n_ctx": 4096}, "total_slots": 3}, "llama.cpp",
     Props(4096, 3, certain=True)),
    ({"default_generation_settings": {"n_ctx": 0}, "build_info": "b1"}, "nginx",
     Props(certain=True)),
    ({"default_generation_settings": {}, "total_slots": True, "chat_template": 7,
      "chat_template_caps": [], "modalities": {"vision": "no"}}, "", Props()),
    ({"default_generation_settings": {}, "chat_template_caps": CAPS,
      "modalities": {"vision": True}}, "KoboldCpp", Props(sees=True, preserves=True)),
    ({"default_generation_settings": 1}, "llama.cpp", None), ([], "llama.cpp", None),
    ({}, "", None), (None, "", None),
])
def test_what_its_page_says(told, head, props):
    assert read_props(told, head) == props


def test_one_question_tells_all_of_it():
    with FakeServer(owner="llamacpp", n_ctx=8192, sees=True) as server:
        server.props = {"total_slots": 2}
        client = known(server)
        assert (client.kind, client.window(Cancel()), client.vision(Cancel()),
                client.extras.slots, client.extras.reads_ahead) == ("llama.cpp", 8192, True, 2, True)
        assert [r.path for r in server.requests] == ["/props"]


@pytest.mark.parametrize(("owner", "routes", "learned", "asked", "kind", "then"), [
    ("llamacpp", {}, "", ["/props"], "llama.cpp", ""),
    ("vllm", {}, "", ["/props", "/v1/models"], "vllm", "vllm"),
    ("vllm", {}, "vllm", ["/v1/models"], "vllm", "vllm"),
    ("llamacpp", {}, "vllm", ["/v1/models"], "llama.cpp", ""),
    ("llamacpp", {"GET /props": error(401, "no")}, "", ["/props", "/v1/models"], "llama.cpp", ""),
    ("llamacpp", {"GET /props": ok([])}, "", ["/props", "/v1/models"], "llama.cpp", ""),
])
def test_a_server_is_asked_first_what_it_was_last_time(owner, routes, learned, asked, kind, then):
    with FakeServer(owner=owner) as server:
        server.routes.update(routes)
        memory = Learned(kind=learned)
        client = known(server, memory)
        client.ready(Cancel())
        assert ([r.path for r in server.requests], client.kind, memory.kind) == (asked, kind, then)


@pytest.mark.parametrize(("caps", "template", "verdict", "fields"), [
    (CAPS, templates("asked"), "kept", (KEEP,)),
    (CAPS, templates("always"), "kept", (KEEP,)),
    (CAPS, templates("never"), "stripped", ()),
    ({}, templates("asked"), "stripped", ()),
    ({}, templates("always"), "kept", ()),
    ({}, templates("always", shows=False), "unseen", ()),
    (CAPS, error(500, "no such template"), "", ()),
    (CAPS, ok({"prompt": 7}), "", ()),
    (CAPS, ok({"prompt": "the same for all"}), "", ()),
])
def test_whether_thinking_is_kept_is_proved_once(caps, template, verdict, fields):
    with FakeServer(owner="llamacpp") as server:
        server.props = {"chat_template": TEMPLATE, "chat_template_caps": caps}
        server.routes["POST /apply-template"] = template
        memory = Learned()
        for _ in range(2):
            extras = known(server, memory).extras
            told = (extras.thinking(Cancel()), extras.session_fields("s", Cancel()))
            assert told == (verdict, fields)
        proofs = [r.json["messages"] for r in server.requests if r.path == "/apply-template"]
        assert not verdict or proofs == [list(TURN), list(TURN + NEXT)]
        assert set(memory.templates.values()) == ({verdict} if verdict else set())
        assert (WHY in str(TURN), RESULT in str(TURN)) == (True, True)


def slots(*rows):
    return ok([{"id": n, "is_processing": busy, **({} if task is None else {"id_task": task})}
               for n, (busy, task) in enumerate(rows)])


@pytest.mark.parametrize(("total", "rows", "rejects", "slot"), [
    (1, slots((False, None)), (), None),
    (3, slots((False, 5), (False, 2), (False, 9)), (), 1),
    (3, slots((False, 5), (False, None), (False, 9)), (), 1),
    (3, slots((True, 1), (False, 9), (False, 7)), (), 2),
    (2, slots((True, 8), (True, 3)), (), 1),
    (2, slots((False, 8), (False, 3)), ("id_slot",), None),
    (4, error(501, {"error": {"message": "no slots page"}}), (), 2),
    (4, ok({}), (), 2),
])
def test_a_conversation_has_a_slot_of_its_own(total, rows, rejects, slot):
    with FakeServer(owner="llamacpp") as server:
        server.props = {"total_slots": total}
        server.routes["GET /slots"] = rows
        extras = known(server, Learned(rejects)).extras
        chosen = [extras.session_fields("20260101-000000-ab", Cancel()) for _ in range(2)]
        assert chosen == [() if slot is None else (("id_slot", slot),)] * 2


@pytest.mark.parametrize(("rows", "slot", "idle"), [
    (slots((False, 1)), None, True), (slots((True, 1)), None, False),
    (slots((True, 1), (False, 2)), None, True), (slots((True, 1), (False, 2)), 0, False),
    (slots((True, 1), (False, 2)), 1, True), (slots((False, 1)), 4, False),
    (error(501, "none"), None, False), (ok([7, {"id": 0}]), 0, False),
])
def test_a_slot_is_idle_only_where_the_server_says_so(rows, slot, idle):
    with FakeServer(owner="llamacpp") as server:
        server.routes["GET /slots"] = rows
        assert known(server).extras.idle(slot, Cancel()) is idle


THOUGHT = (Message("user", "a"), Message("assistant", "", reasoning="hm"),
           Message("tool", "c", call_id="1", name="ls"))
LATER = (Message("assistant", "d"), Message("user", "e"))


@pytest.mark.parametrize(("template", "extra", "count", "alike"), [
    (templates("never"), (), 3, False), (templates("never"), (), 1, True),
    (templates("always"), (), 3, True), (templates("asked"), (), 3, False),
    (templates("asked"), (KEEP,), 3, True), (error(404, "no"), (), 3, None), (ok({}), (), 3, None),
])
def test_whether_earlier_messages_are_rendered_as_before(template, extra, count, alike):
    request = Request("m", "S", ({"name": "ls"},), THOUGHT + LATER, 9, sampling=Sampling(extra=extra))
    with FakeServer(owner="llamacpp") as server:
        server.routes["POST /apply-template"] = template
        assert known(server).extras.alike(request, count, Cancel()) is alike
        asked = [r.json for r in server.requests if r.path == "/apply-template"]
    assert [len(body["messages"]) for body in asked] == ([count + 1, 6] if alike is not None else [4])
    assert asked[0]["tools"] == [{"name": "ls"}]


def test_texts_are_counted_and_slots_kept_in_files():
    with FakeServer(owner="llamacpp") as server:
        server.routes["POST /tokenize"] = lambda request: ok(
            {"tokens": list(range(len(request.json["content"].split())))})
        server.routes["POST /slots/1?action=save"] = ok({"n_saved": 84})
        server.routes["POST /slots/1?action=restore"] = ok({"n_restored": 84})
        extras = known(server).extras
        assert extras.count("one two three", Cancel()) == 3
        assert extras.save(1, "a.bin", Cancel()) == extras.restore(1, "a.bin", Cancel()) == 84
        assert server.requests[-1].json == {"filename": "a.bin"}
        with pytest.raises(ModelServerError):
            extras.save(0, "a.bin", Cancel())


def test_a_twin_sends_the_same_bytes_and_disturbs_nothing():
    from tests.ai.chat import request
    from tests.server import reply

    with FakeServer([reply("one"), reply("two")], owner="llamacpp") as server:
        client = known(server)
        for each in (client, client.twin()):
            list(each.stream(request(), Cancel()))
        first, second = (chat.body for chat in server.chats)
        assert first == second and b"return_progress" in first

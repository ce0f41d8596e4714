"""Images: in, kept, sent over each wire, and what becomes of them when they cannot be sent."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.errors import RequestRefused, SessionError, UsageError
from clinkai.core.events import MsgImages, Notice
from clinkai.core.messages import Image, Message
from clinkai.core.state import State, fold
from clinkai.harness import images
from clinkai.harness.session import read_log
from clinkai.loop.size import IMAGE, message_tokens
from tests.harness.agents import Run, extends
from tests.harness.wires import WIRES, server, spoken
from tests.server import FakeServer, error, reply

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAA"
                       "AABJRU5ErkJggg==")
GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;"
SHA = hashlib.sha256(PNG).hexdigest()
GONE = "[An image (image/png) stood here; it is not available any more.]"


def told(wire: str, text: str, *shown: tuple[str, bytes]) -> dict:
    """The user's message as that wire has it."""
    data = [(mime, base64.b64encode(image).decode()) for mime, image in shown]
    part = {"type": "text", "text": text}
    if wire == "ollama":
        return {"role": "user", "content": text, "images": [b64 for _, b64 in data]}
    if wire == "anthropic":
        return {"role": "user", "content": [part, *(
            {"type": "image", "source": {"type": "base64", "media_type": m, "data": b64}}
            for m, b64 in data)]}
    return {"role": "user", "content": [part, *(
        {"type": "image_url", "image_url": {"url": f"data:{m};base64,{b64}"}} for m, b64 in data)]}


def show(run: Run, text: str, *pictures: bytes):
    run.agent.submit(text, pictures)
    return run.agent.wait(60)


def side(run: Run) -> str:
    return run.agent.session.path.removesuffix(".jsonl") + ".d"


@pytest.mark.parametrize("wire", WIRES)
def test_an_image_goes_over_the_wire_and_is_the_same_after_a_resume(tmp_path, wire):
    script = [reply("", calls=[("ls", {})]), reply("a dot"), reply("yes"), reply("still")]
    with server(wire, script, sees=True) as fake:
        with Run(tmp_path, **spoken(wire, fake)) as run:
            assert show(run, "what is \"this\"?", PNG, GIF).reason == "done"
            assert show(run, "and again?", PNG).reason == "done"
            path = run.agent.session.path
            assert sorted(os.listdir(side(run))) == sorted({SHA, hashlib.sha256(GIF).hexdigest()})
        with Run(tmp_path, **spoken(wire, fake), resume=path) as run:
            run.say("sure?")
        sent = [chat.body for chat in fake.chats]
        asked = [m for m in fake.chats[-1].json["messages"] if m["role"] == "user"]
    assert [extends(*pair) for pair in zip(sent, sent[1:])] == [True] * 3
    spoken_first = told(wire, "what is \"this\"?", ("image/png", PNG), ("image/gif", GIF))
    assert asked[0] == spoken_first
    assert told(wire, "and again?", ("image/png", PNG)) in asked


def test_the_record_and_the_event_name_the_image(tmp_path):
    with FakeServer([reply("a dot")]) as fake, Run(tmp_path, base_url=fake.base_url) as run:
        show(run, "what?", PNG)
        run.agent.close()
        records = read_log(run.agent.session.path).records
        entry = {"sha": SHA, "mime": "image/png", "size": len(PNG)}
        assert [r["images"] for r in records if r["type"] == "user"] == [[entry]]
        assert run.of(MsgImages) == [MsgImages(run.events[1].mid, [entry])]
        assert [e.type for e in run.events[:5]] == [
            "run.start", "msg.start", "msg.images", "delta", "msg.end"]
        assert run.bodies[2]["images"] == [entry]


@pytest.mark.parametrize(("damage", "settings", "notice"), [
    (os.unlink, {}, "notice.image.lost"),
    (lambda path: Path(path).write_bytes(GIF), {}, "notice.image.lost"),
    (str, {"vision": "off"}, "notice.image.off"),
], ids=["gone", "changed", "vision off"])
def test_an_image_that_cannot_be_sent_any_more_becomes_a_text_for_good(
        tmp_path, damage, settings, notice):
    with FakeServer([reply("one"), reply("two"), reply("three")]) as fake:
        def run_on(resume=None, **flags):
            return Run(tmp_path, base_url=fake.base_url, resume=resume, **flags)
        with run_on() as run:
            show(run, "what?", PNG)
            path, kept = run.agent.session.path, os.path.join(side(run), SHA)
        damage(kept)
        with run_on(path, **settings) as run:
            assert run.say("go on").reason == "done"
            assert run.of(Notice) == [Notice("warn", notice, {"n": 1})]
        with open(kept, "wb") as file:
            file.write(PNG)
        with run_on(path) as run:
            assert run.say("again").reason == "done"
            assert run.of(Notice) == []
        sent = [chat.body for chat in fake.chats]
        assert fake.chats[1].json["messages"][1] == {"role": "user", "content": f"what?\n\n{GONE}"}
    assert [extends(*pair) for pair in zip(sent, sent[1:])] == [False, True]


def test_an_image_that_is_lost_while_the_session_runs_is_an_error_with_advice(tmp_path):
    with FakeServer([reply("one"), reply("two")]) as fake:
        with Run(tmp_path, base_url=fake.base_url, status="ephemeral") as run:
            show(run, "what?", PNG)
            os.unlink(os.path.join(side(run), SHA))
            end = run.say("go on")
            assert (end.reason, end.exit) == ("error", 2) and "--resume auto" in end.detail
            assert show(run, "here it is again", PNG).reason == "done"
            assert told("openai", "what?", ("image/png", PNG)) in fake.chats[1].json["messages"]


BLIND = [("openai", {"sees": False}, "auto", RequestRefused, "error.image.blind"),
         ("anthropic", {"sees": False}, "auto", RequestRefused, "error.image.blind"),
         ("ollama", {}, "auto", RequestRefused, "error.image.blind"),
         ("openai", {"sees": True}, "off", UsageError, "error.image.off")]


@pytest.mark.parametrize(("wire", "options", "vision", "kind", "key"), BLIND)
def test_no_image_is_sent_to_a_model_that_is_known_not_to_see(
        tmp_path, wire, options, vision, kind, key):
    with server(wire, **options) as fake:
        with Run(tmp_path, **spoken(wire, fake), vision=vision) as run:
            with pytest.raises(kind) as refused:
                show(run, "what?", PNG)
            assert (refused.value.key, run.agent.sid, fake.chats) == (key, "", [])


def test_an_image_is_sent_where_the_setting_says_so_and_a_refusal_loses_nothing(tmp_path):
    no = error(500, {"error": {"code": 500, "message": "image input is not supported - hint: ..."}})
    with FakeServer([no, reply("a dot")], sees=False) as fake:
        with Run(tmp_path, base_url=fake.base_url, vision="on") as run:
            end = show(run, "what?", PNG)
            assert (end.reason, end.exit) == ("error", 3) and "--mmproj" in end.detail
            path = run.agent.session.path
        with Run(tmp_path, base_url=fake.base_url, resume=path) as run:
            assert run.say("now you can see").reason == "done"
        assert extends(*(chat.body for chat in fake.chats))


@pytest.mark.parametrize(("data", "mime"), [
    (PNG, "image/png"), (GIF, "image/gif"), (b"GIF87a...", "image/gif"),
    (b"\xff\xd8\xff\xe0\x00\x10JFIF", "image/jpeg"), (b"\xff\xd8\xff\xdb", "image/jpeg"),
    (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"), (b"RIFF\x10\x00\x00\x00WAVE", ""),
    (b"<svg/>", ""), (b"BM\x00", ""), (b"\x89PNG", ""), (b"", ""), (b"%PDF-1.7", ""),
])
def test_an_image_is_known_by_its_first_bytes(data, mime):
    assert images.mime_of(data) == mime


@pytest.mark.parametrize(("name", "content", "key"), [
    ("text.png", b"only text", "error.image.kind"), ("empty.png", b"", "error.image.kind"),
    ("large.txt", "large", "error.image.large"),
    ("none.png", None, "error.image.file"), (".", None, "error.image.kind"),
    ("\0", None, "error.image.file"),
])
def test_what_is_no_image_that_can_be_sent_is_refused(tmp_path, name, content, key):
    path = f"{tmp_path}/{name}"
    if content == "large":
        content = PNG + bytes(images.LIMIT)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError) as refused:
        images.load(path)
    assert refused.value.key == key
    for say in map(Strings, ("en", "zh")):
        assert refused.value.text(say) and refused.value.advice(say)


def test_the_largest_image_is_taken_whatever_its_name(tmp_path):
    data = PNG + bytes(images.LIMIT - len(PNG))
    (tmp_path / "large.txt").write_bytes(data)
    assert images.load(str(tmp_path / "large.txt")) == data
    assert len(base64.b64encode(data)) == 5 * 1024 * 1024


def test_an_image_is_some_tokens_whatever_its_bytes():
    plain = message_tokens(Message("user", "what?"))
    two = (Image(SHA, "image/png", 9_000_000),) * 2
    assert message_tokens(Message("user", "what?", images=two)) == plain + 2 * IMAGE


@pytest.mark.parametrize("shown", [
    [{"sha": "../../../../etc/passwd", "mime": "image/png"}], [{"sha": SHA.upper(), "mime": "i"}],
    [{"sha": SHA}], [{"sha": SHA, "mime": 5}], [5], 5,
])
def test_a_record_with_images_that_make_no_sense_is_no_record(shown):
    with pytest.raises(SessionError):
        fold([{"type": "user", "content": "x", "images": shown}])


def test_what_an_image_is_kept_as_needs_no_size():
    record = {"type": "user", "content": "x", "images": [{"sha": SHA, "mime": "image/png"}]}
    assert fold([record], State()).messages == (
        Message("user", "x", images=(Image(SHA, "image/png"),)),)


def test_the_stand_in_says_that_it_cannot_see(tmp_path):
    with Run(tmp_path, wire="demo") as run:
        show(run, "list the files in .", PNG)
        assert run.agent.session.state.messages[-1].content.startswith("I am a script and cannot")

"""Which model answers, and how the choice is kept."""

from __future__ import annotations

import json
import os

import pytest

from clinkai.core.errors import UsageError
from clinkai.harness.models import FILE, Choice, choose_model, remembered, used_by


def never(*_: object):
    raise AssertionError("asked without need")


def keep(home, model: str) -> None:
    (home / FILE).write_text(json.dumps({"v": 1, "model": model}))


CHOICES = [
    # wanted, kept, served, asked -> model
    ("set", "last", never, never, "set"),
    ("", "last", lambda: ("a", "last"), never, "last"),
    ("", "gone", lambda: ("only",), never, "only"),
    ("", "", lambda: ("only",), None, "only"),
    ("", "gone", lambda: ("a", "b"), lambda models: models[1], "b"),
]


@pytest.mark.parametrize(("wanted", "kept", "served", "ask", "model"), CHOICES)
def test_the_order_of_choosing(tmp_path, wanted, kept, served, ask, model):
    if kept:
        keep(tmp_path, kept)
    assert choose_model(wanted, str(tmp_path), served, ask) == Choice(model)


def test_what_a_person_chose_is_kept(tmp_path):
    choose_model("", str(tmp_path), lambda: ("a", "b"), lambda models: "b")
    assert remembered(str(tmp_path)) == ("b", ())
    assert os.listdir(tmp_path) == [FILE]


@pytest.mark.parametrize(("served", "key"), [
    ((), "setting.error.no_models"), (("a", "b"), "setting.error.which_model"),
])
def test_with_nobody_to_ask_it_is_an_error_that_lists_them(tmp_path, served, key):
    with pytest.raises(UsageError) as caught:
        choose_model("", str(tmp_path), lambda: served, None)
    assert caught.value.key == key
    assert caught.value.params.get("models", "") == ", ".join(served)


SESSION = b'{"v":1,"seq":1,"ts":1.5,"type":"init","workspace":"/w","model":"a","provider":"demo"}\n'
LATER = b'{"v":1,"seq":9,"ts":1.5,"type":"meta","kind":"model","model":"b","provider":"openai"}\n'
TALK = b'{"v":1,"seq":2,"ts":1.5,"type":"user","content":"\\"kind\\":\\"model\\""}\n'


@pytest.mark.parametrize(("content", "used"), [
    (SESSION, ("demo", "a")),
    (SESSION + TALK + LATER + TALK, ("openai", "b")),
    (SESSION + LATER[:60], ("demo", "a")),
    (b"", ("", "")),
])
def test_a_session_names_the_model_it_used_last(tmp_path, content, used):
    (tmp_path / "s.jsonl").write_bytes(content)
    assert used_by(str(tmp_path / "s.jsonl")) == used


def test_a_session_that_cannot_be_read_names_none(tmp_path):
    assert used_by(str(tmp_path / "missing.jsonl")) == ("", "")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"model": 3}', b"\xff\xfe", b"null"])
def test_a_damaged_file_is_a_notice(tmp_path, content):
    (tmp_path / FILE).write_bytes(content)
    choice = choose_model("", str(tmp_path), lambda: ("only",), None)
    keys = [key for key, _ in choice.notices]
    assert (choice.model, keys) == ("only", ["setting.notice.model_damaged"])


def test_a_choice_that_cannot_be_kept_is_a_notice(tmp_path):
    missing = str(tmp_path / "nowhere")
    choice = choose_model("", missing, lambda: ("a", "b"), lambda models: "a")
    keys = [key for key, _ in choice.notices]
    assert (choice.model, keys) == ("a", ["setting.notice.model_not_kept"])

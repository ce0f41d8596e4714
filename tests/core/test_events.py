from __future__ import annotations

import json

import pytest

from clinkai.core import events
from clinkai.core.events import (
    EVENTS, KEPT, MsgEnd, Notice, ToolOut, from_json, kept_fields, record_of, to_json,
)

ENVELOPE = {"v": 1, "sid": "s", "rid": "r", "ts": 1.5}


def made(name: str) -> events.Event:
    """An event of that type with a value in each field."""
    cls = EVENTS[name]
    return cls(**{field: f"<{field}>" for field in cls.fields if field != "record"})


def test_the_type_of_an_event_is_its_class_name_with_dots():
    words = {name: "".join(part.capitalize() for part in name.split(".")) for name in EVENTS}
    assert words == {name: cls.__name__ for name, cls in EVENTS.items()}


def test_the_union_is_closed():
    assert {cls for cls in events.Event.__subclasses__()} == set(EVENTS.values())


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_every_event_survives_json(name):
    event = made(name)
    body = json.loads(json.dumps(to_json(event, "s", "r", 1.5)))
    assert from_json(body) == event
    assert body == {**ENVELOPE, "type": name, **{f: f"<{f}>" for f in event.fields if f != "record"}}


@pytest.mark.parametrize(("event", "record"), [
    (ToolOut("c", 0, "x"), None),
    (MsgEnd("m", "stop", 0, {"type": "user", "content": "x"}), {"type": "user", "content": "x"}),
    (MsgEnd("m", "stop", 0), None),
    (Notice("info", "k", {}), {"type": "meta", "kind": "notice", "level": "info", "key": "k", "params": {}}),
])
def test_what_the_log_keeps_of_an_event(event, record):
    assert record_of(event) == record


@pytest.mark.parametrize("name", sorted(KEPT))
def test_what_the_log_keeps_gives_the_event_back(name):
    event = made(name)
    record = json.loads(json.dumps(record_of(event)))
    assert (record["type"], record["kind"]) == ("meta", name)
    assert kept_fields(record) == {field: f"<{field}>" for field in event.fields}


def test_a_record_never_leaves_the_process():
    assert "record" not in to_json(MsgEnd("m", "stop", 0, {"type": "user"}), "s", "r", 0)

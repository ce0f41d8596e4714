"""A log as events: the same shapes as live, read from the end, in pages."""

from __future__ import annotations

import json

import pytest

from clinkai.core.events import from_json, record_of
from clinkai.ui.web import replay


def write(path, records) -> str:
    lines = []
    for seq, record in enumerate(records, 1):
        if isinstance(record, bytes):
            lines.append(record)
        else:
            lines.append(json.dumps({"v": 1, "seq": seq, "ts": seq + 0.5, **record}, separators=(",", ":")).encode())
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return str(path)


def events(records: list[dict], *, unanswered: bool = False) -> list[dict]:
    numbered = tuple({"v": 1, "seq": n, "ts": n + 0.5, **record} for n, record in enumerate(records, 1))
    bodies = replay.events(numbered, "s1", lambda name, args: f"{name}!{args.get('path', '')}", unanswered=unanswered)
    return [{k: v for k, v in body.items() if k not in ("v", "sid", "rid", "ts", "seq")} for body in bodies]


INIT = {"type": "init", "workspace": "/ws"}
ASKED = {"type": "user", "content": "go"}
CALLED = {"type": "assistant", "content": "Yes.", "reasoning": "hm", "reasoning_field": "reasoning",
          "finish": "tool_calls", "tool_calls": [{"id": "c1", "name": "read", "arguments": '{"path":"a"}'}]}
RESULT = {"type": "tool", "call_id": "c1", "name": "read", "ok": True, "decision": "allow",
          "content": "1 x\n2 y", "ms": 4}
DONE = {"type": "assistant", "content": "Done.", "tool_calls": [], "finish": "stop"}

SAID = [{"type": "msg.start", "mid": "s2", "role": "user"},
        {"type": "delta", "mid": "s2", "ch": "text", "off": 0, "s": "go"},
        {"type": "msg.end", "mid": "s2", "finish": "", "think_ms": 0}]
START = {"type": "tool.start", "call": "c1", "name": "read", "args": {"path": "a"}, "risk": "low", "title": "read!a"}


def test_a_turn_becomes_the_events_it_was():
    assert events([INIT, ASKED, CALLED, RESULT, DONE]) == [
        *SAID,
        {"type": "msg.start", "mid": "s3", "role": "assistant"},
        {"type": "delta", "mid": "s3", "ch": "think", "off": 0, "s": "hm"},
        {"type": "delta", "mid": "s3", "ch": "text", "off": 0, "s": "Yes."},
        {"type": "msg.end", "mid": "s3", "finish": "tool_calls", "think_ms": 0},
        START,
        {"type": "tool.out", "call": "c1", "off": 0, "s": "1 x\n2 y"},
        {"type": "tool.end", "call": "c1", "ok": True, "exit": None, "ms": 4, "lines": 2, "cut": False,
         "diff": None, "decision": "allow"},
        {"type": "msg.start", "mid": "s5", "role": "assistant"},
        {"type": "delta", "mid": "s5", "ch": "text", "off": 0, "s": "Done."},
        {"type": "msg.end", "mid": "s5", "finish": "stop", "think_ms": 0},
    ]


def test_images_stand_in_the_message_they_came_with():
    images = [{"sha": "0" * 64, "mime": "image/png", "size": 70}]
    assert events([INIT, {**ASKED, "images": images}]) == [
        SAID[0], {"type": "msg.images", "mid": "s2", "images": images}, *SAID[1:]]


def test_the_envelope_names_the_record():
    body = replay.events(({"v": 1, "seq": 9, "ts": 3.0, **DONE},), "s1", lambda *_: "", unanswered=False)[0]
    assert body == {"v": 1, "type": "msg.start", "sid": "s1", "rid": "", "ts": 3.0, "seq": 9, "mid": "s9",
                    "role": "assistant"}


@pytest.mark.parametrize(("kind", "fields"), [
    ("usage", {"n": 1, "prompt": 9, "cached": 3, "hit": 33.3, "out": 2, "pp_tps": None, "tg_tps": None,
               "ttft_ms": 1, "ctx": 11, "ctx_max": 100, "lost": 2, "cause": "lost", "proof": "1:a",
               "of": "", "ahead": 0}),
    ("archived", {"stays": 3, "text": "[..]", "summary": "s", "before": 9, "after": 4, "ms": 5, "failed": ""}),
    ("window", {"stays": 3, "text": "[..]", "summary": "", "before": 9, "after": 4}),
    ("notice", {"level": "warn", "key": "notice.model", "params": {"model": "m"}}),
    ("approval.open", {"aid": "a1", "call": "c1", "kind": "bash", "title": "t", "command": "rm x", "path": None,
                       "diff": None, "cwd": "/ws", "risk": "high", "rule": None, "digest": "d"}),
    ("run.end", {"reason": "done", "detail": "", "exit": 0, "denied": 0, "times": {}}),
])
def test_kept_events_come_back_as_they_were(kind, fields):
    record = {**record_of(from_json({"type": kind, **fields})), "added_later": 1}
    assert events([record]) == [{"type": kind, **fields}]


def test_unknown_kinds_are_left_out_and_records_that_make_no_sense_are_told():
    strange = {"type": "tool", "call_id": "c9"}
    assert events([INIT, {"type": "meta", "kind": "before", "path": "a"}, strange]) == [
        {"type": "notice", "level": "error", "key": "web.log.bad", "params": {"n": 1}},
    ]


@pytest.mark.parametrize(("finish", "key"), [("length", "notice.ask.continue"), ("error", "notice.ask.broken")])
def test_an_answer_that_was_continued_is_one_message(finish, key):
    cut = {**DONE, "content": "Hel", "finish": finish, "reasoning": "hm"}
    again = {"type": "user", "content": "Go on.", "auto": key}
    bodies = events([cut, again, {**DONE, "content": "lo", "reasoning": "so"}])
    assert [(b["mid"], b["ch"], b["off"], b["s"]) for b in bodies if b["type"] == "delta"] == [
        ("s1", "think", 0, "hm"), ("s1", "text", 0, "Hel"), ("s2", "text", 0, "Go on."), ("s1", "think", 2, "so"),
        ("s1", "text", 3, "lo"),
    ]
    assert [b["role"] for b in bodies if b["type"] == "msg.start"] == ["assistant", "auto", "assistant"]


@pytest.mark.parametrize(("unanswered", "expected"), [(True, [START]), (False, [])])
def test_a_call_without_a_result_is_shown_as_begun(unanswered, expected):
    assert events([CALLED], unanswered=unanswered)[4:] == expected


def test_the_newest_records_are_read_and_the_older_ones_page_by_page(tmp_path):
    turns = [record for _ in range(20) for record in (ASKED, DONE)]
    path = write(tmp_path / "log", [INIT, *turns])
    newest = replay.page(path, None, 10)
    assert ([r["seq"] for r in newest.records], newest.more) == (list(range(32, 42)), True)
    older = replay.page(path, 32, 25)
    assert ([r["seq"] for r in older.records], older.more) == (list(range(7, 32)), True)
    oldest = replay.page(path, 7, 25)
    assert ([r["seq"] for r in oldest.records][-1], oldest.more) == (6, False)
    assert replay.page(path, 2, 5).more is False


def test_a_page_begins_with_a_message_that_is_no_result(tmp_path):
    path = write(tmp_path / "log", [INIT, ASKED, CALLED, RESULT, RESULT, RESULT])
    assert [r["seq"] for r in replay.page(path, None, 2).records] == [3, 4, 5, 6]


def test_a_page_ends_where_only_the_first_record_is_left(tmp_path):
    path = write(tmp_path / "log", [INIT, ASKED])
    assert replay.page(path, None, 1).more is False


def test_lines_longer_than_a_block_and_beyond_ascii_are_whole(tmp_path):
    long = {**DONE, "content": "é漢😀" * replay.BLOCK}
    path = write(tmp_path / "log", [INIT, long, ASKED])
    assert replay.page(path, None, 9).records[1]["content"] == long["content"]


@pytest.mark.parametrize(("tail", "seqs"), [
    (b"", [1, 2]), (b'{"v":1,"seq":3,"type":"us', [1, 2]), (b"x" * 600_000, [1, 2]),
])
def test_a_torn_last_line_is_left_out(tmp_path, tail, seqs):
    path = tmp_path / "log"
    write(path, [INIT, ASKED])
    path.write_bytes(path.read_bytes() + tail)
    page = replay.page(str(path), None, 9)
    assert ([r["seq"] for r in page.records], page.bad) == (seqs, 0)


def test_lines_that_are_no_records_are_counted(tmp_path):
    path = write(tmp_path / "log", [INIT, b"not json", b"[1]", b'{"no":"type"}', ASKED])
    page = replay.page(path, None, 9)
    assert ([r["type"] for r in page.records], page.bad) == (["init", "user"], 3)


@pytest.mark.parametrize("content", [b"", b"\n", b"no end"])
def test_an_empty_log_has_no_records(tmp_path, content):
    (tmp_path / "log").write_bytes(content)
    assert replay.page(str(tmp_path / "log"), None, 9).records == ()


@pytest.mark.parametrize(("rewinds", "shown"), [
    ({}, [1, 2, 3, 4, 5, 6, 7, 8]), ({7: 3}, [1, 2, 3, 7, 8]), ({4: 2, 7: 3}, [1, 2, 3, 7, 8]),
    ({4: 2, 7: 5}, [1, 2, 4, 5, 7, 8]), ({8: 6}, [1, 2, 3, 4, 5, 6, 8]), ({7: 9}, [1, 2, 3, 4, 5, 6, 7, 8]),
])
def test_branches_that_were_left_are_not_shown(tmp_path, rewinds, shown):
    """rewinds: the records that go back, and to which."""
    records = [INIT, *[ASKED] * 7]
    for seq, to in rewinds.items():
        records[seq - 1] = {"type": "meta", "kind": "rewind", "to": to}
    path, before, found = write(tmp_path / "log", records), None, []
    while before != 1:
        found = [record["seq"] for record in replay.page(path, before, 1).records] + found
        before = found[0]
    assert found == shown

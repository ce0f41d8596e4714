"""Tool calls from deltas: which piece belongs to which call, and how arguments are read."""

from __future__ import annotations

import json

import pytest

from clinkai.ai.arguments import Arguments, is_cut, read_arguments
from clinkai.ai.calls import Calls, tool_name

DECLARED = ("read", "write", "grep", "ls", "bash")


def piece(arguments=None, **fields):
    """One entry of `tool_calls`; name goes into `function`."""
    function = {k: v for k, v in (("name", fields.pop("name", None)), ("arguments", arguments))
                if v is not None}
    return {**fields, "function": function}


def assembled(*deltas, at_limit=False):
    """(name, arguments) of the finished calls; None for broken ones; then the cut one."""
    calls = Calls(DECLARED)
    for delta in deltas:
        calls.take(delta if isinstance(delta, list) else [delta])
    ended = calls.finish(at_limit, set())
    assert len({c.id for c in ended.calls}) == len(ended.calls) and all(c.id for c in ended.calls)
    found = [(c.name, None if c.broken else json.loads(c.arguments)) for c in ended.calls]
    return [*found, ended.cut] if ended.cut else found


A, B = {"path": "a"}, {"path": "b"}
DELTAS = {
    "pieces by index": ([piece("", index=0, id="c1", name="read"), piece('{"pa', index=0),
                         piece('th":"a"}', index=0)], [("read", A)]),
    "interleaved": ([piece("", index=0, id="c1", name="read"),
                     piece("", index=1, id="c2", name="ls"),
                     piece('{"path":', index=0), piece('{"path":"b"', index=1),
                     piece('"a"}', index=0), piece("}", index=1)], [("read", A), ("ls", B)]),
    "used index, new id and name": (
        [piece('{"path":"a"}', index=0, id="c1", name="read"),
         piece("", index=0, id="c2", name="ls"),
         piece('{"path":"b"}', index=0)], [("read", A), ("ls", B)]),
    "used index, no ids": (
        [piece('{"path":"a"}', index=0, name="read"), piece('{"path":"b"}', index=0, name="read")],
        [("read", A), ("read", B)]),
    "used index, other tool, arguments still open": (
        [piece("", index=0, name="ls"), piece('{"path":"b"}', index=0, name="read")],
        [("ls", {}), ("read", B)]),
    "no index, ids": ([[piece('{"path":"a"}', id="c1", name="read"),
                        piece('{"path":"b"}', id="c2", name="ls")]], [("read", A), ("ls", B)]),
    "no index, no ids, one delta": ([[piece(A, name="read"), piece(B, name="read")]],
                                    [("read", A), ("read", B)]),
    "no index, going on": ([piece('{"pa', id="c1", name="read"), piece('th":"a"}')], [("read", A)]),
    "no index, by id": ([piece('{"path":', id="c1", name="read"),
                         piece('{"path":', id="c2", name="ls"),
                         piece('"a"}', id="c1"), piece('"b"}', id="c2")], [("read", A), ("ls", B)]),
    "the id changes": ([piece("", index=0, id="c1", name="read"),
                        piece('{"path":', index=0, id="c2"),
                        piece('"a"}', index=0, id="c3")], [("read", A)]),
    "the id changes, no index": ([piece("", id="c1", name="read"), piece('{"path":"a"}', id="c2")],
                                 [("read", A)]),
    "blank ids": ([piece('{"path":', index=0, id="", name="read"), piece('"a"}', index=0, id=" ")],
                  [("read", A)]),
    "ids as numbers": ([piece('{"path":"a"}', index=0, id=0, name="read"),
                        piece('{"path":"b"}', index=0, id=1, name="ls")], [("read", A), ("ls", B)]),
    "the same id twice": ([piece("{}", index=0, id="c", name="ls"),
                           piece(A, index=1, id="c", name="ls")],
                          [("ls", {}), ("ls", A)]),
    "indexes from one, with gaps": ([piece(A, index=1, id="c1", name="read"),
                                     piece(B, index=7, id="c2", name="ls")],
                                     [("read", A), ("ls", B)]),
    "odd indexes": ([piece(A, index="x", id="c1", name="read"),
                     piece(B, index=-1, id="c2", name="ls"),
                     piece("{}", index=True, id="c3", name="ls")],
                    [("read", A), ("ls", B), ("ls", {})]),
    "name repeated": ([piece('{"pa', index=0, id="c1", name="read"),
                       piece('th":"a"}', index=0, id="c1", name="read")], [("read", A)]),
    "name in pieces": ([piece("", index=0, id="c1", name="re"), piece("", index=0, name="ad"),
                        piece('{"path":"a"}', index=0)], [("read", A)]),
    "name after arguments": ([piece('{"path":', index=0, id="c1"),
                              piece('"a"}', index=0, name="read")],
                             [("read", A)]),
    "the whole call again": ([piece('{"path":', index=0, id="c1", name="read"),
                              piece('"a"}', index=0),
                              piece('{"path":"a"}', index=0, id="c1", name="read")], [("read", A)]),
    "two objects in one call": ([piece('{"path":"a"}', index=0, id="c1", name="read"),
                                 piece('{"path":"b"}', index=0)], [("read", A), ("read", B)]),
    "a placeholder first": ([piece("{}", index=0, id="c1", name="read"),
                             piece('{"path":"a"}', index=0)],
                            [("read", A)]),
    "arguments as an object": ([piece(A, index=0, id="c1", name="read")], [("read", A)]),
    "no arguments": ([piece(None, index=0, id="c1", name="ls"),
                      piece("", index=1, id="c2", name="ls"),
                      piece("null", index=2, id="c3", name="ls")], [("ls", {})] * 3),
    "arguments of other types": ([piece([1], index=0, id="c1", name="ls"),
                                  piece(5, index=1, id="c2", name="ls")], [("ls", None)] * 2),
    "one object instead of a list": ([{"index": 0, "id": "", "function": {
        "name": "read", "arguments": '{"path":"a"}'}}], [("read", A)]),
    "without function": ([{"index": 0, "id": "c1", "name": "read", "arguments": '{"path":"a"}'}],
                         [("read", A)]),
    "entries that are none": ([[None, 5, "x", {}], piece(A, index=0, id="c1", name="read")],
                              [("read", A)]),
    "an unknown tool": ([piece("{}", index=0, id="c1", name="web_search")], [("web_search", {})]),
    "broken before a good one": ([piece("{path: a", index=0, id="c1", name="read"),
                                  piece(A, index=1, id="c2", name="read")],
                                 [("read", None), ("read", A)]),
    "cut": ([piece(A, index=0, id="c1", name="read"),
             piece('{"path":"b', index=1, id="c2", name="ls")],
            [("read", A), "ls"]),
    "a cut one without a name": ([piece('{"path":"b', index=0, id="c2")], ["?"]),
}


@pytest.mark.parametrize(("deltas", "expected"), DELTAS.values(), ids=DELTAS.keys())
def test_deltas_become_calls(deltas, expected):
    assert assembled(*deltas) == expected


def test_at_the_limit_the_last_call_never_runs():
    deltas = [piece(A, index=0, id="c1", name="read"), piece(B, index=1, id="c2", name="ls")]
    assert assembled(*deltas, at_limit=True) == [("read", A), "ls"]


def test_a_long_call_with_a_name_in_every_piece_is_taken_in_linear_time():
    calls = Calls(DECLARED)
    for _ in range(60_000):
        calls.take([piece("}", index=0, name="read")])
    assert calls.finish(False, set()).calls[0].broken.startswith("}}}")


@pytest.mark.parametrize(("sent", "meant"), [
    ("read", "read"), (" read ", "read"), ("functions.bash", "bash"), ("Grep", "grep"),
    ("ls()", "ls"), ("default_api:read", "read"), ("grep<|channel|>commentary", "grep"),
    ("web_search", "web_search"), ("reader", "reader"), ("", ""), ("tools/LS", "ls"),
])
def test_a_name_is_cleaned_only_where_one_tool_is_meant(sent, meant):
    assert tool_name(sent, DECLARED) == meant


def test_a_name_that_fits_two_tools_is_left_alone():
    assert tool_name("READ", ("read", "Read")) == "READ"


ARGUMENTS = [
    ('{"a":1}', [Arguments('{"a":1}')]),
    ('{"a":  "é\\n"}  ', [Arguments('{"a":  "é\\n"}  ')]),
    ("", [Arguments("{}")]), ("  ", [Arguments("{}")]), ("null", [Arguments("{}")]),
    ('""', [Arguments("{}")]),
    ('{"a":"x\ty\n"}', [Arguments('{"a":"x\\ty\\n"}', repaired=True)]),
    ('```json\n{"a":1}\n```', [Arguments('{"a":1}', repaired=True)]),
    ('"{\\"a\\":1}"', [Arguments('{"a":1}', repaired=True)]),
    ('{}{"a":1}', [Arguments('{"a":1}', repaired=True)]),
    ('{"a":1}{"a":1}', [Arguments('{"a":1}', repaired=True)]),
    ('{"a":1}\n{"b":2}', [Arguments('{"a":1}', repaired=True),
                          Arguments('{"b":2}', repaired=True)]),
    ('{"a":1}}', [Arguments('{"a":1}', repaired=True)]),
    ("{'a': True, 'b': None, 'c': \"it's\"}",
     [Arguments('{"a":true,"b":null,"c":"it\'s"}', repaired=True)]),
    ('{"a":"\\ud83d"}', [Arguments('{"a":"\ufffd"}', repaired=True)]),
    ('{"a":"\\ud83d\\ude00"}', [Arguments('{"a":"\\ud83d\\ude00"}')]),
    ('{"a":"\ud83d"}', [Arguments('{"a":"\ufffd"}', repaired=True)]),
    *[(raw, [Arguments("{}", broken=raw)]) for raw in (
        "path = notes.md, content = hello", "[1]", '"text"', "5", '{"a":NaN}', '{"a":1} {"b":',
        "{1: 2}", "{'a': {1, 2}}", "{'a': __import__('os')}", '{"a":' * 5000, "{" * 100_000,
        '{"a":' + "9" * 5000 + "}", '{"a": "x", "b": "(a)\\1"}', "{'a': 'x\\0'}",
    )],
]


@pytest.mark.parametrize(("raw", "expected"), ARGUMENTS, ids=lambda v: str(v)[:30].encode(
    "ascii", "backslashreplace").decode())
def test_arguments_are_read_and_never_guessed(raw, expected):
    assert read_arguments(raw) == tuple(expected)


@pytest.mark.parametrize(("raw", "expected"), [
    ('{"a":"b', True), ('{"a":', True), ("{", True), ('{"a":[1,2', True), ('{"a":"}', True),
    ('```json\n{"a":', True), ('{"a":"\\"', True), ('{"a":1}', False), ("", False), ("text", False),
    ('{"a":"{"}', False), ("[1", False),
])
def test_an_object_without_its_end_is_seen(raw, expected):
    assert is_cut(raw) is expected

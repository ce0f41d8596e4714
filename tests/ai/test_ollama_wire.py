"""What Ollama and its kin were reported to send, cut at random places; no sockets.

Sources of the rows: Ollama's documentation and source, and the issues in their names.
"""

from __future__ import annotations

import json
import random

import pytest

from clinkai.ai.ollama_chunks import OllamaAnswer
from clinkai.ai.provider import ArgsPart, TextPart, ThinkPart
from clinkai.core.errors import ModelServerError
from clinkai.core.messages import TokenCount
from clinkai.core.value import replace
from tests.ai.chat import TOOLS, UNTIMED
from tests.server import line

DECLARED = tuple(tool["function"]["name"] for tool in TOOLS)
CUTS = 12
"""How often each row is cut anew."""


def msg(content="", **fields):
    return line({"message": {"role": "assistant", "content": content, **fields}, "done": False})


def made(name, arguments, index=None, **fields):
    function = {"name": name, "arguments": arguments}
    return {**fields, "function": function if index is None else {"index": index, **function}}


def end(reason="stop", **fields):
    ending = {"done_reason": reason} if reason is not None else {}
    return line({"message": {"role": "assistant", "content": ""}, "done": True, **ending, **fields})


A, B = {"path": "a"}, {"path": "b"}
READ_A, READ_B = ("read", A), ("read", B)
COUNTS = {"total_duration": 4_883_583_458, "load_duration": 1_334_875,
          "prompt_eval_count": 26, "prompt_eval_duration": 342_546_000,
          "eval_count": 282, "eval_duration": 4_535_599_000}
COUNTED = TokenCount(26, None, 282, 342.546, 4535.599)
PRETTY = json.dumps({"model": "m", "message": {"content": "hi {", "tool_calls": [made("read", A)]},
                     "done": True}, indent=4)

ROWS = {
    # -- framing
    "text": ([msg("The"), msg(" sky"), end()], {"content": "The sky"}),
    "all in one object, streaming off": (
        [line({"message": {"content": "hi"}, "done": True, "done_reason": "stop"})],
        {"content": "hi"}),
    "one object without a line end": ([end().rstrip().replace('"content":""', '"content":"hi"')],
                                      {"content": "hi"}),
    "one object over several lines": ([PRETTY], {"content": "hi {", "calls": [READ_A],
                                                 "finish": "tool_calls"}),
    "one object over several lines, ended": ([PRETTY + "\n\n"], {
        "content": "hi {", "calls": [READ_A], "finish": "tool_calls"}),
    "carriage returns and blank lines": (
        ["\r\n", msg("a").replace("\n", "\r\n"), "\n\n", msg("b"), " \n", end()],
        {"content": "ab"}),
    "a byte order mark": (["\ufeff", msg("hi"), end()], {"content": "hi"}),
    "two objects on a line": ([msg("a").rstrip() + msg("b").rstrip() + " " + end()],
                              {"content": "ab"}),
    "lines of an event stream": (["data: " + msg("hi") + "\n", ": ping\n\n", "event: x\n",
                                  "data:" + end() + "\n", "data: [DONE]\n\n"], {"content": "hi"}),
    "an event stream with an end mark only": (["data: " + msg("hi") + "\n", "data: [DONE]\n\n"],
                                              {"content": "hi"}),
    "separators inside a text (langchain 18317)": ([msg("a\u2028b\u2029c\x85d\\n{"), end()],
                                                   {"content": "a\u2028b\u2029c\x85d\\n{"}),
    "escaped angle brackets, as Go writes them": (
        ['{"message":{"content":"\\u003cb\\u003e \\u0026"}}\n', end()], {"content": "<b> &"}),
    "an escaped pair, and one cut in two": (
        ['{"message":{"content":"\\ud83d\\ude00 \\ud83d"}}\n',
         '{"message":{"content":"\\ude00"}}\n', end()], {"content": "😀 😀"}),
    "bytes that are no text": ([b'{"message":{"content":"a\xffb"}}\n', end()],
                               {"content": "a\ufffdb"}),
    "what follows the end": ([msg("hi"), end(), msg(" more"), line({"error": "late"})],
                             {"content": "hi"}),
    # -- fields of other types
    "null and missing fields": (
        [line({"message": None}), line({}), "{}\n", "[]\n", "null\n", "7\n",
         line({"message": {"content": None, "thinking": None, "tool_calls": None}}),
         line({"message": {"content": ["x"], "thinking": 5, "tool_calls": [None, {}, 3]}}),
         line({"message": "x", "error": None}), msg("hi", tool_calls=[], images=None), end()],
        {"content": "hi"}),
    "text beside the end": ([line({"message": {"content": "hi"}, "done": True})],
                            {"content": "hi"}),
    "an end without a reason, as before 0.1.38": ([msg("hi"), end(None)], {"content": "hi"}),
    "an end with a reason of its own": ([msg("hi"), end("eos")], {"content": "hi"}),
    # -- thinking
    "thinking, then text": (
        [msg(thinking="Let me"), msg(thinking=" see"), msg("Hi"), end()],
        {"reasoning": "Let me see", "content": "Hi"}),
    "thinking and text in one piece": ([msg("Hi", thinking="hm"), end()],
                                       {"reasoning": "hm", "content": "Hi"}),
    "thinking only": ([msg(thinking="hm"), end()], {"reasoning": "hm"}),
    "thinking between calls": (
        [msg(thinking="a"), msg(tool_calls=[made("read", A)]), msg(thinking="b"),
         msg(tool_calls=[made("read", B)]), end()],
        {"reasoning": "ab", "calls": [READ_A, READ_B], "finish": "tool_calls"}),
    # -- calls
    "a call before the end (oh-my-openagent 1120)": (
        [msg(tool_calls=[made("read", A)]), end()], {"calls": [READ_A], "finish": "tool_calls"}),
    "calls with ids and indexes": (
        [msg(tool_calls=[made("read", A, 0, id="call_x")]),
         msg(tool_calls=[made("read", B, 1, id="call_y")]), end()],
        {"calls": [READ_A, READ_B], "finish": "tool_calls"}),
    "several calls in one message without ids": (
        [msg(tool_calls=[made("read", A), made("ls", A), made("read", B)]), end()],
        {"calls": [READ_A, ("ls", A), READ_B], "finish": "tool_calls"}),
    "every call with index 0 (ollama 7881, 15457)": (
        [msg(tool_calls=[made("read", A, 0)]), msg(tool_calls=[made("read", B, 0)]), end()],
        {"calls": [READ_A, READ_B], "finish": "tool_calls"}),
    "index 0 left out, then 1": (
        [msg(tool_calls=[made("read", A)]), msg(tool_calls=[made("read", B, 1)]), end()],
        {"calls": [READ_A, READ_B], "finish": "tool_calls"}),
    "one id for two calls": (
        [msg(tool_calls=[made("read", A, 0, id="call_0")]),
         msg(tool_calls=[made("read", B, 0, id="call_0")]), end()],
        {"calls": [READ_A, READ_B], "finish": "tool_calls"}),
    "a call told once more at the end": (
        [msg(tool_calls=[made("read", A, 0, id="call_x")]),
         line({"message": {"tool_calls": [made("read", A, 0, id="call_x")]}, "done": True})],
        {"calls": [READ_A], "finish": "tool_calls"}),
    "the same call twice, on purpose": (
        [msg(tool_calls=[made("ls", {}), made("ls", {})]), end()],
        {"calls": [("ls", {}), ("ls", {})], "finish": "tool_calls"}),
    "arguments that are text": (
        [msg(tool_calls=[made("read", '{"path": "a"}'), made("read", '{"path": "b"}')]), end()],
        {"calls": [READ_A, READ_B], "finish": "tool_calls"}),
    "arguments that are pieces of text": (
        [msg(tool_calls=[made("read", '{"pa', 0)]), msg(tool_calls=[made("", 'th": "a"}', 0)]),
         msg(tool_calls=[made("read", B, 1)]), end()],
        {"calls": [READ_A, READ_B], "finish": "tool_calls"}),
    "no arguments, null, empty": (
        [msg(tool_calls=[made("ls", None), made("ls", ""), made("ls", {}),
                         {"function": {"name": "ls"}}]), end()],
        {"calls": [("ls", {})] * 4, "finish": "tool_calls"}),
    "arguments of other types": (
        [msg(tool_calls=[made("read", [1])]), end()],
        {"calls": [("read", None)], "finish": "tool_calls"}),
    "a call that is no list": (
        [msg(tool_calls=made("read", A)), end()], {"calls": [READ_A], "finish": "tool_calls"}),
    "arguments with everything in them": (
        [msg(tool_calls=[made("write", {"path": "é", "content": '{"a":\n"b\\"}'})]), end()],
        {"calls": [("write", {"path": "é", "content": '{"a":\n"b\\"}'})], "finish": "tool_calls"}),
    "a name with marks around it (ollama 18563)": (
        [msg(tool_calls=[made("functions.Read<|channel|>", A)]), end()],
        {"calls": [READ_A], "finish": "tool_calls", "warnings": ("name_fixed", "no_usage")}),
    "a tool that does not exist": (
        [msg(tool_calls=[made("nothing", A)]), end()],
        {"calls": [("nothing", A)], "finish": "tool_calls"}),
    "text before a call": ([msg("I look."), msg(tool_calls=[made("read", A)]), end()],
                           {"content": "I look.", "calls": [READ_A], "finish": "tool_calls"}),
    "a call at the token limit never runs": (
        [msg(tool_calls=[made("read", A)]), msg(tool_calls=[made("write", B)]), end("length")],
        {"calls": [READ_A], "finish": "length", "cut": "write"}),
    "the token limit": ([msg("half"), end("length")], {"content": "half", "finish": "length"}),
    "the token limit at once": ([end("length")], {"finish": "length"}),
    # -- counts
    "counts and times": ([msg("hi"), end(**COUNTS)],
                         {"content": "hi", "count": COUNTED, "warnings": ()}),
    "counts with the cached part (ollama 17943)": (
        [msg("hi"), end(**COUNTS, prompt_eval_cached_count=16)],
        {"content": "hi", "count": replace(COUNTED, cached=16), "warnings": ()}),
    "nothing was cached": ([msg("hi"), end(**COUNTS, prompt_eval_cached_count=0)],
                           {"content": "hi", "count": replace(COUNTED, cached=0), "warnings": ()}),
    "a prompt that was cached as a whole (ollama 2068, 3427, 5370)": (
        [msg("hi"), end(eval_count=3, prompt_eval_count=0)],
        {"content": "hi", "count": TokenCount(None, None, 3), "warnings": ()}),
    "counts of other types": (
        [msg("hi"), end(prompt_eval_count="9", eval_count=True, eval_duration=[])],
        {"content": "hi", "warnings": ()}),
    "no counts": ([msg("hi"), end()], {"content": "hi", "warnings": ("no_usage",)}),
    # -- failures
    "an error in the middle (docs/api/errors)": (
        [msg("half"), line({"error": "an error was encountered while running the model"})],
        {"content": "half", "error": "error.stream.reported"}),
    "an error at once": (['{"error":"llama runner process has terminated: exit status 2"}\n'],
                         {"error": "error.stream.reported"}),
    "an error that is an object": ([line({"error": {"message": "context length exceeded"}})],
                                   {"error": "error.overflow"}),
    "an error without a line end": (['{"error":"unexpected EOF"}'],
                                    {"error": "error.stream.reported"}),
    "an error beside an answer": ([line({"message": {"content": "x"}, "error": "boom"})],
                                  {"error": "error.stream.reported"}),
    "no end": ([msg("half")], {"content": "half", "error": "error.stream.ended"}),
    "a call without an end never runs": ([msg(tool_calls=[made("bash", {"command": "x"})])],
                                         {"error": "error.stream.ended"}),
    "an end that is cut": ([msg("half"), end()[:-20]],
                           {"content": "half", "error": "error.stream.ended"}),
    "nothing": ([], {"error": "error.stream.ended"}),
    "an end and nothing else (ollama 14834)": ([msg(""), end()],
                                               {"error": "error.bad_response.nothing"}),
    "the model was only loaded": ([end("load")], {"error": "error.bad_response.nothing"}),
    "a damaged line": ([msg("half"), '{"message":{"content":"x\n', end()],
                       {"content": "half", "error": "error.stream.damaged"}),
    "an object that never ends": ([msg("half"), "{\n", '"message": {\n', "}\n"],
                                  {"content": "half", "error": "error.stream.ended"}),
    "words": (["upstream request timeout"], {"error": "error.stream.ended"}),
    "depth": (['{"a":' + "[" * 100_000 + "\n"], {"error": "error.stream.damaged"}),
}


def came_of(data, rng):
    """What came of the bytes, cut at random places (rng None: not cut)."""
    answer, parts, at = OllamaAnswer(DECLARED), [], 0
    while at < len(data):
        size = len(data) if rng is None else rng.choice((1, 2, 7, 40, 300, 5000))
        answer.feed(data[at:at + size])
        parts += answer.parts()
        at += size
    answer.feed(b"")
    parts += answer.parts(last=True)
    kinds = {kind: "".join(p.text for p in parts if isinstance(p, kind))
             for kind in (TextPart, ThinkPart, ArgsPart)}
    found = {"content": kinds[TextPart], "reasoning": kinds[ThinkPart], "calls": [],
             "finish": "stop", "error": "", "count": TokenCount(), "cut": "",
             "warnings": ("no_usage",)}
    try:
        reply = answer.reply(set())
    except ModelServerError as error:
        return {**found, "finish": "error", "error": error.key}
    assert (reply.content, reply.reasoning) == (found["content"], found["reasoning"])
    ids = [call.id for call in reply.tool_calls]
    assert len(set(ids)) == len(ids) and all(ids)
    calls = [(c.name, None if c.broken else json.loads(c.arguments)) for c in reply.tool_calls]
    untimed = {**UNTIMED, "prompt_ms": reply.count.prompt_ms,
               "completion_ms": reply.count.completion_ms} if reply.count.prompt else UNTIMED
    return {**found, "calls": calls, "finish": reply.finish, "cut": reply.cut_call,
            "count": replace(reply.count, **untimed), "warnings": reply.warnings}


@pytest.mark.parametrize("name", ROWS)
def test_a_reported_stream_is_understood_wherever_it_is_cut(name):
    pieces, expected = ROWS[name]
    data = b"".join(p if isinstance(p, bytes) else p.encode() for p in pieces)
    rng = random.Random(name)
    whole = came_of(data, None)
    plain = {"content": "", "reasoning": "", "calls": [], "finish": "stop", "error": "",
             "count": TokenCount(), "cut": "", "warnings": ("no_usage",)}
    if "error" in expected:
        plain["finish"] = "error"
    assert whole == {**plain, **expected}
    for _ in range(CUTS if len(data) < 20_000 else 1):
        assert came_of(data, rng) == whole


def test_a_long_line_costs_what_it_weighs():
    answer = OllamaAnswer(DECLARED)
    text = "".join(map(str, range(100_000)))
    data = msg(text).encode()
    lines = [answer.feed(data[at:at + 64]) for at in range(0, len(data), 64)]
    assert (sum(lines), answer.parts()) == (1, [TextPart(text)])

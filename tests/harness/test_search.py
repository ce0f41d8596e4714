"""Searching in sessions: each way in which a text may stand in a line is found."""

from __future__ import annotations

import json

import pytest

from clinkai.core.errors import UsageError
from clinkai.harness.search import query, search
from clinkai.harness.session_file import read_log
from clinkai.harness.sessions import Sessions
from tests.harness.sessions import INIT, add, answer, keep, result, turn, user

RECORDS = (
    user("Fix the Parser in src/lib/parse.py"),
    {**answer("I shall.", ("a", "write", {"path": "naïve.py", "content": 'print("tab\there")\n中文'})),
     "reasoning": "Perhaps line 7"},
    result("a", "write", 'back\\slash "quoted" \ud800 end'),
    {"type": "assistant", "content": "two\nlines", "finish": "stop", "tool_calls": [
        {"id": "b", "name": "bash", "arguments": '{"command": "cat <\\/b> \\u4e2d\\u56fd \\u00c9"}'},
        {"id": "c", "name": "bash", "arguments": "no JSON: ¡olé!"}]},
    {"type": "meta", "kind": "archived", "stays": 0, "text": "a Summary", "failed": True},
)
FOUND = [
    # text, numbers of the records that hold it; with capitals told apart
    ("parser", [2], []), ("Parser", [2], [2]), ("src/lib/parse.py", [2], [2]), ("LINE 7", [3], []),
    ("naïve", [3], [3]), ("naÏve", [], []), ('print("tab', [3], [3]), ("tab\there", [3], [3]),
    ('")\n中文', [3], [3]), ("中文", [3], [3]), ("back\\slash", [4], [4]), ('"quoted"', [4], [4]),
    ("\ud800", [4], [4]), ("two\nlines", [5], [5]), ("</b>", [5], [5]), ("中国", [5], [5]),
    ("É", [5], [5]), ("¡OLé", [5], []), ("summary", [6], []), ("write", [3], [3]), ("WRITE", [3], []),
    ("not there", [], []), ("openai", [], []), ("n", [2, 3, 4, 5], [2, 3, 4, 5]),
]
EXPRESSIONS = [(r"pars(er|e)\b", [2]), (r"^two$", []), (r"(?m)^two$", [5]), (r"\d", [3]), (r"中.", [3, 5]),
               (r"", None), (r"(", None), (r"a{99999999999}", None)]


@pytest.fixture
def path(tmp_path) -> str:
    return keep(Sessions(str(tmp_path / "s")), *RECORDS)


def numbers(path: str, text: str, **how: bool) -> list[int]:
    return [found.seq for found in search(path, query(text, **how))]


@pytest.mark.parametrize(("text", "any_case", "this_case"), FOUND)
def test_a_text_is_found_however_it_is_escaped(path, text, any_case, this_case):
    assert (numbers(path, text), numbers(path, text, case=True)) == (any_case, this_case)


@pytest.mark.parametrize(("text", "found"), EXPRESSIONS)
def test_regular_expressions(path, text, found):
    if found is None:
        with pytest.raises(UsageError):
            query(text, regex=True)
    else:
        assert numbers(path, text, regex=True) == found


def test_a_line_that_is_not_parsed_holds_nothing(path):
    """The quick look at the bytes leaves nothing out that a slow one finds."""
    texts = [text for text, *_ in FOUND]
    for text in texts:
        slow = query(text)
        everything = type(slow)(slow.pattern, (), False)
        assert numbers(path, text) == [f.seq for f in search(path, everything)]


def test_a_snippet_shows_what_is_around(path):
    [found] = search(path, query("PARSER"))
    assert (found.type, found.before, found.match, found.after) == (
        "user", "Fix the ", "Parser", " in src/lib/parse.py")


@pytest.mark.parametrize("tail", [b"parser\n", b'{"type":"user","content":"parser', b"\xff parser\n",
                                  b'{"type":7,"content":"parser"}\n', b'{"type":"user","content":7}\n'])
def test_damaged_lines_are_passed_over(path, tail):
    add(path, tail)
    assert numbers(path, "parser") == [2]


def test_later_versions_are_searched_as_far_as_they_are_known(path):
    add(path, json.dumps({"v": 9, "seq": 7, "type": "user", "content": "parser"}).encode() + b"\n")
    add(path, json.dumps({"v": 9, "seq": 8, "type": "dream", "content": "parser"}).encode() + b"\n")
    assert numbers(path, "parser") == [2, 7]


def test_the_prompt_of_the_system_is_not_searched(tmp_path):
    path = keep(Sessions(str(tmp_path)), *turn("x"))
    assert read_log(path).records[0]["system"] == INIT["system"] == "S"
    assert numbers(path, "S", case=True) == []

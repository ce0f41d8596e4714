"""Sessions as Markdown, HTML, JSON lines and ATIF: for people and machines, to nobody's harm."""

from __future__ import annotations

import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from clinkai.core.catalogue import Strings
from clinkai.harness.export.exporting import FORMATS, export
from clinkai.harness.export.redact import Redactor
from tests.harness.export import schema
from tests.harness.export.sessions import EVIL, HOSTILE, INIT, PLAIN, SHA, answer, write

SAY = Strings("en")
PNG = b"\x89PNG\r\n\x1a\n" + b"made up"
TAGS = {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "dl", "dt", "dd",
        "section", "div", "details", "summary", "pre", "code", "b", "span", "p", "img", "footer"}


def text_of(folder: Path, records: list, kind: str, redactor: Redactor | None = None) -> str:
    return export(write(folder, records), kind, SAY, redactor).text


class Page(HTMLParser):
    """The tags and attributes of a page; what it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.sources: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.sources += [value for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("records", [PLAIN, HOSTILE], ids=["plain", "hostile"])
@pytest.mark.parametrize("redactor", [None, Redactor()], ids=["whole", "redacted"])
def test_a_trajectory_is_valid_and_keeps_the_rules(tmp_path, records, redactor):
    text = text_of(tmp_path, records, "atif", redactor)
    body = json.loads(text, parse_constant=pytest.fail)
    assert text.isascii() and "\\ud800" not in text
    assert schema.errors(body) == [] and schema.broken_rules(body) == []


def test_the_schema_of_the_tests_refuses():
    body = {"agent": {"name": 1, "version": "1", "x": 0}, "steps": [{"step_id": 0, "source": "me"}]}
    assert schema.errors(body) == [
        "$.agent.name: string", "$.agent.x: unknown", "$.steps[0].message: missing",
        "$.steps[0].step_id: below 1",
        "$.steps[0].source: not one of ['system', 'user', 'agent']"]
    body = {"agent": {"name": "a", "version": "1"}, "steps": []}
    assert schema.errors(body) == ["$.steps: too few"]


def test_a_trajectory_says_what_was_said(tmp_path):
    body = json.loads(text_of(tmp_path, PLAIN, "atif", Redactor()))
    assert [(step["source"], step["message"]) for step in body["steps"]] == [
        ("system", "You work in ~/app."), ("user", "fix a.py in ~/app, mail [e-mail]"),
        ("agent", "Looking."), ("agent", "Done."), ("user", "and now?"), ("system", "[summary]"),
        ("agent", ""), ("agent", "[interrupted]"), ("system", "You stopped it.")]
    assert body["steps"][2] == {
        "source": "agent", "message": "Looking.", "timestamp": "2025-10-09T08:53:23.500Z",
        "llm_call_count": 1, "model_name": "local", "reasoning_content": "Hm.",
        "metrics": {"prompt_tokens": 100, "completion_tokens": 20, "cached_tokens": 80},
        "extra": {"finish": "tool_calls"},
        "tool_calls": [
            {"tool_call_id": "c1", "function_name": "read", "arguments": {"path": "~/app/a.py"}},
            {"tool_call_id": "c1_2", "function_name": "bash",
             "arguments": {"path": "x", "command": "ls"}}],
        "observation": {"results": [
            {"source_call_id": "c1", "content": "x = 1\nDB_PASSWORD=[redacted]\n",
             "extra": {"ok": True, "decision": "allow", "ms": 12}},
            {"source_call_id": "c1_2", "content": "a.py",
             "extra": {"ok": False, "decision": "allow", "ms": 12, "exit": 2}}]},
        "step_id": 3}
    assert body["final_metrics"] == {"total_steps": 9, "total_prompt_tokens": 250,
                                     "total_completion_tokens": 25, "total_cached_tokens": 80}


@pytest.mark.parametrize("records", [PLAIN, HOSTILE], ids=["plain", "hostile"])
def test_a_page_has_no_script_and_loads_nothing(tmp_path, records):
    text = text_of(tmp_path, records, "html")
    page = Page(text)
    assert page.tags <= TAGS and page.open == []
    assert page.attributes <= {"lang", "charset", "http-equiv", "content", "name", "class"}
    assert page.sources == []
    assert "default-src 'none'" in text and "prefers-color-scheme:dark" in text
    hidden = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
    assert not re.search(hidden, text)


def test_a_hostile_session_is_shown_for_what_it_is(tmp_path):
    page, paper = (text_of(tmp_path, HOSTILE, kind) for kind in ("html", "markdown"))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "&lt;U+202E&gt;gnp" in page
    assert "\x1b" not in paper and "\u202e" not in paper and "<U+202E>gnp" in paper


def outside_fences(text: str) -> str:
    """What of a Markdown text is no code block, as CommonMark has it."""
    kept, fence = [], ""
    for line in text.split("\n"):
        mark = re.match(r" {0,3}(`{3,}|~{3,})([^`]*)$", line)
        if fence:
            closes = mark and mark[1].startswith(fence) and not mark[2].strip()
            fence = "" if closes else fence
        elif mark:
            fence = mark[1]
        else:
            kept.append(line)
    assert fence == ""
    return "\n".join(kept)


def test_nothing_acts_in_markdown(tmp_path):
    text = outside_fences(text_of(tmp_path, HOSTILE, "markdown"))
    text = re.sub(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    marks = {mark for mark in re.findall(r"(?<!\\)<[A-Za-z/!?][^>]*>", text)}
    assert {mark for mark in marks if not re.match("</?(details|summary)>|<U", mark)} == set()
    assert "](http" not in text.replace("\\!\\[", "")
    assert [line for line in text.split("\n") if line.startswith("# ")][1:] == []


def test_an_open_fence_of_a_message_ends_with_it(tmp_path):
    text = text_of(tmp_path, [INIT, {"type": "user", "content": "````py\nx"}, answer("`<b>` <b>")],
                   "markdown")
    assert outside_fences(text).endswith("## Assistant\n\n`<b>` &lt;b>\n")


def test_json_lines_are_our_records_without_secrets(tmp_path):
    text = text_of(tmp_path, PLAIN, "jsonl", Redactor(known=("Looking.",)))
    records = [json.loads(line) for line in text.splitlines()]
    assert len(records) == len(PLAIN) and text.isascii()
    assert records[0]["workspace"] == "~/app" and records[2]["content"] == "[redacted]"
    assert records[2]["tool_calls"][0]["arguments"] == '{"path": "~/app/a.py"}'
    assert records[2]["tool_calls"][1]["arguments"] == '{"path": "x", "command": "ls"}'
    whole = [json.loads(line) for line in text_of(tmp_path, PLAIN, "jsonl").splitlines()]
    assert [{**r, "v": 1, "seq": n, "ts": r["ts"]} for n, r in enumerate(whole, 1)] == whole
    assert [{k: r[k] for k in p} for r, p in zip(whole, PLAIN)] == PLAIN


@pytest.mark.parametrize("kind", FORMATS)
def test_damaged_lines_and_records_are_left_out_and_named(tmp_path, kind):
    path = write(tmp_path, [*PLAIN[:2], {"type": "assistant", "content": []}, answer("Yes.")])
    with open(path, "ab") as file:
        file.write(b'{"broken\n\xff\xfe\n{"v":1,"type":"later","seq":9}\n{"torn')
    done = export(path, kind, SAY)
    assert "Yes." in done.text
    lines, records = (5, 6), (3,)
    assert [where for where, _ in done.bad] == [*lines, *(records if kind != "jsonl" else ())]


@pytest.mark.parametrize("records", [[], [answer("x")], [INIT]], ids=["empty", "no init", "init"])
@pytest.mark.parametrize("kind", FORMATS)
def test_a_session_with_nothing_in_it_is_exported(tmp_path, kind, records):
    done = export(write(tmp_path, records), kind, SAY)
    assert done.bad == ()
    if kind == "atif":
        body = json.loads(done.text)
        assert schema.errors(body) == [] and schema.broken_rules(body) == []


def test_an_image_is_named_and_only_a_whole_page_has_it(tmp_path):
    sha = hashlib.sha256(PNG).hexdigest()
    records = json.loads(json.dumps(PLAIN).replace(SHA, sha))
    (tmp_path / "20260101-000000-ab12cd34.d").mkdir()
    (tmp_path / "20260101-000000-ab12cd34.d" / sha).write_bytes(PNG)
    page = Page(text_of(tmp_path, records, "html"))
    assert [source[:22] for source in page.sources] == ["data:image/png;base64,"]
    for kind, redactor in (("html", Redactor()), ("markdown", None)):
        text = text_of(tmp_path, records, kind, redactor)
        assert "Image: image/png, 1.2 kB" in text and "base64" not in text
    (tmp_path / "20260101-000000-ab12cd34.d" / sha).write_bytes(b"<svg onload=alert(1)>")
    assert Page(text_of(tmp_path, records, "html")).sources == []


def test_what_was_taken_back_is_no_part_of_it(tmp_path):
    records = [INIT, {"type": "user", "content": "one"}, answer("two"),
               {"type": "user", "content": "three"}, {"type": "meta", "kind": "rewind", "to": 3},
               {"type": "user", "content": "four"}]
    body = json.loads(text_of(tmp_path, records, "atif"))
    assert [step["message"] for step in body["steps"][1:]] == ["one", "two", "four"]
    records += [{"type": "meta", "kind": "rewind", "to": 4}, answer("five")]
    body = json.loads(text_of(tmp_path, records, "atif"))
    assert [step["message"] for step in body["steps"][1:]] == ["one", "two", "three", "five"]


def test_values_under_secret_names_and_known_keys_go_from_every_depth():
    found = Redactor(("/srv/people/me",), ("my-own-key-12",)).value({
        "a": [{"password": "swordfish", "x": "/srv/people/me/app", "api_key": "abcd1234abcd1234"}],
        "arguments": '{"command": "x my-own-key-12", "token": "abcd1234abcd1234", "n": 1}',
        "password": {"type": "string"}, "n": 3, "none": None})
    assert found == {
        "a": [{"password": "[redacted]", "x": "~/app", "api_key": "[redacted]"}],
        "arguments": '{"command": "x [redacted]", "token": "[redacted]", "n": 1}',
        "password": {"type": "string"}, "n": 3, "none": None}


def test_evil_is_in_every_text_of_the_hostile_session():
    assert json.dumps(HOSTILE).count(json.dumps(EVIL)[1:-1]) >= 12

"""Text from a model, a file, a server or a name, through every way out to the terminal.

`hostile` holds one of each kind of sign that moves, colours, hides or forges; nothing of it may
arrive as it is. What a person is asked to approve arrives whole, as escapes.
"""

from __future__ import annotations

import io
import json
import os
import re

import pytest

from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.core.errors import ToolError, UsageError
from clinkai.core.events import EVENTS, ApprovalOpen, Delta, MsgStart
from clinkai.harness.doctor import Finding
from clinkai.harness.settings import load
from clinkai.ui import cli, commands_doctor, commands_sessions, commands_sessions_show
from clinkai.ui.approve import Question, Timing
from clinkai.ui.call import Call
from clinkai.ui.clean import UNSEEN
from clinkai.ui.json_lines import print_json
from clinkai.ui.jsonl import JsonLines
from clinkai.ui.plain import PlainRenderer
from clinkai.ui.terminal import Screen

SIGNS = {
    "escape": "\x1b[2J\x1b[31m", "title": "\x1b]0;t\x07", "clipboard": "\x1b]52;c;aGk=\x1b\\",
    "link": "\x1b]8;;http://x\x1b\\", "device": "\x1bP1$q\x1b\\", "eight bits": "\x9b2J\x9d0;t\x9c",
    "alone": "\x1bc", "back": "\b\b\r", "bell": "\x07", "nul": "\0", "delete": "\x7f",
    "feeds": "\x0b\x0c\x85", "lines": "\u2028\u2029", "bidi": "\u202e\u2066\u200f\u061c",
    "no width": "\u200b\u2060\ufeff\u200d", "soft": "\xad", "fillers": "\u3164\u115f\u1160\uffa0",
    "joiner": "\u034f", "forms": "\ufe0f\ufe01", "more forms": "\U000e0100\U000e01ef",
    "tags": "\U000e0041\U000e007f", "music": "\U0001d173", "mongolian": "\u180e\u180b",
    "half": "\udc9b\ud83d", "notes": "\ufff9\ufffb",
}
HOSTILE = "a" + "".join(f"{sign}z" for sign in SIGNS.values())
FORGED = HOSTILE + "\n? forged line\r\n  y once"
ARGUMENT = FORGED.replace("\0", "").replace("\ud83d", "")
"""What of it a program can be given by the system."""

RAW = re.compile(f"[^\\x20-\\x7e\\n\\t\\x80-\\U0010ffff]|[{UNSEEN}]")


def raw(text: str) -> set[str]:
    """The signs that arrived as they were."""
    return {c for c in text if RAW.match(c) or c not in "\n\t" and not c.isprintable()}


@pytest.fixture
def screen():
    return Screen(io.StringIO(), io.StringIO(), {}, no_color=True)


def shown(screen: Screen) -> str:
    return screen.out.getvalue() + screen.err.getvalue()


def filled(event: type, text: str):
    """An event with that text wherever one can be."""
    values = {"str": text, "str | None": text, "int": 1, "int | None": 1, "bool": False,
              "float": 1.0, "float | None": 1.0, "dict | None": {"content": text, "text": text},
              "dict": {"path": text, "bytes": text}, "list": [], "tuple": ()}
    fixed = {"key": "notice.session.torn", "phase": "loading", "ch": "text", "role": "assistant",
             "times": {}}
    found = {}
    for base in reversed(event.__mro__):
        for name, kind in base.__dict__.get("__annotations__", {}).items():
            if name in event.fields:
                found[name] = fixed.get(name, values.get(kind, None))
    return event(**found)


@pytest.mark.parametrize("name", EVENTS)
def test_events(screen, name):
    renderer = PlainRenderer(screen, Strings("en"), verbose=True)
    renderer.feed(filled(MsgStart, "x"))
    renderer.feed(filled(EVENTS[name], FORGED))
    renderer.close()
    assert raw(shown(screen)) == set()


@pytest.mark.parametrize("channel", ["text", "think"])
@pytest.mark.parametrize("answer_only", [True, False])
def test_what_a_model_says_in_pieces_of_one_character(screen, channel, answer_only):
    renderer = PlainRenderer(screen, Strings("en"), answer_only=answer_only, verbose=True)
    start = filled(MsgStart, "m")
    renderer.feed(start)
    for char in FORGED:
        found = {name: getattr(filled(Delta, char), name) for name in Delta.fields}
        renderer.feed(Delta(**{**found, "ch": channel, "s": char}))
    renderer.close()
    assert raw(shown(screen)) == set() and "forged line" in shown(screen)


class Refusing:
    """Keys of a person who waits, then says no."""

    def __init__(self) -> None:
        self.left = [None, b"n\r"]

    def read(self, seconds: float) -> bytes | None:
        return self.left.pop(0) if self.left else b""


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("risk", ["low", "high"])
def test_questions_show_everything_as_escapes_and_nothing_can_look_like_a_line_of_ours(screen, risk,
                                                                                     lang):
    asked = ApprovalOpen("q1", "c", "bash", FORGED, FORGED, FORGED, FORGED, FORGED, risk, FORGED, "d")
    Question(asked, screen, Strings(lang)).ask(Refusing(), Timing())
    drawn = shown(screen)
    assert raw(drawn) == set()
    assert not [line for line in drawn.splitlines() if line.startswith("? forged")]
    assert drawn.count("? forged") == drawn.count("    ? forged") + drawn.count("\\x0a? forged")
    command = next(line for line in drawn.splitlines() if line.startswith("    a"))
    assert undone(command[4:]) == HOSTILE


def undone(text: str) -> str:
    """What the escapes stand for."""
    return re.sub(r"\\x(..)|\\u(....)|\\U(........)",
                  lambda m: chr(int(m[1] or m[2] or m[3], 16)), text)


@pytest.mark.parametrize("sign", SIGNS)
def test_each_sign_alone_among_letters_of_all_kinds(screen, sign):
    for before in ("a", "é", "中", "👍"):
        text = f"{before}{SIGNS[sign]}b"
        renderer = PlainRenderer(screen, Strings("en"))
        renderer.feed(filled(MsgStart, "m"))
        renderer.feed(filled(Delta, text))
        renderer.close()
    assert raw(shown(screen)) == set()


def test_findings_of_the_doctor(screen):
    for status in ("ok", "warn", "fail"):
        commands_doctor.show_one(screen, Strings("en"), Finding("server", status, FORGED, FORGED))
    assert raw(shown(screen)) == set() and "\n? forged" not in shown(screen)


def test_errors(screen, tmp_path, monkeypatch):
    monkeypatch.setenv("CLINKAI_HOME", str(tmp_path))
    for error in (UsageError("cli.error.too_many", command=FORGED, word=FORGED), ToolError("tool.unknown", name=FORGED,
                                                                          names=FORGED)):
        cli.report(error, screen, Strings("en"))
    cli.unexpected(ValueError(FORGED), screen, Strings("en"))
    assert raw(shown(screen)) == set()


@pytest.mark.parametrize("args", [
    [ARGUMENT], ["--" + ARGUMENT], ["--mode", ARGUMENT], ["--mode=" + ARGUMENT], ["sessions", ARGUMENT],
    ["sessions", "show", ARGUMENT], ["policy", ARGUMENT], ["policy", "check", ARGUMENT], ["config", ARGUMENT],
    ["config"], ["--workspace", ARGUMENT, "x"], ["--help", ARGUMENT], ["--allow", '"' + ARGUMENT],
    ["tool", ARGUMENT], ["doctor", ARGUMENT],
])
def test_the_command_line_and_odd_settings(args, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("CLINKAI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CLINKAI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLINKAI_MODEL", ARGUMENT)
    monkeypatch.setenv("CLINKAI_PROVIDER", "demo")
    out, err = io.StringIO(), io.StringIO()
    cli.main(args, stdin=io.StringIO(""), stdout=out, stderr=err)
    assert raw(out.getvalue() + err.getvalue()) == set()
    assert "Traceback" not in err.getvalue()


def test_records_of_a_session(screen):
    call = Call("sessions", (), {}, None, Strings("en"), screen, None, {})
    for record in (
        {"type": "user", "content": FORGED}, {"type": "tool", "content": FORGED},
        {"type": "assistant", "content": FORGED, "reasoning": FORGED,
         "tool_calls": [{"name": FORGED, "arguments": FORGED}]},
    ):
        commands_sessions_show._print(call, record)
    assert raw(shown(screen)) == set()


def test_the_list_of_sessions(screen, tmp_path):
    settings = load({"sessions": str(tmp_path)}, {"CLINKAI_HOME": str(tmp_path / "home")}, str(tmp_path))
    (tmp_path / "w").mkdir()
    records = ({"type": "init", "v": 1, "seq": 1, "workspace": FORGED, "model": FORGED, "system": FORGED},
               {"type": "user", "seq": 2, "content": FORGED})
    (tmp_path / "w" / "0a1b2c3d.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    call = Call("sessions", (), {}, settings, Strings("en"), screen, None, {})
    assert commands_sessions.list_sessions(call) == 0
    assert raw(shown(screen)) == set() and "forged" in shown(screen)
    assert not [line for line in shown(screen).splitlines() if line.startswith("? forged")]


def test_json_is_text_that_can_be_seen(screen):
    print_json(screen, {FORGED: FORGED})
    JsonLines(screen).feed({FORGED: FORGED})
    assert raw(shown(screen)) == set()
    assert [json.loads(line) for line in shown(screen).splitlines()] == [{FORGED: FORGED}] * 2

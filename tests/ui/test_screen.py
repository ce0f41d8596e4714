"""Writing to two streams: lines, colours, encodings, readers that have gone, risky folders."""

from __future__ import annotations

import io
import os

import pytest

from clinkai.core.errors import ContextFull, WorkspaceError
from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.ui import contact
from clinkai.ui.cli import report, unexpected
from clinkai.ui.terminal import Screen, open_stream


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_shared_terminal_has_one_line_that_may_be_open():
    both = Terminal()
    screen = Screen(both, both, {}, no_color=True)
    screen.write("answer")
    screen.line("notice", "err")
    screen.write("more\n")
    screen.line("last", "err")
    assert both.getvalue() == "answer\nnotice\nmore\nlast\n"


def test_two_streams_have_a_line_each():
    out, err = io.StringIO(), io.StringIO()
    screen = Screen(out, err, {})
    screen.write("answer")
    screen.line("notice", "err")
    screen.write(" goes on")
    assert (out.getvalue(), err.getvalue()) == ("answer goes on", "notice\n")


ENCODED = [
    ("ascii", "a … b · “c” → 中 ›", b'a ... b - "c" -> \\u4e2d >'),
    ("gbk", "中 › ñ … −", "中 > \\xf1 … -".encode("gbk")),
    ("cp1252", "– … “x” 中", "– … “x” \\u4e2d".encode("cp1252")),
    ("utf-8", "half \ud800", b"half ?"),
]


@pytest.mark.parametrize(("encoding", "text", "data"), ENCODED)
def test_what_an_encoding_lacks_has_a_stand_in(encoding, text, data):
    raw = io.BytesIO()
    stream = open_stream(io.TextIOWrapper(raw, encoding=encoding, write_through=True))
    Screen(stream, io.StringIO(), {}).write(text)
    assert raw.getvalue() == data


def test_a_reader_that_has_gone_is_told_once_and_nothing_breaks():
    reading, writing = os.pipe()
    os.close(reading)
    told = []
    with open(writing, "w") as out:
        screen = Screen(out, io.StringIO(), {})
        screen.gone = lambda: told.append(True)
        for _ in range(3):
            screen.line("text")
    assert told == [True] and screen.broken


def test_closed_streams_are_empty_or_go_nowhere():
    screen = Screen(open_stream(None), open_stream(None), {})
    screen.line("text")
    assert open_stream(None, "r").read() == ""


FOLDERS = [
    ("/", "/home/me", "/home/me/.clinkai", "cli.workspace.root"),
    ("/home/me", "/home/me", "/home/me/.clinkai", "cli.workspace.home"),
    ("/home", "/home/me", "/home/me/.clinkai", "cli.workspace.clinkai"),
    ("/data/work", "/home/me", "/data/work/state", "cli.workspace.clinkai"),
    ("/home/me/.clinkai", "/home/me", "/home/me/.clinkai", "cli.workspace.clinkai"),
    ("/home/me/project", "/home/me", "/home/me/.clinkai", ""),
    ("/home/me/.clink", "/home/me", "/home/me/.clinkai", ""),
    ("/srv", "", "/var/clinkai", ""),
]


@pytest.mark.parametrize(("workspace", "user", "clinkai", "risk"), FOLDERS)
def test_risky_folders(workspace, user, clinkai, risk):
    assert contact.risk_of(workspace, user, clinkai) == risk


def test_a_risky_folder_needs_a_yes(tmp_path):
    home = str(tmp_path)
    seen = []
    contact.check(home, home, home + "/.clinkai", lambda risk: not seen.append(risk))
    for confirm in (None, lambda risk: False):
        with pytest.raises(WorkspaceError, match="cli.workspace.home"):
            contact.check(home, home, home + "/.clinkai", confirm)
    assert seen == ["cli.workspace.home"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_error_says_what_happened_and_what_to_do(lang):
    err = io.StringIO()
    say = Strings(lang)
    error = ContextFull("error.context.full", tokens=9, budget=8, window=8, room=4)
    report(error, Screen(io.StringIO(), err, {}), say)
    assert err.getvalue() == (say("cli.error", text=error.text(say)) + "\n  "
                              + error.advice(say) + "\n")


UNEXPECTED = [
    (ValueError("odd \x1b[2J thing"), 1, "ValueError: odd  thing"),
    (RecursionError(), 1, "RecursionError"),
    (OSError(28, "No space left on device", "/x"), 2, "/x: No space left"),
    (PermissionError(13, "Permission denied"), 2, "Permission denied"),
    (FileNotFoundError(2, "No such file", "/y"), 1, "No such file"),
    (BrokenPipeError(), 0, ""),
]


@pytest.mark.parametrize(("error", "code", "words"), UNEXPECTED)
def test_what_nobody_foresaw_ends_in_words(tmp_path, monkeypatch, error, code, words):
    monkeypatch.setenv("CLINKAI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLINKAI_API_KEY", "sk-secret")
    err = io.StringIO()
    assert unexpected(error, Screen(io.StringIO(), err, {}), Strings("en")) == code
    assert words in err.getvalue() and "\x1b" not in err.getvalue()
    kept = list(tmp_path.glob("home/defect-*.txt"))
    assert len(kept) == (code == 1) and "Traceback" not in err.getvalue()


def test_a_key_never_gets_into_the_report(tmp_path, monkeypatch):
    monkeypatch.setenv("CLINKAI_HOME", str(tmp_path))
    monkeypatch.setenv("CLINKAI_API_KEY", "sk-secret")
    err = io.StringIO()
    unexpected(ValueError("Bearer sk-secret"), Screen(io.StringIO(), err, {}), Strings("en"))
    [kept] = tmp_path.glob("defect-*.txt")
    assert "sk-secret" not in kept.read_text() + err.getvalue() and "ValueError" in kept.read_text()


def test_a_home_that_cannot_be_used_does_not_hide_the_defect(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CLINKAI_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    err = io.StringIO()
    assert unexpected(ValueError("x"), Screen(io.StringIO(), err, {}), Strings("en")) == 1
    [kept] = tmp_path.glob("clinkai-*.txt")
    assert str(kept) in err.getvalue()

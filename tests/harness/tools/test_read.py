"""read: pages, offsets, encodings, what is no text, and memory."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from clinkai.core.errors import Cancelled, PathError
from clinkai.harness.tools.read import READ, ReadArgs
from tests.harness.tools.context import Desk
from tests.source import TOP

NUMBERS = "".join(f"line {n}\n" for n in range(1, 1001))


@pytest.mark.parametrize(("content", "shown"), [
    ("one\ntwo\n", "1\tone\n2\ttwo"), ("one\ntwo", "1\tone\n2\ttwo"), ("\n\n", "1\t\n2\t"),
    ("one\r\ntwo\r\n", "1\tone\n2\ttwo"), ("", "[empty file]"), ("\tx \n", "1\t\tx "),
    (b"\xef\xbb\xbfone\n", "1\tone\n[UTF-8 BOM]"),
    ("\ufeffone\n".encode("utf-16-le"), "1\tone\n[UTF-16 LE]"),
    ("\u4f60\u597d\n".encode("gb18030"), "1\t\u4f60\u597d\n[GB18030]"),
    (b"caf\xe9\n", "1\tcaf\ufffd\n[not valid UTF-8; bad bytes are shown as \ufffd]"),
    (b"one\n" + b"\0" * 50, "1\tone\n[only NUL bytes follow]"),
])
def test_a_whole_file(desk, content, shown):
    desk.put("f", content)
    assert desk.text("read", path="f") == shown


@pytest.mark.parametrize(("args", "first", "last"), [
    ({}, "1\tline 1", "[lines 1-400 of 1000; offset 401 goes on]"),
    ({"offset": 401}, "401\tline 401", "[lines 401-800 of 1000; offset 801 goes on]"),
    ({"offset": 801}, "801\tline 801", "1000\tline 1000"),
    ({"offset": "999", "limit": 1}, "999\tline 999", "[lines 999-999 of 1000; offset 1000 goes on]"),
    ({"limit": 1000}, "1\tline 1", "1000\tline 1000"),
    ({"offset": "5:3", "limit": 1}, "5:3\tne 5", "[lines 5-5 of 1000; offset 6 goes on]"),
])
def test_pages(desk, args, first, last):
    desk.put("f", NUMBERS)
    lines = desk.text("read", path="f", **args).split("\n")
    assert (lines[0], lines[-1]) == (first, last)


def test_a_page_ends_before_the_line_that_does_not_fit(desk):
    desk.put("f", ("x" * 6000 + "\n") * 5)
    lines = desk.text("read", path="f").split("\n")
    assert (len(lines), lines[-1]) == (4, "[lines 1-3 of 5; offset 4 goes on]")


def test_following_the_offsets_gives_the_whole_file(desk):
    content = "short\n" + "long " * 13_000 + "\n" + "\u4f60" * 30_000 + "\nend"
    desk.put("f", content)
    offset: object = 1
    parts: dict[int, str] = {}
    while True:
        *lines, note = desk.text("read", path="f", offset=offset).split("\n")
        if not note.startswith("["):
            lines, note = [*lines, note], ""
        for line in lines:
            label, _, text = line.partition("\t")
            number = int(label.split(":")[0])
            parts[number] = parts.get(number, "") + text
        assert sum(map(len, lines)) <= 20_000
        if not note:
            break
        offset = note.split("offset ")[1].split(" ")[0].strip('"')
    assert "\n".join(parts.values()) == content


def test_small_windows_get_small_pages(tmp_path):
    with Desk(tmp_path, window=4096) as desk:
        desk.put("f", NUMBERS)
        shown = desk.text("read", path="f")
    assert len(shown) < 1200 and "of 1000; offset" in shown


@pytest.mark.parametrize(("path", "said"), [
    ("missing.py", "There is no missing.py."), ("sub", "sub is a folder."), (".", ". is a folder."),
    ("main.py", "There is no main.py. Did you mean: sub/main.py"),
    ("sub/mian.py", "There is no sub/mian.py. Did you mean: sub/main.py"),
    ("sub/main.py/x", "A part of sub/main.py/x is a file, not a folder."),
    ("pipe", "pipe is a pipe, not a file."), ("", "The path is empty."),
    ("photo", "photo is not text: PNG, 1.0 kB."), ("data", "data is not text: unknown kind, 5 B."),
    ("out:9", "There is no kept result out:9."), ("a\0b", "The path contains a NUL character."),
])
def test_what_cannot_be_read(desk, path, said):
    desk.put("sub/main.py", "x")
    desk.put("photo", b"\x89PNG\r\n\x1a\n" + b"\0" * 1000)
    desk.put("data", b"\0\1\2\3\4")
    os.mkfifo(desk.root / "pipe")
    assert desk.error("read", path=path) == said


@pytest.mark.parametrize(("args", "said"), [
    ({"offset": "x"}, "offset must be a line number from 1, or N:C, not x."),
    ({"offset": "1:0"}, "offset must be a line number from 1, or N:C, not 1:0."),
    ({"offset": "0"}, "offset must be a line number from 1, or N:C, not 0."),
    ({"offset": 0}, "offset must be at least 1, not 0."),
    ({"limit": 0}, "limit must be at least 1, not 0."),
    ({"offset": 4}, "offset 4 is past the end: 3 lines."),
    ({"offset": "1:99"}, "offset 1:99 is past the end of the line."),
    ({"offset": 1.5}, "offset must be an integer | a string, not a fraction."),
    ({"line": 1}, "Unknown argument line. There are: path, offset, limit"),
])
def test_wrong_arguments(desk, args, said):
    desk.put("f", "a\nb\nc")
    assert desk.error("read", path="f", **args) == said


def test_a_cut_result_is_read_as_out_n(desk):
    desk.put("f", "".join(f"the needle {n}\n" for n in range(450)))
    cut = desk.call("grep", pattern="needle")
    assert cut.cut and "read path out:1" in cut.output
    shown = desk.text("read", path="out:1", offset=449, limit=2)
    assert shown == "449\tf:449: the needle 448\n450\tf:450: the needle 449\n[lines 449-450 of 451; offset 451 goes on]"
    for tool, args in (("grep", {"pattern": "x"}), ("ls", {}), ("write", {"content": "x"})):
        assert "only read takes it" in desk.error(tool, path="out:1", **args)


def test_a_file_named_like_a_result_is_read_by_a_longer_path(desk):
    desk.put("out:1", "mine\n")
    assert desk.text("read", path="./out:1") == "1\tmine"


def test_a_secret_is_read_only_when_somebody_said_so(desk):
    desk.put(".env", "KEY=1\n")
    assert desk.error("read", path=".env") == "ask"
    assert desk.call("read", "once", path=".env").output == "1\tKEY=1"


def test_a_link_put_in_place_after_the_gate_is_not_followed(desk):
    """The fence is asked again when the call runs: what was harmless then may be a link now."""
    desk.put(".env", "KEY=1\n")
    (desk.root / "notes").symlink_to(".env")
    args = ReadArgs("notes", 1, 0)
    with pytest.raises(PathError) as caught:
        READ.run(desk.context, args)
    assert caught.value.key == "tool.path.secret"


MEASURE = """
import os, resource, sys
from pathlib import Path
from tests.harness.tools.context import Desk
with Desk(Path(sys.argv[1])) as desk:
    desk.text("read", path="small")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for args in ({}, {"offset": "1:1500000"}, {"offset": 30_000}):
        desk.call("read", path=sys.argv[2], **args)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("kind", ["long", "log"])
def test_memory_is_what_is_shown_not_what_is_there(tmp_path, kind):
    """Kilobytes the peak grows by while a 10 MB line or a 5 GB log is read."""
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "small").write_text("x\n")
    with (folder / "long").open("wb") as file:
        file.write(b"abcdefghij" * 1_000_000)
    with (folder / "log").open("wb") as file:
        file.write(b"2026-11-30 12:00:00 a line of a log that goes on and on\n" * 40_000)
        file.truncate(5_000_000_000)
    done = subprocess.run([sys.executable, "-c", MEASURE, str(tmp_path), kind], cwd=TOP,
                          capture_output=True, text=True, check=True)
    assert int(done.stdout) < 6000


def test_a_large_log_is_shown_and_says_how_to_go_on(desk):
    with (desk.root / "log").open("wb") as file:
        file.write(b"entry\n" * 200_000)
        file.truncate(5_000_000_000)
    lines = desk.text("read", path="log", offset=199_990, limit=20).split("\n")
    assert (lines[0], lines[-2:]) == ("199990\tentry", ["200000\tentry", "[only NUL bytes follow]"])
    assert desk.text("read", path="log").endswith("[lines 1-400 of 5.0 GB; offset 401 goes on]")


def test_bad_bytes_far_into_a_large_file_are_said_to_be_bad(desk):
    desk.put("log", b"entry\n" * 200_000 + b"caf\xe9\n")
    assert desk.text("read", path="log", offset=200_001) == (
        "200001\tcaf\ufffd\n[not valid UTF-8; bad bytes are shown as \ufffd]")


def test_a_workspace_that_is_gone_is_an_error_like_any_other(desk):
    desk.root.rmdir()
    assert desk.error("read", path="a") == "There is no a."
    assert desk.error("ls") == "There is no .."
    assert desk.error("grep", pattern="x") == "There is no .."
    assert desk.error("write", path="a", content="x") == "There is no a."


def test_reading_stops_when_cancelled(desk):
    with (desk.root / "log").open("wb") as file:
        file.write(b"entry\n")
        file.truncate(5_000_000_000)
    desk.cancel.set()
    with pytest.raises(Cancelled):
        desk.call("read", path="log", offset=2)


def test_chinese(tmp_path):
    with Desk(tmp_path, lang="zh") as desk:
        desk.put("f", NUMBERS)
        shown = desk.text("read", path="f", limit=2)
        assert shown.endswith("[第 1-2 行，共 1000 行；接着读用 offset 3]")
        assert desk.error("read") == "缺少参数 path。可用的参数：path, offset, limit"

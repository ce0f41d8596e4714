"""Encodings and line ends of files, and back to the same bytes."""

from __future__ import annotations

import io
import random

import pytest

from clinkai.harness.textfile import Lines, encoding_of, kind_of, newline_of, text_of

CHINESE = "\u4f60\u597d\uff0c\u4e16\u754c\n" * 3


@pytest.mark.parametrize(("data", "codec", "label", "content"), [
    (b"", "utf-8", "", ""),
    (b"plain\n", "utf-8", "", "plain\n"),
    ("caf\u00e9\n".encode(), "utf-8", "", "caf\u00e9\n"),
    (b"\xef\xbb\xbfmark\n", "utf-8", "UTF-8 BOM", "mark\n"),
    ("\ufeffa\n".encode("utf-16-le"), "utf-16-le", "UTF-16 LE", "a\n"),
    ("\ufeff\u4f60\n".encode("utf-16-be"), "utf-16-be", "UTF-16 BE", "\u4f60\n"),
    (CHINESE.encode("gb18030"), "gb18030", "GB18030", CHINESE),
    ("\U0001f600\n".encode("gb18030"), "gb18030", "GB18030", "\U0001f600\n"),
    (b"caf\xe9\n", "utf-8", "", "caf\ufffd\n"),
    (b"\x1b[31mred\x1b[0m\n", "utf-8", "", "\x1b[31mred\x1b[0m\n"),
])
def test_encodings(data, codec, label, content):
    text = text_of(data)
    assert (text.encoding.codec, text.encoding.label, text.content) == (codec, label, content)
    assert text.exact == ("\ufffd" not in content)
    assert not text.exact or text.encode(text.content) == data


@pytest.mark.parametrize("data", [
    b"\x00\x01", b"abc\x00def", b"\x7fELF\x02\x01\x01\x00", b"\x89PNG\r\n\x1a\n", b"%PDF-1.7 text",
    b"\xff\xfe\x00\x00a\x00\x00\x00", bytes(range(1, 32)) * 4, b"\xfe\xc1\x80\xff\x90" * 30,
    b"\x1f\x8b\x08text", b"text without a line end\x00\x00",
], ids=repr)
def test_binary_data_is_no_text(data):
    assert (encoding_of(data, True), text_of(data)) == (None, None)


@pytest.mark.parametrize(("head", "kind"), [
    (b"\x89PNG\r\n", "PNG"), (b"GGUF\x03\x00", "GGUF"), (b"SQLite format 3\x00", "SQLite"),
    (b"PK\x03\x04", "ZIP"), (b"text", ""),
])
def test_kinds(head, kind):
    assert kind_of(head) == kind


def test_a_character_cut_at_the_end_of_the_head_is_no_error():
    data = CHINESE.encode()
    assert [encoding_of(data[:n], False).codec for n in range(1, 12)] == ["utf-8"] * 11


def test_lines_of_text_before_nothing_but_nul_are_text():
    text = text_of(b"line\n" + b"\0" * 100)
    assert text.content.startswith("line\n")


@pytest.mark.parametrize(("content", "newline"), [
    ("", "\n"), ("a", "\n"), ("a\nb\n", "\n"), ("a\r\nb\r\n", "\r\n"), ("a\r\nb", "\r\n"),
    ("a\r\nb\n", ""), ("a\rb\n", ""), ("a\r\n\rb\r\n", ""),
])
def test_newlines(content, newline):
    assert newline_of(content) == newline
    text = text_of(content.encode())
    assert text.encode(text.content) == content.encode()


@pytest.mark.parametrize(("old", "new", "written"), [
    ("a\r\n", "x\ny\r\n", "x\r\ny\r\n"), ("a\n", "x\r\ny\n", "x\ny\n"), ("a\r\nb\n", "x\r\ny\n", "x\r\ny\n"),
])
def test_a_file_keeps_its_newlines(old, new, written):
    assert text_of(old.encode()).encode(new) == written.encode()


def test_a_mark_is_written_once():
    text = text_of(b"\xef\xbb\xbfa")
    assert text.encode("\ufeffb") == b"\xef\xbb\xbfb"


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "gb18030"])
def test_lines_in_pieces_are_the_lines(codec):
    rng = random.Random(7)
    content = "".join(rng.choice("ab\u4f60\U0001f600\n \r") for _ in range(5000))
    data = (b"\xff\xfe" if codec == "utf-16-le" else b"") + content.encode(codec)
    encoding = encoding_of(data, True)
    assert encoding.codec == codec
    expected = content.split("\n")
    for skipped in (0, 1, 7, len(expected) - 1):
        lines = Lines(io.BytesIO(data), encoding)
        assert lines.skip(skipped) == skipped
        rest = ""
        while piece := lines.piece(rng.randint(1, 9)):
            rest += piece
        assert rest == "\n".join(expected[skipped:])


@pytest.mark.parametrize(("data", "asked", "there"), [
    (b"", 5, 0), (b"a", 5, 1), (b"a\n", 5, 1), (b"a\nb", 5, 2), (b"a\nb", 2, 2), (b"a\nb", 1, 1),
])
def test_skipping_past_the_end_counts_the_lines(data, asked, there):
    for mark, coded in ((b"", data), (b"\xff\xfe", data.decode().encode("utf-16-le"))):
        whole = mark + coded
        assert Lines(io.BytesIO(whole), encoding_of(whole, True)).skip(asked) == there

"""Text in files: which encoding, which line ends, and back to the same bytes.

Recognised: UTF-8 with and without byte order mark, UTF-16 with one, and GB18030 where the bytes
are no UTF-8. Bytes that are none of these are shown with U+FFFD in their place (`lossy`), and such
a file is never written from what was shown.

Not covered: UTF-16 without a mark, other eight-bit encodings, lone carriage returns as line ends.
"""

from __future__ import annotations

import io

from clinkai.core.value import Value

HEAD = 8192
"""Bytes looked at to tell text from binary data."""

MARKS = (
    (b"\xef\xbb\xbf", "utf-8", "UTF-8 BOM"), (b"\xff\xfe", "utf-16-le", "UTF-16 LE"),
    (b"\xfe\xff", "utf-16-be", "UTF-16 BE"),
)
UTF_32 = (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")

MAGIC = (
    (b"\x89PNG", "PNG"), (b"\xff\xd8\xff", "JPEG"), (b"GIF8", "GIF"), (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "ZIP"), (b"PK\x05\x06", "ZIP"), (b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf", "7z"),
    (b"\x7fELF", "ELF"), (b"MZ", "Windows PE"), (b"\xcf\xfa\xed\xfe", "Mach-O"),
    (b"\xca\xfe\xba\xbe", "Java class"), (b"\x00asm", "WebAssembly"), (b"GGUF", "GGUF"),
    (b"SQLite format 3", "SQLite"), (b"RIFF", "RIFF"), (b"OggS", "Ogg"), (b"ID3", "MP3"),
    (b"\x00\x00\x01\x00", "ICO"), (b"wOF", "WOFF"), (b"\x93NUMPY", "NumPy"),
)
ALWAYS_BINARY = (
    b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"\x1f\x8b", b"PK\x03\x04", b"7z\xbc\xaf",
    b"\xfd7zXZ", b"\x28\xb5\x2f\xfd",
)
"""Beginnings that no text has; the other kinds need a NUL or the like beside theirs."""

_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\b\x1b")


class Encoding(Value):
    """codec: for Python; mark: byte order mark; label: for people, empty for plain UTF-8."""

    codec: str = "utf-8"
    mark: bytes = b""
    label: str = ""
    lossy: bool = False

    def decode(self, data: bytes) -> str:
        """The text of `data`, a whole file or (without its mark) lines of one."""
        return data.removeprefix(self.mark).decode(self.codec, "replace")

    def encode(self, text: str) -> bytes:
        """The file that holds `text`. Raises UnicodeEncodeError."""
        return self.mark + text.encode(self.codec)


UTF_8 = Encoding()
GB18030 = Encoding("gb18030", label="GB18030")
LOSSY = Encoding(lossy=True)


def encoding_of(head: bytes, whole: bool) -> Encoding | None:
    """The encoding of a file by its beginning (`whole`: all of it); None for binary data."""
    if head.startswith(UTF_32) or head.startswith(ALWAYS_BINARY):
        return None
    start = head[:HEAD]
    controls = len(start) - len(start.translate(None, _CONTROLS))
    if head.isascii() and not controls:
        return UTF_8
    for mark, codec, label in MARKS:
        if head.startswith(mark):
            return Encoding(codec, mark, label)
    if b"\0" in start:
        if not padded(start):
            return None
        start = start.rstrip(b"\0")
        controls = len(start) - len(start.translate(None, _CONTROLS))
    if controls * 10 > len(start):
        return None
    return _eight_bit(head.rstrip(b"\0"), whole)


def _eight_bit(text: bytes, whole: bool) -> Encoding | None:
    for encoding in (UTF_8, GB18030):
        if _decodes(text, encoding.codec, whole):
            return encoding
    shown = text.decode("utf-8", "replace")
    return None if shown.count("\ufffd") * 3 > len(shown) else LOSSY


def _decodes(data: bytes, codec: str, whole: bool) -> bool:
    """True where `data` is valid, but for a character cut at the end of a part."""
    from codecs import getincrementaldecoder

    try:
        getincrementaldecoder(codec)("strict").decode(data, whole)
    except UnicodeDecodeError:
        return False
    return True


def padded(head: bytes) -> bool:
    """True for lines of text followed by nothing but NUL: a log that was being written when the
    machine went down, or space set aside for one."""
    text = head.rstrip(b"\0")
    return text.endswith(b"\n") and b"\0" not in text


def kind_of(head: bytes) -> str:
    """What kind of data begins like this, by its magic number, or an empty string."""
    return next((kind for magic, kind in MAGIC if head.startswith(magic)), "")


class Text(Value):
    """A whole text file. newline: what ends its lines: `\\n`, `\\r\\n`, or "" for a mixture.

    In `content` lines end with `\\n`, but a mixture stays as it is. exact: `encode` gives the
    same bytes back.
    """

    content: str
    encoding: Encoding
    newline: str
    exact: bool

    def encode(self, content: str) -> bytes:
        """The bytes of this file with other content, encoding and line ends kept.

        Raises UnicodeEncodeError."""
        if self.newline == "\r\n":
            content = content.replace("\r\n", "\n").replace("\n", "\r\n")
        elif self.newline == "\n":
            content = content.replace("\r\n", "\n")
        return self.encoding.encode(content.removeprefix("\ufeff") if self.encoding.mark else content)


def text_of(data: bytes) -> Text | None:
    """A whole file as text; None for binary data."""
    encoding = encoding_of(data, True)
    if encoding is None:
        return None
    content = encoding.decode(data)
    exact = not encoding.lossy and encoding.encode(content) == data
    newline = newline_of(content)
    if newline == "\r\n":
        content = content.replace("\r\n", "\n")
    return Text(content, encoding, newline, exact)


def newline_of(content: str) -> str:
    """What ends the lines: `\\n`, `\\r\\n`, or "" for a mixture; `\\n` where there is one line."""
    both = content.count("\r\n")
    if both == 0:
        return "" if "\r" in content else "\n"
    return "\r\n" if both == content.count("\n") == content.count("\r") else ""


PADDING = 16
"""So many NUL bytes at the end of a block are padding; fewer are part of the text."""


class Unpadded(io.RawIOBase):
    """A raw file that ends where nothing but NUL follows in the block that was read."""

    def __init__(self, raw: io.RawIOBase, keep: bool = False) -> None:
        self._raw = raw
        self._keep = keep  # NUL is half of most characters in UTF-16
        self.ended = False
        """True once padding was met."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        count = 0 if self.ended else self._raw.readinto(buffer) or 0
        text = len(bytes(buffer[:count]).rstrip(b"\0"))
        if self._keep or count - text < PADDING:
            return count
        self.ended = True
        return text


class Lines:
    """The lines of a file of any size, in pieces, at most a block of it in memory."""

    BLOCK = 65_536

    def __init__(self, raw: io.RawIOBase, encoding: Encoding, check=lambda: None) -> None:
        self._raw = raw
        self._encoding = encoding
        self._check = check
        self._source: Unpadded
        self._text = self._wrap(len(encoding.mark))

    def _wrap(self, start: int) -> io.TextIOWrapper:
        self._raw.seek(start)
        self._source = Unpadded(self._raw, keep=self._encoding.codec.startswith("utf-16"))
        buffer = io.BufferedReader(self._source, self.BLOCK)
        return io.TextIOWrapper(buffer, self._encoding.codec, "replace", "\n")

    @property
    def padded(self) -> bool:
        """True where the text read so far ended in padding."""
        return self._source.ended

    def skip(self, count: int) -> int:
        """Skip so many lines from the start; how many there were, an unended last one included."""
        if count <= 0:
            return 0
        if self._encoding.codec.startswith("utf-16"):
            return self._skip_decoded(count)
        self._raw.seek(0)
        done = at = 0
        last = b"\n"
        while block := self._raw.read(self.BLOCK * 16):
            self._check()
            here = block.count(b"\n")
            if done + here >= count:
                end = -1
                for _ in range(count - done):
                    end = block.index(b"\n", end + 1)
                self._text = self._wrap(at + end + 1)
                return count
            done += here
            at += len(block)
            last = block[-1:]
        self._text = self._wrap(at)
        return done + (last != b"\n")

    def _skip_decoded(self, count: int) -> int:
        done = 0
        last = "\n"
        while done < count and (piece := self.piece(self.BLOCK)):
            done += piece.endswith("\n")
            last = piece[-1]
        return done + (last != "\n")

    def piece(self, limit: int) -> str:
        """The rest of the line, its end included, but at most `limit` characters; "" at the end."""
        self._check()
        return self._text.readline(limit)

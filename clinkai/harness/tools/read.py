"""The tool `read`: numbered lines of a text file, or of a result kept as `out:N`.

A page holds whole lines; a line longer than a page is cut, and `N:C` goes on with line N at its
character C. Files above a megabyte are streamed: memory is what is shown, not what is there.
"""

from __future__ import annotations

import io
import os
import re

from clinkai.core.errors import ToolError
from clinkai.core.text import size
from clinkai.core.value import Value
from clinkai.harness import files
from clinkai.harness.textfile import HEAD, LOSSY, UTF_8, Encoding, Lines, encoding_of, kind_of
from clinkai.harness.tools.change import lines as line_count
from clinkai.harness.tools.paths import OUTPUT, judged, missing, printable, usable
from clinkai.loop.tool import Reads, Tool, ToolResult, arg

OFFSET = re.compile(r"([0-9]{1,18})(?::([0-9]{1,18}))?")


class ReadArgs(Value):
    path: str = arg()
    offset: int | str = arg(1, minimum=1)
    limit: int = arg(0, minimum=1)


class Page(Value):
    """What is shown: numbered lines, the last line's number, where to go on ("" at the end)."""

    lines: list
    last: int
    further: str
    cut: bool


def effects(context, args: ReadArgs) -> tuple:
    """A kept result is the session's own; anything else is a path."""
    if OUTPUT.fullmatch(args.path):
        return ()
    return (Reads(judged(context.workspace, args.path)),)


def run(context, args: ReadArgs) -> ToolResult:
    """Show a page. Raises ToolError: no such file, not text, past the end."""
    start = _start(args.offset)
    output = OUTPUT.fullmatch(args.path)
    if output:
        path = context.store.output_path(int(output[1]))
        if path is None:
            raise ToolError("tool.read.no_output", path=args.path)
        with open(path, "rb", buffering=0) as raw:
            data = _small(raw, os.fstat(raw.fileno()))
            return _shown(context, args, raw if data is None else io.BytesIO(data), UTF_8, start)
    place = usable(context, args.path)
    try:
        raw = files.open_regular(context.workspace, place)
    except ToolError as error:
        raise missing(context, place) if error.key == "tool.file.missing" else error
    with raw:
        status = os.fstat(raw.fileno())
        data = _small(raw, status)
        head = raw.read(8 * HEAD) if data is None else data
        encoding = encoding_of(head, data is not None)
        if encoding is None:
            what = kind_of(head) or context.say("tool.read.data")
            raise ToolError("tool.read.binary", path=printable(args.path), what=what,
                            size=size(status.st_size))
        result = _shown(context, args, raw if data is None else io.BytesIO(data), encoding, start)
    context.seen.note(place.path, files.version_of(data, status))
    return result


def _small(raw: io.FileIO, status: os.stat_result) -> bytes | None:
    """All of a file that fits; None for a larger one."""
    if status.st_size > files.HASHED:
        return None
    data = raw.read(status.st_size + 1)  # reserves no more than that
    while len(data) <= files.HASHED and (more := raw.read(files.PIECE)):
        data += more
    if len(data) > files.HASHED:  # it grew while it was read
        raw.seek(0)
        return None
    return data


def _start(offset: int | str) -> tuple[int, int]:
    match = OFFSET.fullmatch(str(offset))
    if not match or int(match[1]) < 1 or match[2] == "0":
        raise ToolError("tool.read.bad_offset", offset=str(offset)[:80])
    return int(match[1]), int(match[2] or 1)


def _shown(context, args: ReadArgs, raw: io.RawIOBase, encoding: Encoding,
           start: tuple[int, int]) -> ToolResult:
    if encoding is UTF_8 and start == (1, 1) and not args.limit and isinstance(raw, io.BytesIO):
        whole = _one_page(raw.getvalue(), context.limits)
        if whole:
            return ToolResult(True, whole)
    lines = Lines(raw, encoding, context.cancel.check)
    first, char = start
    skipped = lines.skip(first - 1)
    limits = context.limits
    if skipped < first - 1:
        raise ToolError("tool.read.past", offset=str(args.offset), lines=skipped)
    if not _skip_chars(lines, char - 1):
        raise ToolError("tool.read.past_line", offset=str(args.offset))
    page = _page(lines, start, args.limit or limits.read_lines, limits.read_chars)
    if not page.lines and start != (1, 1):
        raise ToolError("tool.read.past", offset=str(args.offset), lines=skipped)
    if not page.lines:
        return ToolResult(True, context.say("tool.read.empty"))
    note = _note(context, raw, page, first, encoding)
    if lines.padded:
        note.append(context.say("tool.read.padding"))
    text = "\n".join(page.lines)
    return ToolResult(True, f"{text}\n[{'; '.join(note)}]" if note else text)


def _one_page(data: bytes, limits) -> str:
    """All of a UTF-8 file that fits on one page, as the page; empty for any other. Most files that
    are read are such, and need not be taken apart piece by piece."""
    if len(data) > 4 * limits.read_chars or b"\0" in data or b"\r" in data:
        return ""
    lines = data.decode("utf-8", "replace").removesuffix("\n").split("\n")
    if len(lines) > limits.read_lines or not data:
        return ""
    page = "\n".join([f"{number}\t{line}" for number, line in enumerate(lines, 1)])
    return page if len(page) <= limits.read_chars else ""


def _skip_chars(lines: Lines, count: int) -> bool:
    """Skip so many characters of a line; False where it ends before."""
    while count > 0:
        piece = lines.piece(min(count, Lines.BLOCK))
        if not piece or piece.endswith("\n"):
            return False
        count -= len(piece)
    return True


def _page(lines: Lines, start: tuple[int, int], most: int, room: int) -> Page:
    number, char = start
    shown: list[str] = []
    while len(shown) < most:
        label = f"{number}:{char}\t" if char > 1 else f"{number}\t"
        left = room - len(label)
        piece = lines.piece(max(1, left) + 1)
        if not piece:
            return Page(shown, number - 1, "", False)
        ended = piece.endswith("\n")
        line = piece[:-1].removesuffix("\r") if ended else piece
        if len(line) > left and shown:
            return Page(shown, number - 1, str(number), False)
        if len(line) > left and not ended:
            left = max(1, left)
            shown.append(label + line[:left])
            return Page(shown, number, f"{number}:{char + left}", True)
        shown.append(label + line)
        room -= len(label) + len(line) + 1
        number, char = number + 1, 1
    return Page(shown, number - 1, str(number) if lines.piece(1) else "", False)


def _note(context, raw: io.RawIOBase, page: Page, first: int, encoding: Encoding) -> list[str]:
    """What the page does not show of itself: how to go on, an unusual encoding."""
    say = context.say
    note = []
    if page.cut:
        note.append(say("tool.read.cut", line=page.last, offset=page.further))
    elif page.further:
        if isinstance(raw, io.BytesIO):
            content = encoding.decode(raw.getvalue()).rstrip("\0")
            total = say("tool.read.total", lines=line_count(content))
        else:
            total = size(os.fstat(raw.fileno()).st_size)
        note.append(say("tool.read.more", first=first, last=page.last, total=total,
                        offset=page.further))
    if encoding == LOSSY or not isinstance(raw, io.BytesIO) and _replaced(page, encoding):
        note.append(say("tool.read.lossy"))
    elif encoding.label:
        note.append(encoding.label)
    return note


def _replaced(page: Page, encoding: Encoding) -> bool:
    """True where the page of a large file, of which only the beginning was looked at for its
    encoding, shows bytes that are not in it."""
    return encoding == UTF_8 and any("\ufffd" in line for line in page.lines)


def title(args: ReadArgs) -> str:
    """The path, and where reading starts."""
    start = "" if args.offset == 1 else f" {args.offset}"
    return printable(args.path) + start


READ = Tool("read", ReadArgs, run, effects, title, repeat=True, pages=True)

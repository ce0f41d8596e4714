"""The tool `grep`: lines that match an expression, in one file or in a tree.

Secrets, binary files and what Git ignores are left out, links are never followed. Files are
opened and read here; only the matching may move to a child process (`matching`).
"""

from __future__ import annotations

import io
import os
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import closing

from clinkai.core.errors import PathError, ToolError
from clinkai.core.value import Value
from clinkai.harness import files
from clinkai.harness.files import Folder
from clinkai.harness.globs import Glob, expand
from clinkai.harness.names import is_secret
from clinkai.harness.textfile import HEAD, MARKS, Encoding, Unpadded, encoding_of
from clinkai.harness.tools.paths import judged, missing, printable, usable
from clinkai.harness.walk import visits
from clinkai.harness.workspace import Place
from clinkai.loop.tool import Reads, Tool, ToolResult, arg

SECONDS = 10.0
"""After so long a search ends with what it has."""

SHOWN = 500
"""Lines that are shown; more are counted."""

WIDTH = 300
"""Characters of a line that are shown."""

BLOCK = 1_000_000
"""Bytes of a file that are searched at once."""


class GrepArgs(Value):
    pattern: str = arg()
    path: str = arg(".")
    glob: str = arg("")
    ignore_case: bool = arg(False)


def run(context, args: GrepArgs) -> ToolResult:
    """Search. Raises ToolError: an invalid expression, no such path, a single file that is not
    text."""
    return search(context, args, SECONDS)


def search(context, args: GrepArgs, seconds: float) -> ToolResult:
    """As `run`, for at most so many seconds."""
    from clinkai.harness.tools.matching import Matcher, TimeUp

    if not args.pattern:
        raise ToolError("tool.grep.empty")
    place = usable(context, args.path)
    with Matcher(args.pattern, args.ignore_case, seconds, context.cancel) as matcher:
        task = _Search(matcher, _Filter(args.glob))
        try:
            _search(context, place, task)
        except TimeUp:
            task.late = True
        return task.result(context, args, seconds)


def _search(context, place: Place, task: _Search) -> None:
    if place.rel and not os.path.isdir(place.path):
        _single(context, place, task)
        return
    secrets = place.zone == "inside"  # left out, unless a person said yes to this very folder
    try:
        with closing(visits(context.workspace, place.rel)) as tree:
            for visit in tree:
                task.folder(context.workspace, visit, place.rel, secrets)
    except OSError as error:
        raise files.explain(error, printable(place.text)) from error


def _single(context, place: Place, task: _Search) -> None:
    try:
        with files.open_regular(context.workspace, place) as raw:
            if not task.file(raw.fileno(), os.fstat(raw.fileno()).st_size, place.rel):
                raise PathError("tool.grep.binary", path=printable(place.text))
    except ToolError as error:
        raise missing(context, place) if error.key == "tool.file.missing" else error


class _Filter:
    """The glob argument: by last name without a slash, else by path; `!` leaves out."""

    def __init__(self, text: str) -> None:
        self._leaves_out = text.startswith("!")
        text = text.removeprefix("!").removeprefix("./")
        self._any = not text
        self._by_path = "/" in text
        self._globs = [Glob(one.removeprefix("/")) for one in expand(text)]

    def takes(self, name: str, rel: str, start: str) -> bool:
        """True where the file `rel`, found below `start`, is to be searched."""
        if self._any:
            return True
        if not self._by_path:
            found = any(glob.matches((name,)) for glob in self._globs)
        else:
            ways = {rel, rel.removeprefix(start + "/")}
            found = any(glob.matches(way.split("/")) for glob in self._globs for way in ways)
        return found != self._leaves_out


class _Search:
    """One search: what was found so far."""

    def __init__(self, matcher, wanted: _Filter) -> None:
        self._matcher = matcher
        self._wanted = wanted
        self.lines: list[str] = []
        self.matches = 0
        self.matched_files = 0
        self.files = 0
        self.secrets = 0
        self.late = False

    def folder(self, workspace, visit, start: str, secrets: bool) -> None:
        """Search the files of one folder."""
        folder: Folder = visit.folder
        above = visit.rel + "/" if visit.rel else ""
        below_secret = secrets and workspace.is_secret(visit.rel)
        self._matcher.check()
        for entry in visit.entries:
            name = entry.name
            if not entry.is_file(follow_symlinks=False):
                continue
            rel = above + name
            if not self._wanted.takes(name, rel, start):
                continue
            if secrets and (below_secret or is_secret(name)) and workspace.is_secret(rel):
                self.secrets += 1
                continue
            try:
                fd, status = folder.open(name)
            except (OSError, PathError):
                continue
            try:
                self.file(fd, status.st_size, rel)
            except OSError:
                continue  # it cannot be read; that is no reason to end
            finally:
                os.close(fd)

    def file(self, fd: int, size: int, rel: str) -> bool:
        """Search one open file; False where it is not text. Raises TimeUp, OSError."""
        data = os.read(fd, min(size, BLOCK) + 1)
        whole = len(data) <= BLOCK
        marked = data.startswith((MARKS[1][0], MARKS[2][0]))
        if whole and not marked and not self._matcher.may_match(data):
            text = b"\0" not in data[:HEAD] or encoding_of(data, whole) is not None
            self.files += text
            return text
        encoding = encoding_of(data, whole)
        if encoding is None:
            return False
        self.files += 1
        before = self.matches
        try:
            if whole:
                self._text(encoding.decode(data), rel, 1)
            else:
                self._long(fd, encoding, rel)
        finally:
            self.matched_files += self.matches > before
        return True

    def _long(self, fd: int, encoding: Encoding, rel: str) -> None:
        number = 1
        for text in _texts(fd, encoding):
            self._text(text, rel, number)
            number += text.count("\n")

    def _text(self, text: str, rel: str, number: int) -> None:
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        spans = self._matcher.spans(text)
        at = 0
        for first, last, start, end in spans[:SHOWN - len(self.lines)]:
            number += text.count("\n", at, first)
            at = first
            line = _cut(text[first:last], start - first, end - first)
            self.lines.append(f"{printable(rel)}:{number}: {line}")
        self.matches += len(spans)

    def result(self, context, args: GrepArgs, seconds: float) -> ToolResult:
        """The answer to the model."""
        say = context.say
        late = say("tool.grep.late", seconds=f"{seconds:g}")
        if not self.matches:
            said = say("tool.grep.nothing", files=self.files)
            if "\\n" in args.pattern or "\n" in args.pattern:
                said += " " + say("tool.grep.one_line")
            if self.late:
                return ToolResult(False, late)
        else:
            key = "tool.grep.first" if self.matches > SHOWN else "tool.grep.found"
            said = say(key, shown=SHOWN, matches=self.matches, files=self.matched_files)
            if self.late:
                said += " " + late
        if self.secrets:
            said += " " + say("tool.grep.secrets", n=self.secrets)
        return ToolResult(True, "\n".join([*self.lines, f"[{said}]"]), cut=self.matches > SHOWN)


def _cut(line: str, start: int, end: int) -> str:
    """The line, or of a long one what is around the match."""
    if len(line) <= WIDTH:
        return line
    middle = (start + min(end, start + WIDTH)) // 2
    begin = max(0, min(middle - WIDTH // 2, len(line) - WIDTH))
    end = begin + WIDTH
    return ("…" if begin else "") + line[begin:end] + ("…" if end < len(line) else "")


def _texts(fd: int, encoding: Encoding) -> Iterator[str]:
    """A large file in runs of whole lines; a line longer than a block comes in parts."""
    os.lseek(fd, len(encoding.mark), os.SEEK_SET)
    decoder = getincrementaldecoder(encoding.codec)("replace")
    raw = Unpadded(io.FileIO(fd, closefd=False), keep=encoding.codec.startswith("utf-16"))
    rest = ""
    while block := raw.read(BLOCK):
        text = rest + decoder.decode(block)
        end = text.rfind("\n") + 1
        if not end and len(text) < BLOCK:
            rest = text
            continue
        end = end or len(text)
        rest = text[end:]
        yield text[:end]
    if rest:
        yield rest


def title(args: GrepArgs) -> str:
    """The expression and where it is looked for."""
    where = "" if args.path == "." else f" {printable(args.path)}"
    return printable(args.pattern) + where + (f" {printable(args.glob)}" if args.glob else "")


GREP = Tool(
    "grep", GrepArgs, run,
    effects=lambda context, args: (Reads(judged(context.workspace, args.path)),),
    title=title, repeat=True,
)

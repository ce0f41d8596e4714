"""What a session changed, as a patch that `git apply` accepts.

    text = "".join(patch(changes.whole(), content))

New, removed and changed files, the bit that makes a file a program, links; a missing line end at
the end of a file. What is no UTF-8 text, or has control characters that a terminal would obey, is a
binary patch in base 85, so that the whole is text. Not covered: renames, told as one file removed
and one that is new; other permissions.
"""

from __future__ import annotations

import hashlib
import re
import stat
import zlib
from base64 import b85encode
from collections.abc import Callable, Iterator

from clinkai.harness.changes import Change, Version
from clinkai.harness.tools.diff import exact

FILE, PROGRAM, LINK = "100644", "100755", "120000"
NULL = "0" * 40

_BINARY = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_QUOTED = re.compile(r'[\0-\x1f"\\\x7f-\xff]')


def patch(whole: dict[str, Change], content: Callable[[str, Version], bytes | None],
          missing: list[str]) -> Iterator[str]:
    """The patch, file by file. content(path, version): what a version of a file holds, None where
    that is not known: the path is then put in `missing`."""
    for path in sorted(whole):
        change = whole[path]
        sides = [b"" if one.sha is None else content(path, one)
                 for one in (change.was, change.now)]
        if None in sides:
            missing.append(path)
        else:
            yield _file(path, change, *sides)


def _file(path: str, change: Change, before: bytes, after: bytes) -> str:
    was, now = _mode(change.was), _mode(change.now)
    if was and now and (was == LINK) != (now == LINK):  # Git has no change of kind
        gone = Version(None)
        return (_file(path, Change(change.was, gone), before, b"")
                + _file(path, Change(gone, change.now), b"", after))
    old, new = _name("a/" + path), _name("b/" + path)
    lines = [f"diff --git {old} {new}"]
    if not was:
        lines.append(f"new file mode {now}")
    elif not now:
        lines.append(f"deleted file mode {was}")
    elif was != now:
        lines += [f"old mode {was}", f"new mode {now}"]
    if was and now and before == after:
        return "\n".join(lines) + "\n" if was != now else ""
    ids = (_blob(before) if was else NULL), (_blob(after) if now else NULL)
    lines.append(f"index {'..'.join(ids)}" + (f" {was}" if was == now else ""))
    texts = _text(before), _text(after)
    if None in texts:
        lines += ["GIT binary patch", *_literal(after), "", *_literal(before), ""]
    elif before != after:
        lines += [f"--- {_marked(old) if was else '/dev/null'}",
                  f"+++ {_marked(new) if now else '/dev/null'}", *exact(*texts)]
    return "\n".join(lines) + "\n"


def _mode(version: Version) -> str:
    """As Git has it; empty where there is no file."""
    if version.sha is None:
        return ""
    mode = version.mode or stat.S_IFREG
    if stat.S_ISLNK(mode):
        return LINK
    return PROGRAM if mode & stat.S_IXUSR else FILE


def _text(data: bytes) -> str | None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if _BINARY.search(text) else text


def _blob(data: bytes) -> str:
    """The name of a content in Git."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _literal(data: bytes) -> Iterator[str]:
    """A whole content: its length, then lines of up to 52 bytes, each after a letter that tells
    how many."""
    yield f"literal {len(data)}"
    packed = zlib.compress(data)
    for at in range(0, len(packed), 52):
        piece = packed[at:at + 52]
        letter = chr(len(piece) + (64 if len(piece) <= 26 else 70))
        yield letter + b85encode(piece, pad=True).decode()


def _name(path: str) -> str:
    """A path as it stands in a patch: in quotes where it has signs of its own meaning."""
    try:
        raw = path.encode()
    except UnicodeEncodeError:
        raw = path.encode("utf-8", "surrogateescape")
    if path.isprintable() and '"' not in path and "\\" not in path:
        return path
    return '"' + _QUOTED.sub(_octal, raw.decode("latin-1")) + '"'


def _octal(found: re.Match) -> str:
    char = found.group()
    return "\\" + char if char in '"\\' else f"\\{ord(char):03o}"


def _marked(name: str) -> str:
    """A name after which a blank in it does not end it."""
    return name + "\t" if " " in name and name[0] != '"' else name

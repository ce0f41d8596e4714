"""Commands that a shell answers itself; so do we, since there is no shell.

Covered: echo, pwd, true, false, cd to where we are, type, command -v, and `which`, which not every system has. The
answer to where a program is, is about the commands a person approves: their whole PATH.
"""

from __future__ import annotations

import re

from clinkai.harness.shell import environment

BUILTINS = frozenset(
    ". : [ alias bg bind break builtin caller cd command compgen complete continue declare dirs "
    "disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let "
    "local logout mapfile popd printf pushd pwd read readonly return set shift shopt source "
    "suspend test times trap true type typeset ulimit umask unalias unset wait".split()
)

ESCAPE = re.compile(
    r"\\(?:(?P<plain>[abeEfnrtv\\])|0(?P<octal>[0-7]{0,3})|x(?P<hex>[0-9A-Fa-f]{1,2})"
    r"|u(?P<short>[0-9A-Fa-f]{1,4})|U(?P<long>[0-9A-Fa-f]{1,8})|(?P<stop>c))"
)
PLAIN = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r",
         "t": "\t", "v": "\v", "\\": "\\"}


def answer(argv: tuple[str, ...], root: str) -> tuple[bytes, int] | None:
    """Output and exit code of a command that needs no program, else None. root: the workspace."""
    found = ANSWERS.get(argv[0])
    if not found:
        return None
    text, status = found(argv[1:], root)
    return text.encode("utf-8", "surrogateescape"), status


def _echo(words: tuple[str, ...], root: str) -> tuple[str, int]:
    """As bash does: leading words of the letters n, e, E are options."""
    newline, escapes = "\n", False
    while words and re.fullmatch(r"-[neE]+", words[0]):
        for letter in words[0][1:]:
            newline = "" if letter == "n" else newline
            escapes = letter == "e" if letter in "eE" else escapes
        words = words[1:]
    text = " ".join(words)
    if escapes:
        text, stopped = _escaped(text)
        newline = "" if stopped else newline
    return text + newline, 0


def _escaped(text: str) -> tuple[str, bool]:
    """`text` with its escapes replaced, and whether `\\c` cut it off."""
    parts, at = [], 0
    for found in ESCAPE.finditer(text):
        parts.append(text[at:found.start()])
        at = found.end()
        if found["stop"]:
            return "".join(parts), True
        if found["plain"]:
            parts.append(PLAIN[found["plain"]])
        elif found["octal"] is not None:
            parts.append(_byte(int(found["octal"] or "0", 8) & 0xFF))
        elif found["hex"]:
            parts.append(_byte(int(found["hex"], 16)))
        else:
            code = int(found["short"] or found["long"], 16)
            parts.append(chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd")
    return "".join(parts) + text[at:], False


def _byte(value: int) -> str:
    """One byte in a text that is encoded with surrogateescape."""
    return bytes([value]).decode("utf-8", "surrogateescape")


def _pwd(words: tuple[str, ...], root: str) -> tuple[str, int]:
    return root + "\n", 0


def _which(words: tuple[str, ...], root: str) -> tuple[str, int]:
    names = [word for word in words if not word.startswith("-")]
    found = [_path(name) for name in names]
    return "".join(path + "\n" for path in found if path), 0 if all(found) else 1


def _type(words: tuple[str, ...], root: str) -> tuple[str, int]:
    flags = "".join(word for word in words if word.startswith("-"))
    names = [word for word in words if not word.startswith("-")]
    lines, status = [], 0
    for name in names:
        path, builtin = _path(name), name in BUILTINS
        if not path and not builtin:
            status = 1
            lines += [] if "t" in flags or "p" in flags or "P" in flags else [f"{name}: not found"]
        elif "t" in flags:
            lines.append("builtin" if builtin else "file")
        elif "P" in flags or "p" in flags:
            lines += [path] if path and ("P" in flags or not builtin) else []
        else:
            lines.append(f"{name} is a shell builtin" if builtin else f"{name} is {path}")
    return "".join(line + "\n" for line in lines), status


def _command(words: tuple[str, ...], root: str) -> tuple[str, int]:
    if any("V" in word for word in words if word.startswith("-")):
        return _type(tuple(word for word in words if not word.startswith("-")), root)
    names = [word for word in words if not word.startswith("-")]
    found = [name if name in BUILTINS else _path(name) for name in names]
    return "".join(path + "\n" for path in found if path), 0 if any(found) else 1


def _path(name: str) -> str:
    import shutil

    return shutil.which(name, path=environment.approved().get("PATH")) or ""


ANSWERS = {
    "echo": _echo, "pwd": _pwd, "which": _which, "type": _type, "command": _command,
    "true": lambda words, root: ("", 0), "false": lambda words, root: ("", 1),
    "cd": lambda words, root: ("", 0),
}

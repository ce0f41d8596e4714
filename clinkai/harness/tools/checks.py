"""Does a file of a known kind still parse? Reported after a change; nothing is executed.

Covered: .py (by the Python that runs us), .json, .toml, .xml of usual size. Not covered: what
the file means; JSON that is known to allow comments.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

LARGEST = 400_000
"""Characters that are parsed; a larger file is not checked."""

COMMENTED_JSON = ("tsconfig", "jsconfig", ".eslintrc", "devcontainer", "launch.json", "tasks.json")

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST, without the cost of importing ast
_warnings = threading.Lock()


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings about what somebody else's text looks like. One thread at a time: the filters
    belong to the process."""
    with _warnings, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def problem(name: str, text: str) -> str:
    """Why the file `name` (its last part) with this content does not parse, in the parser's words
    with the line; an empty string where it does or is not known."""
    name = name.lower()
    check = next((check for end, check in CHECKS.items() if name.endswith(end)), None)
    if check is None or len(text) > LARGEST:
        return ""
    if name.endswith(".json") and name.startswith(COMMENTED_JSON):
        return ""
    try:
        with quiet():
            return check(text)
    except (RecursionError, MemoryError):
        return ""


def _python(text: str) -> str:
    try:
        compile(text, "<file>", "exec", _ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    except ValueError as error:
        return str(error)
    return ""


def _json(text: str) -> str:
    import json

    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg}"
    except ValueError:
        return ""  # a number longer than Python converts is fine JSON
    return ""


def _toml(text: str) -> str:
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error)
    return ""


def _xml(text: str) -> str:
    from xml.parsers import expat

    parser = expat.ParserCreate("utf-8")
    parser.DefaultHandler = lambda data: None  # keeps entities of the content unexpanded
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        return f"line {error.lineno}: {expat.ErrorString(error.code)}"
    return ""


CHECKS = {".py": _python, ".json": _json, ".toml": _toml, ".xml": _xml}

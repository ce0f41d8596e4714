"""JSON lines in, JSON lines out: for the commands that scripts talk to."""

from __future__ import annotations

import json
from collections.abc import Callable

from clinkai.ui.call import Call
from clinkai.ui.signals import reachable
from clinkai.ui.terminal import Screen


def print_json(screen: Screen, body: object) -> None:
    """Print one object as a line of ASCII that can be seen, flushed."""
    screen.write(ascii_json(body) + "\n")


def ascii_json(body: object) -> str:
    """One object as ASCII that can be seen."""
    return json.dumps(body).replace("\x7f", "\\u007f")


def answer_lines(call: Call, answer: Callable[[dict], dict]) -> None:
    """Print `answer(object)` for every line of standard input that is not blank, as it comes, for
    as long as somebody reads it.

    A line that is no JSON object is answered as `{"bad": why}`.
    """
    with reachable():
        for line in getattr(call.stdin, "buffer", call.stdin):
            text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
            if text.strip():
                print_json(call.screen, answer(_object(text, call)))
            if call.screen.broken:
                break


def _no_json(name: str) -> None:
    """Python would read NaN and Infinity, and write them again."""
    raise ValueError(name)


def _finite(digits: str) -> float:
    """A number; those beyond what a float holds would be written as Infinity."""
    number = float(digits)
    return number if number - number == 0 else _no_json(digits)


def _object(text: str, call: Call) -> dict:
    try:
        body = json.loads(text, parse_constant=_no_json, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        return {"bad": call.say("cli.lines.json", why=str(error)[:200])}
    return body if isinstance(body, dict) else {"bad": call.say("cli.lines.object")}

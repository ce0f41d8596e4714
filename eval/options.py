"""The command line of `eval`.

    eval [run]    play the tasks            --only REGEX   tasks whose suite/name it is found in
    eval check    test the tasks, without   --repeat K     trials of each (3)
                  a model                   --jobs N       at the same time (1)
    eval --list   name the tasks            --out DIR      where results go
    --json        results as JSON         --tasks DIR    tasks of your own, in the same form

The options of settings (--base-url, --model, --lang ...) are understood too.
"""

from __future__ import annotations

import re

from clinkai.core.errors import UsageError
from clinkai.core.value import Value
from clinkai.harness.settings import TABLE, Setting

ACTIONS = ("run", "check", "list")
NUMBERS = {"--repeat": 1_000, "--jobs": 256}
TEXTS = ("--only", "--out", "--tasks")


class Options(Value):
    """What was asked for. flags: settings given as options, by attribute name. json: standard
    output is one JSON object, in ASCII."""

    action: str
    flags: dict
    only: str = ""
    out: str = ""
    tasks: str = ""
    repeat: int = 3
    jobs: int = 1
    json: bool = False


def parse(argv: list[str]) -> Options:
    """Read the words after `eval`. Raises UsageError."""
    settings = {s.flag: s for s in TABLE if s.flag}
    given: dict = {"action": "run", "flags": {}}
    left = list(argv)
    while left:
        flag, equals, value = left.pop(0).partition("=")
        if flag in ACTIONS[:2] and not equals:
            given["action"] = flag
        elif flag == "--list" and not equals:
            given["action"] = "list"
        elif flag == "--json" and not equals:
            given["json"] = True
        elif _is_switch(settings.get(flag)) and not equals:
            given["flags"][settings[flag].attribute] = True
        elif flag not in (*settings, *NUMBERS, *TEXTS) or _is_switch(settings.get(flag)):
            raise UsageError("eval.error.option", option=flag + equals + value)
        elif not equals and (not left or left[0].startswith("--")):
            raise UsageError("eval.error.value", option=flag)
        else:
            value = value if equals else left.pop(0)
            if flag in settings:
                given["flags"][settings[flag].attribute] = value
            else:
                given[flag[2:]] = _number(flag, value) if flag in NUMBERS else value
    _compile(given.get("only", ""))
    return Options(**given)


def _is_switch(setting: Setting | None) -> bool:
    return setting is not None and setting.kind == "switch"


def _number(flag: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and 1 <= int(value) <= NUMBERS[flag]):
        raise UsageError("eval.error.number", option=flag, value=value, high=NUMBERS[flag])
    return int(value)


def _compile(only: str) -> None:
    try:
        re.compile(only)
    except re.error as error:
        raise UsageError("eval.error.regex", value=only, why=error) from None

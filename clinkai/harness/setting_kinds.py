"""How the value of a setting is read, by kind: from text, or as config.toml gives it.

    text     any text without control characters        file     an existing, readable file
    secret   printable ASCII without blanks              folder   a path; need not exist yet
    url      as `ai/address.py` reads it                 int      a whole number within bounds
    choice   one of the choices                          number   a decimal number within bounds
    names    some of the choices, or +NAME, -NAME        switch   1/0, true/false, yes/no, on/off
    globs    patterns, separated by commas              thinking on, off, or a number of tokens
    object   a JSON object, read as pairs of name and value

Lists may be lists in config.toml. `~` and `~/` at the start of a path are the user's home folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping

from clinkai.core.errors import UsageError
from clinkai.harness import home as home_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clinkai.harness.settings import Setting

OWN_FIELDS = {"messages", "tools", "model", "stream", "stream_options", "system", "tool_choice",
              "max_tokens", "n"}
"""Fields of a request that other settings or the product itself decide."""

SWITCH = {"1": True, "true": True, "yes": True, "on": True,
          "0": False, "false": False, "no": False, "off": False}


class BadValue(Exception):
    """The value cannot be used: the catalogue key of the message and its parameters."""

    def __init__(self, key: str, **params: object) -> None:
        super().__init__(key)
        self.key = key
        self.params = params


def read(setting: Setting, raw: object, environ: Mapping[str, str]) -> object:
    """Return `raw` as a value of the kind of `setting`. Raises BadValue."""
    return READERS[setting.kind](setting, raw, environ)


def _text(setting: Setting, raw: object, environ: Mapping[str, str]) -> str:
    if not isinstance(raw, str) or any(ord(c) < 32 or ord(c) == 127 for c in raw):
        raise BadValue("setting.error.text")
    return raw


def _secret(setting: Setting, raw: object, environ: Mapping[str, str]) -> str:
    if not isinstance(raw, str) or any(not "!" <= c <= "~" for c in raw):
        raise BadValue("setting.error.secret")
    return raw


def _url(setting: Setting, raw: object, environ: Mapping[str, str]) -> str:
    from clinkai.ai.address import read_address

    try:
        return read_address(_text(setting, raw, environ)).base
    except (UsageError, BadValue):
        raise BadValue("setting.error.url") from None


def _choice(setting: Setting, raw: object, environ: Mapping[str, str]) -> str:
    if raw not in setting.choices:
        raise BadValue("setting.error.choice", choices=", ".join(setting.choices))
    return str(raw)


def _names(setting: Setting, raw: object, environ: Mapping[str, str]) -> tuple[str, ...]:
    """A list of names, or what is added to the default and taken from it: `+move,-bash`."""
    given = _list(raw)
    names = {name[name[0] in "+-":] for name in given or ()}
    signed = [name for name in given or () if name[0] in "+-"]
    if given is None or not names <= set(setting.choices) or signed and signed != list(given):
        raise BadValue("setting.error.names", choices=", ".join(setting.choices))
    chosen = set(setting.default) if signed else names
    for name in signed:
        (chosen.add if name[0] == "+" else chosen.discard)(name[1:])
    return tuple(name for name in setting.choices if name in chosen)


def _globs(setting: Setting, raw: object, environ: Mapping[str, str]) -> tuple[str, ...]:
    chosen = _list(raw)
    if chosen is None:
        raise BadValue("setting.error.globs")
    return chosen


def _list(raw: object) -> tuple[str, ...] | None:
    if isinstance(raw, str):
        raw = raw.split(",")
    if not isinstance(raw, list | tuple) or not all(isinstance(part, str) for part in raw):
        return None
    return tuple(part.strip() for part in raw if part.strip())


def _int(setting: Setting, raw: object, environ: Mapping[str, str]) -> int:
    value = raw
    if isinstance(raw, str) and raw.isascii() and raw.strip().isdigit() and len(raw) < 20:
        value = int(raw)
    if not isinstance(value, int) or isinstance(value, bool) \
            or not setting.low <= value <= setting.high:
        raise BadValue("setting.error.int", low=f"{setting.low}", high=f"{setting.high}")
    return value


def _number(setting: Setting, raw: object, environ: Mapping[str, str]) -> float:
    value = raw
    if isinstance(raw, str):
        try:
            value = float(raw)
        except ValueError:
            value = None
    if not isinstance(value, int | float) or isinstance(value, bool) \
            or not setting.low <= value <= setting.high:
        raise BadValue("setting.error.number", low=f"{setting.low}", high=f"{setting.high}")
    return float(value)


def _thinking(setting: Setting, raw: object, environ: Mapping[str, str]) -> str:
    text = {True: "on", False: "off"}.get(raw, raw) if isinstance(raw, bool) else raw
    text = str(text).strip().lower()
    tokens = text.isascii() and text.isdigit() and len(text) < 9 and int(text) > 0
    if text not in ("on", "off") and not tokens:
        raise BadValue("setting.error.thinking")
    return str(int(text)) if tokens else text


def _object(setting: Setting, raw: object, environ: Mapping[str, str]) -> tuple:
    value = raw
    if isinstance(raw, str):
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, dict):
        raise BadValue("setting.error.object")
    ours = sorted(OWN_FIELDS & value.keys())
    if ours:
        raise BadValue("setting.error.own_fields", names=", ".join(ours))
    try:
        json.dumps(value, allow_nan=False).encode()
    except (ValueError, TypeError):
        raise BadValue("setting.error.object") from None
    return tuple(value.items())


def _switch(setting: Setting, raw: object, environ: Mapping[str, str]) -> bool:
    value = SWITCH.get(str(raw).strip().lower())
    if not isinstance(value, bool):
        raise BadValue("setting.error.switch", choices="1, 0, true, false, yes, no, on, off")
    return value


def _folder(setting: Setting, raw: object, environ: Mapping[str, str]) -> str:
    path = home_folder.expand(_text(setting, raw, environ), environ)
    if not path:
        raise BadValue("setting.error.text")
    return path


def _file(setting: Setting, raw: object, environ: Mapping[str, str]) -> str:
    if raw == "":
        return ""
    path = _folder(setting, raw, environ)
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise BadValue("setting.error.file")
    return path


READERS: dict[str, Callable] = {
    "text": _text, "secret": _secret, "url": _url, "choice": _choice, "names": _names,
    "globs": _globs, "int": _int, "number": _number, "switch": _switch, "folder": _folder,
    "file": _file, "thinking": _thinking, "object": _object,
}

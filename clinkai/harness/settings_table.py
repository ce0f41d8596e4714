"""The settings as rows: for `config`, for README, for the settings panel of the page."""

from __future__ import annotations

import json

from clinkai.ai import DEFAULT_KEY
from clinkai.core.catalogue import Strings
from clinkai.harness.settings import MASK, TABLE, Setting, Settings


def rows(settings: Settings) -> list[dict]:
    """`{name, env, value, default, source}` of every setting, in the order of the table.
    Keys are masked."""
    return [
        {
            "name": setting.name,
            "env": setting.env,
            "value": shown(setting, settings.values[setting.attribute]),
            "default": shown(setting, setting.default),
            "source": settings.sources[setting.attribute],
        }
        for setting in TABLE
    ]


def shown(setting: Setting, value: object) -> object:
    """A value as it may be shown: keys masked, lists for JSON."""
    if setting.kind == "secret":
        return MASK if value else ""
    if setting.kind == "object":
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def text_of(setting: Setting, value: object) -> str:
    """A value as people write it, and as it may be shown: `1` for a switch that is on."""
    if setting.kind == "secret":
        return MASK if value else ""
    if setting.kind == "object":
        return json.dumps(dict(value), ensure_ascii=False) if value else ""
    if isinstance(value, tuple):
        return ",".join(value)
    if value is None:
        return ""
    if setting.kind == "switch":
        return "1" if value else "0"
    return f"{value:g}" if isinstance(value, float) else str(value)


def help_of(setting: Setting, say: Strings) -> str:
    """What a setting does, in one sentence."""
    return say("setting." + setting.attribute)


def default_of(setting: Setting, say: Strings) -> str:
    """The default as people write it; where it is worked out, how."""
    if setting.default is None or setting.default == "":
        return say(f"setting.{setting.attribute}.default")
    if setting.default == ():
        return say(f"setting.{setting.attribute}.default")
    return setting.default if setting.kind == "secret" else text_of(setting, setting.default)


def markdown(say: Strings) -> str:
    """The table of README: environment variable, flag, default, meaning; ends with a newline."""
    lines = [say("setting.table.head"), "|---|---|---|---|"]
    for setting in TABLE:
        default = DEFAULT_KEY if setting.kind == "secret" else default_of(setting, say)
        meaning = help_of(setting, say)
        if setting.kind == "choice":
            meaning += " (" + ", ".join(f"`{choice}`" for choice in setting.choices) + ")"
        flag = f"`{setting.flag}`" if setting.flag else ""
        worked_out = setting.default in (None, "", ())
        cell = default if worked_out else f"`{default}`"
        lines.append(f"| `{setting.env}` | {flag} | {cell} | {meaning} |")
    return "\n".join(lines).replace("|  |", "| |") + "\n"

"""The help, derived from the tables of commands, options and settings; in both languages."""

from __future__ import annotations

from clinkai.core.catalogue import Strings
from clinkai.harness.settings import TABLE
from clinkai.harness.settings_table import default_of, help_of
from clinkai.ui.options import COMMANDS, EVERYWHERE, OF_RUNS, Option, command_of, options_of

LEFT = 30
"""Columns of the left side; what is wider gets a line of its own."""


def help_text(name: str, say: Strings) -> str:
    """The help of a sub-command, or of the whole program for the empty name."""
    parts = [say(f"cli.usage.{name or 'task'}")]
    if name:
        command = command_of(name)
        parts.append(say(f"cli.command.{name}"))
        own = [o for o in options_of(command) if o not in EVERYWHERE]
        if own:
            parts.append(_section(say("cli.help.own"), map(_option(say), own)))
    else:
        rows = [(command, say(f"cli.command.{command}")) for command in COMMANDS]
        parts.append(_section(say("cli.help.commands"), rows))
        parts.append(_section(say("cli.help.run"), map(_option(say), OF_RUNS)))
    parts.append(_section(say("cli.help.shared"), map(_option(say), EVERYWHERE)))
    if not name:
        parts.append(_section(say("cli.help.settings"), _settings(say)))
        parts.append(say("cli.help.codes"))
    return "\n\n".join(parts) + "\n"


def _option(say: Strings):
    def row(option: Option) -> tuple[str, str]:
        left = ", ".join(option.flags) + (f" {option.value}" if option.value else "")
        setting = next((s for s in TABLE if s.flag in option.flags), None)
        if setting is None:
            return left, say(f"cli.option.{option.name}")
        words = help_of(setting, say)
        if setting.choices:
            words += f" ({', '.join(setting.choices)})"
        return left, words

    return row


def _settings(say: Strings) -> list[tuple[str, str]]:
    rows = []
    for setting in TABLE:
        default = default_of(setting, say).replace("`", "")
        rows.append((setting.env, say("cli.help.setting", text=help_of(setting, say),
                                      default=default)))
    return rows


def _section(title: str, rows) -> str:
    lines = [title]
    for left, words in rows:
        start = f"  {left}".ljust(LEFT)
        if len(start) > LEFT:
            lines.append(start)
            start = " " * LEFT
        lines.append(f"{start}{words}".rstrip())
    return "\n".join(lines)

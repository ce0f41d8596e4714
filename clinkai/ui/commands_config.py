"""`config`: the settings in force, and where each comes from. Keys are masked."""

from __future__ import annotations

from clinkai.harness.settings import TABLE
from clinkai.harness.settings_table import rows, text_of
from clinkai.ui.call import Call
from clinkai.ui.clean import clean
from clinkai.ui.json_lines import print_json


def run(call: Call) -> int:
    """Return 0."""
    if call.json:
        print_json(call.screen, rows(call.settings))
        return 0
    for setting in TABLE:
        source = call.settings.sources[setting.attribute]
        value = text_of(setting, call.settings.values[setting.attribute])
        words = call.say("cli.config.row", env=setting.env, value=value,
                         source=call.say(f"cli.config.source.{source}"))
        call.screen.line(clean(words), style="" if source == "default" else "bold")
    return 0

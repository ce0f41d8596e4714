"""`config`: the settings in force, and where each comes from. Keys are masked."""

from __future__ import annotations

from clinkai.harness.settings_table import rows
from clinkai.ui.call import Call
from clinkai.ui.clean import clean
from clinkai.ui.json_lines import print_json


def run(call: Call) -> int:
    """Return 0."""
    found = rows(call.settings)
    if call.json:
        print_json(call.screen, found)
        return 0
    for row in found:
        value = row["value"]
        if isinstance(value, list):
            value = ",".join(value)
        words = call.say("cli.config.row", env=row["env"], value=value,
                         source=call.say(f"cli.config.source.{row['source']}"))
        call.screen.line(clean(words), style="" if row["source"] == "default" else "bold")
    return 0

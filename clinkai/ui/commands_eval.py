"""`eval`: the suite that says how well the agent and a model do their work."""

from __future__ import annotations

from importlib import import_module

from clinkai.ui.call import Call
from clinkai.ui.options import COMMANDS, FROM_SETTINGS


def run(call: Call) -> int:
    """Return the exit code of the suite, which reads its own options."""
    # eval lies above this layer, so it is found by name.
    suite = import_module("eval.run")
    return suite.main(arguments(call), stdout=call.screen.out, stderr=call.screen.err)


def arguments(call: Call) -> list[str]:
    """The words after `eval` as the suite reads them, wherever they stood."""
    argv = list(call.words)
    if call.json:
        argv.append("--json")
    for option in (*COMMANDS["eval"].own, *FROM_SETTINGS):
        if option.name in call.options:
            flag = option.flags[-1]
            argv.append(f"{flag}={call.options[option.name]}" if option.value else flag)
    return argv

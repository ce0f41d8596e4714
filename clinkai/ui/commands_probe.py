"""`probe [--no-tools] [--prompt TEXT|-]` and `probe --models`: JSON on standard output."""

from __future__ import annotations

from clinkai.core.errors import UsageError
from clinkai.ui import probe
from clinkai.ui.call import Call
from clinkai.ui.json_lines import print_json
from clinkai.ui.piped import decode, read_all
from clinkai.ui.terminal import is_terminal


def run(call: Call) -> int:
    """Return 0: something was printed. Raises UsageError."""
    if "models" in call.options:
        found = probe.models(call.settings)
    else:
        found = probe.probe(call.settings, prompt(call), schemas(call))
    print_json(call.screen, found)
    return 0


def prompt(call: Call) -> str:
    """What to ask: as given, from standard input, or a greeting."""
    given = call.options.get("prompt")
    if given is None:
        return call.say("cli.probe.prompt")
    if given != "-":
        return given
    if is_terminal(call.stdin):
        raise UsageError("cli.error.too_few", command="probe", wanted="--prompt TEXT")
    return decode(read_all(call.stdin, None) or b"")[0]


def schemas(call: Call) -> tuple[dict, ...]:
    """The tools of a session, as declared to the server; none with `--no-tools`."""
    if "no_tools" in call.options:
        return ()
    from clinkai.harness.toolbox import SessionToolbox
    from clinkai.harness.tools import TOOLS

    tools = tuple(tool for tool in TOOLS if tool.name in call.settings.tools)
    return SessionToolbox(tools, None, call.say).schemas()

"""`tool NAME 'JSON'`: run one tool through the gate, as in a run with nobody to ask.

`tool -` reads JSON lines `{"id"?, "name", "arguments"}` and answers them in one process. A `write`
over an existing file counts as having read it.
"""

from __future__ import annotations

from clinkai.core.errors import UsageError
from clinkai.harness.tool_run import ToolRun
from clinkai.ui import contact
from clinkai.ui.begin import check_folder
from clinkai.ui.call import Call
from clinkai.ui.json_lines import answer_lines, print_json
from clinkai.ui.terminal import is_terminal


def run(call: Call) -> int:
    """Return 0 when results were printed. Raises members of the error tree."""
    if not call.words or (len(call.words) == 1 and call.words[0] != "-"):
        raise UsageError("cli.error.too_few", command="tool", wanted="NAME 'JSON'")
    if call.words[0] == "-" and len(call.words) > 1:
        raise UsageError("cli.error.too_many", command="tool", word=call.words[1])
    if call.words[0] == "-" and is_terminal(call.stdin):
        raise UsageError("cli.error.too_few", command="tool", wanted="- < FILE")
    here = contact.folder(call.options.get("workspace"))
    check_folder(call, here, asks=False)
    with ToolRun(call.settings, here, call.options.get("allow", ())) as tools:
        if call.words[0] == "-":
            answer_lines(call, lambda body: answer(call, tools, body))
        else:
            name, arguments = call.words
            print_json(call.screen, {"id": None, **tools.call(name, arguments)})
    return 0


def answer(call: Call, tools: ToolRun, body: dict) -> dict:
    """The result of one line of input."""
    number, name, arguments = body.get("id"), body.get("name"), body.get("arguments", {})
    why = body.get("bad", "")
    if not why and not isinstance(name, str):
        why = call.say("cli.lines.field", name="name")
    if why:
        return {"id": number, "decision": "deny", "ok": False, "output": why}
    return {"id": number, **tools.call(name, arguments)}

"""`web`: the page for a browser, for one folder."""

from __future__ import annotations

from clinkai.ui import contact
from clinkai.ui.approve import can_ask
from clinkai.ui.begin import check_folder
from clinkai.ui.call import Call


def run(call: Call) -> int:
    """Serve until stopped. Raises members of the error tree."""
    from clinkai.ui.web.server import Options, serve

    here = contact.folder(call.options.get("workspace"))
    check_folder(call, here, can_ask(call.stdin, call.screen))
    if call.settings.provider == "demo":
        # Not with `label`: standard output is for the address alone.
        call.screen.line(call.say("cli.demo.label"), "err", "yellow")
    options = Options(call.options.get("host", "127.0.0.1"), call.options.get("allow_host", ()),
                      call.options.get("allow", ()))
    return serve(call.settings, here, options, call.screen.out, call.screen.err)

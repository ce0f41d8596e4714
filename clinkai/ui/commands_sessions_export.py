"""`sessions export ID` and `sessions import FILE`: a session as a file for others, and back."""

from __future__ import annotations

import os

from clinkai.core.errors import MachineError, UsageError
from clinkai.harness import home
from clinkai.harness.export.exporting import FORMATS, export
from clinkai.ui import contact
from clinkai.ui.call import Call
from clinkai.ui.clean import clean
from clinkai.ui.commands_sessions import path_of
from clinkai.ui.json_lines import print_json


def export_session(call: Call, wanted: str) -> int:
    """Print the session, or write it to the file that is named. Raises UsageError, SessionError,
    MachineError."""
    kind = call.options.get("format", FORMATS[0])
    if kind not in FORMATS:
        raise UsageError("export.error.format", value=kind, formats=", ".join(FORMATS))
    path = path_of(call, wanted)
    target = call.options.get("output", "-")
    force = "force" in call.options
    if target != "-" and not force and os.path.lexists(target):
        raise UsageError("export.error.exists", path=target)
    done = export(path, kind, call.say, None if "no_redact" in call.options else redactor(call))
    for where, why in done.bad:
        words = call.say("cli.sessions.damaged", path=path, line=where, why=why)
        call.screen.line(clean(words), "err", "yellow")
    if target == "-":
        call.screen.write(done.text)
        return 0
    write(target, done.text.encode("utf-8", "replace"), force)
    call.screen.line(clean(call.say("export.written", path=target)), "err")
    return 0


def redactor(call: Call):
    """What takes out secrets: it knows the home folder and the key of this machine."""
    from clinkai.harness.export.redact import Redactor

    own = home.user_home(call.environ)
    secret = call.settings.sources["api_key"] != "default"
    return Redactor((own, os.path.realpath(own)) if own else (),
                    (call.settings.api_key,) if secret else ())


def write(path: str, data: bytes, force: bool) -> None:
    """Write a new file; with `force` in place of another, which stays until the new one is whole.
    Raises UsageError, MachineError."""
    replaces = force and os.path.isfile(path)
    target = f"{path}.{os.urandom(4).hex()}.new" if replaces else path
    fresh = replaces or not os.path.lexists(target)
    try:
        with open(target, "xb" if fresh or not force else "wb") as file:
            try:
                file.write(data)
                file.flush()
            except BaseException:
                if fresh:
                    os.unlink(target)
                raise
        if replaces:
            os.replace(target, path)
    except FileExistsError as error:
        raise UsageError("export.error.exists", path=path) from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise MachineError("export.error.write", path=path, why=why) from error


def import_session(call: Call, path: str) -> int:
    """Make a session of the file and say its id. Raises UsageError, SessionError, MachineError."""
    from clinkai.harness.export.importing import bring

    here = contact.folder(call.options.get("workspace"))
    home.prepare(call.settings.home)
    done = bring(path, here, call.settings, call.say)
    for key, params in done.notes:
        call.screen.line("  " + clean(call.say(key, **params)), "err", "yellow")
    if call.json:
        print_json(call.screen, {"id": done.id, "path": done.path, "format": done.format,
                                 "messages": done.messages, "workspace": here})
        return 0
    words = call.say("export.import.done", id=done.id, n=done.messages, workspace=here)
    call.screen.line(clean(words))
    return 0

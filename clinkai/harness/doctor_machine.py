"""The checks of this machine: Python, the settings, the session folder, the sandbox, the terminal.

Each is a function of values that returns a Finding; nothing is printed, nothing is left behind.
"""

from __future__ import annotations

import os
import sys

from clinkai.core.catalogue import Strings
from clinkai.core.errors import ClinkError
from clinkai.core.text import size
from clinkai.core.value import Value
from clinkai.harness.doctor import FAIL, OK, WARN, Finding
from clinkai.harness.settings_table import rows

LEAST_FREE = 100_000_000
"""Bytes of free disk space below which it is time to warn: a long session with kept outputs."""

NARROW = 60
"""Columns below which tables and diffs are hard to read."""


class Terminal(Value):
    """What a terminal check looks at. stdin, stdout: whether a person is there."""

    stdin: bool
    stdout: bool
    encoding: str
    term: str
    columns: int
    no_color: bool

    @classmethod
    def of_this_process(cls) -> Terminal:
        """The terminal this process was started in."""
        import shutil

        return cls(_is_terminal(sys.stdin), _is_terminal(sys.stdout),
                   getattr(sys.stdout, "encoding", None) or "", os.environ.get("TERM", ""),
                   shutil.get_terminal_size().columns, bool(os.environ.get("NO_COLOR")))


def python(say: Strings) -> Finding:
    """The Python that runs this, and whether it can speak TLS."""
    import platform

    detail = say("doctor.python", version=platform.python_version(), path=sys.executable or "?",
                 os=platform.system(), machine=platform.machine())
    try:
        import ssl  # noqa: F401
    except ImportError:
        return Finding("python", WARN, detail, say("doctor.python.no_tls"))
    return Finding("python", OK, detail)


def settings(chosen: object, say: Strings) -> Finding:
    """What is set, and where it was set; warns of a key that others could read on its way."""
    from clinkai.ai.address import in_the_clear, read_address

    given = [row for row in rows(chosen) if row["source"] != "default"]
    shown = say("doctor.comma").join(
        say("doctor.settings.one", name=row["name"], value=_value(row["value"]),
            source=say(f"doctor.source.{row['source']}"))
        for row in given
    )
    detail = say("doctor.settings.home", path=chosen.home,
                 settings=shown or say("doctor.settings.default"))
    try:
        exposed = in_the_clear(read_address(chosen.base_url), chosen.api_key)
    except ClinkError as error:
        return Finding("settings", FAIL, error.text(say), error.advice(say))
    if exposed:
        return Finding("settings", WARN, detail, say("doctor.settings.clear"))
    return Finding("settings", OK, detail)


def sessions(chosen: object, workspace: str, say: Strings) -> Finding:
    """Whether sessions can be kept: really writes, flushes and removes a file."""
    import shutil
    import tempfile

    folder = chosen.sessions
    made = _missing_folders(folder)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix="doctor-") as file:
            file.write(b"x")
            file.flush()
            os.fsync(file.fileno())
        free = shutil.disk_usage(folder).free
    except OSError as error:
        why = error.strerror or str(error)
        return Finding("sessions", FAIL, say("doctor.sessions.fail", path=folder, why=why),
                       say("doctor.sessions.fail.hint"))
    finally:
        for path in made:
            _remove_empty(path)
    detail = say("doctor.sessions", path=folder, free=size(free))
    if free < LEAST_FREE:
        return Finding("sessions", WARN, detail, say("doctor.sessions.full"))
    if os.path.realpath(folder).startswith(os.path.join(os.path.realpath(workspace), "")):
        return Finding("sessions", WARN, detail, say("doctor.sessions.inside"))
    return Finding("sessions", OK, detail)


def sandbox(say: Strings) -> Finding:
    """Whether the kernel can confine commands: a confined process is started in an empty folder."""
    import tempfile

    from clinkai.harness.sandbox import landlock
    from clinkai.harness.sandbox.client import Failure
    from clinkai.harness.sandbox.wall import Unconfined, Wall

    hint = say("doctor.sandbox.hint")
    with tempfile.TemporaryDirectory(prefix="clinkai-doctor-") as folder:
        try:
            wall = Wall(os.path.realpath(folder), (), writes=True)
        except Unconfined as error:
            return Finding("sandbox", WARN, say(f"doctor.sandbox.{error.why}"), hint)
        try:
            wall.check()
        except Failure as failure:
            why = os.strerror(failure.errno)
            return Finding("sandbox", WARN, say("doctor.sandbox.broken", step=failure.step, why=why),
                           hint)
        finally:
            wall.close()
    key = "doctor.sandbox.mounts" if wall.namespaces else "doctor.sandbox"
    detail = say(key, abi=landlock().abi)
    if os.geteuid() == 0:
        return Finding("sandbox", WARN, detail, say("doctor.sandbox.root"))
    return Finding("sandbox", OK, detail)


def terminal(found: Terminal, say: Strings) -> Finding:
    """Whether a person can be asked, and text be shown."""
    if not (found.stdin and found.stdout):
        return Finding("terminal", OK, say("doctor.terminal.none"))
    detail = say("doctor.terminal", encoding=found.encoding or "?", columns=found.columns,
                 term=found.term or "-",
                 colour=say("doctor.terminal.colour_off") if found.no_color or found.term == "dumb"
                 else say("doctor.terminal.colour_on"))
    if found.encoding.lower().replace("-", "").replace("_", "") not in ("utf8", "cp65001"):
        return Finding("terminal", WARN, detail, say("doctor.terminal.encoding"))
    if found.columns < NARROW:
        return Finding("terminal", WARN, detail, say("doctor.terminal.narrow", columns=NARROW))
    return Finding("terminal", OK, detail)


def _is_terminal(stream: object) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def _value(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _missing_folders(path: str) -> list[str]:
    """The folders of `path` that do not exist, deepest first: they are taken away again."""
    missing = []
    while path and not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)
    return missing


def _remove_empty(path: str) -> None:
    try:
        os.rmdir(path)
    except OSError:
        pass

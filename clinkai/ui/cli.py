"""The command line: reads it, runs the command, turns every error into words and an exit code.

Errors are printed here and nowhere else: what happened, why, what to do next. A defect of ours
never shows a traceback: it goes to a file in CLINKAI_HOME.
"""

from __future__ import annotations

import errno
import gc
import os
from collections.abc import Mapping
from importlib import import_module

from clinkai import __version__
from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.core.errors import DEFECT, USAGE, ClinkError, MachineError
from clinkai.harness import home, settings
from clinkai.harness.settings import Settings
from clinkai.ui import options
from clinkai.ui.call import Call
from clinkai.ui.clean import clean
from clinkai.ui.signals import Stopped, stoppable
from clinkai.ui.terminal import Screen, discard, open_stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

GARBAGE = 20_000
"""Objects made until cycles are searched for (Python: 700). A round makes thousands of values and
hardly a cycle; the search took a tenth of its time."""

OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM,
                  errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
"""Errors of the system that are no defect of ours."""


def main(argv: list[str], *, stdin: TextIO | None, stdout: TextIO | None,
         stderr: TextIO | None) -> int:
    """Run one command and return its exit code (architecture: 0 to 6, 130, 143).

    The streams may be None, as Python has them for closed ones.
    """
    gc.set_threshold(GARBAGE)
    out, err = open_stream(stdout), open_stream(stderr)
    screen = Screen(out, err, os.environ, "--no-color" in argv)
    say = language_for(argv, os.environ, screen)
    try:
        with stoppable():
            code = run(argv, open_stream(stdin, "r"), screen)
    except Stopped as stopped:
        code = stopped.code
    except ClinkError as error:
        report(error, screen, say)
        code = error.exit_code
    except KeyboardInterrupt:
        code = 130
    except Exception as error:
        code = unexpected(error, screen, say)
    return finish(screen, code, say)


def run(argv: list[str], stdin: TextIO, screen: Screen) -> int:
    """Read the command line and do what it asks for; the exit code. Raises what may happen."""
    parsed = options.parse(argv)
    given = parsed.options
    say = language_for(argv, os.environ, screen)
    if "version" in given:
        screen.write(f"clinkai {__version__}\n")
        return 0
    if "help" in given:
        from clinkai.ui.help_text import help_text, screen_width

        screen.write(help_text(parsed.command, say, screen_width(screen.out, os.environ)))
        return 0
    command = options.command_of(parsed.command)
    flags = {name: value for name, value in given.items() if name in settings.BY_ATTRIBUTE}
    try:
        chosen = settings.load(flags, os.environ)
    except ClinkError as error:
        if parsed.command != "doctor":
            raise
        from clinkai.ui.commands_doctor import run_without_settings

        return run_without_settings(error, screen, say, "json" in given)
    chosen, say = readable(chosen, screen, parsed.command)
    if parsed.command == "demo":
        chosen = chosen.changed(provider="demo")
    if command.prepares:
        home.prepare(chosen.home)
    call = Call(parsed.command, parsed.words, given, chosen, say, screen, stdin, os.environ)
    return import_module("clinkai.ui." + command.module).run(call)


def language_for(argv: list[str], environ: Mapping[str, str], screen: Screen) -> Strings:
    """The language of words that come before the settings could be read: English where the screen
    cannot show the one that is wanted."""
    return Strings(shown(wanted_language(argv, environ), screen))


def shown(lang: str, screen: Screen) -> str:
    """`lang`, or English where the screen lacks its characters."""
    return "en" if lang == "zh" and not screen.shows("中文") else lang


def readable(chosen: Settings, screen: Screen, command: str) -> tuple[Settings, Strings]:
    """The settings and the words in a language that the screen can show. Said where another one was
    asked for; the page has the one that was."""
    lang = shown(chosen.lang, screen)
    if lang == chosen.lang:
        return chosen, chosen.say
    say = Strings(lang)
    if chosen.sources["lang"] != "default":
        screen.line("  " + say("cli.notice.english"), "err", "yellow")
    if command == "web":
        return chosen, say
    return Settings({**chosen.values, "lang": lang}, chosen.sources), say


def wanted_language(argv: list[str], environ: Mapping[str, str]) -> str:
    """What the command line asks for, else the environment, else the locale."""
    after = [argv[i + 1] for i, arg in enumerate(argv[:-1]) if arg == "--lang"]
    wanted = [arg[7:] for arg in argv if arg.startswith("--lang=")] + after
    for lang in (*wanted, environ.get("CLINKAI_LANG", "")):
        if lang in LANGUAGES:
            return lang
    return settings.language(environ)


def report(error: ClinkError, screen: Screen, say: Strings) -> None:
    """Print an error of the tree: what happened and why, and what to do next."""
    screen.line(clean(say("cli.error", text=error.text(say))), "err", "red")
    advice = error.advice(say)
    if advice:
        screen.line("  " + clean(advice), "err")


def unexpected(error: Exception, screen: Screen, say: Strings) -> int:
    """Print what was not foreseen, and return the exit code."""
    from clinkai.core import compiled

    if isinstance(error, BrokenPipeError):
        discard(screen.out)
        return 0
    if compiled.is_damaged(error):
        compiled.remove()
        report(MachineError("cli.error.compiled"), screen, say)
        return USAGE
    if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
        report(_of_the_machine(error), screen, say)
        return USAGE
    why = masked(f"{type(error).__name__}: {error}"[:500])
    text = say("cli.defect", why=why, path=keep_traceback(error))
    screen.line(clean(text), "err", "red")
    return DEFECT


def _of_the_machine(error: OSError) -> MachineError:
    what = f"{error.filename}: " if isinstance(error.filename, str) else ""
    return MachineError("cli.error.machine", why=what + (error.strerror or str(error)))


def masked(text: str) -> str:
    """`text` without the key."""
    key = os.environ.get("CLINKAI_API_KEY")
    return text.replace(key, settings.MASK) if key else text


def keep_traceback(error: Exception) -> str:
    """Write the traceback to a file in CLINKAI_HOME, else to a temporary one; returns its path."""
    import tempfile
    import time
    import traceback

    text = masked("".join(traceback.format_exception(error)))
    name = f"defect-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    try:
        path = os.path.join(home.prepare(home.locate(os.environ)), name)
        with open(path, "x", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except (OSError, ClinkError):
        handle, path = tempfile.mkstemp(prefix="clinkai-", suffix=".txt")
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    return path


def finish(screen: Screen, code: int, say: Strings) -> int:
    """Flush what is left to print. A full disk behind standard output is an error, a reader that
    has gone is none."""
    for stream in (screen.out, screen.err):
        try:
            stream.flush()
        except (OSError, ValueError):
            discard(stream)
    if screen.failed:
        why = screen.failed.strerror or str(screen.failed)
        report(MachineError("cli.error.output", why=why), screen, say)
        return USAGE
    return code

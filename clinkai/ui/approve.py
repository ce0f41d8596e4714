"""Asking a person at the terminal whether a call may run.

Shown: the reason, the folder, the exact command or the diff, what each key does. y allows once, n
or Esc or Ctrl+D refuses, a allows the same for the session, p what the shown rule says, d shows the whole
diff; Enter does nothing. High risk takes the word `yes` and Enter.
Keys count only after the question has been on the screen and the keyboard silent for `arming`
seconds: what was typed before is dropped, and so is a paste.
Not covered: editing the command, the reason of a refusal.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from clinkai.core.catalogue import Strings
from clinkai.core.events import ApprovalOpen
from clinkai.core.value import Value
from clinkai.ui.clean import exact, exact_line
from clinkai.ui.terminal import Screen

DIFF_LINES = 40
"""Lines of a diff shown before `d` is needed."""

PATIENCE = 0.5
"""Seconds of one wait for a key; waits follow each other until one comes."""


class Timing(Value):
    """Seconds. arming: silence of the keyboard before keys count. escape: how long the rest of an
    escape sequence may take."""

    arming: float = 0.5
    escape: float = 0.05


def timing(environ: Mapping[str, str]) -> Timing:
    """Slower for a terminal at the other end of a network."""
    return Timing(escape=0.15) if environ.get("SSH_CONNECTION") else Timing()


class Question:
    """One open approval, asked on the error stream of `screen`."""

    def __init__(self, asked: ApprovalOpen, screen: Screen, say: Strings) -> None:
        self._asked = asked
        self._screen = screen
        self._say = say
        self._keys = answers(asked)

    def ask(self, keys: object, times: Timing) -> str:
        """Return the verdict: once, session, prefix or deny. `keys` is an open `keys.open_keys`."""
        self._draw()
        read: Callable[[float], bytes | None] = keys.read
        arm(read, times.arming)
        word = ""
        while True:
            typed = read(PATIENCE)
            if typed is None:
                continue
            if typed == b"\x1b" and (more := read(times.escape)):
                typed += more
            if typed in (b"", b"\x1b", b"\x04"):
                return self._settled("deny")
            if self._asked.risk == "high":
                word, verdict = spell(word, typed, self._screen)
            else:
                verdict = self._keys.get(key_of(typed), "again" if typed.strip() else "")
            if verdict == "diff":
                self._show_diff(None)
                self._prompt()
            elif verdict == "again":
                self._prompt()
                arm(read, times.arming)
            elif verdict:
                return self._settled(verdict)

    def _settled(self, verdict: str) -> str:
        gap = " " if self._asked.risk == "high" else ""  # behind the word that was typed
        self._screen.write(gap + self._say("cli.ask." + verdict) + "\n", "err")
        return verdict

    def _draw(self) -> None:
        asked, say = self._asked, self._say
        high = asked.risk == "high"
        self._screen.line("? " + exact_line(asked.title), "err", "red" if high else "yellow")
        if asked.command is not None:
            for line in exact(asked.command).split("\n"):
                self._screen.line("    " + line, "err", "bold")
        elif asked.path is not None:
            self._screen.line("    " + exact_line(asked.path), "err", "bold")
        if asked.kind != "rounds":
            self._screen.line("  " + say("cli.ask.folder", folder=exact_line(asked.cwd)), "err")
        if asked.diff:
            self._show_diff(DIFF_LINES)
        for name, rule in (("session", self._rule()), ("prefix", asked.rule)):
            if name in self._keys.values() and rule:
                self._screen.line("  " + say(f"cli.ask.rule.{name}", rule=exact_line(rule)), "err")
        self._prompt()

    def _prompt(self) -> None:
        say = self._say
        if self._asked.risk == "high":
            words = say("cli.ask.high")
        else:
            offered = [say(f"cli.ask.key.{key}") for key in self._keys if key in "ynapd"]
            words = " · ".join(offered)
        self._screen.end_line("err")
        self._screen.write(f"  {words} ", "err", "bold")

    def _rule(self) -> str:
        asked = self._asked
        return asked.command if asked.command is not None else asked.path or ""

    def _show_diff(self, limit: int | None) -> None:
        diff = self._asked.diff or ""
        lines = "\t".join(map(exact, diff.split("\t"))).rstrip("\n").split("\n")
        shown = lines[:limit]
        self._screen.end_line("err")
        for line in shown:
            style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
            self._screen.line("    " + line, "err", style)
        if len(shown) < len(lines):
            self._screen.line("    " + self._say("cli.ask.diff", n=len(lines) - len(shown)), "err",
                              "dim")


def answers(asked: ApprovalOpen) -> dict[str, str]:
    """What each key means for this question."""
    keys = {"y": "once", "n": "deny"}
    if asked.kind != "rounds" and asked.risk != "high":
        keys["a"] = "session"
    if asked.rule:
        keys["p"] = "prefix"
    if asked.diff and asked.diff.count("\n") > DIFF_LINES:
        keys["d"] = "diff"
    return keys


def key_of(typed: bytes) -> str:
    """The one key typed, in small letters; empty for Enter, a paste, or an escape sequence."""
    text = typed.decode("utf-8", "replace").rstrip("\r\n")
    return text.lower() if len(text) == 1 else ""


def arm(read: Callable[[float], bytes | None], seconds: float) -> None:
    """Drop what is typed until the keyboard has been silent for that long."""
    while read(seconds):
        pass


def spell(word: str, typed: bytes, screen: Screen) -> tuple[str, str]:
    """Take typed bytes into the word that is being written, echoing them.

    Returns (word, verdict): with Enter once for `yes`, deny for `n` and `no`, again for others."""
    if typed.startswith(b"\x1b"):
        return word, ""
    for char in typed.decode("utf-8", "replace"):
        if char in "\r\n":
            if word:
                return "", {"yes": "once", "n": "deny", "no": "deny"}.get(word.lower(), "again")
        elif char in "\x7f\b":
            if word:
                word = word[:-1]
                screen.write("\b \b", "err")
        elif char.isprintable():
            word += char
            screen.write(char, "err")
    return word, ""


def can_ask(stdin: object, screen: Screen) -> bool:
    """A person is asked only where standard input and standard error are terminals."""
    from clinkai.ui.terminal import is_terminal

    return is_terminal(stdin) and screen.err_is_terminal


def ask(asked: ApprovalOpen, screen: Screen, say: Strings, stdin: object) -> str:
    """Ask, and return the verdict."""
    from clinkai.ui.keys import open_keys

    screen.end_line("err")
    with open_keys(stdin) as keys:
        return Question(asked, screen, say).ask(keys, timing(os.environ))

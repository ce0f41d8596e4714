"""A conversation at a terminal: a line is read, answered, and the next one asked for.

Ctrl+C stops the running turn and keeps the session; at the prompt it must be pressed twice (exit
130). Ctrl+D ends the conversation (exit 0). With `--plain` lines are read without line editing.
Not covered: several lines in one prompt, menus, a live status line.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from clinkai.core.errors import INTERRUPTED, ClinkError, ContextFull, SessionError
from clinkai.core.text import first_line
from clinkai.harness import commands
from clinkai.harness.agent import Agent
from clinkai.ui.approve import can_ask
from clinkai.ui.begin import begin
from clinkai.ui.call import Call
from clinkai.ui.clean import exact, one_line
from clinkai.ui.lines import Lines
from clinkai.ui.plain import PlainRenderer
from clinkai.ui.signals import Stopped
from clinkai.ui.watch import Watch

TWICE = 2.0
"""Seconds within which the second Ctrl+C at the prompt leaves."""


def converse(call: Call, pictures: tuple[bytes, ...] = ()) -> int:
    """Talk until the person leaves; returns the exit code. pictures: go with the first message."""
    renderer = PlainRenderer(call.screen, call.say, verbose=call.settings.verbose,
                             redraws=not call.plain)
    watch = Watch(call, renderer)
    agent = begin(call, watch.sink, asks=can_ask(call.stdin, call.screen), ahead=True)
    try:
        return Chat(call, watch, agent, pictures).run()
    finally:
        agent.close()
        if agent.sid:
            call.screen.line(call.say("cli.chat.bye", id=agent.sid), "err", "dim")


class Chat:
    """The loop of one conversation."""

    def __init__(self, call: Call, watch: Watch, agent: Agent,
                 pictures: tuple[bytes, ...] = ()) -> None:
        self._call = call
        self._watch = watch
        self._agent = agent
        self._pictures = pictures
        history = os.path.join(call.settings.home, "history")
        self._lines = Lines(call.screen, call.stdin, history, editing=not call.plain)
        self._interrupted = -TWICE

    def run(self) -> int:
        """Return the exit code."""
        self._greet()
        self._agent.warm_up()
        while True:
            try:
                text = self._lines.read()
            except Stopped as stopped:
                if not self._stays(stopped):
                    return stopped.code
                continue
            if text is None:
                return 0
            if not text.strip():
                continue
            name = commands.name_of(text)
            if not name:
                self._answer(text)
            elif self._obey(name, text):
                return 0

    def _greet(self) -> None:
        state = self._agent.session.state if self._agent.session else None
        if state:
            self._say("cli.chat.resumed", title=one_line(first_line(state.title)),
                      n=len(state.messages))
        model = self._agent.settings.model or (state.model if state else "")
        self._say("cli.chat.hello", model=one_line(model or self._agent.provider.name),
                  workspace=one_line(self._agent.workspace.path), mode=self._agent.mode)

    def _answer(self, text: str) -> None:
        pictures, self._pictures = self._pictures, ()
        try:
            self._follow(lambda: self._agent.submit(text, pictures))
        except ContextFull as error:
            self._lines.offer(text)
            self._pictures = pictures
            self._fail(error)

    def _follow(self, begin: Callable[[], str]) -> None:
        """Watch the run that `begin` begins."""
        try:
            self._watch.run(self._agent, begin)
        except Stopped as stopped:
            if stopped.code != INTERRUPTED:
                raise
            self._interrupted = -TWICE
        except (ContextFull, SessionError):
            raise
        except ClinkError as error:
            self._fail(error)

    def _obey(self, name: str, text: str) -> bool:
        """Do what a slash command says; True where it ends the conversation."""
        if name == "help":
            self._say("cli.chat.help")
        try:
            done = commands.run(text, self._agent, self._call.say)
        except ClinkError as error:
            self._fail(error)
            return False
        for line in done.text.splitlines():
            self._call.screen.line(exact(line), "err", "dim")
        if done.draft:
            self._lines.offer(done.draft)
        if done.run:
            self._follow(done.run)
        return done.leave

    def _fail(self, error: ClinkError) -> None:
        self._call.screen.line(one_line(error.text(self._call.say), 2000), "err", "red")
        self._call.screen.line("  " + one_line(error.advice(self._call.say), 2000), "err")

    def _stays(self, stopped: Stopped) -> bool:
        """After a signal at the prompt: True for the first Ctrl+C."""
        now = time.monotonic()
        if stopped.code != INTERRUPTED or now - self._interrupted < TWICE:
            self._call.screen.end_line("err")
            return False
        self._interrupted = now
        self._call.screen.write("\n", "err")
        self._say("cli.chat.again")
        return True

    def _say(self, key: str, **params: object) -> None:
        self._call.screen.line(self._call.say(key, **params), "err", "dim")

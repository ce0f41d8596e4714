"""Watching a run from the main thread: shows its events, asks its questions, stops it.

The turn runs in a thread of the agent; this one waits for what needs a person, and for the end.
"""

from __future__ import annotations

import queue
from collections.abc import Callable

from clinkai.core.events import ApprovalOpen, Event, RunEnd, to_json
from clinkai.harness.agent import Agent
from clinkai.ui.call import Call
from clinkai.ui.clean import clean
from clinkai.ui.jsonl import JsonLines
from clinkai.ui.signals import Stopped

POLL = 0.25
"""Seconds until text is shown that came just before a silence of the model; also lets Windows see
Ctrl+C."""

GRACE = 10.0
"""Seconds a cancelled run has to end by itself."""


class Watch:
    """One front end for the runs of an agent. `renderer`: feed(event) or, for JSON, feed(body)."""

    def __init__(self, call: Call, renderer: object) -> None:
        self._call = call
        self._renderer = renderer
        self._json = isinstance(renderer, JsonLines)
        self._inbox: queue.SimpleQueue = queue.SimpleQueue()

    def sink(self, event: Event, stamp: tuple) -> None:
        """Take one event of the run; called in the thread of the turn."""
        self._renderer.feed(to_json(event, *stamp) if self._json else event)
        if type(event) in (ApprovalOpen, RunEnd):
            self._inbox.put(event)

    def run(self, agent: Agent, begin: Callable[[], str]) -> int:
        """Have `begin` begin a run of `agent`, and return its exit code. A signal stops the run and
        raises Stopped once it has ended; a second one does not wait for that."""
        self._call.screen.gone = agent.cancel
        self._inbox = queue.SimpleQueue()  # nothing is left of a run before this one
        try:
            begin()
            end = self._until_end(agent)
        except Stopped as stopped:
            agent.cancel(stopped.code)
            self._wait(agent)
            raise
        finally:
            self._renderer.close()
        return end.exit

    def _until_end(self, agent: Agent) -> RunEnd:
        while True:
            try:
                event = self._inbox.get(timeout=POLL)
            except queue.Empty:
                self._call.screen.flush()
                if not self._json:
                    self._renderer.tick()
                if agent.busy:
                    continue
                # The log could not take the end, so it did not come by way of the sinks.
                end = agent.wait()
                self._call.screen.line(clean(end.detail), "err", "red")
                return end
            if type(event) is RunEnd:
                agent.wait()
                return event
            self._ask(agent, event)

    def _wait(self, agent: Agent) -> None:
        """Wait for the end of a cancelled run, questions left unanswered."""
        waited = 0.0
        while agent.busy and waited < GRACE:
            try:
                if type(self._inbox.get(timeout=POLL)) is RunEnd:
                    agent.wait()
            except queue.Empty:
                waited += POLL

    def _ask(self, agent: Agent, asked: ApprovalOpen) -> None:
        from clinkai.ui.approve import ask

        verdict = ask(asked, self._call.screen, self._call.say, self._call.stdin)
        agent.answer(asked.aid, verdict, asked.digest, by="terminal")

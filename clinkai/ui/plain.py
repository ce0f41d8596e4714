"""The run as plain text: it reads the same on a screen, in a pipe, aloud.

Nothing is redrawn but one line, on a terminal only, while nothing of an answer can be seen. Standard
output carries the answer, a line for every tool call and a usage line for every round; standard error
the folded thinking, notices and what went wrong. With `answer_only` standard output carries the
last message of the run alone, and everything else goes to standard error.
Not covered: asking for permission (`approve.py`), live areas.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from clinkai.core.catalogue import Strings
from clinkai.core.events import Delta, Event, Prefill
from clinkai.core.text import amount, duration, size
from clinkai.ui.clean import Filter, one_line
from clinkai.ui.terminal import Screen

FOLD = 200
"""Characters of thinking shown, unless all of it is wanted."""

PREFILL_EVERY_MS = 10_000
"""Least time between two lines about waiting, on a terminal where nothing is to be redrawn."""

UNSEEN_MS = 3_000
"""Time without anything to see of an answer after which it is told why."""

WORTH_TELLING = 1000
"""Milliseconds from which the time ledger at the end of a turn names a part."""

FAILURE_LINES = 3


class PlainRenderer:
    """feed: every event of the run, in order, from one thread at a time. tick: time goes by; for
    any thread. close: the run is over. clock: seconds."""

    def __init__(self, screen: Screen, say: Strings, *, answer_only: bool = False,
                 verbose: bool = False, redraws: bool = False,
                 clock: Callable[[], float] = monotonic) -> None:
        self._screen = screen
        self._say = say
        self._answer_only = answer_only
        self._fold = 0 if verbose else FOLD
        self._progress = "err" if answer_only else "out"
        self._text = Filter()
        self._thought = Filter()
        self._thinking = 0
        self._shown = 0
        self._answer: list[str] = []
        self._show = self._answer.append if answer_only else screen.stream
        self._deltas = {"text": self._say_text, "think": self._think, "args": len}
        self._speaker = ""
        self._cap = 0
        self._redraws = redraws and screen.redraws
        self._waits = False
        self._told_ms = 0
        self._clock = clock
        self._channel = ""
        """Of the answer that is coming in: what came last."""
        self._since = self._heard = 0.0
        """When the first and the last of it came."""
        self._told: set[str] = set()
        """What was mended and is told once."""
        self._from = 0
        """Where the message begins in what is held back of the answer."""
        self._tools: dict[str, str] = {}
        self._open_tool = ""

    def feed(self, event: Event) -> None:
        """Show one event."""
        if self._waits:
            self._waited()
        if type(event) is Delta:
            if self._speaker == "assistant":
                self._heard = self._clock()
                if event.ch != self._channel:
                    self._channel, self._since = event.ch, self._heard
                self._deltas[event.ch](event.s)
            return
        if self._channel:
            self._channel = ""
            self._waited()
        handler = HANDLERS.get(event.type)
        if handler:
            handler(self, event)

    def tick(self) -> None:
        """Tell at a terminal why nothing of an answer can be seen, and for how long."""
        channel, now = self._channel, self._clock()
        if not channel or not self._screen.err_is_terminal:
            return
        silent, ms = (round((now - then) * 1000) for then in (self._heard, self._since))
        unseen = {"args": True, "text": self._answer_only,
                  "think": 0 < self._fold <= self._shown}[channel]
        if silent >= (UNSEEN_MS if self._redraws else PREFILL_EVERY_MS):
            self._wait(Prefill(0, 0, 0, silent, phase="silent"))
        elif unseen and self._redraws and ms >= UNSEEN_MS:
            self._wait(Prefill(0, 0, 0, ms, phase=channel))

    def close(self) -> None:
        """End what is open."""
        self._waited()
        self._end_message()
        self._flush_answer("out")

    # -- the message

    def _say_text(self, piece: str) -> None:
        if self._thinking:
            self._end_thinking()
        self._show(self._text.feed(piece))

    def _think(self, piece: str) -> None:
        if not self._thinking:
            self._screen.end_line("err")
            self._screen.write(f"  {self._say('cli.thinking')} ", "err", "dim")
        self._thinking += len(piece)
        if self._fold and self._shown >= self._fold:
            return
        text = self._thought.feed(piece)
        if self._fold:
            text = " ".join(("." + text + ".").split())[1:-1][: self._fold - self._shown]
            self._shown += len(text)
        self._screen.write(text, "err", "dim")

    def _end_thinking(self) -> None:
        hidden = self._thinking - self._shown if self._fold else 0
        if hidden > 0 and self._shown >= self._fold:
            self._screen.write(" " + self._say("cli.thinking.more", n=hidden), "err", "dim")
        self._screen.end_line("err")
        self._thought.close()
        self._thinking = self._shown = 0

    def _end_message(self) -> None:
        if self._thinking:
            self._end_thinking()
        self._text.close()
        if not self._answer_only:
            self._screen.end_line()
            self._screen.flush()

    def _flush_answer(self, to: str) -> None:
        """Let go of the text that was held back: to standard output only where it is the answer."""
        text = "".join(self._answer)
        self._answer.clear()
        if text.strip():
            self._screen.line(text, to)

    # -- the other events

    def _run_start(self, event: Event) -> None:
        self._cap = event.cap

    def _msg_start(self, event: Event) -> None:
        self._speaker = event.role
        self._told_ms = 0
        self._from = len(self._answer)

    def _msg_images(self, event: Event) -> None:
        for image in event.images:
            words = self._say("web.image", mime=image["mime"], size=size(image["size"]))
            self._screen.line("  " + one_line(words), "err", "dim")

    def _msg_end(self, event: Event) -> None:
        if self._speaker != "assistant":
            return
        if event.finish not in ("length", "error"):  # after which it may go on
            self._end_message()
        elif self._thinking and event.finish == "error":
            self._end_thinking()
        if self._answer_only and event.stands:
            kept = Filter().feed(event.stands["text"])
            self._answer[self._from:] = [kept, "\n"] if event.finish == "repeat" else [kept]

    def _prefill(self, event: Event) -> None:
        if self._screen.err_is_terminal:
            self._waits = self._redraws
            self._wait(event)

    def _wait(self, event: Prefill) -> None:
        """Tell how long it is waited, and for what."""
        from clinkai.ui.waiting import words

        if self._redraws:
            self._screen.transient("  " + words(event, self._say))
        elif event.ms - self._told_ms >= PREFILL_EVERY_MS or event.ms < self._told_ms:
            self._told_ms = event.ms
            self._screen.line("  " + words(event, self._say), "err", "dim")

    def _waited(self) -> None:
        """Take the line about waiting away."""
        self._waits = False
        self._screen.transient("")

    def _tool_start(self, event: Event) -> None:
        self._end_message()
        self._flush_answer("err")
        name, title = one_line(event.name, 60), one_line(event.title)
        line = f"* {name}" if title in ("", name) else f"* {name}  {title}"
        self._tools[event.call] = line
        if self._screen.out_is_terminal and self._screen.err_is_terminal:
            self._screen.end_line(self._progress)
            self._screen.write(line, self._progress, "cyan")
            self._open_tool = event.call

    def _tool_end(self, event: Event) -> None:
        line = self._tools.pop(event.call, "* ?")
        facts = "".join(f" · {fact}" for fact in self._facts(event))
        style = "cyan" if event.ok else "yellow"
        if self._open_tool == event.call and not self._screen.at_line_start(self._progress):
            self._screen.write(facts, self._progress, style)
            self._screen.end_line(self._progress)
        else:
            self._screen.line(line + facts, self._progress, style)
        self._open_tool = ""
        if not event.ok:
            self._failure(event)

    def _facts(self, event: Event) -> list[str]:
        facts = []
        if event.decision == "deny":
            return [self._say("cli.tool.refused")]
        if event.diff:
            facts.append("+{} −{}".format(*count_changes(event.diff)))
        if event.exit is not None:
            facts.append(self._say("cli.tool.exit", code=event.exit))
        elif not event.ok:
            facts.append(self._say("cli.tool.failed"))
        facts.append(duration(event.ms))
        return facts

    def _failure(self, event: Event) -> None:
        content = (event.record or {}).get("content", "")
        lines = [line for line in content[-20_000:].splitlines() if line.strip()]
        shown = lines[-FAILURE_LINES:] if event.exit is not None else lines[:FAILURE_LINES]
        for line in shown:
            self._screen.line("    " + one_line(line), self._progress, "dim")

    def _approval_open(self, event: Event) -> None:
        self._screen.end_line("err")
        self._open_tool = ""

    def _usage(self, event: Event) -> None:
        say = self._say
        hit = "?" if event.hit is None else f"{event.hit:.0f}%"
        parts = [
            say("cli.usage.archive") if event.of else
            say("cli.usage.round", n=event.n, cap=max(self._cap, event.n)),
            say("cli.usage.in", tokens=known(event.prompt), hit=hit),
            say("cli.usage.out", tokens=known(event.out)),
        ]
        if event.ttft_ms is not None:
            read = "cli.usage.prefill" if event.cached is None else "cli.usage.read"
            fresh = (event.prompt or 0) - (event.cached or 0)
            parts.append(say(read, time=duration(event.ttft_ms), tokens=amount(fresh)))
        if event.tg_tps:
            parts.append(say("cli.usage.speed", n=f"{event.tg_tps:.1f}"))
        if event.ctx and event.ctx_max:
            parts.append(say("cli.usage.context", percent=round(100 * event.ctx / event.ctx_max)))
        self._end_message()
        self._screen.line("  " + " · ".join(parts), self._progress, "dim")

    def _notice(self, event: Event) -> None:
        if event.level == "info" and event.key.startswith("notice.wire."):
            code = f"{event.key} {event.params}"
            if code in self._told:  # the log has it each time
                return
            self._told.add(code)
        style = {"warn": "yellow", "error": "red"}.get(event.level, "dim")
        # A notice of a newer session log has no words here.
        known_here = event.key in self._say
        words = self._say(event.key, **event.params) if known_here else event.key
        self._screen.line(f"  {one_line(words)}", "err", style)

    def _cut(self, event: Event) -> None:
        from clinkai.ui.waiting import cut

        self._end_message()
        self._screen.line("  " + one_line(cut(event, self._say)), "err", "yellow")

    def _run_end(self, event: Event) -> None:
        self.close()
        if event.denied:
            self._screen.line("  " + self._say("cli.denied", n=event.denied), "err", "yellow")
        spent = [self._say(f"cli.time.{what}", time=duration(ms))
                 for what, ms in event.times.items() if ms >= WORTH_TELLING]
        if spent:
            self._screen.line("  " + " · ".join(spent), self._progress, "dim")
        # Where nobody reads the answer any more, the run ends quietly.
        if event.reason != "done" and not (event.reason == "cancelled" and self._screen.broken):
            happened, _, advice = event.detail.partition("\n")
            happened = happened or self._say("cli.end." + event.reason)
            self._screen.line(one_line(happened, 2000), "err", "red")
            for line in advice.splitlines():
                self._screen.line("  " + one_line(line, 2000), "err")


HANDLERS = {
    "run.start": PlainRenderer._run_start,
    "msg.start": PlainRenderer._msg_start,
    "msg.images": PlainRenderer._msg_images,
    "msg.end": PlainRenderer._msg_end,
    "prefill": PlainRenderer._prefill,
    "tool.start": PlainRenderer._tool_start,
    "tool.end": PlainRenderer._tool_end,
    "approval.open": PlainRenderer._approval_open,
    "usage": PlainRenderer._usage,
    "archived": PlainRenderer._cut,
    "window": PlainRenderer._cut,
    "notice": PlainRenderer._notice,
    "run.end": PlainRenderer._run_end,
}
UNSEEN = {"hello", "snapshot", "round.start", "delta", "tool.out", "approval.done",
          "queue", "session.status", "hb", "bye"}
"""Events that need no line here; a test holds both together to the closed union."""


def known(tokens: int | None) -> str:
    """A number of tokens, or `?` where the server did not say."""
    return "?" if tokens is None else amount(tokens)


def count_changes(diff: str) -> tuple[int, int]:
    """Lines added and removed by a unified diff."""
    body = diff[diff.find("\n@@") + 1 :].splitlines()
    added = sum(line.startswith("+") for line in body)
    return added, sum(line.startswith("-") for line in body)

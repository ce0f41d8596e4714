"""Waiting for what a model says, in words: how far the prompt is read, or how long already and why;
and what became of a full context."""

from __future__ import annotations

from clinkai.core.catalogue import Strings
from clinkai.core.events import Archived, Prefill, Window
from clinkai.core.text import amount, duration


def words(event: Prefill, say: Strings) -> str:
    """One line: `prefill 62% · 11.3k of 18.2k · 1240 t/s · 9 s left`; or for how long it is waited
    and for what, `prefill 27% · 1.1k of 4.2k · waiting 12 s`. It changes each second: a line that
    stands still looks as if all had stopped."""
    if event.phase != "read":
        parts = [f"{say('cli.wait.' + event.phase)} {seconds(event.ms)}"]
        if event.left_ms is not None:
            parts.append(say("cli.wait.again", time=seconds(event.left_ms)))
    elif event.total:
        percent = min(100, 100 * event.done // event.total)
        parts = [say("cli.wait.percent", percent=percent),
                 say("cli.wait.of", done=amount(event.done), total=amount(event.total))]
        if event.tps:
            parts.append(say("cli.usage.speed", n=f"{event.tps:.0f}"))
        if event.left_ms is not None:
            parts.append(say("cli.wait.left", time=seconds(event.left_ms)))
        elif event.ms >= 1000:
            parts.append(f"{say('cli.wait.read')} {seconds(event.ms)}")
    else:
        parts = [f"{say('cli.wait.read')} {seconds(event.ms)}"]
    return " · ".join(parts)


def cut(event: Archived | Window, say: Strings) -> str:
    """What left the context, or why there is no summary of it."""
    facts = {"before": amount(event.before), "after": amount(event.after)}
    if type(event) is Window:
        return say("notice.window", **facts)
    if event.failed:
        return say("notice.archive.failed", why=event.failed)
    return say("notice.archived", **facts, time=duration(event.ms))


def seconds(ms: float) -> str:
    """Whole seconds: `9 s`, `3 min 20 s`."""
    minutes, rest = divmod(round(ms / 1000), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"

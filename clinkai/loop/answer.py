"""One assistant message while it streams: told as events, kept for the record.

Covered: offsets of each channel, what is left of a broken, void or cancelled answer, what the call
cost.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from clinkai.ai.provider import ArgsPart, PrefillPart, Reply, TextPart, ThinkPart, WaitPart
from clinkai.core.events import Delta, Event, MsgEnd, MsgStart, Usage
from clinkai.core.messages import Message, TokenCount, to_record
from clinkai.core.state import INTERRUPTED
from clinkai.core.value import replace
from clinkai.loop.pulse import Pulse
from clinkai.loop.recovery import wire_codes

CUT_OFF = "[cut off]"
"""Stands for the text of an answer that was cut before there was any: templates refuse none."""


class Answer:
    """Feed it the parts of one model call. offsets: characters told so far of the message `mid`, by
    channel; a cut answer goes on where they stand, and they are kept up to date."""

    def __init__(self, emit: Callable[[Event], None], pulse: Pulse) -> None:
        self._emit = emit
        self._pulse = pulse
        self._start = time.monotonic()

    def begin(self, mid: str, offsets: dict[str, int]) -> None:
        """A request leaves: for a new message, or again after the first was void."""
        self._mid = mid
        self._offsets = offsets
        self._whole = not any(offsets.values())
        """What is told is a message from its beginning."""
        self._kept: dict[str, list[str]] = {"text": [], "think": [], "args": []}
        self._field = ""
        self._read: PrefillPart | None = None
        """How far the server had read the prompt when it last said so."""
        self._first = 0.0
        self._thought = 0.0
        self._emit(MsgStart(mid, "assistant"))
        self._pulse.begin()

    @property
    def said(self) -> bool:
        """True once some of the text was told."""
        return bool(self._kept["text"])

    @property
    def prefill_ms(self) -> int:
        """From the request to the first token, or until now."""
        return round(((self._first or time.monotonic()) - self._start) * 1000)

    @property
    def decode_ms(self) -> int:
        """From the first token until now."""
        return round((time.monotonic() - self._first) * 1000) if self._first else 0

    def feed(self, part: object) -> None:
        """Tell one part of the stream; the Reply is given to `finish`."""
        kind = type(part)
        if kind is TextPart:
            self._say("text", part.text)
        elif kind is ThinkPart:
            self._field = part.field
            self._say("think", part.text)
            self._thought = time.monotonic()
        elif kind is ArgsPart:
            self._say("args", part.text)
        elif kind is PrefillPart:
            self._read = part
            self._pulse.progress(part)
        elif kind is WaitPart:
            self._pulse.wait(part)

    def finish(self, reply: Reply) -> MsgEnd:
        """The end of a complete answer, with its record."""
        content = reply.content
        if not content and not reply.tool_calls and (reply.cut_call or not reply.reasoning):
            content = CUT_OFF
        message = Message(
            "assistant", content, reasoning=reply.reasoning, tool_calls=reply.tool_calls,
            reasoning_field=reply.reasoning_field if reply.reasoning else "", finish=reply.finish,
            signature=reply.signature,
        )
        end = self._end(message, wire_codes(reply))
        stands = {"text": reply.content, "think": reply.reasoning}
        told = {channel: "".join(self._kept[channel]).strip() for channel in stands}
        if self._whole and told != {channel: text.strip() for channel, text in stands.items()}:
            return replace(end, stands=stands)
        return end

    def break_off(self, finish: str) -> MsgEnd:
        """The end of an answer that was cancelled or broke: the text stays, calls are dropped."""
        content = "".join(self._kept["text"])
        reasoning = "".join(self._kept["think"])
        if not content and not reasoning:
            self._pulse.stop()
            return MsgEnd(self._mid, finish, 0)
        return self._end(Message(
            "assistant", content or INTERRUPTED, reasoning=reasoning,
            reasoning_field=self._field if reasoning else "", finish=finish,
        ))

    def drop(self, finish: str) -> MsgEnd:
        """The end of an answer that is void: the log keeps what was told, the conversation does
        not."""
        self._pulse.stop()
        kept = {channel: "".join(pieces) for channel, pieces in self._kept.items()}
        told = {channel: text for channel, text in kept.items() if text}
        if not told:
            return MsgEnd(self._mid, finish, 0)
        record = {"type": "meta", "kind": "dropped", "finish": finish, **told}
        return MsgEnd(self._mid, finish, self._think_ms(), record)

    def usage(self, n: int, count: TokenCount, size: int, limit: int) -> Usage:
        """What the call cost; `size` is our own estimate of the context, where nothing is known. Of
        an answer that was stopped, the progress says what its end would have said of the prompt."""
        if count.prompt is None and self._read and self._read.total:
            count = replace(count, prompt=self._read.total, cached=self._read.cached)
        known = count.prompt is not None
        cached = count.cached if known else None
        hit = round(100 * cached / count.prompt, 1) if cached is not None and count.prompt else None
        ttft = count.ttft_ms if count.ttft_ms is not None else self.prefill_ms
        fresh = count.prompt - cached if cached is not None else None
        decode = count.completion_ms or self.decode_ms
        return Usage(
            n, count.prompt, cached, hit, count.completion,
            _rate(fresh, count.prompt_ms), _rate(count.completion, decode), round(ttft),
            count.prompt + (count.completion or 0) if known else size, limit,
        )

    def _say(self, channel: str, text: str) -> None:
        if not self._first:
            self._pulse.stop()
            self._first = time.monotonic()
        off = self._offsets.get(channel, 0)
        self._offsets[channel] = off + len(text)
        self._kept[channel].append(text)
        self._emit(Delta(self._mid, channel, off, text))

    def _end(self, message: Message, wire: list[str] | None = None) -> MsgEnd:
        self._pulse.stop()
        think_ms = self._think_ms()
        record = to_record(message)
        if think_ms:
            record["think_ms"] = think_ms
        if wire:
            record["wire"] = wire
        return MsgEnd(self._mid, message.finish, think_ms, record)

    def _think_ms(self) -> int:
        return round((self._thought - self._start) * 1000) if self._thought else 0


def _rate(tokens: int | None, ms: float | None) -> float | None:
    return round(tokens * 1000 / ms, 1) if tokens and ms else None

"""Parts of an answer on their way out: neighbours of one channel leave as one. No I/O.

Half a surrogate pair at the end of a piece waits for its other half, channel by channel.
Not covered: which text belongs to which channel (`ai/assembly.py`).
"""

from __future__ import annotations

from time import monotonic

from clinkai.ai.body import whole
from clinkai.ai.provider import ArgsPart, PrefillPart, TextPart, ThinkPart
from clinkai.core.value import Value

SAID, THINK, ARGS = "said", "think", "args"
TEXT = (SAID, "")
"""A channel: its kind, what tells it from others of that kind, and more."""

REPLACED = "\ufffd"
"""Stands for half a surrogate pair that never found its other half."""


class Outgoing:
    """`add` takes pieces, `taken` hands out what is new.

    escaped: half a surrogate pair may be in a piece; first: when the first one left, on the
    monotonic clock, or 0.
    """

    def __init__(self) -> None:
        self.escaped = False
        self.first = 0.0
        self._parts: list[Value] = []
        self._channel: tuple = TEXT
        self._pieces: list[str] = []
        self._held: dict[tuple, tuple] = {}
        """Half a surrogate pair at the end of a channel, with the channel."""

    @property
    def begun(self) -> bool:
        """True once there is anything."""
        return bool(self.first or self._pieces)

    def add(self, channel: tuple, text: str) -> None:
        """Take a piece of a channel."""
        if channel != self._channel:
            if self._pieces:
                self._flush()
            self._channel = channel
        self._pieces.append(text)

    def progress(self, done: object, total: object, cached: object, ms: object) -> None:
        """Take how much of the prompt is read: tokens and milliseconds, whatever they are."""
        if self._pieces:
            self._flush()
        numbers = (int(n) if _is_number(n) else 0 for n in (done, total, cached, ms))
        self._parts.append(PrefillPart(*numbers))

    def taken(self, last: bool) -> list[Value]:
        """Return the parts since the last time. last: nothing follows."""
        if self._pieces:
            self._flush()
        if last and self._held:
            for key, (channel, _) in list(self._held.items()):
                self._channel, self._pieces = channel, [""]
                self._held[key] = channel, REPLACED
                self._flush()
        parts, self._parts = self._parts, []
        return parts

    def _flush(self) -> None:
        channel, pieces, self._pieces = self._channel, self._pieces, []
        text = pieces[0] if len(pieces) == 1 else "".join(pieces)
        if not self.first:
            self.first = monotonic()
        if self.escaped:
            text = self._mended(channel, text)
        kind = channel[0]
        if kind == ARGS:
            self._parts.append(ArgsPart(channel[1], channel[2], text))
        elif text:
            self._parts.append(TextPart(text) if kind == SAID else ThinkPart(text, channel[1]))

    def _mended(self, channel: tuple, text: str) -> str:
        """`text` with surrogate pairs joined that were cut between two chunks."""
        key = channel[:2]
        text = self._held.pop(key, (channel, ""))[1] + text
        if "\ud800" <= text[-1:] <= "\udbff":
            self._held[key], text = (channel, text[-1]), text[:-1]
        return whole(text)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e15

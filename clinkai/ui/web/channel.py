"""The events of one session, numbered, for any number of viewers, none of whom can slow the run.

Feeding happens in the thread of the run and never waits for a socket. A channel is a ring of the
newest frames, the fold of what is in flight (`live.py`) and its viewers. Each viewer has a bounded
queue; where it overflows, it is dropped and a snapshot follows, and where a cursor cannot be
served from the ring, a snapshot comes first. Nothing is skipped silently.

Small pieces of text are joined before they are numbered: at most one frame each `pace` seconds or
one of `join` characters. The threads of the viewers see to a piece that nothing follows.
"""

from __future__ import annotations

import threading
import time
from collections import deque

from clinkai.core.events import Hello
from clinkai.core.value import Value
from clinkai.ui.web import sse
from clinkai.ui.web.live import Live

JOINED = ("delta", "tool.out")
"""Events that carry a piece of text at an offset."""


class Bounds(Value):
    """Limits of the hub and its channels: counts, bytes, characters, seconds."""

    ring: int = 4096
    ring_bytes: int = 4 * 1024 * 1024
    queue: int = 1000
    queue_bytes: int = 1024 * 1024
    pace: float = 1 / 30
    join: int = 2048
    beat: float = 10.0
    per_browser: int = 4
    viewers: int = 64
    warm: int = 16
    """Sessions whose ring is kept while nobody runs or watches them."""


class Viewer:
    """One stream; its fields are guarded by the lock of its channel."""

    def __init__(self, browser: str, tab: str) -> None:
        self.browser = browser
        self.tab = tab
        self.queue: deque[bytes] = deque()
        self.size = 0
        self.stale = False
        """A snapshot is due; what happens until it is taken is part of it."""
        self.bye = ""


class Start(Value):
    """What a viewer gets first: a hello, then the frames it has missed."""

    hello: Hello
    missed: tuple


class Next(Value):
    """What a viewer gets next: frames, or the state for a snapshot (record number, number of the
    newest event, its fields), or the end; nothing of these where the time was up."""

    frames: bytes = b""
    state: tuple | None = None
    end: bool = False


class Channel:
    """See the module; `sid` "" is the place of pages that watch no session."""

    def __init__(self, sid: str, epoch: str, bounds: Bounds) -> None:
        self.sid = sid
        self.live = Live()
        self.head = 0
        self.viewers: set[Viewer] = set()
        self.seq: int | None = None
        """The newest log record that the events so far are about. None: nobody here writes the log,
        all of it is settled."""
        self._epoch = epoch
        self._bounds = bounds
        self._ring: deque[bytes] = deque()
        self._ring_size = 0
        self._pending: dict | None = None
        self._joined_at = float("-inf")
        self._wake = threading.Condition()

    def feed(self, body: dict, seq: int | None) -> None:
        """Number one event and hand it to every viewer. seq: the newest log record by then, where
        it is known. What comes late of a finished run is dropped."""
        with self._wake:
            if self.live.late(body):
                return
            if body["type"] in JOINED:
                self._join(body)
            else:
                self._flush()
                self._publish(body)
            self.seq = self.seq if seq is None else seq

    def mark(self, seq: int | None) -> None:
        """Somebody here begins (or, with None, ceases) to write the log after record `seq`."""
        with self._wake:
            self.seq = seq

    def tell(self, frame: bytes) -> None:
        """Hand a frame without a number to every viewer."""
        with self._wake:
            self._push(frame)

    def subscribe(self, viewer: Viewer, last_id: str) -> Start:
        """Add a viewer, in one step with deciding what it has missed since `last_id`."""
        with self._wake:
            self._flush()
            at = sse.cursor(last_id, self._epoch)
            missed = -1 if at is None else self.head - at
            replayed = 0 <= missed <= len(self._ring)
            frames = list(self._ring)[len(self._ring) - missed:] if replayed else ()
            viewer.stale = bool(self.sid) and not replayed
            resume = "replay" if replayed else "snapshot" if last_id else "fresh"
            self.viewers.add(viewer)
            return Start(Hello(self._epoch, self.head, resume), tuple(frames))

    def spoil(self, viewer: Viewer) -> None:
        """The snapshot that was taken is no good; the next `take` gives another."""
        with self._wake:
            viewer.queue.clear()
            viewer.size, viewer.stale = 0, True

    def renew(self) -> None:
        """What was told is not what the log shows any more: everybody gets a snapshot, also those
        who come back with a cursor."""
        with self._wake:
            self._flush()
            self._ring.clear()
            self._ring_size = 0
            self.head += 1
            for viewer in self.viewers:
                viewer.queue.clear()
                viewer.size, viewer.stale = 0, True
            self._wake.notify_all()

    def leave(self, viewer: Viewer) -> None:
        """Remove a viewer; again does nothing."""
        with self._wake:
            self.viewers.discard(viewer)

    def dismiss(self, viewer: Viewer, reason: str) -> None:
        """End a viewer's stream after what is in its queue."""
        with self._wake:
            viewer.bye = viewer.bye or reason
            self._wake.notify_all()

    def take(self, viewer: Viewer, until: float) -> Next:
        """Wait for what a viewer gets next, at most until the monotonic time `until`."""
        with self._wake:
            while True:
                now = time.monotonic()
                if now >= until:
                    return Next()
                due = self._joined_at + self._bounds.pace
                if self._pending is not None and (now >= due or viewer.stale):
                    self._joined_at = now
                    self._flush()
                if viewer.stale and not viewer.bye:
                    viewer.stale = False
                    return Next(state=(self.seq, self.head, self.live.snapshot()))
                if viewer.queue:
                    frames = b"".join(viewer.queue)
                    viewer.queue.clear()
                    viewer.size = 0
                    return Next(frames)
                if viewer.bye:
                    return Next(end=True)
                wake = until if self._pending is None else min(until, due)
                self._wake.wait(wake - now)

    def cool(self) -> None:
        """Free the ring where nobody runs or watches. The numbering goes on, so that an old cursor
        gets a snapshot."""
        with self._wake:
            if not self.viewers and not self.live.run:
                self._flush()
                self._ring.clear()
                self._ring_size = 0

    def _join(self, body: dict) -> None:
        now = time.monotonic()
        if self._pending is not None and _continues(self._pending, body):
            self._pending["s"] += body["s"]
        else:
            self._flush()
            self._pending = dict(body)
            self._wake.notify_all()
        late = now >= self._joined_at + self._bounds.pace
        if late or len(self._pending["s"]) >= self._bounds.join:
            self._joined_at = now
            self._flush()

    def _flush(self) -> None:
        body, self._pending = self._pending, None
        if body is not None:
            self._publish(body)

    def _publish(self, body: dict) -> None:
        self.live.feed(body)
        self.head += 1
        frame = sse.numbered(self._epoch, self.head, sse.data(body))
        self._ring.append(frame)
        self._ring_size += len(frame)
        while len(self._ring) > self._bounds.ring or self._ring_size > self._bounds.ring_bytes:
            self._ring_size -= len(self._ring.popleft())
        self._push(frame)

    def _push(self, frame: bytes) -> None:
        for viewer in self.viewers:
            if viewer.stale or viewer.bye:
                continue
            viewer.queue.append(frame)
            viewer.size += len(frame)
            if len(viewer.queue) > self._bounds.queue or viewer.size > self._bounds.queue_bytes:
                viewer.queue.clear()
                viewer.size, viewer.stale = 0, True
        self._wake.notify_all()


def _continues(pending: dict, body: dict) -> bool:
    same = ("type", "rid", "mid", "ch", "call")
    return (all(pending.get(name) == body.get(name) for name in same)
            and pending["off"] + len(pending["s"]) == body["off"])

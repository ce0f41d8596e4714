"""The hub: one channel for each session, and the streams that watch them.

Covered: resuming by cursor or snapshot, heartbeats as data, at most so many streams per browser,
frames outside the numbering (the state of other sessions), the end of the server.
Not covered: what a session has settled; that is read from its log (`replay.py`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

from clinkai.core.events import Bye, Event, Hb, Snapshot, to_json
from clinkai.ui.web import sse
from clinkai.ui.web.channel import Bounds, Channel, Viewer


class TooMany(Exception):
    """More streams than the server serves, or the server is going away."""


class Hub:
    """All channels of one server start.

    epoch: small hexadecimal name of this start. items(sid, seq): event bodies for a snapshot, up
    to log record `seq` (None: all); called in the thread of a viewer.
    """

    def __init__(self, epoch: str, items: Callable[[str, int | None], list],
                 bounds: Bounds = Bounds()) -> None:
        self.epoch = epoch
        self.bounds = bounds
        self.items = items
        self._channels: dict[str, Channel] = {}
        self._watches: list[Watch] = []
        self._closed = False
        self._lock = threading.Condition()

    def channel(self, sid: str) -> Channel:
        """The channel of a session, made when first asked for."""
        with self._lock:
            if sid in self._channels:
                return self._channels[sid]
            channel = Channel(sid, self.epoch, self.bounds)
            older = [c for s, c in self._channels.items() if s]
            self._channels[sid] = channel
        for idle in older[:max(0, len(older) - self.bounds.warm)]:
            idle.cool()
        return channel

    def feed(self, body: dict, seq: int | None = None) -> None:
        """Take one event of session `body["sid"]`; see Channel.feed."""
        self.channel(body["sid"]).feed(body, seq)

    def tell(self, body: dict) -> None:
        """Send an event to every stream, whatever it watches, outside the numbering."""
        frame = sse.data(body)
        with self._lock:
            channels = list(self._channels.values())
        for channel in channels:
            channel.tell(frame)

    def watched(self, sid: str) -> bool:
        """True where somebody watches the session."""
        return bool(self.channel(sid).viewers)

    def watch(self, sid: str, last_id: str, client: tuple[str, str]) -> Watch:
        """Subscribe a viewer and return its stream.

        client: (browser id, tab id), empty where unknown. A tab that comes back takes the place of
        its old stream; a browser with more streams than allowed loses its oldest, since hidden
        tabs close theirs. Raises TooMany.
        """
        watch = Watch(self, self.channel(sid), Viewer(*client))
        with self._lock:
            if self._closed or len(self._watches) >= self.bounds.viewers:
                raise TooMany
            displaced = self._displaced(*client)
            self._watches.append(watch)
        for old in displaced:
            old.channel.dismiss(old.viewer, "evicted")
        watch.start = watch.channel.subscribe(watch.viewer, last_id)
        return watch

    def forget(self, watch: Watch) -> None:
        """A stream is over."""
        watch.channel.leave(watch.viewer)
        with self._lock:
            self._watches = [other for other in self._watches if other is not watch]
            self._lock.notify_all()

    def close(self, seconds: float) -> None:
        """Say `bye: shutdown` on all streams and wait at most that long until they are over."""
        with self._lock:
            self._closed = True
            watches = list(self._watches)
        for watch in watches:
            watch.channel.dismiss(watch.viewer, "shutdown")
        with self._lock:
            self._lock.wait_for(lambda: not self._watches, seconds)

    def _displaced(self, browser: str, tab: str) -> list[Watch]:
        mine = [w for w in self._watches
                if browser and w.viewer.browser == browser and not w.viewer.bye]
        others = [w for w in mine if w.viewer.tab != tab]
        surplus = max(0, len(others) + 1 - self.bounds.per_browser)
        return [w for w in mine if w.viewer.tab == tab] + others[:surplus]


class Watch:
    """The stream of one viewer: iterate for its frames; `close` in any case."""

    def __init__(self, hub: Hub, channel: Channel, viewer: Viewer) -> None:
        self.channel = channel
        self.viewer = viewer
        self.start = None
        self._hub = hub

    def __iter__(self) -> Iterator[bytes]:
        yield sse.RETRY + self._own(self.start.hello)
        if self.start.missed:
            yield b"".join(self.start.missed)
        beat = time.monotonic()
        while True:
            if time.monotonic() >= beat:
                beat = time.monotonic() + self._hub.bounds.beat
                yield self._own(Hb(round(time.time(), 3)))
            following = self.channel.take(self.viewer, beat)
            if following.state:
                yield from self._snapshot(*following.state)
            elif following.frames:
                yield following.frames
            elif following.end:
                yield self._own(Bye(self.viewer.bye))
                return

    def close(self) -> None:
        """The viewer is gone."""
        self._hub.forget(self)

    def _snapshot(self, seq: int | None, n: int, fields: dict) -> Iterator[bytes]:
        items = self._hub.items(self.channel.sid, seq)
        if seq is None and self.channel.seq is not None:
            # A run began while the log was read: its first records may be among the items.
            self.channel.spoil(self.viewer)
            return
        yield sse.numbered(self._hub.epoch, n, self._own(Snapshot(**fields, items=items)))

    def _own(self, event: Event) -> bytes:
        rid = event.run["rid"] if isinstance(event, Snapshot) and event.run else ""
        return sse.data(to_json(event, self.channel.sid, rid, time.time()))

"""What is asked of the model server beside the turns of a session.

Fields that every request has on this server (its slot, that thinking is kept) are settled before
the first request and kept in the log, so that a resumed session sends the same bytes. Reading ahead
(WARM_UP, `harness/warm.py`). The cache of the slot, kept in a file of the server's when a session is
closed and loaded when it goes on (KV_SAVE); what it is worth is seen from the next count.
Nothing here fails a session: what goes wrong is a notice, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from clinkai.ai.provider import Extras, Request
from clinkai.core.cancel import Cancel
from clinkai.core.errors import Cancelled, ModelServerError
from clinkai.core.events import Event, Notice, Usage
from clinkai.core.state import Sampling, State
from clinkai.core.value import replace
from clinkai.harness import opening
from clinkai.harness.warm import Warm, ahead, stop_others, worth_it

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clinkai.harness.agent import Agent

SLOT = "id_slot"

SERVED = 0.5
"""Share of what a loaded cache should hold that the next request must find there."""


class Aside:
    """Beside the turns of `agent`."""

    def __init__(self, agent: Agent, emit: Callable[[Event], None]) -> None:
        self._agent = agent
        self._emit = emit
        self._fields: tuple | None = None
        """Settled for the session that begins next."""
        self._warm = Warm()
        self._fresh = True
        """No turn was run here yet."""
        self._loaded: int | None = None
        """Tokens that the next request should find in the cache, since it was loaded."""
        self._asked_to_load = False

    # -- what every request says

    def settle(self, cancel: Cancel) -> None:
        """Before a turn: have in the log what each request of the session says. Once a session,
        and again where the model has changed."""
        session = self._agent.session
        state = session.state
        try:
            if not state.proof or state.broke == "model":  # no answer yet, or none of this one
                fields = self._chosen(cancel)
                if fields != state.server:
                    session.append({"type": "meta", "kind": "server", "fields": dict(fields)})
            self._load(cancel)
        except Cancelled:
            pass  # the turn that begins now sees it, and says so
        self._fresh, self._fields = False, None

    def sampling(self, fields: tuple) -> Sampling:
        """The sampling of requests with these fields; what a person set comes after them."""
        sampling = self._agent.settings.sampling
        return replace(sampling, extra=(*fields, *sampling.extra)) if fields else sampling

    def _chosen(self, cancel: Cancel) -> tuple:
        if self._fields is None:
            seed = self._agent.sid or self._agent.workspace.path
            self._fields = self._extras.session_fields(seed, cancel)
        return self._fields

    @property
    def _extras(self) -> Extras:
        return self._agent.provider.extras

    # -- reading ahead

    def warm_up(self) -> None:
        """Have the server read what the next request begins with; returns at once."""
        if self._agent.settings.warm_up:
            self._warm.start(self._agent.provider, self._request)

    def stop(self) -> None:
        """End that at once, since a turn begins."""
        self._warm.stop()
        stop_others()

    def told(self, state: State) -> State:
        """`state` for a turn, with what was read ahead since the one before."""
        return self._warm.told(state)

    def _request(self, cancel: Cancel) -> Request | None:
        """What is to be read ahead, or None. Raises members of the error tree."""
        agent = self._agent
        agent.provider.ready(cancel)
        extras = self._extras
        if not extras.reads_ahead or not extras.idle(None, cancel):
            return None
        thinking = extras.thinking(cancel)
        state = agent.session.state if agent.session else State(model=agent.settings.model)
        if not worth_it(state, self._fresh, thinking):
            return None
        fields = state.server if state.proof else self._chosen(cancel)
        slot = dict(fields).get(SLOT)
        if slot is not None and not extras.idle(slot, cancel):
            return None
        self._load(cancel)
        if agent.session is None:
            frozen, tools = opening.frozen(agent.workspace, agent.settings, agent.say)
            state = replace(state, system=frozen.system, tools=tools)
        state = replace(state, server=fields)
        return ahead(replace(state, limits=agent.limits(state)))

    # -- the cache in a file

    def close(self) -> None:
        """End reading ahead, and have the cache kept."""
        self._warm.stop()
        if self._keeps() and not self._fresh:
            self._file("save", Cancel())

    def see(self, event: Event, stamp: tuple) -> None:
        """A sink: proves with the first count whether a loaded cache served."""
        if type(event) is not Usage or self._loaded is None:
            return
        expected, self._loaded = self._loaded, None
        if (event.cached or 0) < SERVED * expected:
            params = {"cached": event.cached or 0, "expected": expected}
            self._emit(Notice("warn", "notice.kv.unproved", params))

    def _keeps(self) -> bool:
        return bool(self._agent.settings.kv_save and self._agent.session and self._extras.slots)

    def _load(self, cancel: Cancel) -> None:
        """Load what was kept of a resumed session, once."""
        if self._asked_to_load or not self._keeps():
            return
        counted = self._agent.session.state.counted
        if counted and self._file("restore", cancel):
            self._loaded = counted
        self._asked_to_load = True

    def _file(self, action: str, cancel: Cancel) -> int:
        """Have the cache of the session's slot saved or restored; its tokens."""
        state, extras = self._agent.session.state, self._extras
        slot = dict(state.server).get(SLOT, 0 if extras.slots == 1 else None)
        if slot is None:
            return 0
        name = f"clinkai-{self._agent.sid}.bin"
        try:
            act = extras.save if action == "save" else extras.restore
            return act(slot, name, cancel)
        except ModelServerError as error:
            why = error.text(self._agent.say).rstrip(".。")
            self._emit(Notice("warn", f"notice.kv.{action}", {"why": why}))
            return 0

"""One session in one workspace: the only API of the front ends.

    agent = Agent(settings, Start(workspace="."), [renderer])
    agent.submit("fix the test")
    end = agent.wait()

A turn runs in a thread of its own and outlives whoever watches. Every event goes to the session
log first, then to the sinks, with its stamp; a sink that fails is dropped.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from clinkai.ai.provider import Provider
from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.errors import (
    INTERRUPTED, Cancelled, SessionError, UsageError,
)
from clinkai.core.events import (
    Delta, Event, MsgEnd, MsgImages, MsgStart, Notice, RoundStart, RunEnd, RunStart, record_of,
)
from clinkai.core.messages import Message, to_record
from clinkai.core.state import Limits, State
from clinkai.core.value import Value, replace
from clinkai.harness import changes, confine, fits, modes, opening, prefix, providers, rules
from clinkai.harness.aside import Aside
from clinkai.harness.permission import Answer, SessionGate
from clinkai.harness.reopen import close
from clinkai.harness.session import Session
from clinkai.harness.sessions import Sessions
from clinkai.harness.store import Store
from clinkai.harness.toolbox import FileVersions
from clinkai.loop.turn import run_compact, run_turn

Sink = Callable[[Event, tuple[str, str, float]], None]
"""Gets an event and its stamp: session id, run id, seconds since the epoch. `to_json(event, *stamp)`
is the object of the wire, made only by those who send it."""


class Start(Value):
    """How an agent begins. workspace: a folder, or None for the current one or the session's own;
    resume: None, auto, an id or a path; asks: a person can be asked; allow: argv prefixes;
    notices: what people should know of how it came to its settings, (catalogue key, params); ahead:
    somebody goes on after a turn, so that what comes next may be read ahead (WARM_UP)."""

    workspace: str | None = None
    resume: str | None = None
    asks: bool = False
    allow: tuple = ()
    notices: tuple = ()
    ahead: bool = False


class Agent:
    """One session. Its methods may be called from any thread; those that fail raise members of the
    error tree."""

    def __init__(self, settings: object, start: Start, sinks: list[Sink],
                 provider: Provider | None = None) -> None:
        self.settings = settings
        self._aside = Aside(self, self._emit)
        self._sinks = [*sinks, self._aside.see]
        self._ahead = start.ahead
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._cancel = Cancel()
        self._end: RunEnd | None = None
        self._rid = ""
        self._runs = 0
        self._log_broken = False
        """The running turn could not be logged; the next one tries again."""
        self._closed = False
        self._early = [Notice("warn", key, params) for key, params in start.notices]
        self.sessions = Sessions(settings.sessions)
        self.session = opening.resumed(start, self.sessions) if start.resume else None
        try:
            self.workspace, moved = opening.workspace_of(start.workspace, self.session, settings)
            self._early += moved
            state = self.session.state if self.session else State(lang=settings.lang)
            self.say = Strings(state.lang)
            self.provider = provider or providers.make(settings, self.say)
            policy = rules.load(start.allow, settings.home, settings.mode, self.workspace.path)
            if self.session:
                inside = opening.log_is_inside(self.session, self.workspace)
                trusted = opening.keeps_grants(self.session, self.workspace)
                mode = modes.chosen(state.mode, settings, not inside)
                policy = replace(policy, grants=state.grants if trusted else (), mode=mode)
                if mode != settings.mode:
                    self._early.append(modes.now(mode))
            policy, why = confine.applied(policy, self.workspace)
            self._early += modes.unconfined(why)
            self.gate = SessionGate(policy, self.say, self.workspace.path, asks=start.asks,
                                    keep=self._keep_grant)
            self.seen = FileVersions()
            self.toolbox = opening.toolbox(self) if self.session else None
            if self.session:
                self._early += [Notice("warn", *remark) for remark in self.session.remarks]
            for notice in self._early:
                self._emit(notice)
        except BaseException:
            self.close()
            raise

    # -- for the front ends

    @property
    def busy(self) -> bool:
        """True while a turn runs."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def sid(self) -> str:
        """The id of the session; empty before the first prompt of a new one."""
        return self.session.id if self.session else ""

    @property
    def mode(self) -> str:
        """The mode in force: plan, ask, auto or sandbox."""
        return self.gate.policy.mode

    def set_mode(self, mode: str) -> None:
        """Change the mode from the next decision on, of a running turn too; the model is told with
        the next message. Raises UsageError for no mode, SessionError for the disk or a closed
        agent."""
        with self._lock:
            if self._closed:
                raise SessionError("error.session.closed", path=self.sid)
            policy, notices = modes.switched(self.gate.policy, mode, self.workspace)
            if self.session and mode != self.session.state.mode:
                self.session.append(modes.record(mode))
            self.gate.switch(mode, policy.confined)
            for notice in notices:
                self._emit(notice)

    def submit(self, text: str, pictures: tuple[bytes, ...] = ()) -> str:
        """Start a turn that answers `text` with `pictures` (of `images.load`); returns the run's
        id. All of it is on disk then. Raises UsageError for a blank text or a running turn,
        ContextFull for one that can never be sent, SessionError for the disk or a closed agent, and
        as `images.check_sight` does."""
        if not text.strip():
            raise UsageError("error.prompt.empty")
        with self._lock:
            self._ready()
            if pictures:
                from clinkai.harness import images

                images.check_sight(self.provider, self.settings.vision, self._cancel)
            self._prepare(text)
            kept = images.keep(pictures, Store(self.session)) if pictures else ()
            self._begin_run()
            self._emit_user(Message("user", text, images=kept))
            self._start(lambda state: run_turn(state, self.provider, self.toolbox, self.gate,
                                               self._emit, self._cancel))
        return self._rid

    def compact(self, wish: str = "") -> str:
        """Start a run that has the oldest messages become a summary; returns its id, or nothing
        where nothing was said yet. wish: what the summary should heed. Raises as `submit`."""
        with self._lock:
            self._ready()
            if self.session is None:
                return ""
            self._prepare("")
            self._begin_run()
            self._start(lambda state: run_compact(state, self.provider, self.toolbox, self._emit,
                                                  self._cancel, wish))
        return self._rid

    def undo(self, turn: int = 0, redo: bool = False) -> object:
        """Take back what a turn did to files, or put it back: `undo.undo`. Raises as that and
        `submit` do."""
        from clinkai.harness import undo

        with self._lock:
            self._ready()
            if self.session is None:
                raise UsageError("undo.error.redo" if redo else "undo.error.undo")
            return undo.undo(self.session, self.workspace, turn, redo)

    def rewind(self, to: int, files: str = "keep") -> tuple:
        """Go on after record `to` of the session, in whatever branch it is, as if nothing had
        followed it: see `rewinding.rewind`. Raises as that and `submit` do."""
        from clinkai.harness import rewinding

        with self._lock:
            self._ready()
            return rewinding.rewind(self, to, files, self._emit)

    def fork(self, at: int | None = None, files: str = "keep") -> object:
        """A new session that goes on after record `at` of this one, or after all of it: see
        `rewinding.fork`. This one stays as it is. Raises as that and `submit` do."""
        from clinkai.harness import rewinding

        with self._lock:
            self._ready()
            return rewinding.fork(self, at, files)

    def wait(self, seconds: float | None = None) -> RunEnd | None:
        """Wait for the running turn, at most `seconds`; its last event, or None where there is
        none yet."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self._end

    def cancel(self, code: int = INTERRUPTED) -> None:
        """Stop the running turn, which ends with this exit code; returns at once."""
        self._cancel.set(code)

    def answer(self, aid: str, verdict: str, digest: str, note: str = "",
               command: str | None = None, by: str = "") -> bool:
        """Answer the open question `aid`; True where this answer won.

        verdict: once, session, prefix or deny. digest: of what was shown; an answer to anything
        else loses. note: words for the model with a refusal. command: what is to run in place of
        the command that was asked for. by: who answers, for those who see the question elsewhere.
        """
        return self.gate.answer(aid, Answer(verdict, by, note, command), digest)

    def warm_up(self) -> None:
        """Have the server read what the next request begins with, while a person types; returns at
        once, and does nothing where the server or WARM_UP is not for that."""
        with self._lock:
            if not self._closed and not self.busy:
                self._aside.warm_up()

    def add_sink(self, sink: Sink) -> None:
        """Tell `sink` every event from now on."""
        with self._lock:
            self._sinks.append(sink)

    def close(self) -> None:
        """Stop the running turn, wait for it, release the session. Nothing starts after that."""
        self.cancel()
        with self._lock:
            self._closed = True
        self.cancel()  # a turn that was just being submitted
        self.wait()
        self._aside.close()
        if self.session:
            self.session.close()
        if hasattr(self, "provider"):
            self.provider.close()

    # -- the turn

    def _ready(self) -> None:
        """Have no run, and be able to begin one. Raises UsageError, SessionError."""
        if self._closed:
            raise SessionError("error.session.closed", path=self.sid)
        if self.busy and self._end is None:
            raise UsageError("error.busy")
        self.wait()  # a turn that has told its end is over in a moment
        self._aside.stop()
        self._log_broken = False
        self._cancel = Cancel()

    def _begin_run(self) -> None:
        self._runs += 1
        self._rid = f"{self.sid}-{self._runs}"
        self._end = None
        self._emit(RunStart(self.session.state.model, self.workspace.path,
                            self.settings.max_rounds))

    def _start(self, act: Callable[[State], object]) -> None:
        self._thread = threading.Thread(target=self._run, args=(act,), name=self._rid, daemon=True)
        self._thread.start()

    def _run(self, act: Callable[[State], object]) -> None:
        state = self._aside.told(self.session.state)
        state = replace(state, limits=self.limits(state))
        self.toolbox.begin_turn()
        try:
            act(state)
        except BaseException as defect:
            self._report(defect)
        if self._ahead and not self._closed:
            self._aside.warm_up()

    def _report(self, defect: BaseException) -> None:
        """A defect of ours ends the turn with words, not with a traceback."""
        from clinkai.harness import defect as defects

        end = defects.ended(defect, self.settings.home, self.say)
        try:
            self._emit(end)
        except SessionError:
            self._emit(end)

    def _emit(self, event: Event) -> None:
        """Log first, then the sinks. Raises SessionError once a turn, when the log takes no more;
        from then on only the sinks are told."""
        with self._lock:
            record = record_of(event)
            if self.session and not self._log_broken:
                try:
                    if record is not None:
                        self.session.append(record)
                    elif type(event) is RoundStart:
                        self.session.sync(wait=False)
                except SessionError:
                    self._log_broken = True
                    raise
            stamp = (self.sid, self._rid, time.time())
            for sink in tuple(self._sinks):
                try:
                    sink(event, stamp)
                except Exception:
                    self._sinks.remove(sink)
            if type(event) is RunEnd:
                self._end = event

    def _emit_user(self, message: Message) -> None:
        mid = f"u{self.session.state.last_seq}"
        state = self.session.state
        record = changes.told(to_record(message), state, self.say)
        record = modes.told(record, self.gate.policy, state, self.say)
        self._emit(MsgStart(mid, "user"))
        if message.images:
            self._emit(MsgImages(mid, record["images"]))
        self._emit(Delta(mid, "text", 0, record["content"]))
        self._emit(MsgEnd(mid, "", 0, record))

    def limits(self, state: State) -> Limits:
        """What a turn of `state` may use."""
        settings = self.settings
        return Limits(settings.max_rounds, settings.max_tokens, settings.temperature,
                      settings.ctx_budget, self.provider.known_window, settings.status,
                      self._aside.sampling(state.server),
                      Store(self.session).image if self.session else None)

    # -- how a session begins

    def _prepare(self, text: str) -> None:
        """Have a session that can take the message `text`, with the provider it says."""
        try:
            self.provider.ready(self._cancel)
        except Cancelled:
            pass  # the turn that begins now sees it, and says so
        if self.session is None:
            self._begin(text)
        else:
            self._check(self.session.state, text)
        close(self.session, self.workspace, self.say)
        if not self._runs and any(message.images for message in self.session.state.messages):
            from clinkai.harness import images

            for notice in images.give_up(self.session, self.settings.vision, self.say):
                self._emit(notice)
        model = self.settings.model
        provider = self.provider.name
        state = self.session.state
        if self.mode != state.mode:
            self.session.append(modes.record(self.mode))
            self._emit(modes.now(self.mode))
        if (model and model != state.model) or provider != state.provider:
            self.session.append({"type": "meta", "kind": "model", "model": model or state.model,
                                 "provider": provider})
            self._emit(Notice("info", "notice.model", {"model": model or state.model}))
        self._aside.settle(self._cancel)

    def _check(self, state: State, text: str) -> None:
        fits.check(state, text, self.settings, self.provider, self._cancel)

    def _begin(self, text: str) -> None:
        settings = self.settings
        frozen, tools = opening.frozen(self.workspace, settings, self.say)
        self._check(State(system=frozen.system, tools=tools), text)
        self.session = self.sessions.create({
            "type": "init", "workspace": self.workspace.path, "model": settings.model,
            "provider": self.provider.name, "lang": self.say.lang, "mode": self.mode,
            "system": frozen.system, "tools": list(tools),
            "agents_md": [file.path for file in frozen.agents_md],
        })
        for notice in self._early:  # told before there was a log
            self.session.append(record_of(notice))
        for key, params in self.session.remarks:
            self._emit(Notice("warn", key, params))
        self.toolbox = opening.toolbox(self)
        for level, key, params in prefix.remarks(self.workspace):
            self._emit(Notice(level, key, params))

    def _keep_grant(self, grant: dict) -> None:
        if not opening.keeps_grants(self.session, self.workspace):
            return
        try:
            self.session.append({"type": "meta", "kind": "grant", "grant": grant})
        except SessionError:
            self._log_broken = True
            raise

"""Sessions and agents behind the page: the server owns the runs, a page only watches them.

An agent is opened with the first message to its session and stays open, with its lock on the log,
until others need its place or the server ends. Only sessions of the workspace the server was
started for exist here. Questions to a person are refused for now, with the reason in the result.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clinkai.core.errors import ClinkError
from clinkai.core.events import Event, RunEnd, SessionStatus, to_json
from clinkai.core.text import first_line
from clinkai.harness import modes
from clinkai.harness.agent import Agent, Start
from clinkai.harness.fork import fork
from clinkai.harness.models import choose_model
from clinkai.harness.reach import reach
from clinkai.harness.sessions import Sessions
from clinkai.harness.settings import Settings
from clinkai.ui.begin import continued
from clinkai.ui.serving import served_in_time
from clinkai.ui.web.channel import Bounds
from clinkai.ui.web.hub import Hub
from clinkai.ui.web.logs import Logs
from clinkai.ui.web.request import Refused

AGENTS = 8
"""Open sessions at rest; the one unused for longest is closed first."""
PAGE = 100
"""Log records in a snapshot."""
MODELS_WAIT = 10.0
"""Seconds that the model server may be silent, or load, while it is asked for its models: somebody
waits."""
SENT = 1000
"""How many sent messages are remembered, so that sending one again does nothing."""


class Run:
    """A session that is, or was, open here.

    rid: its running turn, or empty; seq: the record of its newest message from a person; state:
    how its last turn ended; early: what was told before there was a session to tell it in; mode:
    the one it was left in here, or empty. `lock` is held while it is opened, closed or given a
    message.
    """

    def __init__(self) -> None:
        self.agent: Agent | None = None
        self.rid = ""
        self.seq = 0
        self.state = ""
        self.early: list[Event] = []
        self.mode = ""
        self.lock = threading.Lock()


class Sent:
    """A message that was sent: the answer to whoever sends it again."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.answer: dict | None = None


class Service:
    """See the module. workspace: a real path; epoch: of this server start; allow: argv prefixes
    that run without a question."""

    def __init__(self, settings: Settings, workspace: str, epoch: str, *, allow: tuple = (),
                 bounds: Bounds = Bounds()) -> None:
        self.settings = settings
        self.workspace = workspace
        self._allow = allow
        self.say = settings.say
        self.hub = Hub(epoch, self.snapshot_items, bounds)
        self.logs = Logs(settings.sessions, workspace, settings.say)
        self._runs: dict[str, Run] = {}
        self._sent: dict[str, Sent] = {}
        self._unread: set[str] = set()
        self._next: Run | None = None
        """Opened for the next new session."""
        self._closing = False
        self._lock = threading.Lock()

    # -- reading

    def sessions(self) -> list[dict]:
        """What the sidebar shows, newest first."""
        with self._lock:
            ours = {sid for sid, run in self._runs.items() if run.agent}
        return [{
            "id": e.id, "title": e.title, "last": e.last, "rounds": e.rounds, "bytes": e.bytes,
            "state": self._state(e.id) or e.state, "unread": e.id in self._unread,
        } for e in self.logs.entries(ours)]

    def snapshot_items(self, sid: str, seq: int | None) -> list[dict]:
        """The newest events of a session up to log record `seq` (None: all)."""
        before = None if seq is None else seq + 1
        resting = self.hub.channel(sid).live.run is None
        try:
            return self.logs.items(sid, before, PAGE, unanswered=resting)["items"]
        except Refused:
            return []

    def seen(self, sid: str) -> None:
        """Somebody looks at a session now."""
        self._unread.discard(sid)

    def _state(self, sid: str) -> str:
        """running, done or interrupted; empty where the log itself says it."""
        run = self._runs.get(sid)
        if run is None or run.agent is None:
            return ""
        return "running" if run.rid else run.state

    # -- writing

    def send(self, sid: str, text: str, idem: str) -> dict:
        """Start a turn in a session, or with `sid` empty in a new one: {sid, rid, seq}.

        The message is on disk when this returns. Sending again with the same `idem` returns the
        first answer. Raises Refused (409 while a turn runs), members of the error tree.
        """
        return self._once(idem, lambda: self._send(sid, text))

    def rewind(self, sid: str, to: int, text: str, files: str, idem: str) -> dict:
        """Have a session go on after record `to`, and start a turn with `text` if there is any:
        {sid, rid, seq, left}; left: paths of files that were not restored. See `Agent.rewind`,
        `send`."""
        return self._once(idem, lambda: self._rewind(sid, to, text, files))

    def fork(self, sid: str, at: int | None, text: str, files: str, idem: str) -> dict:
        """Make a session that goes on after record `at` of another one, and start a turn there with
        `text` if there is any: {sid, rid, seq}. See `Agent.fork`, `send`."""
        return self._once(idem, lambda: self._fork(sid, at, text, files))

    def compact(self, sid: str, wish: str, idem: str) -> dict:
        """Have the oldest messages of a session become a summary: {sid, rid, seq}. See
        `Agent.compact`, `send`."""
        return self._once(idem, lambda: self._compact(sid, wish))

    def set_mode(self, sid: str, mode: str) -> dict:
        """Change the mode of a session, also while it runs: {mode}. It is on disk when this
        returns. Raises Refused for an unknown session, members of the error tree."""
        run = self._run(sid)
        with run.lock:
            if run.agent:
                run.agent.set_mode(mode)
            else:
                with self.logs.looking:
                    notice = modes.write(self.logs.path(sid), mode)
                self.hub.feed(to_json(notice, sid, "", time.time()))
            run.mode = mode
        return {"mode": mode}

    def page_opened(self) -> None:
        """Somebody is about to write: have the model server read what a new session begins with,
        in a thread, unless a session is open here, whose cache that would take."""
        with self._lock:
            wanted = self.settings.warm_up and self.settings.provider != "demo"
            if self._next or self._runs or self._closing or not wanted:
                return
            run = self._next = Run()
            run.lock.acquire()
        threading.Thread(target=self._warm_up, args=(run,), name="page", daemon=True).start()

    def _warm_up(self, run: Run) -> None:
        """Open `run`, whose lock is held, for a new session."""
        try:
            self._open(run, "")
            run.agent.warm_up()
        except ClinkError:
            pass  # whoever sends a message is told
        finally:
            run.lock.release()

    def cancel(self, rid: str) -> None:
        """Stop a run; again, or after its end, does nothing. Raises Refused for an unknown one."""
        with self._lock:
            run = self._runs.get(rid.rpartition("-")[0])
        if run is None:
            raise Refused(404, "web.http.run", id=rid)
        with run.lock:
            if run.rid == rid:
                run.agent.cancel()

    def close(self, seconds: float) -> None:
        """Stop all runs, close all sessions, tell all viewers. Waits at most `seconds` for each
        session that is just being opened, and for the viewers."""
        with self._lock:
            self._closing = True
            runs = list(self._runs.values()) + [self._next] * bool(self._next)
        for agent in [run.agent for run in runs]:
            if agent:
                agent.cancel()
        for run in runs:
            if run.lock.acquire(timeout=seconds):
                try:
                    if run.agent:
                        run.agent.close()
                finally:
                    run.lock.release()
        self.hub.close(seconds)

    def _send(self, sid: str, text: str) -> dict:
        run = self._run(sid)
        if not run.lock.acquire(blocking=not sid):
            raise Refused(409, "web.busy")
        try:
            if run.rid:
                raise Refused(409, "web.busy")
            if run.agent is None:
                self._open(run, sid)
            rid = self._begun(run, lambda: run.agent.submit(text))
            sid = run.agent.sid
            with self._lock:
                self._runs.pop(sid, None)
                self._runs[sid] = run
        finally:
            run.lock.release()
        self._retire()
        return {"sid": sid, "rid": rid, "seq": run.seq}

    def _rewind(self, sid: str, to: int, text: str, files: str) -> dict:
        with self._at_rest(sid) as run:
            if run.agent is None:
                self._open(run, sid)
            reports = run.agent.rewind(to, files)
            self.hub.channel(sid).renew()
            run.seq = run.agent.session.state.last_seq
            rid = self._begun(run, lambda: run.agent.submit(text)) if text else ""
        self._retire()
        left = [file.path for report in reports for file in report.files if not file.done]
        return {"sid": sid, "rid": rid, "seq": run.seq, "left": left}

    def _compact(self, sid: str, wish: str) -> dict:
        with self._at_rest(sid) as run:
            if run.agent is None:
                self._open(run, sid)
            rid = self._begun(run, lambda: run.agent.compact(wish))
        self._retire()
        return {"sid": sid, "rid": rid, "seq": run.seq}

    def _fork(self, sid: str, at: int | None, text: str, files: str) -> dict:
        with self._at_rest(sid) as run:
            if run.agent is None and files != "keep":
                self._open(run, sid)
            if run.agent:
                made = run.agent.fork(at, files)
            else:
                with self.logs.looking:
                    made = fork(self.logs.path(sid), Sessions(self.settings.sessions), at)
        self._retire()
        return self._send(made.id, text) if text else {"sid": made.id, "rid": "", "seq": made.seq + 1}

    @contextmanager
    def _at_rest(self, sid: str) -> Iterator[Run]:
        """A session in which no turn runs, and none begins meanwhile. Raises Refused."""
        run = self._run(sid)
        if not run.lock.acquire(blocking=False):
            raise Refused(409, "web.busy")
        try:
            if run.rid:
                raise Refused(409, "web.busy")
            yield run
        finally:
            run.lock.release()

    def _run(self, sid: str) -> Run:
        with self._lock:
            if self._closing:
                raise Refused(503, "web.http.closing")
        if not sid:
            with self._lock:
                run, self._next = self._next, None
            return run or Run()
        self.logs.path(sid)
        with self._lock:
            return self._runs.setdefault(sid, Run())

    def _open(self, run: Run, sid: str) -> None:
        log = self.logs.path(sid) if sid else None
        settings, notices = self._settings_for(log)
        if run.mode:  # `--mode` asked for another when the session was opened first, not now
            settings = settings.changed(mode=run.mode)
        start = Start(self.workspace, log, False, self._allow, notices, ahead=True)
        with self.logs.looking:
            run.agent = Agent(settings, start, [self._sink(run)])
        if sid:
            self.hub.channel(sid).mark(run.agent.session.state.last_seq)

    def _settings_for(self, log: str | None) -> tuple[Settings, tuple]:
        """The settings with a server that answers and a model (the session's own, else the one
        that `choose_model` names); and notices."""
        settings = continued(log, self.settings) if log else self.settings
        if settings.provider != self.settings.provider:
            # The page says what answers here; an old session does not change that.
            settings = self.settings
        way = reach(settings, None)
        settings = way.settings
        if settings.model or settings.provider == "demo":
            return settings, way.notices
        patient = min(settings.idle_timeout, MODELS_WAIT)
        asking = settings.changed(idle_timeout=patient)
        choice = choose_model("", settings.home, lambda: served_in_time(asking), None)
        return settings.changed(model=choice.model), (*way.notices, *choice.notices)

    def _begun(self, run: Run, begin: Callable[[], str]) -> str:
        try:
            return begin()
        except ClinkError as error:
            if run.rid:
                # Told as begun, but the disk did not take it: nothing else will tell its end.
                end = RunEnd("error", error.text(self.say), error.exit_code, 0, {})
                self._take(run, end, to_json(end, run.agent.sid, run.rid, time.time()))
            self._shut(run)
            raise

    def _shut(self, run: Run) -> None:
        run.agent.close()
        run.mode = run.agent.mode
        if run.agent.sid:
            self.hub.channel(run.agent.sid).mark(None)
        run.agent = None

    def _sink(self, run: Run) -> Callable[[Event, tuple], None]:
        return lambda event, stamp: self._take(run, event, to_json(event, *stamp))

    def _take(self, run: Run, event: Event, body: dict) -> None:
        """One event of a run, in its thread: for the hub, and for what the sidebar shows."""
        session = run.agent.session if run.agent else None
        seq = session.state.last_seq if session else None
        sid = body["sid"]
        if not sid:
            run.early.append(event)
            return
        while run.early:
            self.hub.feed(to_json(run.early.pop(0), sid, body["rid"], body["ts"]), seq)
        if event.type == "run.start":
            run.rid = body["rid"]
        elif event.type == "run.end":
            run.rid = ""
            run.state = "done" if event.reason == "done" else "interrupted"
            if not self.hub.watched(sid):
                self._unread.add(sid)
        self.hub.feed(body, seq)
        prompt = event.type == "msg.end" and event.record and event.record["type"] == "user"
        if prompt and "auto" not in event.record:
            run.seq = seq
        if prompt or event.type == "run.end":
            title = first_line(session.state.title) if session else ""
            self._tell(sid, title, "running" if run.rid else run.state)

    def _tell(self, sid: str, title: str, state: str) -> None:
        status = SessionStatus(sid, title, state, sid in self._unread)
        self.hub.tell(to_json(status, sid, "", time.time()))

    def _once(self, idem: str, act: Callable[[], dict]) -> dict:
        """What `act` answers; with the same `idem` again, what it answered."""
        if not idem:
            return act()
        sent = self._remembered(idem)
        with sent.lock:
            if sent.answer is None:
                sent.answer = act()
            return sent.answer

    def _remembered(self, idem: str) -> Sent:
        with self._lock:
            sent = self._sent.setdefault(idem, Sent())
            while len(self._sent) > SENT:
                del self._sent[next(iter(self._sent))]
            return sent

    def _retire(self) -> None:
        """Close the agents that were unused for longest, where there are too many."""
        with self._lock:
            idle = [run for run in self._runs.values() if run.agent and not run.rid]
        for run in idle[:max(0, len(idle) - AGENTS)]:
            if run.lock.acquire(blocking=False):
                try:
                    if run.agent and not run.rid:
                        self._shut(run)
                finally:
                    run.lock.release()

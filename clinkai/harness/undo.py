"""Taking back what a turn did to files, and putting it back: file by file, and only where nobody
has changed the file since.

    report = undo(session, workspace)            the newest turn that stands
    report = undo(session, workspace, turn=3, redo=True)

What is there now is kept, then a record says what is taken back, then the files change. What could
not be changed after all is a second record, after a crash in between too (`crashed.py`).
The model is told with the next message (`changes.told`). Not covered: what a command did outside the files
of the workspace (a database, a server, `.git`).
"""

from __future__ import annotations

from collections.abc import Iterator

from clinkai.core.catalogue import Strings
from clinkai.core.errors import ClinkError, SessionError, UsageError
from clinkai.core.text import printable
from clinkai.core.value import Value
from clinkai.harness import changes
from clinkai.harness.changes import Change, Changes, Turn
from clinkai.harness.crashed import recover
from clinkai.harness.putting import NOTHING, look, put, version
from clinkai.harness.session import Session
from clinkai.harness.store import Kept, Store
from clinkai.harness.textfile import text_of
from clinkai.harness.tools.diff import unified
from clinkai.harness.workspace import Workspace


class Outcome(Value):
    """What became of one file. done: False where it was left alone; then `why` is the catalogue
    key of the reason, with `params`. since, wanted: where it was changed meanwhile, the diff from
    what the turn left to what is there now, and to what it was to become."""

    path: str
    done: bool
    why: str = ""
    params: dict | None = None
    since: str = ""
    wanted: str = ""


class Report(Value):
    """What became of a turn."""

    turn: int
    prompt: str
    redo: bool
    files: tuple

    @property
    def whole(self) -> bool:
        """True where no file was left alone."""
        return all(file.done for file in self.files)

    def lines(self, say: Strings) -> Iterator[str]:
        """The report for a person."""
        done = sum(file.done for file in self.files)
        way = ("redo" if self.redo else "undo") if done else "none"
        yield say(f"undo.{way}", turn=self.turn, prompt=self.prompt[:60], n=done)
        for file in self.files:
            words = say(file.why, **file.params or {}) if file.why else ""
            yield f"  {'+' if file.done else '!'} {printable(file.path)}  {words}".rstrip()
            for key, diff in (("undo.since", file.since), ("undo.wanted", file.wanted)):
                if diff:
                    yield "    " + say(key)
                    yield from ("    " + line for line in diff.splitlines())


def undo(session: Session, workspace: Workspace, turn: int = 0, redo: bool = False) -> Report:
    """Take back the turn of that number, or put it back; 0: the newest that can be. Raises
    UsageError where there is none, SessionError; a file that cannot be changed is in the report."""
    store = Store(session)
    recover(session, workspace, undoing=True)
    known = changes.read(store.records())
    chosen = _turn(known, turn, redo)
    paths = [path for path in chosen.files if (path in chosen.undone) == redo]
    outcomes, ready = {}, {}
    for path in paths:
        outcomes[path] = _judge(store, workspace, known, (chosen, path, redo), ready)
    try:
        store.settle()
    except OSError as error:
        raise SessionError("error.session.write", path=store.folder, why=error.strerror) from error
    done = [path for path, outcome in outcomes.items() if outcome.done]
    if done:
        record = {"type": "meta", "kind": "undo", "turn": chosen.number, "redo": redo}
        session.append({**record, "files": done})
        for path, (was, to) in ready.items():
            try:
                put(workspace, path, was, to)
            except ClinkError as error:
                outcomes[path] = Outcome(path, False, error.key, error.params)
        failed = [path for path in done if not outcomes[path].done]
        if failed:
            session.append({**record, "redo": not redo, "files": failed})
        session.append({"type": "meta", "kind": "undone"})
    return Report(chosen.number, chosen.prompt, redo, tuple(outcomes.values()))


def diff(store: Store, workspace: Workspace) -> tuple[str, list[str]]:
    """What the session changed, as a patch, and the paths of which it is not known any more. What
    is as it was before is left out. Raises SessionError."""
    from clinkai.harness.patch import patch

    whole, there = {}, {}
    for path, change in changes.read(store.records()).whole().items():
        try:
            there[path] = look(workspace, path)
        except ClinkError:
            there[path] = None
        if there[path] is None or not version(there[path]).is_as(change.was):
            whole[path] = change

    def content(path: str, wanted: changes.Version) -> bytes | None:
        kept = _content(store, wanted)
        if kept is None and there[path] and version(there[path]).sha == wanted.sha:
            kept = there[path]
        return kept.data if kept else None

    missing: list[str] = []
    return "".join(patch(whole, content, missing)), missing


def _turn(known: Changes, number: int, redo: bool) -> Turn:
    """The turn that is meant. Raises UsageError."""
    way = "redo" if redo else "undo"
    if number > len(known.turns):
        raise UsageError("undo.error.number", turn=number, n=len(known.turns))
    if number:
        turn = known.turns[number - 1]
    else:
        turn = known.latest_undone() if redo else known.newest()
    if turn is None:
        raise UsageError(f"undo.error.{way}")
    if not any((path in turn.undone) == redo for path in turn.files):
        raise UsageError(f"undo.error.{way}_turn", turn=turn.number)
    return turn


def _judge(store: Store, workspace: Workspace, known: Changes, what: tuple,
           ready: dict) -> Outcome:
    """What is to become of a file; one that is to change is then in `ready`, and kept."""
    turn, path, redo = what
    change: Change = turn.files[path]
    target, left = (change.now, change.was) if redo else (change.was, change.now)
    try:
        now = look(workspace, path)
        if version(now).is_as(target):
            return Outcome(path, True, "undo.already")
        to = _content(store, target)
        if not version(now).is_as(left):
            later = known.later(path, turn.number)
            key = "undo.later" if later else "undo.changed"
            there = _content(store, left)
            return Outcome(path, False, key, {"turn": later}, _diff(path, there, now),
                           _diff(path, there, to))
        if to is None:
            return Outcome(path, False, "undo.lost")
        if now.data is not None and not store.holds(store.keep(now.data)):
            return Outcome(path, False, "undo.full")
    except ClinkError as error:
        return Outcome(path, False, error.key, error.params)
    except OSError as error:
        return Outcome(path, False, "undo.unkept", {"why": error.strerror})
    ready[path] = now, to
    return Outcome(path, True)


def _content(store: Store, wanted: changes.Version) -> Kept | None:
    """What is to be put there, None where it is not known any more."""
    if wanted.sha is None:
        return NOTHING
    data = store.before(wanted.sha) if wanted.sha else None
    return None if data is None else Kept(data, wanted.mode)


def _diff(path: str, before: Kept | None, after: Kept | None) -> str:
    """The difference for a person; empty where one of them is not known or no text."""
    if before is None or after is None:
        return ""
    texts = [_text(before), _text(after)]
    if None in texts or before.data == after.data:
        return ""
    return unified(None if before.data is None else texts[0], texts[1], printable(path))


def _text(kept: Kept) -> str | None:
    text = text_of(kept.data) if kept.data else None
    return "" if not kept.data else text and text.content

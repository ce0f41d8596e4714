"""Turns, external edits, undos and redos in any order, against files in a dictionary.

The model knows nothing of records or of what is kept: a turn is what each of its files was before
and after, and a file is taken back only where it is as the turn left it.
"""

from __future__ import annotations

import random
import shutil

import pytest

from clinkai.core.errors import UsageError
from clinkai.harness.changes import read
from clinkai.harness.session import Session
from clinkai.harness.store import Store
from clinkai.harness.undo import diff, undo
from tests.harness.test_patch import applied
from tests.harness.test_undo import sh, tree, turn, write
from tests.harness.tools.context import Desk

NAMES = ("a", "b", "d/c", "d/e/f")


class Model:
    """files: path to content. turns: of each, path to (before, after). undone: by turn, the paths
    taken back; order: of turns as they were undone."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.turns: list[dict] = []
        self.undone: list[set] = []
        self.order: list[int] = []

    def turn(self, after: dict[str, str]) -> None:
        names = sorted(self.files.keys() | after.keys())
        pairs = {name: (self.files.get(name), after.get(name)) for name in names}
        self.turns.append({name: pair for name, pair in pairs.items() if pair[0] != pair[1]})
        self.undone.append(set())
        self.files = dict(after)

    def undo(self, number: int, redo: bool) -> dict[str, bool] | None:
        """What became of each file; None for nothing to do."""
        if not number:
            stand = [n for n, t in enumerate(self.turns, 1) if t and not self.undone[n - 1]]
            candidates = self.order if redo else stand
            if not candidates:
                return None
            number = candidates[-1]
        changed, gone = self.turns[number - 1], self.undone[number - 1]
        paths = [path for path in changed if (path in gone) == redo]
        if not paths:
            return None
        done = {}
        for path in paths:
            before, after = changed[path]
            target, left = (after, before) if redo else (before, after)
            done[path] = self.files.get(path) in (target, left)
            if done[path]:
                self.put(path, target)
                (gone.discard if redo else gone.add)(path)
        if any(done.values()):
            if number in self.order:
                self.order.remove(number)
            if gone:
                self.order.append(number)
        return done

    def put(self, path: str, content: str | None) -> None:
        if content is None:
            self.files.pop(path, None)
        else:
            self.files[path] = content


def calls(rng: random.Random, files: dict[str, str]) -> list[tuple]:
    """Up to four calls of a turn; `files` becomes what they make of it."""
    made = []
    for _ in range(rng.randint(0, 4)):
        path, content = rng.choice(NAMES), f"{rng.randrange(10**6)}\n" * rng.randint(1, 3)
        free = [name for name in NAMES if name not in files]
        match rng.choice(("write", "edit", "delete", "move", "sh", "rm", "mv")):
            case "write" if path not in files:
                made.append(write(path, content))
                files[path] = content
            case "edit" if path in files:
                made.append(("edit", {"path": path, "old": files[path], "new": content}))
                files[path] = content
            case "delete" if path in files:
                made.append(("delete", {"path": path}))
                del files[path]
            case "move" if path in files and free:
                made.append(("move", {"path": path, "to": free[0]}))
                files[free[0]] = files.pop(path)
            case "sh":
                made.append(sh(f"mkdir -p d/e && printf '{content}' > {path}"))
                files[path] = content
            case "rm" if path in files:
                made.append(sh(f"rm {path}"))
                del files[path]
            case "mv" if path in files and free:
                made.append(sh(f"mkdir -p d/e && mv {path} {free[-1]}"))
                files[free[-1]] = files.pop(path)
    return made


def step(rng: random.Random, desk: Desk, model: Model) -> None:
    """Do one thing to both."""
    match rng.choice(("turn", "turn", "edit", "undo", "undo", "redo", "reopen")):
        case "turn":
            files = dict(model.files)
            turn(desk, *calls(rng, files))
            model.turn(files)
        case "edit":
            path = rng.choice(NAMES)
            if rng.random() < 0.3 and path in model.files:
                (desk.root / path).unlink()
                model.put(path, None)
            else:
                desk.put(path, "mine\n")
                model.put(path, "mine\n")
        case "reopen":
            desk.session.close()
            desk.session = Session.open(desk.session.path)
            desk.store.__init__(desk.session)
        case way if model.turns:
            number = rng.choice((0, 0, rng.randint(1, len(model.turns))))
            wanted = model.undo(number, way == "redo")
            try:
                report = undo(desk.session, desk.workspace, number, way == "redo")
            except UsageError:
                assert wanted is None
            else:
                assert {file.path: file.done for file in report.files} == wanted


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_files_and_what_is_undone_are_as_the_model_has_them(tmp_path, seed):
    rng, model = random.Random(seed), Model()
    with Desk(tmp_path) as desk:
        for _ in range(40):
            step(rng, desk, model)
            assert {path: data.decode() for path, (data, _) in tree(desk.root).items()} == model.files
            known = read(Store(desk.session).records())
            assert [set(one.undone) for one in known.turns] == model.undone
            assert known.order == model.order


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
def test_the_patch_of_any_turns_makes_the_same(tmp_path, seed):
    rng, model = random.Random(1000 + seed), Model()
    with Desk(tmp_path) as desk:
        desk.put("a", "1\n2\n")
        desk.put("d/c", "3\n")
        model.files = {"a": "1\n2\n", "d/c": "3\n"}
        shutil.copytree(desk.root, tmp_path / "copy")
        for _ in range(6):
            files = dict(model.files)
            turn(desk, *calls(rng, files))
            model.turn(files)
            if rng.random() < 0.4:
                model.undo(0, False)
                try:
                    undo(desk.session, desk.workspace)
                except UsageError:
                    pass
        text, missing = diff(desk.store, desk.workspace)
        assert missing == []
        assert not text or applied(text, tmp_path / "copy") == tree(desk.root)

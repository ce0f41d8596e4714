"""Tasks as data: `eval/tasks/NAME/` holds

    task.toml     what is asked, what is checked, how it is solved (below)
    workspace/    the files the agent starts with
    hidden/       files laid over a copy of the workspace before a `command` check (optional)
    solution/     files laid over the workspace that solve the task, for `eval check` (optional)

task.toml:

    id = "create-file"               the name of the folder
    suite = "core"
    title = {en = "...", zh = "..."}
    level = 1                        1 easy to 5 hard
    tags = ["write"]
    policy = "usually"               "always": with the scripted model a failure blocks a change
    seconds = 600                    time limit of a trial
    rounds = 15                      round cap, unless the user sets one
    approve = []                     command prefixes that run without a question (--allow)
    context_needed = 8000            tokens; skipped where the server is known to have less

    [[turn]]                         one prompt each; the second and later resume the session
    en = "..."
    zh = "..."

    [[check]]                        kinds and their parameters: eval/checks.py
    kind = "matches"
    path = "notes/hello.md"
    regex = "Hello"

    [[solution]]                     one for each turn: what a perfect model would do
    calls = [{name = "write", arguments = {path = "notes/hello.md", content = "Hello"}}]
    text = "Done."

A name that is not in this list is an error, so that a slip of the pen does not weaken a check.
"""

from __future__ import annotations

import os

from clinkai.core import resources
from clinkai.core.errors import UsageError
from clinkai.core.value import Value
from eval.checks import Check, read_check

FOLDER = "eval/tasks"
LANGUAGES = ("en", "zh")
POLICIES = ("always", "usually")
SKIPPED = ("__pycache__/", ".DS_Store")
FIELDS = {
    "id": str, "suite": str, "title": dict, "level": int, "tags": list, "policy": str,
    "seconds": int, "rounds": int, "approve": list, "context_needed": int, "turn": list,
    "check": list, "solution": list,
}


class Step(Value):
    """What a perfect model does in one turn: calls as (name, arguments), then its answer."""

    calls: tuple
    text: str


class Task(Value):
    """One task. title, and each of turns: by language. files: content by path in the task's
    folder. digest: SHA-256 over all its files."""

    id: str
    suite: str
    title: dict
    level: int
    tags: tuple
    policy: str
    seconds: int
    rounds: int
    approve: tuple
    context_needed: int
    turns: tuple
    checks: tuple[Check, ...]
    solution: tuple[Step, ...]
    files: dict
    digest: str

    @property
    def name(self) -> str:
        """suite/id, what `--only` is compared with."""
        return f"{self.suite}/{self.id}"

    def copy(self, part: str, target: str) -> None:
        """Write the files of `part` (workspace, hidden or solution) below the folder `target`,
        over what is there."""
        for path, data in self.files.items():
            top, _, rest = path.partition("/")
            if top == part and rest:
                place = os.path.join(target, *rest.split("/"))
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(data)


def load(folder: str = FOLDER) -> list[Task]:
    """The tasks in a folder of the program, or in any folder given by its absolute path, by name.
    Raises UsageError that names the task and what is wrong with it."""
    try:
        names = [name[:-1] for name in _names(folder) if name.endswith("/")]
    except OSError as error:
        raise UsageError("eval.task.folder", path=folder, why=error.strerror or error) from None
    tasks = [read_task(name, _files(f"{folder}/{name}")) for name in names]
    if not tasks:
        raise UsageError("eval.task.empty", path=folder)
    return sorted(tasks, key=lambda task: task.name)


def read_task(name: str, files: dict[str, bytes]) -> Task:
    """The task in the folder `name` with those files. Raises UsageError."""
    import tomllib

    try:
        raw = tomllib.loads(files["task.toml"].decode("utf-8"))
    except KeyError:
        raise _wrong(name, "eval.task.none") from None
    except ValueError as error:
        raise _wrong(name, "eval.task.toml", why=error) from None
    _check_fields(name, raw)
    turns = tuple(_by_language(name, "turn", turn) for turn in raw["turn"])
    solution = tuple(_step(name, step) for step in raw["solution"])
    if raw["id"] != name or raw["policy"] not in POLICIES or not turns \
            or len(solution) != len(turns) or not raw["check"]:
        raise _wrong(name, "eval.task.value")
    return Task(
        id=name, suite=raw["suite"], title=_by_language(name, "title", raw["title"]),
        level=raw["level"], tags=tuple(raw["tags"]), policy=raw["policy"], seconds=raw["seconds"],
        rounds=raw["rounds"], approve=tuple(raw["approve"]), turns=turns, solution=solution,
        context_needed=raw["context_needed"], files=files, digest=digest(files),
        checks=tuple(read_check(name, check) for check in raw["check"]),
    )


def digest(files: dict[str, bytes]) -> str:
    """SHA-256 over paths and contents."""
    import hashlib

    total = hashlib.sha256()
    for path in sorted(files):
        total.update(f"{path}\0{len(files[path])}\0".encode())
        total.update(files[path])
    return total.hexdigest()


def _names(folder: str) -> list[str]:
    if not os.path.isabs(folder):
        return resources.names(folder)
    with os.scandir(folder) as entries:
        return sorted(e.name + "/" * e.is_dir() for e in entries)


def _files(folder: str, inside: str = "") -> dict[str, bytes]:
    found = {}
    for name in _names(folder):
        if name in SKIPPED:
            continue
        if name.endswith("/"):
            found.update(_files(f"{folder}/{name[:-1]}", f"{inside}{name}"))
        elif os.path.isabs(folder):
            with open(os.path.join(folder, name), "rb") as file:
                found[inside + name] = file.read()
        else:
            found[inside + name] = resources.read_bytes(f"{folder}/{name}")
    return found


def _check_fields(name: str, raw: dict) -> None:
    for field, kind in FIELDS.items():
        if field not in raw:
            raise _wrong(name, "eval.task.missing", field=field)
        if not isinstance(raw[field], kind):
            raise _wrong(name, "eval.task.type", field=field)
    for field in raw.keys() - FIELDS.keys():
        raise _wrong(name, "eval.task.unknown", field=field)


def _by_language(name: str, field: str, texts: object) -> dict[str, str]:
    if not isinstance(texts, dict) or set(texts) != set(LANGUAGES) \
            or not all(isinstance(t, str) and t.strip() for t in texts.values()):
        raise _wrong(name, "eval.task.type", field=field)
    return {lang: text.strip() for lang, text in texts.items()}


def _step(name: str, raw: object) -> Step:
    try:
        calls = tuple((call["name"], call["arguments"]) for call in raw["calls"])
        known = raw.keys() == {"calls", "text"} and all(
            call.keys() == {"name", "arguments"} for call in raw["calls"])
    except (KeyError, TypeError, AttributeError):
        known = False
    if not known:
        raise _wrong(name, "eval.task.type", field="solution")
    return Step(calls, raw["text"])


def _wrong(name: str, key: str, **params: object) -> UsageError:
    return UsageError(key, where=f"{FOLDER}/{name}/task.toml", **params)

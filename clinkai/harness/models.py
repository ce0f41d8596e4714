"""Which model answers: the one set, the one chosen last, the only one served, or the one asked for.

Covered: the choice, and remembering it in CLINKAI_HOME, with the address of the server where that
was chosen too. Not covered: asking the server (`ai/servers.py`), choosing one (`harness/reach.py`),
the menu a person chooses from (`ui/`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable

from clinkai.core.errors import UsageError
from clinkai.core.value import Value

FILE = "model.json"
LONGEST = 1 << 16


class Choice(Value):
    """The model, and notices on the way: (catalogue key, params) each."""

    model: str
    notices: tuple = ()


def choose_model(wanted: str, home: str, served: Callable[[], tuple[str, ...]],
                 ask: Callable[[tuple[str, ...]], str] | None) -> Choice:
    """Choose. `wanted` is the setting MODEL; `served` lists what the server has and is called only
    where nothing is wanted; `ask` lets a person choose, None where there is none.

    Raises UsageError that lists the models where nobody can be asked, and what `served` raises.
    """
    if wanted:
        return Choice(wanted)
    last, notices = remembered(home)
    models = served()
    if last in models:
        return Choice(last, notices)
    if not models:
        raise UsageError("setting.error.no_models")
    if len(models) == 1:
        return Choice(models[0], notices)
    if ask is None:
        raise UsageError("setting.error.which_model", models=", ".join(models))
    chosen = ask(models)
    return Choice(chosen, (*notices, *remember(home, model=chosen)))


def used_by(path: str) -> tuple[str, str]:
    """The provider and model that a session file names last; empty where it cannot be read."""
    provider = model = ""
    try:
        with open(path, "rb") as file:
            for line in file:
                # Both stand before any content; only such lines are worth reading as JSON.
                if b'"type":"init"' in line[:120] or b'"kind":"model"' in line[:120]:
                    record = json.loads(line)
                    provider, model = str(record["provider"]), str(record["model"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        # Opening the session says what is wrong with it.
        pass
    return provider, model


def remembered(home: str) -> tuple[str, tuple]:
    """The model chosen last (or empty) and notices: an unusable file is one, no error."""
    stored, notices = _load(home)
    return stored.get("model", ""), notices


def remembered_address(home: str) -> str:
    """The address of the server chosen last, or empty."""
    return _load(home)[0].get("address", "")


def remember(home: str, **chosen: str) -> tuple:
    """Keep a choice (`model`, `address`) beside the other one, replacing the file in one step.
    Returns notices: a failure is one."""
    path = os.path.join(home, FILE)
    fresh = f"{path}.{os.getpid()}.new"
    try:
        with open(fresh, "w", encoding="utf-8") as file:
            kept = {**_load(home)[0], **chosen}
            json.dump({"v": 1, **{name: kept[name] for name in kept if kept[name]}}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except OSError as error:
        why = error.strerror or str(error)
        return (("setting.notice.model_not_kept", {"path": path, "why": why}),)
    return ()


def _load(home: str) -> tuple[dict[str, str], tuple]:
    """What is kept, and notices."""
    path = os.path.join(home, FILE)
    try:
        with open(path, "rb") as file:
            stored = json.loads(file.read(LONGEST))
        kept = {name: stored.get(name, "") for name in ("model", "address")}
        if not all(isinstance(value, str) for value in kept.values()):
            raise TypeError("a choice is no text")
    except FileNotFoundError:
        return {}, ()
    except OSError as error:
        why = error.strerror or str(error)
        return {}, (("setting.notice.model_file", {"path": path, "why": why}),)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}, (("setting.notice.model_damaged", {"path": path}),)
    return kept, ()

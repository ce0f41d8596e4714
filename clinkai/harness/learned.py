"""What is known of servers, kept in CLINKAI_HOME for each address: what they reject, so that a field
is refused once only, which kind they are, what their templates do.

Nothing depends on the file: one that cannot be read counts as empty, and where it cannot be written
the server refuses once more. Deleting it has everything tried again.
"""

from __future__ import annotations

import json
import os

from clinkai.ai.learned import Learned

FILE = "servers.json"
LONGEST = 1 << 18
SERVERS = 100
"""How many are kept: those that something was learned of last."""

FIELDS, NAME = 50, 100
"""What is believed of one server: so many fields with names of so many characters."""


KINDS = ("ollama", "lmstudio", "vllm", "sglang", "koboldcpp", "mlx", "tabby")
VERDICTS = ("kept", "stripped", "unseen")
"""What may stand there of a server and of its templates (`ai/recognise.py`, `ai/llamacpp.py`)."""


def learned_of(home: str, address: str) -> Learned:
    """What is known of the server at this base address; more of it will be kept. Never raises."""
    known = _load(home).get(address, {})

    def remember(learned: Learned) -> None:
        kept = _load(home)
        kept.pop(address, None)
        kept[address] = {"rejects": sorted(learned.rejects), "fold": learned.fold,
                         "kind": learned.kind, "templates": learned.templates}
        _write(os.path.join(home, FILE), dict(list(kept.items())[-SERVERS:]))

    return Learned(known.get("rejects", ()), known.get("fold", False), remember,
                   kind=known.get("kind", ""), templates=known.get("templates"))


def _load(home: str) -> dict[str, dict]:
    """By address, what of the file can be used."""
    try:
        with open(os.path.join(home, FILE), "rb") as file:
            servers = json.loads(file.read(LONGEST))["servers"]
        return {address: _sound(known) for address, known in servers.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _sound(known: dict) -> dict:
    rejects = known.get("rejects")
    names = rejects if isinstance(rejects, list) else []
    sound = [n for n in names if isinstance(n, str) and 0 < len(n) <= NAME]
    kind, seen = known.get("kind"), known.get("templates")
    rendered = seen.items() if isinstance(seen, dict) else ()
    return {"rejects": sound[:FIELDS], "fold": known.get("fold") is True,
            "kind": kind if kind in KINDS else "",
            "templates": {k[:NAME]: v for k, v in list(rendered)[-FIELDS:] if v in VERDICTS}}


def _write(path: str, servers: dict) -> None:
    """Put the new file in place of the old one, in one step, where that is possible."""
    fresh = f"{path}.{os.getpid()}.new"
    try:
        with open(fresh, "w", encoding="utf-8") as file:
            json.dump({"v": 1, "servers": servers}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except (OSError, UnicodeError):
        try:
            os.unlink(fresh)
        except OSError:
            pass

"""Sessions for tests: written as the product writes them."""

from __future__ import annotations

import json

from clinkai.harness.sessions import Sessions

INIT = {"type": "init", "workspace": "/w", "model": "m", "provider": "openai", "lang": "en",
        "mode": "auto", "system": "S", "tools": [], "agents_md": []}
END = {"type": "meta", "kind": "run.end", "reason": "done", "detail": "", "exit": 0, "denied": 0,
       "times": {}}
USAGE = {"type": "meta", "kind": "usage", "n": 1, "prompt": None, "proof": ""}


def user(text: str, **more: object) -> dict:
    return {"type": "user", "content": text, **more}


def answer(text: str, *calls: tuple[str, str, dict]) -> dict:
    """calls: (id, name, arguments)."""
    asked = [{"id": id, "name": name, "arguments": json.dumps(args, ensure_ascii=False)}
             for id, name, args in calls]
    return {"type": "assistant", "content": text, "tool_calls": asked, "finish": "stop"}


def result(id: str, name: str, text: str, **more: object) -> dict:
    return {"type": "tool", "call_id": id, "name": name, "ok": True, "decision": "allow",
            "content": text, "ms": 1, **more}


def turn(text: str, *between: dict) -> tuple[dict, ...]:
    return user(text), *between, answer("done"), USAGE, END


def keep(folder: Sessions, *records: dict, workspace: str = "/w") -> str:
    """The path of a session with these records; closed."""
    session = folder.create({**INIT, "workspace": workspace})
    for record in records:
        session.append(record)
    session.close()
    return session.path


def add(path: str, data: bytes) -> str:
    """Bytes at the end of the file, as nobody but a dying machine writes them."""
    with open(path, "ab") as file:
        file.write(data)
    return path

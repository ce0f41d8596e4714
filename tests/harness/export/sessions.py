"""Session files for tests: an ordinary one, and one whose every text is hostile."""

from __future__ import annotations

import json
from pathlib import Path

PATH = {"type": "object", "properties": {"path": {"type": "string"}}}
TOOLS = [{"type": "function", "function": {"name": name, "description": name, "parameters": PATH}}
         for name in ("read", "bash")]
INIT = {"type": "init", "workspace": "/home/alice/app", "model": "local", "provider": "openai",
        "lang": "en", "mode": "sandbox", "system": "You work in /home/alice/app.", "tools": TOOLS,
        "agents_md": []}
SHA = "ab" * 32


def usage(n: int, prompt: int, cached: int | None, out: int, **more: object) -> dict:
    return {"type": "meta", "kind": "usage", "n": n, "prompt": prompt, "cached": cached,
            "hit": None, "out": out, "pp_tps": None, "tg_tps": None, "ttft_ms": 4, "ctx": prompt,
            "ctx_max": 4096, "proof": "2:abcdef", **more}


def answer(text: str, *calls: tuple, **more: object) -> dict:
    asked = [{"id": id, "name": name, "arguments": arguments} for id, name, arguments in calls]
    return {"type": "assistant", "content": text, "tool_calls": asked,
            "finish": "tool_calls" if calls else "stop", **more}


def result(id: str, name: str, content: str, **more: object) -> dict:
    return {"type": "tool", "call_id": id, "name": name, "ok": True, "decision": "allow",
            "content": content, "ms": 12, **more}


def end(reason: str = "done", detail: str = "") -> dict:
    return {"type": "meta", "kind": "run.end", "reason": reason, "detail": detail, "exit": 0,
            "denied": 0, "times": {}}


PLAIN = [
    INIT,
    {"type": "user", "content": "fix a.py in /home/alice/app, mail bob@example.com",
     "images": [{"sha": SHA, "mime": "image/png", "size": 1200}]},
    answer("Looking.", ("c1", "read", '{"path":"/home/alice/app/a.py"}'),
           ("c1", "bash", '{"path": "x", "command": "ls"}'), reasoning="Hm.",
           reasoning_field="reasoning_content"),
    usage(1, 100, 80, 20),
    {"type": "meta", "kind": "grant", "grant": {"kind": "prefix", "rule": ["rm"]}},
    {"type": "meta", "kind": "before", "path": "a.py", "sha": None},
    result("c1", "read", "x = 1\nDB_PASSWORD=hunter2\n"),
    result("c1", "bash", "a.py", ok=False, exit=2, diff="-x\n+y"),
    answer("Done."),
    usage(2, 150, 200, 5),
    end(),
    {"type": "user", "content": "and now?"},
    {"type": "meta", "kind": "mode", "mode": "plan"},
    {"type": "meta", "kind": "archived", "stays": 1, "text": "[summary]", "summary": "s",
     "before": 9, "after": 5, "ms": 1},
    answer("", ("c2", "bash", "{}")),
    answer("[interrupted]", finish="interrupted"),
    end("cancelled", "You stopped it."),
]

EVIL = ("<script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31mred\x07\x00\u202egnp\u2066"
        "</pre></textarea>`````\n```\n![x](http://t.example/p.png)\n# head\n\"'&amp; \ud800 --> ]]>"
        "\n~~~\n</details></style><style>*{display:none}")
HOSTILE = [
    {**INIT, "workspace": EVIL, "model": EVIL, "system": EVIL, "lang": "en"},
    {"type": "user", "content": EVIL, "images": [{"sha": SHA, "mime": 'a"><script>', "size": 1}]},
    answer(EVIL, (EVIL, EVIL, json.dumps({EVIL: EVIL, "n": [1, {"x": EVIL}]})),
           (EVIL, "", "no JSON"), ("", "bash", "[1]"), ("", "bash", "NaN"), reasoning=EVIL),
    usage(1, 10, None, 3),
    result(EVIL, EVIL, EVIL, decision="deny", ok=False, exit=1, diff=f"+{EVIL}\n-{EVIL}"),
    {"type": "user", "content": 3}, {"type": "assistant"}, {"type": "meta"}, {"type": "later"},
    result("nobody", "x", "y"), {"type": "meta", "kind": "run.end"},
    {"type": "meta", "kind": "title", "title": EVIL}, end("error", EVIL),
    {"type": "meta", "kind": "usage", "prompt": "many"},
]


def write(folder: Path, records: list, name: str = "20260101-000000-ab12cd34.jsonl") -> str:
    """Write the records as a session file, with their envelopes; its path."""
    lines = [json.dumps({"v": 1, "seq": n, "ts": 1_760_000_000.5 + n, **record})
             for n, record in enumerate(records, 1)]
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)

"""A session's log as the events the page gets live: one shape, one way to show it. Branches that
were left are not part of it.

Covered: the newest records of a log or those before one, read from its end; messages with their
thinking, tool calls with their results, figures, notices, the ends of turns.
Not kept by the log, and therefore not in a replay: output that the model got cut.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator

from clinkai.core.branches import goes_back
from clinkai.core.events import KEPT, VERSION, kept_fields
from clinkai.core.value import Value

BLOCK = 256 * 1024
CONTINUED = ("notice.ask.continue", "notice.ask.broken")
"""Mark the harness's own request to go on with an answer that was cut, or that broke."""

_SEQ = re.compile(rb'\{"v":\d+,"seq":(\d+),')


class Page(Value):
    """Records of a log, oldest first. more: there are older ones; bad: lines that are no record."""

    records: tuple
    more: bool
    bad: int


def page(path: str, before: int | None, limit: int) -> Page:
    """The newest `limit` records with a number below `before` (None: of all), and as many older
    ones as it takes to begin with a message that is no tool result. Raises OSError."""
    found: list[dict] = []
    bad = 0
    lines = _on_the_way(_backwards(path))
    for line in lines:
        if before is not None and _number(line) >= before:
            continue
        record = _loads(line)
        if record is None or not isinstance(record.get("type"), str):
            bad += 1
            continue
        found.append(record)
        if len(found) >= limit and record["type"] in ("user", "assistant", "init"):
            break
    older = _loads(next(lines, b""))
    more = older is not None and older.get("type") != "init"
    return Page(tuple(reversed(found)), more, bad)


def events(records: tuple, sid: str, title: Callable[[str, dict], str], *,
           unanswered: bool) -> list[dict]:
    """The event bodies of `records`, each with the `seq` of its record.

    A record that makes no sense becomes a notice. title(name, arguments): the line that stands for
    a tool call. unanswered: at the end, show the calls that never got a result as begun.
    """
    replay = _Replay(sid, title)
    for record in records:
        try:
            replay.feed(record)
        except (KeyError, TypeError, AttributeError):
            replay.bodies.append(unreadable(sid, 1))
    if unanswered:
        replay.open_calls()
    return replay.bodies


def unreadable(sid: str, n: int) -> dict:
    """The notice that `n` records of a log cannot be read."""
    return {"v": VERSION, "type": "notice", "sid": sid, "rid": "", "ts": 0, "seq": 0,
            "level": "error", "key": "web.log.bad", "params": {"n": n}}


class _Replay:
    def __init__(self, sid: str, title: Callable[[str, dict], str]) -> None:
        self.bodies: list[dict] = []
        self._sid = sid
        self._title = title
        self._calls: dict[str, dict] = {}
        self._record: dict = {}
        self._mid = ""
        self._offsets = {"think": 0, "text": 0}
        self._goes_on = False

    def feed(self, record: dict) -> None:
        self._record = record
        match record["type"]:
            case "user":
                self._user(record)
            case "assistant":
                self._assistant(record)
            case "tool":
                self._tool(record)
            case "meta" if record.get("kind") in KEPT:
                self._say(record["kind"], **kept_fields(record))

    def open_calls(self) -> None:
        """The calls that are left have no result."""
        for call in self._calls.values():
            self._start(call["id"], call["name"])

    def _user(self, record: dict) -> None:
        mid = f"s{record.get('seq', 0)}"
        self._goes_on = record.get("auto") in CONTINUED and self._mid != ""
        self._say("msg.start", mid=mid, role="auto" if record.get("auto") else "user")
        if record.get("images"):
            self._say("msg.images", mid=mid, images=record["images"])
        self._say("delta", mid=mid, ch="text", off=0, s=record["content"])
        self._say("msg.end", mid=mid, finish="", think_ms=0)

    def _assistant(self, record: dict) -> None:
        if not self._goes_on:
            self._mid, self._offsets = f"s{record.get('seq', 0)}", {"think": 0, "text": 0}
        self._goes_on = False
        mid = self._mid
        self._say("msg.start", mid=mid, role="assistant")
        for channel, text in (("think", record.get("reasoning", "")), ("text", record["content"])):
            if text:
                self._say("delta", mid=mid, ch=channel, off=self._offsets[channel], s=text)
                self._offsets[channel] += len(text)
        self._say("msg.end", mid=mid, finish=record.get("finish", ""),
                  think_ms=record.get("think_ms", 0))
        for call in record["tool_calls"]:
            self._calls[call["id"]] = call

    def _tool(self, record: dict) -> None:
        call, text = record["call_id"], record["content"]
        self._start(call, record["name"])
        self._calls.pop(call, None)
        self._say("tool.out", call=call, off=0, s=text)
        self._say("tool.end", call=call, ok=record["ok"], exit=record.get("exit"),
                  ms=record["ms"], lines=text.count("\n") + bool(text), cut=False,
                  diff=record.get("diff"), decision=record["decision"])

    def _start(self, call: str, name: str) -> None:
        args = _loads(self._calls.get(call, {}).get("arguments", "").encode("utf-8", "replace"))
        self._say("tool.start", call=call, name=name, args=args, risk="low",
                  title=self._title(name, args or {}))

    def _say(self, type: str, /, **fields: object) -> None:
        self.bodies.append({
            "v": VERSION, "type": type, "sid": self._sid, "rid": "",
            "ts": self._record.get("ts", 0), "seq": self._record.get("seq", 0), **fields,
        })


def _backwards(path: str):
    """The complete lines of a file, newest first; what follows the last line end is left out."""
    with open(path, "rb") as file:
        at = file.seek(0, os.SEEK_END)
        rest = b""
        torn = True
        while at > 0:
            size = min(BLOCK, at)
            at = file.seek(at - size)
            first, *lines = (file.read(size) + rest).split(b"\n")
            if torn and lines:
                lines.pop()
                torn = False
            yield from reversed(lines)
            rest = first
        if rest and not torn:
            yield rest


def _on_the_way(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of the records that are in force, from all of them, newest first."""
    last = None
    for line in lines:
        if last is not None and _number(line) > last:
            continue
        yield line
        if b'"rewind"' in line and (to := goes_back(_loads(line) or {})) is not None:
            last = to


def _number(line: bytes) -> int:
    match = _SEQ.match(line)
    if match:
        return int(match[1])
    record = _loads(line)
    seq = record.get("seq") if record else None
    return seq if isinstance(seq, int) else 0


def _loads(text: bytes) -> dict | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

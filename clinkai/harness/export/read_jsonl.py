"""Our own records, written by somebody: each is put together anew from what is known of it.

Records and fields of a later version are left out. So are grants, modes, notices and what belongs
to files: they were about another machine; and branches that were left. Not covered: the rest of the
session's folder.
"""

from __future__ import annotations

import json

from clinkai.core.branches import live
from clinkai.core.errors import SessionError
from clinkai.core.events import EVENTS, kept_fields
from clinkai.core.messages import from_record, to_record
from clinkai.core.state import State, step
from clinkai.harness.export.content import BadFile, Content, is_schema
from clinkai.harness.export.steps import time_of, title_of
from clinkai.harness.settings import MODES

KINDS = {"str": str, "int": int, "float": int | float, "dict": dict, "list": list,
         "None": type(None)}
"""The words that the fields of events are declared with."""

EVENTS_KEPT = ("run.start", "usage", "archived", "window", "run.end")
META = {"lost": {"sha": str, "text": str}, "model": {"model": str, "provider": str}}
"""What else is taken of `meta` records: the fields, and what they hold."""

EXTRAS = {"assistant": {"think_ms": int}, "tool": {"exit": int, "diff": str}}
"""Fields of messages that are for people."""

TYPES = {"user", "assistant", "tool", "meta"}


def read(text: str) -> Content:
    """What the lines hold. Raises BadFile, which names the line."""
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    first = _record(*lines[0])
    init = _init(lines[0][0], first)
    state = _checked(lines[0][0], State(), {**init, "workspace": "/", "mode": MODES[0]})
    found, skipped = _numbered(lines[1:], _seq(lines[0][0], first, 0))
    numbers = {record["seq"]: number for number, record in found}
    records = []
    for record in live(record for _, record in found):
        number = numbers[record["seq"]]
        if kept := _known(number, record):
            ts = time_of(record)
            kept = {"seq": record["seq"], **({} if ts is None else {"ts": ts}), **kept}
            state = _checked(number, state, kept)
            records.append(kept)
    if title := title_of([record for _, record in found]):
        records.append({"type": "meta", "kind": "title", "title": title})
    notes = (("export.import.skipped", {"n": skipped}),) if skipped else ()
    return Content(tuple(records), init["system"], init["tools"], init["agents_md"], init["model"],
                   init["provider"], init["lang"], time_of(first), notes)


def _numbered(lines: list, seq: int) -> tuple[list, int]:
    """The records of known types, each with its line and a `seq`; how many others there are."""
    found, skipped = [], 0
    for number, line in lines:
        record = _record(number, line)
        seq = _seq(number, record, seq)
        if record["type"] in TYPES:
            found.append((number, {**record, "seq": seq}))
        else:
            skipped += 1
    return found, skipped


def _record(number: int, line: str) -> dict:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        why = getattr(error, "msg", None) or str(error) or type(error).__name__
        raise BadFile("export.error.line", line=number, why=f"JSON: {why}") from error
    if not isinstance(record, dict) or not isinstance(record.get("type"), str):
        raise BadFile("export.error.line", line=number, why='"type"')
    return record


def _seq(number: int, record: dict, last: int) -> int:
    """The number of a record: they grow."""
    seq = record.get("seq", last + 1)
    if type(seq) is not int or seq <= last or seq > 1 << 53:
        raise BadFile("export.error.line", line=number, why=f'"seq": {str(seq)[:40]}')
    return seq


def _init(number: int, record: dict) -> dict:
    if record["type"] != "init":
        raise BadFile("export.error.init", line=number)
    names = ("model", "provider", "lang", "system")
    init = {name: record.get(name, "") for name in names}
    tools, files = record.get("tools", []), record.get("agents_md", [])
    wrong = [name for name in names if not isinstance(init[name], str)]
    if not isinstance(tools, list) or not all(map(is_schema, tools)):
        wrong.append("tools")
    if not isinstance(files, list) or not all(isinstance(path, str) for path in files):
        wrong.append("agents_md")
    if wrong:
        raise BadFile("export.error.line", line=number, why=f'"{wrong[0]}"')
    return {**init, "type": "init", "tools": tools, "agents_md": files}


def _checked(number: int, state: State, record: dict) -> State:
    """The state after a record, as if the session went on with it."""
    if record["type"] == "init" and record["lang"] not in ("en", "zh"):
        record = {**record, "lang": "en"}
    try:
        return step(state, record)
    except SessionError as error:
        why = str(error.params.get("why", ""))
        raise BadFile("export.error.line", line=number, why=why) from error


def _known(number: int, record: dict) -> dict:
    """What of a record comes along; empty for nothing of it."""
    try:
        if record["type"] == "meta":
            return _meta(record)
        kept = to_record(from_record(record))
    except (KeyError, TypeError, ValueError) as error:
        why = f"{type(error).__name__}: {error}"
        raise BadFile("export.error.line", line=number, why=why) from error
    for name, kind in EXTRAS.get(record["type"], {}).items():
        if isinstance(record.get(name), kind):
            kept[name] = record[name]
    if record["type"] == "user" and record.get("mode") in MODES:
        kept["mode"] = record["mode"]  # the model was told so
    return kept


def _meta(record: dict) -> dict:
    kind = record["kind"]
    if kind in EVENTS_KEPT:
        event = EVENTS[kind]
        fields = kept_fields({**record, "proof": ""} if kind == "usage" else record)
        for name, value in fields.items():
            words = event.__annotations__[name].split(" | ")
            if not any(isinstance(value, KINDS[word]) for word in words):
                raise TypeError(f"{name}: {event.__annotations__[name]} expected")
        return {"type": "meta", "kind": kind, **fields}
    wanted = META.get(kind) if isinstance(kind, str) else None
    if wanted is None:
        return {}
    for name, of in wanted.items():
        if not isinstance(record[name], of):
            raise TypeError(f"{name}: {of.__name__} expected")
    return {"type": "meta", "kind": kind, **{name: record[name] for name in wanted}}

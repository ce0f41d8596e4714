"""A session as a pure function of its records: `fold(records)`; one record at a time: `step`.

A running session and a resumed one use the same `step`, so that they cannot differ. Records are
the lines of the session log (`harness/session.py` writes them); unknown `meta` kinds change
nothing, an unknown record type raises SessionError. `step` takes the records that are in force
(`core/branches.py`): one that goes back follows the record it names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import reduce

from clinkai.core.branches import live
from clinkai.core.catalogue import LANGUAGES
from clinkai.core.errors import SessionError
from clinkai.core.messages import Message, ToolCall, from_record
from clinkai.core.text import weigh
from clinkai.core.tokens import NEUTRAL, corrected, weigh_message
from clinkai.core.value import Value, replace

INTERRUPTED = "[interrupted]"
"""Closes a user message or a tool result that got no answer (`harness/reopen.py`)."""


TYPES = {"init", "user", "assistant", "tool", "meta"}
"""All types of records."""

DEFAULT_MODE = "auto"
"""What the model takes the mode to be where it was told none (`harness/modes.py`)."""


class Sampling(Value):
    """How the next token is chosen, beside the temperature; None is not sent.

    thinking: empty (as the server likes), on, off, or a number of tokens. extra: fields that go
    into the body of a request as they are, as (name, JSON value).
    """

    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    seed: int | None = None
    frequency_penalty: float | None = None
    thinking: str = ""
    extra: tuple = ()


class Limits(Value):
    """What one turn may use. budget and window are tokens; window None: not known.
    status: pinned or ephemeral (`loop/status.py`). image: gives the bytes of an image by its
    SHA-256."""

    rounds: int = 15
    max_tokens: int = 4096
    temperature: float | None = None
    budget: int = 90_000
    window: int | None = None
    status: str = "pinned"
    sampling: Sampling = Sampling()
    image: object = None


class State(Value):
    """What the next request is made of, and what the front ends ask for.

    system, tools: the frozen prefix, exactly as first sent. messages: as sent, oldest first.
    seqs: the record number of each message. calls: tool results so far (N of `out:N`), in branches
    that were left too; numbers: those of the results in `messages`.
    block: what stands before the first message's own words for those that were left out; summary:
    the part of it that the model wrote; archives: summaries may be asked for; choice: `tool_choice`
    of such a request.
    counted: prompt + completion tokens of the last reported round; counted_at: how many messages
    that count covers; scale: how what it does not cover is estimated (`core/tokens.py`). prompt:
    the round's prompt tokens; proof: of what was sent in it; broke: why the next request need not
    extend that one (`loop/ledger.py`). ahead: tokens that the server read before it, while nobody
    waited; of this process, not kept.
    server: (name, value) of fields that every request to it has (`harness/aside.py`).
    grants: standing permissions, as recorded. before: (path, SHA-256 or None) of files kept since
    the newest assistant message, before a tool changed them. noted: nested AGENTS.md files the
    model was shown, (path, record number). told: the mode that the model takes to be in force, said
    in the record told_at; place: the same of where the tools work (`loop/status.py`). limits: of this process, not kept.
    """

    workspace: str = ""
    model: str = ""
    provider: str = ""
    lang: str = "en"
    mode: str = "auto"
    system: str = ""
    tools: tuple = ()
    agents_md: tuple = ()
    messages: tuple = ()
    seqs: tuple = ()
    calls: int = 0
    numbers: tuple = ()
    block: str = ""
    summary: str = ""
    archives: bool = True
    choice: str = "none"
    counted: int = 0
    counted_at: int = 0
    scale: tuple = NEUTRAL
    prompt: int = 0
    proof: str = ""
    broke: str = ""
    ahead: int = 0
    server: tuple = ()
    grants: tuple = ()
    before: tuple = ()
    noted: tuple = ()
    told: str = DEFAULT_MODE
    told_at: int = 0
    place: str = ""
    place_at: int = 0
    undone: tuple = ()
    title: str = ""
    last_seq: int = 0
    limits: Limits = Limits()


def step(state: State, record: dict) -> State:
    """Return `state` after `record`. Raises SessionError for a record that makes no sense."""
    try:
        seq = _is_a(int, record.get("seq", state.last_seq + 1))
        changes = _changes(state, record, seq)
        changes["last_seq"] = seq
        return replace(state, **changes)
    except (KeyError, TypeError, ValueError) as error:
        raise SessionError("error.session.record", type=str(record.get("type"))[:40],
                           why=f"{type(error).__name__}: {error}") from error


def fold(records: Iterable[dict], start: State | None = None) -> State:
    """The state after those of `records` that are in force, from `start` or from nothing."""
    return reduce(step, live(records), start or State())


def open_calls(state: State) -> tuple[ToolCall, ...]:
    """The tool calls of the newest assistant message that have no result yet."""
    answered: list[str] = []
    for message in reversed(state.messages):
        if message.role != "tool":
            return tuple(c for c in message.tool_calls if not _taken(c.id, answered))
        answered.append(message.call_id)
    return ()


def task_of(messages: tuple, at: int) -> int:
    """Where the message of the user stands that the message at `at` answers, or is; -1: there is
    none."""
    while at >= 0 and (messages[at].role != "user" or messages[at].auto):
        at -= 1
    return at


def added(state: State, end: int | None = None) -> tuple[float, float]:
    """Estimated tokens, of ASCII and of other characters, that the server has not counted: of the
    messages before `end`, and of the prefix where it has counted nothing."""
    weights = [weigh_message(m) for m in state.messages[state.counted_at:end]]
    if not state.counted:
        weights.append(weigh(state.system + json.dumps(state.tools, ensure_ascii=False)))
    return sum([w[0] for w in weights]), sum([w[1] for w in weights])


def _taken(id: str, answered: list[str]) -> bool:
    """True where `id` is in the list, which then holds it once less."""
    if id in answered:
        answered.remove(id)
        return True
    return False


def _changes(state: State, record: dict, seq: int) -> dict:
    """The fields of the state that a record changes."""
    match record["type"]:
        case "init":
            return _begin(record)
        case "user" | "assistant" | "tool":
            changes = _say(state, from_record(record), seq)
            if noted := record.get("noted"):
                shown = ((_is_a(str, path), seq) for path in _is_a(list, noted))
                changes["noted"] = (*state.noted, *shown)
            if mode := record.get("mode"):
                changes["told"], changes["told_at"] = _is_a(str, mode), seq
            if place := record.get("place"):
                changes["place"], changes["place_at"] = _is_a(str, place), seq
            if record.get("undone"):
                changes["undone"] = ()
            return changes
        case "meta":
            return _meta(state, record)
    raise SessionError("error.session.type", type=str(record["type"])[:40])


def _begin(record: dict) -> dict:
    texts = ("workspace", "model", "provider", "lang", "mode", "system")
    changes: dict = {name: _is_a(str, record[name]) for name in texts}
    if changes["lang"] not in LANGUAGES:
        raise ValueError(f"no such language: {changes['lang'][:40]}")
    for schema in _is_a(list, record["tools"]):
        _is_a(str, schema["function"]["name"])
    agents_md = tuple(_is_a(str, path) for path in record["agents_md"])
    return {**changes, "tools": tuple(record["tools"]), "agents_md": agents_md}


def _say(state: State, message: Message, seq: int) -> dict:
    changes: dict = {"messages": (*state.messages, message), "seqs": (*state.seqs, seq)}
    if message.role == "assistant":
        changes["before"] = ()
    if message.role == "tool":
        changes["calls"] = state.calls + 1
        changes["numbers"] = (*state.numbers, state.calls + 1)
    if message.role == "user" and not state.title:
        changes["title"] = message.content
    return changes


def _meta(state: State, record: dict) -> dict:
    match record["kind"]:
        case "usage":
            return _count(state, record)
        case "grant":
            return {"grants": (*state.grants, _is_a(dict, record["grant"]))}
        case "before":
            return {"before": (*state.before, (record["path"], record["sha"]))}
        case "model":
            return {"model": _is_a(str, record["model"]), "broke": "model", "scale": NEUTRAL,
                    "provider": _is_a(str, record["provider"])}
        case "archived" if record.get("failed"):
            return {"archives": False, "broke": "summary"}
        case "archived" | "window":
            return _cut(state, record)
        case "rewind":
            return _back(state, record)
        case "mode":
            return {"mode": _is_a(str, record["mode"])}
        case "title":
            return {"title": _is_a(str, record["title"])}
        case "server":
            return {"server": tuple(_is_a(dict, record["fields"]).items())}
        case "undo":
            return {"undone": _undone(state.undone, record)}
        case "lost":
            sha, text = _is_a(str, record["sha"]), _is_a(str, record["text"])
            return {"messages": tuple(_without(m, sha, text) for m in state.messages),
                    "broke": "images"}
    return {}


def _back(state: State, record: dict) -> dict:
    """`state` is that of the point which is gone back to. What is not a matter of branches is in
    the record: how many results there are, the title, and the mode, which going back must not
    loosen."""
    if not 0 < _is_a(int, record["to"]) <= state.last_seq:
        raise ValueError("it goes back to what is not there")
    return {"broke": state.broke or "rewind",
            "calls": max(state.calls, _is_a(int, record.get("calls", 0))),
            "mode": _is_a(str, record.get("mode", state.mode)),
            "title": _is_a(str, record.get("title", state.title))}


def _undone(known: tuple, record: dict) -> tuple:
    """What is new of it: to take back and to put back again is as nothing."""
    found = dict.fromkeys(known)
    turn, redo = _is_a(int, record["turn"]), _is_a(bool, record["redo"])
    for path in _is_a(list, record["files"]):
        if (path, turn, not redo) in found:
            del found[path, turn, not redo]
        else:
            found[path, turn, redo] = None
    return tuple(found)


def _without(message: Message, sha: str, text: str) -> Message:
    """`message` with `text` at its end in place of that image, if it has it."""
    left = tuple(image for image in message.images if image.sha != sha)
    if len(left) == len(message.images):
        return message
    return replace(message, content=f"{message.content}\n\n{text}", images=left)


def _cut(state: State, record: dict) -> dict:
    """All but the newest `stays` messages leave; `text` stands for them, before the words of the
    user that the first of those that stay answers. It takes the place of an earlier one."""
    stays, text = _is_a(int, record["stays"]), _is_a(str, record["text"])
    at = len(state.messages) - stays
    task = task_of(state.messages, at) if stays > 0 else -1
    if task < 0 or state.messages[at].role == "tool":
        raise ValueError("a result cannot stay without its call")
    own = state.messages[task].content
    if task == 0 and state.block:
        own = own.removeprefix(f"{state.block}\n\n")
    head = replace(state.messages[task], content=f"{text}\n\n{own}")
    rest = max(at, task + 1)
    seqs = (state.seqs[task], *state.seqs[rest:])
    tokens = _is_a(int, record.get("after", 0))
    changes = {
        "messages": (head, *state.messages[rest:]), "seqs": seqs, "broke": record["kind"],
        "numbers": _newest(state.numbers, state.messages[rest:]),
        "block": text, "summary": _is_a(str, record.get("summary", "")),
        "counted": tokens, "counted_at": len(seqs) if tokens else 0,
        "noted": tuple(shown for shown in state.noted if shown[1] in seqs),
    }
    if state.told_at not in seqs:
        changes["told"], changes["told_at"] = DEFAULT_MODE, 0
    if state.place_at not in seqs:
        changes["place"], changes["place_at"] = "", 0
    return changes


def _newest(numbers: tuple, messages: tuple) -> tuple:
    """The numbers of the results among `messages`, the newest ones."""
    return numbers[len(numbers) - sum([m.role == "tool" for m in messages]):]


def _count(state: State, record: dict) -> dict:
    """What a round cost. That of a request beside the conversation says nothing of it, but whether
    the server renders another prompt where no tool may be called."""
    if record.get("of"):
        read_again = 2 * (record.get("lost") or 0) > (record.get("prompt") or 0)
        return {"ahead": 0, **({"choice": "auto"} if read_again else {})}
    sent = {"proof": _is_a(str, record.get("proof", "")), "broke": "", "ahead": 0}
    if record.get("prompt") is None:
        return sent
    prompt, out = _is_a(int, record["prompt"]), record.get("out")
    answers = bool(state.messages) and state.messages[-1].role == "assistant"
    end = len(state.messages) - answers
    known = record.get("scale")  # as it was found then: weighing all again takes long
    scale = tuple(_is_a(list, known)) if known else _scale(state, end, prompt - state.counted)
    sent.update(prompt=prompt, scale=scale)
    if out is None:  # its answer is not counted
        return {**sent, "counted": prompt, "counted_at": end}
    return {**sent, "counted": prompt + _is_a(int, out), "counted_at": len(state.messages)}


def _scale(state: State, end: int, real: int) -> tuple:
    """The correction of our estimates after `real` tokens were counted of what was added."""
    news = state.messages[state.counted_at:end]
    weight = added(state, end)
    same = not state.broke and not any([m.images for m in news])
    if not same or 2 * real < weight[0] + weight[1]:  # a template left old thinking out
        return state.scale
    return corrected(state.scale, weight, real)


def _is_a(kind: type, value: object):
    """`value`, which must be of that kind. Raises TypeError."""
    if not isinstance(value, kind):
        raise TypeError(f"{kind.__name__} expected, not {type(value).__name__}")
    return value

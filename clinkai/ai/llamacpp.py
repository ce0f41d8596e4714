"""What llama.cpp alone offers beside answering: its slots, its template, its tokenizer, its cache.

All of it is optional, and short: a question that is not answered in time counts as not answered.
`/props` is read once for a client; what the template makes of earlier thinking is proved once for
each template (`Learned.templates`).
Sources: llama.cpp's `tools/server` (README and code); what its cache does is measured in the notes
on hybrid models: what is not rendered as before is read again.
Not covered: the answers themselves (`ai/openai.py`); several models behind one server, of which
`/props` tells nothing until one is named.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING
from zlib import crc32

from clinkai.ai.provider import Extras
from clinkai.ai.servers import dig, tokens_in
from clinkai.core.errors import ModelServerError, Unreachable
from clinkai.core.value import Value

if TYPE_CHECKING:
    from clinkai.ai.learned import Learned
    from clinkai.ai.provider import Request
    from clinkai.ai.transport import Transport
    from clinkai.core.cancel import Cancel

KIND = "llama.cpp"

SILENCE = 3.0
"""Seconds that one answer may take: somebody waits for the first word of the model."""

LIMIT = 4_000_000
"""Bytes of an answer: a template, a list of tokens."""

FILES = 600.0
"""Seconds that saving or loading the cache of a slot may take: gigabytes to and from a disk."""

KEEP = ("chat_template_kwargs", {"preserve_thinking": True})
"""The field that has a template keep earlier thinking, where it can."""

BARE = {"add_generation_prompt": False}
"""The field that has a prompt end with its last message, without the beginning of an answer."""

SLOT = "id_slot"
"""The field that names the slot which answers."""

WHY, RESULT = "Because of 7341.", "Result 9265."
"""Words of the proof: of the thinking, and of the end of what must stay as it is."""

TURN = (
    {"role": "user", "content": "Task."},
    {"role": "assistant", "content": "", "reasoning_content": WHY, "tool_calls": [
        {"id": "call1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "call1", "name": "ls", "content": RESULT},
)
NEXT = ({"role": "assistant", "content": "Done."}, {"role": "user", "content": "Next."})

KEPT, STRIPPED, UNSEEN = "kept", "stripped", "unseen"
"""Verdicts on a template: earlier thinking stays as it was; it goes when the next message comes,
so that what follows it is read again; thinking is not rendered at all."""


class Props(Value):
    """What `/props` says. window: tokens of one slot; slots: how many; sees: takes images; None
    where it does not say. template: digest of the chat template, or empty; preserves: it says that
    the template can keep earlier thinking; certain: nothing but llama.cpp says this."""

    window: int | None = None
    slots: int = 1
    sees: bool | None = None
    template: str = ""
    preserves: bool = False
    certain: bool = False


def read_props(told: object, head: str = "") -> Props | None:
    """What `/props` answered, None where that is something else. head: the header `Server`."""
    usual = dig(told, "default_generation_settings")
    if not isinstance(usual, dict):
        return None
    template, sees = dig(told, "chat_template"), dig(told, "modalities", "vision")
    digest = sha256(template.encode("utf-8", "replace")).hexdigest()[:16] \
        if isinstance(template, str) and template else ""
    return Props(
        tokens_in(usual.get("n_ctx")), tokens_in(dig(told, "total_slots")) or 1,
        sees if isinstance(sees, bool) else None, digest,
        dig(told, "chat_template_caps", "supports_preserve_reasoning") is True,
        head.lower().startswith(KIND) or "build_info" in told,
    )


def ask_props(transport: Transport, cancel: Cancel) -> Props | None:
    """What the server says of itself; None where it has no such page, or does not answer it.
    Raises Unreachable, Cancelled."""
    try:
        told, head = _ask(transport, "GET", "/props", None, cancel)
    except Unreachable:
        raise
    except ModelServerError:
        return None
    return read_props(told, head)


class LlamaCpp(Extras):
    """The server behind `transport`. learned: what is known of it from earlier."""

    reads_ahead = True

    def __init__(self, transport: Transport, props: Props, learned: Learned) -> None:
        self.props = props
        self.slots = props.slots
        self.sees = props.sees if props.window else None  # else it speaks of no model yet
        self._transport = transport
        self._learned = learned

    def session_fields(self, seed: str, cancel: Cancel) -> tuple:
        """What every request of a session says that begins now: that its thinking is kept, and
        which slot is its own. seed: where /slots says nothing, the same gives the same slot."""
        rejected, fields = self._learned.rejects, []
        if self.props.preserves and KEEP[0] not in rejected and self.thinking(cancel) == KEPT:
            fields.append(KEEP)
        if self.slots > 1 and SLOT not in rejected:
            fields.append((SLOT, self._oldest(seed, cancel)))
        return tuple(fields)

    def thinking(self, cancel: Cancel) -> str:
        """What becomes of thinking when the next message of a person comes: KEPT, STRIPPED, UNSEEN,
        or empty where the server does not say. Proved with `/apply-template`, once a template."""
        known = self._learned.templates.get(self.props.template, "")
        if known or not self.props.template:
            return known
        fields = dict([KEEP]) if self.props.preserves else {}
        one, two = (self.rendered(turn, fields, cancel) for turn in (TURN, TURN + NEXT))
        if not one or not two or RESULT not in one:
            return ""
        same = two.startswith(one[:one.rindex(RESULT) + len(RESULT)])
        verdict = STRIPPED if not same else KEPT if WHY in one else UNSEEN
        self._learned.renders(self.props.template, verdict)
        return verdict

    def rendered(self, messages: tuple, fields: dict, cancel: Cancel) -> str | None:
        """The prompt that the template makes of messages as they are sent; None where the server
        does not say. fields: more of the request (tools, chat_template_kwargs)."""
        body = {**fields, "messages": list(messages)}
        prompt = dig(self._told("POST", "/apply-template", body, cancel), "prompt")
        return prompt if isinstance(prompt, str) else None

    def alike(self, request: Request, count: int, cancel: Cancel) -> bool | None:
        """True where the template makes of the first `count` messages the same with the others of
        the request behind them as without; None where the server does not say."""
        from clinkai.ai.body import Body

        body = Body(self._learned)
        body.kind = KIND
        fields, opening = body.head(request), body.opening(request)
        messages = (*opening, *map(body.wire, request.messages))
        early = self.rendered(messages[:len(opening) + count], {**fields, **BARE}, cancel)
        whole = self.rendered(messages, fields, cancel) if early else None
        return whole.startswith(early) if whole else None

    def count(self, text: str, cancel: Cancel) -> int | None:
        """The tokens of a text, as this model reads it; None where the server does not say."""
        tokens = dig(self._told("POST", "/tokenize", {"content": text}, cancel), "tokens")
        return len(tokens) if isinstance(tokens, list) else None

    def idle(self, slot: int | None, cancel: Cancel) -> bool:
        """True where nobody uses the slot (None: any of them) now; False too where the server does
        not say."""
        rows = [row for row in self._rows(cancel) if slot is None or row["id"] == slot]
        return any(row.get("is_processing") is False for row in rows)

    def save(self, slot: int, name: str, cancel: Cancel) -> int:
        """Have the cache of the slot kept in a file; returns its tokens. Raises members of
        ModelServerError (the server has no folder for it: --slot-save-path), Cancelled."""
        return self._file("save", slot, name, cancel)

    def restore(self, slot: int, name: str, cancel: Cancel) -> int:
        """Have it loaded again; as `save`."""
        return self._file("restore", slot, name, cancel)

    def _file(self, action: str, slot: int, name: str, cancel: Cancel) -> int:
        told, _ = _ask(self._transport, "POST", f"/slots/{slot}?action={action}",
                       {"filename": name}, cancel, FILES)
        return tokens_in(dig(told, f"n_{action}d")) or 0

    def _oldest(self, seed: str, cancel: Cancel) -> int:
        """The slot that was used longest ago; one that nobody uses now, where there is one."""
        rows = self._rows(cancel)
        rows = [row for row in rows if row.get("is_processing") is False] or rows
        if not rows:
            return crc32(seed.encode()) % self.slots
        return min(rows, key=lambda row: (tokens_in(row.get("id_task")) or 0, row["id"]))["id"]

    def _rows(self, cancel: Cancel) -> list[dict]:
        rows = self._told("GET", "/slots", None, cancel)
        rows = rows if isinstance(rows, list) else []
        return [row for row in rows if isinstance(dig(row, "id"), int)]

    def _told(self, method: str, path: str, body: object, cancel: Cancel) -> object:
        """The answer, None where there is none. Raises Cancelled only."""
        try:
            return _ask(self._transport, method, path, body, cancel)[0]
        except ModelServerError:
            return None


def _ask(transport: Transport, method: str, path: str, body: object, cancel: Cancel,
         seconds: float = SILENCE) -> tuple[object, str]:
    """The JSON value of an answer and its header `Server`. Raises members of ModelServerError,
    Cancelled."""
    from clinkai.ai.transport import read_json

    data = None if body is None else json.dumps(body).encode()
    with transport.within(seconds).open(method, path, data, cancel) as response:
        response.hurry(seconds)
        answer = response.read_all(LIMIT)
        if response.status != 200:
            from clinkai.ai.failures import classify

            raise classify(response.status, response.headers, answer)
        return read_json(answer), response.headers.get("Server") or ""

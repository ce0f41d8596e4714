"""The answer of an Anthropic-style server, put together from its events. No I/O.

A message is a row of blocks (text, thinking, calls), each with a start, deltas and a stop. Blocks
and events of other types are ignored: servers have tools of their own, and new types are announced
for the future. Starts may be repeated or missing, indexes too.
Thinking is signed by the server that made it, and has to come back unchanged and in its place: what
that takes is kept in `Reply.signature` (see `kept_blocks`).
Not covered: results of tools that the server runs itself.
"""

from __future__ import annotations

import json

from clinkai.ai.body import encode, encoded, whole
from clinkai.ai.eventful import EventAnswer, is_error
from clinkai.ai.outgoing import ARGS, SAID, TEXT
from clinkai.ai.provider import Reply
from clinkai.core.errors import RequestRefused
from clinkai.core.value import replace

STOPS = {"model_context_window_exceeded": "length"}
"""Labels of an ending that have a name of their own here; `ai/assembly.py` knows the others."""

THINKING, REDACTED, TOOL = "thinking", "redacted_thinking", "tool_use"
KNOWN = {"text", THINKING, REDACTED, TOOL}

DELTAS = {
    "text_delta": ("text", "text"), "thinking_delta": ("thinking", THINKING),
    "signature_delta": ("signature", THINKING), "input_json_delta": ("partial_json", TOOL),
}
"""By type of a delta: the field with its news, and the type of block it belongs to."""

EVENTS = {"content_block_start", "content_block_delta", "content_block_stop", "message_start",
          "message_delta", "message_stop", "message", "error", "ping"}

UNSIGNED = "[]"
"""The signature of thinking that a server left without one: it goes back without one."""

INPUT = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
OUTPUT = "output_tokens"


class _Block:
    """One block. number: its place in the answer; place: characters of text and calls before it;
    signed: its signature came, if only an empty one."""

    def __init__(self, kind: str, number: int, place: tuple[int, int]) -> None:
        self.kind = kind
        self.number = number
        self.place = place
        self.id = ""
        self.closed = self.signed = False
        self.pieces: list[str] = []
        self.signature = ""
        """Of thinking; what redacted thinking consists of."""


class Blocks(EventAnswer):
    """The answer of an Anthropic-style server. The kind of an event is its channel and block."""

    def __init__(self, declared: tuple[str, ...]) -> None:
        super().__init__(declared)
        self._blocks: list[_Block] = []
        self._by_index: dict[int, _Block] = {}
        self._letters = self._begun = 0
        self._usage: dict = {}
        self._counted = False
        self._refusal = ""

    def take_value(self, event: object) -> None:
        """Take one event, or a whole answer, as a JSON value."""
        if type(event) is not dict:
            return
        kind = event.get("type")
        if type(kind) is not str or kind not in EVENTS:
            kind = _form(event) or kind
        if kind == "content_block_delta":
            self._take_delta(event)
        elif kind == "error" or is_error(event):
            self.fail(encoded(event))
        elif kind == "content_block_start":
            self._start(event.get("content_block"), event.get("index"))
        elif kind == "content_block_stop":
            self._close(event.get("index"))
        elif kind == "message_start":
            self._take_message(event.get("message"), whole_answer=False)
        elif kind == "message_delta":
            self._take_end(event.get("delta"), event.get("usage"))
        elif kind == "message_stop":
            self.done = self.ending = True
        elif kind == "message":
            self._take_message(event, whole_answer=True)

    def over(self) -> bool:
        """True when nothing more is to be waited for; the counts at the beginning are not all."""
        return bool(self.done or self.error or (self.finish and self._counted))

    def reply(self, ids: set[str]) -> Reply:
        """As `Assembly.reply`. Raises RequestRefused where the model refused and said nothing."""
        if self._refusal and not (self._letters or self._begun or self.error):
            raise RequestRefused("error.refused", message=self._refusal)
        reply = super().reply(ids)
        if reply.signature:  # of thinking that stood in the text
            return reply
        return replace(reply, signature=self._signature(reply.finish))

    # -- blocks

    def _start(self, content: object, index: object) -> None:
        if type(content) is not dict:
            return
        kind, id = content.get("type"), content.get("id")
        kind = kind if type(kind) is str else ""
        block = self._find(index)
        if block is None or block.closed or block.kind != kind or (id and id != block.id):
            block = self._new(kind, index)
        if kind == "text":
            self._take_text(content.get("text"))
        elif kind == THINKING:
            self._take_thought(block, content.get("thinking"))
            self._sign(block, content.get("signature") or None)
        elif kind == REDACTED:
            self._sign(block, content.get("data"))
        elif kind == TOOL:
            block.id = id if type(id) is str else ""
            self._take_call(block, {"name": content.get("name"), "arguments": content.get("input")
                               or ""}, block.id)

    def _close(self, index: object) -> None:
        block = self._find(index)
        if block:
            block.closed = True

    def _find(self, index: object) -> _Block | None:
        """The block that an event belongs to: without an index, the newest."""
        if type(index) is int:
            return self._by_index.get(index)
        return self._blocks[-1] if self._blocks else None

    def _new(self, kind: str, index: object) -> _Block:
        block = _Block(kind, len(self._blocks), (self._letters, self._begun))
        self._blocks.append(block)
        self._begun += kind == TOOL
        if type(index) is int:
            self._by_index[index] = block
        self._same.forget()
        return block

    def _take_delta(self, event: dict) -> None:
        delta = event.get("delta")
        if type(delta) is not dict:
            return
        kind = delta.get("type")
        if "partial_json" in delta:
            kind = "input_json_delta"  # whatever it is called: arguments with a hole are no good
        elif kind is None:
            kind = next((k for k, (field, _) in DELTAS.items() if field in delta), None)
        if type(kind) is not str or kind not in DELTAS:
            return
        field, belongs = DELTAS[kind]
        index, text = event.get("index"), delta.get(field)
        block = self._find(index)
        if block is None and belongs == TOOL and self._blocks and self._blocks[-1].kind == TOOL:
            block = self._blocks[-1]
        block = block or self._new(belongs, index)
        if block.kind not in KNOWN:
            return
        channel: tuple = ()
        if field == "text":
            channel = self._take_text(text)
        elif field == "thinking":
            channel = self._take_thought(block, text)
        elif field == "signature":
            self._sign(block, text)
        elif text is not None and text != "":
            channel = self._take_call(block, {"arguments": text})
            if not self.calls.goes_on:
                channel = ()
        if channel:
            self._news = (("delta", field), (channel, block))

    def take_more(self, kind: tuple, text: str) -> None:
        """Take more text of a block."""
        channel, block = kind
        if channel[0] == ARGS:
            self.go_on_with(channel, text)
        elif channel[0] == SAID:
            self._take_text(text)
        else:
            self._take_thought(block, text)

    def _take_text(self, text: object) -> tuple:
        if not text or type(text) is not str:
            return ()
        self._letters += len(text)
        self.say(TEXT, text)
        return TEXT

    def _take_thought(self, block: _Block, text: object) -> tuple:
        if not text or type(text) is not str:
            return ()
        block.pieces.append(text)
        return self.think(text, THINKING)

    def _sign(self, block: _Block, text: object) -> None:
        if type(text) is str:
            block.signed = True
            block.signature += text

    def _take_call(self, block: _Block, function: dict, id: str = "") -> tuple:
        return self.take_calls([{"index": block.number, "id": id, "function": function}])

    # -- the message around them

    def _take_message(self, message: object, whole_answer: bool) -> None:
        if type(message) is not dict:
            return
        content = message.get("content")
        if not self.began():
            for part in content if type(content) is list else ():
                self._start(part, None)
                self._close(None)
            self._take_text(content)
        if whole_answer:
            self._take_end(message, message.get("usage"))
        else:
            self._count(message.get("usage"), INPUT)

    def _take_end(self, delta: object, usage: object) -> None:
        self._count(usage, (*INPUT, OUTPUT))
        if type(delta) is not dict or not delta.get("stop_reason"):
            return
        label = delta["stop_reason"]
        if label == "refusal":
            details = delta.get("stop_details")
            why = details.get("explanation") if type(details) is dict else None
            self._refusal = why if type(why) is str and why else "stop_reason: refusal"
        self.end(STOPS.get(label, label) if type(label) is str else label)

    def _count(self, usage: object, names: tuple[str, ...]) -> None:
        """Take token counts; a zero does not replace what was counted before."""
        if type(usage) is not dict:
            return
        known = self._usage
        for name in names:
            value = usage.get(name)
            if type(value) is int and (value > 0 or (value == 0 and name not in known)):
                known[name] = value
        told: dict = {"completion_tokens": known.get(OUTPUT)}
        if INPUT[0] in known:
            told["prompt_tokens"] = sum(known.get(name, 0) for name in INPUT)
        if INPUT[1] in known:
            told["prompt_tokens_details"] = {"cached_tokens": known[INPUT[1]]}
        self.counts.take(told, None)
        self._counted = self._counted or OUTPUT in known

    def _signature(self, finish: str) -> str:
        """What `kept_blocks` needs to give the thinking back."""
        kept, last = [], None
        for block in self._blocks:
            if block.kind == REDACTED and block.signature:
                kept.append([*block.place, {"type": REDACTED, "data": whole(block.signature)}])
            elif block.kind == THINKING:
                last = block
                if block.signature:
                    thinking = whole("".join(block.pieces))
                    kept.append([*block.place, {"type": THINKING, "thinking": thinking,
                                                "signature": whole(block.signature)}])
        if kept:
            return encode(kept)
        if last is None:
            return ""
        # Thinking that was cut may have lost its signature with its end.
        complete = finish != "length" or last.signed or last is not self._blocks[-1]
        return UNSIGNED if complete else ""


def _form(event: dict) -> str:
    """The type of an event that states none, or another one and brings arguments all the same:
    arguments with a hole may still be JSON, and nobody would see it."""
    delta = event.get("delta")
    if type(delta) is dict and ("partial_json" in delta or "type" not in event):
        return "message_delta" if "stop_reason" in delta else "content_block_delta"
    if "type" in event:
        return ""
    return "content_block_start" if "content_block" in event else ""


def kept_blocks(signature: str) -> list[tuple[int, int, dict]]:
    """The blocks in a `Reply.signature`, in order: the characters of text and the calls before each
    one, and the block as it goes back. Empty for a signature of another kind."""
    try:
        kept = json.loads(signature) if signature else []
        return [(int(said), int(called), dict(block)) for said, called, block in kept]
    except (ValueError, TypeError, RecursionError):
        return []

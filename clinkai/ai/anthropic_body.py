"""The body of a request to `/v1/messages`.

Roles alternate here: the results of a round, and what the user says right after them, are the
blocks of one message, which stays open until the other role speaks. So the body without its closing
brackets is still the beginning of the next one.
The prompt cache is asked for with `cache_control`: on the system prompt and the last tool, which
never change, and at the top level, where the service itself puts a breakpoint on the last block and
moves it on as the conversation grows ("automatic caching"). One that we put inside a message would
have to be taken away again, and the body would be no continuation.
Thinking goes back as it came (`ai/blocks.py`). Thinking without a signature goes back where the
server that made it gave none, or is of a kind that needs none; Anthropic would refuse it.
Sources: Anthropic's documentation of the Messages API; llama.cpp's `server-chat.cpp`, which takes
thinking without a signature, and leaves out what it does not know.
Not covered: tools that the server runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinkai.ai.arguments import is_complete
from clinkai.ai.blocks import THINKING, TOOL, UNSIGNED, kept_blocks
from clinkai.ai.body import CLOSING, INLINE, OWN, Body, encode, encoded, spoken, utf8

if TYPE_CHECKING:
    from clinkai.ai.learned import Learned
    from clinkai.ai.provider import Request
    from clinkai.core.messages import Message, ToolCall

CACHED = {"type": "ephemeral"}
CACHE = "cache_control"

CHOICES = {"required": {"type": "any"}, "auto": {"type": "auto"}, "none": {"type": "none"}}

NOTHING = "…"
"""Stands for a text that is empty or blank, which the service refuses."""

SAFE = "[A-Za-z0-9_-]"
"""The characters that ids and names may have."""

LEAST_TOP_P = 0.95
"""What top_p must be at least beside thinking."""


class AnthropicBody(Body):
    """The body of the requests of one client."""

    needed = (*OWN, "max_tokens", "system", "tools")
    folds = False

    def __init__(self, learned: Learned | None = None) -> None:
        super().__init__(learned)
        self._speaker = ""
        """Whose message is open at the end of the buffer."""

    def head(self, request: Request) -> dict:
        """Every field but `messages`."""
        head: dict = {"model": request.model, "max_tokens": request.max_tokens, "stream": True,
                      CACHE: CACHED}
        head.update(self._sampling(request))
        for name, value in request.sampling.extra:
            ours = head.get(name)
            if isinstance(ours, dict) and isinstance(value, dict):
                head[name] = {**ours, **value}
            elif name not in OWN:
                head[name] = value
        if request.tools:
            tools = [_tool(tool["function"]) for tool in request.tools]
            tools[-1][CACHE] = CACHED
            head["tools"] = tools
            if request.tool_choice is not None:
                choice = request.tool_choice
                head["tool_choice"] = CHOICES.get(choice, {"type": "tool", "name": choice})
        if request.system.strip():
            head["system"] = [{"type": "text", "text": request.system, CACHE: CACHED}]
        for name in self.learned.rejects:
            head.pop(name, None)
        self.sent = frozenset(head)
        return head

    def opening(self, request: Request) -> list:
        """The system prompt is no message here."""
        return []

    def add(self, buffer: bytearray, message: Message) -> None:
        """Put the blocks of the message at the end, in the open message if that has its role."""
        fresh = buffer[-1] == 91  # [
        speaker = "assistant" if message.role == "assistant" else "user"
        if fresh or speaker != self._speaker:
            buffer += b"" if fresh else b"]},"
            buffer += b'{"role":"%b","content":[' % speaker.encode()
            self._speaker = speaker
        else:
            buffer += b","
        buffer += self.written(message)

    def closing(self, buffer: bytearray) -> bytes:
        """What makes the open body whole."""
        return CLOSING if buffer[-1] == 91 else b"]}" + CLOSING

    def written(self, message: Message) -> bytes:
        """The blocks of the message, without brackets; at least one."""
        if message.role == "tool":
            return encoded(_result(message))
        if message.role == "assistant":
            return b",".join(self._said(message)) or _text(NOTHING)
        return b",".join((_text(message.content), *map(self.picture, message.images)))

    def framed(self, mime: str) -> object:
        """What stands around the Base64 of an image."""
        return {"type": "image", "source": {"type": "base64", "media_type": mime, "data": ""}}

    def _said(self, message: Message) -> list[bytes]:
        """The blocks of an assistant message, its thinking where it stood."""
        kept = kept_blocks(message.signature)
        needless = message.signature == UNSIGNED or (self.kind and not kept)
        blocks: list[bytes] = []
        if message.reasoning and needless and message.reasoning_field != INLINE:
            blocks.append(encoded({"type": THINKING, "thinking": message.reasoning,
                                   "signature": ""}))
        text, calls, said, called = spoken(message), message.tool_calls, 0, 0
        for upto, after, block in (*kept, (len(text), len(calls), {})):
            if text[said:upto].strip():
                blocks.append(_text(text[said:upto]))
            blocks += [_call(call) for call in calls[called:after]]
            said, called = max(said, upto), max(called, after)
            if block:
                blocks.append(encoded(block))
        return blocks

    def _sampling(self, request: Request) -> dict:
        """Samplers and thinking. The service takes one of `temperature` and `top_p`, with thinking
        neither of `temperature` and `top_k`, no small `top_p`, and no forced tool. Servers of a
        known kind are not so strict."""
        sampling, wanted = request.sampling, request.sampling.thinking
        fields: dict = {"temperature": request.temperature, "top_p": sampling.top_p,
                        "top_k": sampling.top_k}
        if wanted and self.kind == "llama.cpp":
            fields["chat_template_kwargs"] = {"enable_thinking": wanted != "off"}
        forced = request.tools and request.tool_choice not in (None, "auto", "none")
        if self.kind or not forced or wanted == "off":
            thinking = self._thinking(wanted, request.max_tokens)
        else:
            thinking = None
        if not self.kind:
            if sampling.top_p is not None:
                fields["temperature"] = None
            if thinking and wanted != "off":
                fields["temperature"] = fields["top_k"] = None
                if (sampling.top_p or 1) < LEAST_TOP_P:
                    fields["top_p"] = None
        fields["thinking"] = thinking
        return {name: value for name, value in fields.items() if value is not None}

    def _thinking(self, wanted: str, max_tokens: int) -> dict | None:
        """The field `thinking`. on: the service decides how much; elsewhere it may be half of the
        answer. A number of tokens: that many, but a quarter of the answer is left. Numbers below
        1,024 are refused by the service, which says so itself."""
        if wanted == "off":
            return {"type": "disabled"}
        if wanted.isdigit():
            budget = min(int(wanted), max_tokens - max_tokens // 4)
            return {"type": "enabled", "budget_tokens": budget}
        if wanted and not self.kind:
            return {"type": "adaptive"}
        return {"type": "enabled", "budget_tokens": max_tokens // 2} if wanted else None


def _tool(function: dict) -> dict:
    return {"name": function["name"], "description": function.get("description", ""),
            "input_schema": function.get("parameters", {"type": "object", "properties": {}})}


def _text(text: str) -> bytes:
    return encoded({"type": "text", "text": text if text.strip() else NOTHING})


def _result(message: Message) -> dict:
    result: dict = {"type": "tool_result", "tool_use_id": _safe(message.call_id),
                    "content": message.content}
    if not message.ok:
        result["is_error"] = True
        result["content"] = message.content or NOTHING
    return result


def _call(call: ToolCall) -> bytes:
    """The arguments are an object here, and stand as the very text that is kept of them."""
    start = {"type": TOOL, "id": _safe(call.id), "name": _safe(call.name)[:128] or "_"}
    arguments = call.arguments if is_complete(call.arguments) else "{}"
    return utf8(f'{encode(start)[:-1]},"input":{arguments}}}')


def _safe(text: str) -> str:
    """`text` with other characters than an id may have written as their numbers."""
    if re.fullmatch(f"{SAFE}*", text):
        return text
    return "".join(c if re.fullmatch(SAFE, c) else f"_{ord(c):x}" for c in text)

"""The body of a chat request, grown in place.

The body without its closing brackets is the beginning of the next one: that is how the server's
prompt cache finds it again, and here it is literally one buffer that only grows. What the next
request adds is encoded then; nothing is encoded twice, so a round costs the same at any length.
The buffer starts anew where the messages are no continuation (window cut, archive, rewind); another
head (model, tools, limits) is put in place of the old one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from operator import is_
from typing import TYPE_CHECKING

from clinkai.ai.fields import optional_fields, tool_choice
from clinkai.ai.learned import FOLD, Learned
from clinkai.core.value import replace

if TYPE_CHECKING:
    from clinkai.ai.provider import Request
    from clinkai.core.messages import Image, Message

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

CLOSING = b"]}"
REASONING = "reasoning_content"
"""Where reasoning goes back in when it is not known where it came from."""

FIELDS = (REASONING, "reasoning")

INLINE = "content"
"""The field of thinking that stood in the text, between tags: its `signature` is how it stood
there, and it goes back there. The server does not know it as thinking."""

RENAMED = {"max_tokens": "max_completion_tokens"}
"""What takes the place of a field that a server rejects."""

OWN = ("model", "stream", "messages")
"""What is asked for, and the form of the answer: no rejection removes it."""


class Body:
    """The body of the requests of one client, for OpenAI-compatible servers; the other wires have
    their own `head`, `opening`, `wire`. `ids`: of all tool calls in it.

    learned: what the server rejects, and where more of it is told. kind: of the server. sent: the
    fields of the last request.
    """

    needed = (*OWN, "tools")
    """Fields that are never left out: without them it would be another request."""
    folds = True
    """This wire can have text and thinking in one message with tool calls."""

    def __init__(self, learned: Learned | None = None) -> None:
        self.learned = learned or Learned()
        self.ids: set[str] = set()
        self.kind = ""
        self.sent: frozenset[str] = frozenset()
        self._buffer = bytearray()
        self._open = 0
        """Length without the closing brackets."""
        self._head = b""
        self._made_of: tuple = ()
        self._messages: tuple = ()
        self._image: Callable[[str], bytes] | None = None

    def render(self, request: Request) -> bytearray:
        """Return the body of `request`, good until the next call. Raises what its `image` does."""
        self._image = request.image
        try:
            return self._rendered(request)
        except BaseException:
            self.forget()  # half of it is there
            raise

    def _rendered(self, request: Request) -> bytearray:
        buffer = self._buffer
        del buffer[self._open:]
        head = self._head_of(request)
        if head is not self._head:
            buffer[:len(self._head)] = self._head = head
        known, messages = self._messages, request.messages
        if len(known) > len(messages) or not all(map(is_, known, messages)):
            del buffer[len(head):]
            self.ids.clear()
            known = ()
        for message in messages[len(known):]:
            self.add(buffer, message)
            self.ids.update(call.id for call in message.tool_calls)
        self._messages = messages
        self._open = len(buffer)
        buffer += self.closing(buffer)
        return buffer

    @property
    def begun(self) -> bool:
        """True once a request was made."""
        return bool(self._made_of)

    def drop(self, field: str) -> bool:
        """Leave `field` out from now on; for FOLD, put the text beside thinking and calls into the
        thinking. False where that changes nothing."""
        if field == FOLD:
            if self.learned.fold or not self.folds:
                return False
            self.forget()
        elif field in self.needed or field not in self.sent:
            return False
        self.sent -= {field}
        self.learned.rejected(field)
        return True

    def head(self, request: Request) -> dict:
        """Every field but `messages`, in order: the same in every request of a session."""
        head: dict = {
            "model": request.model, "stream": True, "stream_options": {"include_usage": True},
            "max_tokens": request.max_tokens,
        }
        if request.temperature is not None:
            head["temperature"] = request.temperature
        head.update(optional_fields(self.kind, request.sampling))
        if request.tools:
            head["tools"] = request.tools
        if request.tool_choice is not None:
            head["tool_choice"] = tool_choice(self.kind, request.tool_choice)
        rejected = self.learned.rejects
        for name in rejected:
            value = head.pop(name, None)
            other = RENAMED.get(name, name)
            if value is not None and other not in rejected:
                head[other] = value
        self.sent = frozenset(head)
        return head

    def forget(self) -> None:
        """Write all messages anew in the next request: how they are written has changed."""
        self._messages = ()
        self._made_of = ()
        del self._buffer[:]
        self._open = 0
        self._head = b""
        self.ids.clear()

    def opening(self, request: Request) -> list:
        """What stands in `messages` before the first message."""
        return [{"role": "system", "content": request.system}] if request.system else []

    def wire(self, message: Message) -> dict:
        """The message as the server wants it."""
        return wire(self.folded(message))

    def folded(self, message: Message) -> Message:
        """`message`, with its text in its thinking where the server refuses both beside calls."""
        apart = message.reasoning and message.reasoning_field != INLINE
        if self.learned.fold and apart and message.tool_calls and message.content:
            both = f"{message.reasoning}\n\n{message.content}"
            return replace(message, reasoning=both, content="")
        return message

    def add(self, buffer: bytearray, message: Message) -> None:
        """Put the message at the end of the body, which is open there."""
        if buffer[-1] != 91:  # [
            buffer += b","
        buffer += self.written(message)

    def closing(self, buffer: bytearray) -> bytes:
        """What makes the open body whole."""
        return CLOSING

    def written(self, message: Message) -> bytes:
        """The message as it stands in the body; with images, its content is a list of parts."""
        if not message.images:
            return encoded(self.wire(message))
        text = encoded({"type": "text", "text": message.content})
        parts = b",".join((text, *map(self.picture, message.images)))
        return b'{"role":"user","content":[%b]}' % parts

    def framed(self, mime: str) -> object:
        """What stands around the Base64 of an image, which is the end of its last string."""
        return {"type": "image_url", "image_url": {"url": f"data:{mime};base64,"}}

    def picture(self, image: Image) -> bytes:
        """The image as it stands in the body."""
        from binascii import b2a_base64

        frame = encoded(self.framed(image.mime))
        at = frame.rindex(b'"')
        data = b2a_base64(self._image(image.sha), newline=False)
        return b"".join((frame[:at], data, frame[at:]))

    def _head_of(self, request: Request) -> bytes:
        """Everything up to and with the opening."""
        made_of = (self.head(request), self.opening(request))
        if made_of != self._made_of:
            self._made_of = made_of
            head, opening = made_of
            return encoded({**head, "messages": opening})[:-len(CLOSING)]
        return self._head


def wire(message: Message) -> dict:
    """The message as an OpenAI-compatible server wants it."""
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "name": message.name,
                "content": message.content}
    out: dict = {"role": message.role, "content": spoken(message)}
    if message.reasoning and message.reasoning_field != INLINE:
        out[_field(message)] = message.reasoning
    if message.tool_calls:
        out["tool_calls"] = [
            {"id": call.id, "type": "function",
             "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return out


def spoken(message: Message) -> str:
    """The text of a message, with the thinking that came in it."""
    if message.reasoning_field == INLINE:
        return message.signature + message.content
    return message.content


def _field(message: Message) -> str:
    """The field in which the thinking goes back: its own, where this wire has it."""
    return message.reasoning_field if message.reasoning_field in FIELDS else REASONING


def encoded(value: object) -> bytes:
    """`value` as compact JSON in UTF-8. Halves of a surrogate pair, which no UTF-8 and no server
    takes, become U+FFFD."""
    return utf8(encode(value))


def utf8(text: str) -> bytes:
    """`text` in UTF-8, as `encoded` has it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return whole(text).encode()


def whole(text: str) -> str:
    """`text` with surrogate pairs joined and lone halves replaced by U+FFFD."""
    if text.isascii() or not re.search("[\ud800-\udfff]", text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

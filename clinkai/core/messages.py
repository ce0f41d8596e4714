"""What is said in a session, as values: messages, tool calls, token counts.

A message knows how it is kept in the log (`to_record`, `from_record`); how it goes over a wire is
the business of the body it is put in (`ai/body.py` and its siblings).
"""

from __future__ import annotations

from clinkai.core.value import Value


class ToolCall(Value):
    """One call the model made. `arguments` is the exact string the server sent, or `{}` where
    that was no valid JSON object (`broken` then has the raw text, for the error result)."""

    id: str
    name: str
    arguments: str
    broken: str = ""


class Image(Value):
    """A picture in a message of the user, without its bytes: these are kept beside the session
    (`harness/store.py`). sha: SHA-256 of the file, in small hexadecimal digits; size: in bytes."""

    sha: str
    mime: str
    size: int = 0


class Message(Value):
    """One message of the conversation; `role` is user, assistant or tool.

    reasoning_field: the wire field the reasoning came in, and goes back in. signature: what came
    with it and goes back unchanged: see `ai/provider.Reply`.
    finish: why an assistant message ended: stop, tool_calls, length, repeat, cancelled, error, or
    interrupted: it stands for one that never came.
    call_id, name, ok, decision, ms: of a tool result only. `decision` is allow, once, session,
    prefix (asked and allowed), sandbox (not asked, confined) or deny.
    images: of a user message only. auto: of one that the harness wrote: the key of its words.
    """

    role: str
    content: str
    reasoning: str = ""
    reasoning_field: str = ""
    tool_calls: tuple = ()
    finish: str = ""
    call_id: str = ""
    name: str = ""
    ok: bool = True
    decision: str = "allow"
    ms: int = 0
    signature: str = ""
    images: tuple = ()
    auto: str = ""


class TokenCount(Value):
    """What one model call cost, as the server reported it; None where it said nothing.

    prompt: all prompt tokens, cached ones included. Times are milliseconds.
    """

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    prompt_ms: float | None = None
    completion_ms: float | None = None
    ttft_ms: float | None = None


def to_record(message: Message) -> dict:
    """The log record of a message, without the envelope (`v`, `seq`, `ts`)."""
    match message.role:
        case "user":
            record: dict = {"type": "user", "content": message.content}
            if message.images:
                record["images"] = [dict(image.__dict__) for image in message.images]
            if message.auto:
                record["auto"] = message.auto
            return record
        case "assistant":
            record = {"type": "assistant", "content": message.content}
            if message.reasoning:
                record["reasoning"] = message.reasoning
                record["reasoning_field"] = message.reasoning_field
            if message.signature:
                record["signature"] = message.signature
            record["tool_calls"] = [_call_record(call) for call in message.tool_calls]
            record["finish"] = message.finish
            return record
        case "tool":
            return {
                "type": "tool", "call_id": message.call_id, "name": message.name,
                "ok": message.ok, "decision": message.decision, "content": message.content,
                "ms": message.ms,
            }
    raise ValueError(f"no record for role {message.role!r}")


def from_record(record: dict) -> Message:
    """The message of a user, assistant or tool record. Raises KeyError, TypeError, ValueError.

    All fields go by position: a long session has many records.
    """
    get, content = record.get, _text(record["content"])
    match record["type"]:
        case "assistant":
            calls = tuple([_call(call) for call in record["tool_calls"]])
            return Message(
                "assistant", content, _text(get("reasoning", "")),
                _text(get("reasoning_field", "")), calls, _text(record["finish"]),
                "", "", True, "allow", 0, _text(get("signature", "")), (), "",
            )
        case "tool":
            return Message(
                "tool", content, "", "", (), "", _text(record["call_id"]), _text(record["name"]),
                bool(record["ok"]), _text(record["decision"]), int(record["ms"]), "", (), "",
            )
        case "user":
            images = tuple(map(_image, get("images", ())))
            return Message("user", content, images=images, auto=_text(get("auto", "")))
    raise ValueError(f"no message in a {record['type']!r} record")


def _call(record: dict) -> ToolCall:
    return ToolCall(_text(record["id"]), _text(record["name"]), _text(record["arguments"]),
                    _text(record.get("broken", "")))


def _call_record(call: ToolCall) -> dict:
    record = {"id": call.id, "name": call.name, "arguments": call.arguments}
    if call.broken:
        record["broken"] = call.broken
    return record


def _image(record: dict) -> Image:
    sha = _text(record["sha"])
    if len(sha) != 64 or not set(sha) <= set("0123456789abcdef"):  # it becomes the name of a file
        raise ValueError("no SHA-256 of an image")
    return Image(sha, _text(record["mime"]), int(record.get("size", 0)))


def _text(value: object) -> str:
    if type(value) is not str:
        raise TypeError(f"text expected, not {type(value).__name__}")
    return value

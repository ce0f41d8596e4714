"""What the tests of the chat client share: one request against a scripted server."""

from __future__ import annotations

from clinkai.ai.openai import OpenAIClient
from clinkai.ai.provider import Reply, Request
from clinkai.ai.transport import Transport
from clinkai.core.cancel import Cancel
from clinkai.core.errors import ModelServerError
from clinkai.core.messages import Message, TokenCount
from clinkai.core.value import replace
from tests.server import Answer, FakeServer


def tool(name, *arguments):
    """A tool schema with string arguments."""
    properties = {a: {"type": "string"} for a in arguments}
    return {"type": "function", "function": {
        "name": name, "description": f"{name} things",
        "parameters": {"type": "object", "properties": properties, "required": list(arguments)}}}


TOOLS = (tool("read", "path"), tool("write", "path", "content"), tool("edit", "path", "old", "new"),
         tool("ls", "path"), tool("grep", "pattern", "path"), tool("bash", "command"))

UNTIMED = {"prompt_ms": None, "completion_ms": None, "ttft_ms": None}


def request(*messages, **changes):
    """A request with the six tools; one user message where none is given."""
    plain = Request("local", "Be brief.", TOOLS, messages or (Message("user", "hi"),), 100, 0.3)
    return replace(plain, **changes)


def stream(server, asked=None, idle_timeout=30.0):
    """The parts, the Reply or the error last; measured times taken out."""
    client = OpenAIClient(Transport(server.base_url, idle_timeout=idle_timeout))
    parts = []
    try:
        for part in client.stream(asked or request(), Cancel()):
            parts.append(part)
    except ModelServerError as error:
        parts.append(error)
    last = parts[-1]
    count = replace(last.count, **UNTIMED) if last.count else TokenCount()
    if isinstance(last, Reply):
        parts[-1] = replace(last, count=count)
    else:
        last.count = count
    return parts


def answered(pieces, asked=None, **options):
    """What comes out of one event stream with these pieces."""
    with FakeServer([Answer(pieces, **options)]) as server:
        return stream(server, asked)

"""The Messages API: Anthropic's, and what llama.cpp, Ollama, vLLM and others have in its likeness.

Covered: the base URL with or without `/v1`; event streams and whole answers (`ai/blocks.py`); the
body (`ai/anthropic_body.py`).
Not covered: trying again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinkai.ai.anthropic_body import AnthropicBody
from clinkai.ai.blocks import Blocks
from clinkai.ai.openai import OpenAIClient
from clinkai.ai.transport import Transport
from clinkai.core.value import replace

if TYPE_CHECKING:
    from clinkai.ai.learned import Learned

VERSION = "2023-06-01"
"""The version of the interface that is spoken. Source: Anthropic's documentation."""


class AnthropicClient(OpenAIClient):
    """The provider for servers with `/v1/messages`; what it asks them otherwise, and how, is the
    same as of OpenAI-compatible ones."""

    name = "anthropic"
    path = "messages"
    body = AnthropicBody
    answer = Blocks
    deaf_as = "anthropic"

    def __init__(self, transport: Transport, model: str = "",
                 learned: Learned | None = None) -> None:
        super().__init__(way(transport), model, learned)

    def _props(self, cancel: Cancel) -> None:
        """What llama.cpp has beside this wire is not used."""


def way(transport: Transport) -> Transport:
    """The way to the same server, as the Messages API has it.

    The key goes into `x-api-key`. Servers of one's own may know it as a bearer token only (vLLM),
    while Anthropic refuses an API key as a token: it is sent in both ways only where the way has no
    TLS or does not leave this machine.
    """
    address = transport.address
    own = address.loopback or address.scheme == "http"
    other = transport.keyed("x-api-key", bearer=own, headers={"anthropic-version": VERSION})
    other.address = replace(address, base=address.root + "/v1")
    return other

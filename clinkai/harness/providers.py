"""The model client that the settings ask for."""

from __future__ import annotations

from clinkai.ai.provider import Provider
from clinkai.core.catalogue import Strings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clinkai.ai.transport import Transport


def make(settings: object, say: Strings) -> Provider:
    """The provider of an agent with `settings` (PROVIDER, MODEL, BASE_URL, API_KEY, CA_FILE,
    IDLE_TIMEOUT). Raises members of the error tree for an address or key that cannot be used."""
    if settings.provider != "auto":
        return raw(settings, say)
    from clinkai.ai.automatic import Automatic

    return Automatic(raw(settings, say), {"ollama": lambda: _ollama(settings)})


def raw(settings: object, say: Strings) -> Provider:
    """The bare client: each request of it is one HTTP request and nothing else is sent. Where
    PROVIDER is `auto` it is the one for OpenAI-compatible servers. Raises as `make` does."""
    if settings.provider == "demo":
        from clinkai.ai.demo import Demo
        from clinkai.ai.scripted import ScriptedProvider

        return ScriptedProvider(Demo(say))
    if settings.provider == "ollama":
        return _ollama(settings)
    if settings.provider == "anthropic":
        from clinkai.ai.anthropic import AnthropicClient

        return AnthropicClient(transport(settings), settings.model)
    from clinkai.ai.openai import OpenAIClient

    return OpenAIClient(transport(settings), settings.model)


def _ollama(settings: object) -> Provider:
    from clinkai.ai.ollama import OllamaClient

    return OllamaClient(transport(settings), settings.model, budget=settings.ctx_budget,
                        max_tokens=settings.max_tokens)


def transport(settings: object) -> Transport:
    """The way to the server of `settings`. Raises UsageError for an address, key or CA_FILE that
    cannot be used."""
    from clinkai.ai.transport import Transport

    return Transport(settings.base_url, api_key=settings.api_key, ca_file=settings.ca_file,
                     idle_timeout=settings.idle_timeout)

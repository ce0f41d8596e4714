"""The model client that the settings ask for."""

from __future__ import annotations

from clinkai.ai.provider import Provider
from clinkai.core.catalogue import Strings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clinkai.ai.learned import Learned
    from clinkai.ai.transport import Transport


def make(settings: object, say: Strings, *, tries: bool = True) -> Provider:
    """The provider of an agent with `settings` (PROVIDER, MODEL, BASE_URL, API_KEY, CA_FILE,
    IDLE_TIMEOUT): it waits and tries again, and remembers in CLINKAI_HOME what the server rejects.
    tries: False for one that reports a passing fault at once.
    Raises members of the error tree for an address or key that cannot be used."""
    if settings.provider == "demo":
        return raw(settings, say)
    from clinkai.ai.patience import Times
    from clinkai.ai.steady import Steady
    from clinkai.harness.learned import learned_of

    learned = learned_of(settings.home, settings.base_url)
    client = raw(settings, say, learned)
    if settings.provider == "auto":
        from clinkai.ai.automatic import Automatic

        client = Automatic(client, {"ollama": lambda: _ollama(settings, learned)})
    return Steady(client) if tries else Steady(client, Times(back_off=()))


def raw(settings: object, say: Strings, learned: Learned | None = None) -> Provider:
    """The bare client: each request of it is one HTTP request and nothing else is sent. Where
    PROVIDER is `auto` it is the one for OpenAI-compatible servers. learned: what the server is
    known to reject. Raises as `make` does."""
    if settings.provider == "demo":
        from clinkai.ai.demo import Demo
        from clinkai.ai.scripted import ScriptedProvider

        return ScriptedProvider(Demo(say))
    if settings.provider == "ollama":
        return _ollama(settings, learned)
    if settings.provider == "anthropic":
        from clinkai.ai.anthropic import AnthropicClient

        return AnthropicClient(transport(settings), settings.model, learned)
    from clinkai.ai.openai import OpenAIClient

    return OpenAIClient(transport(settings), settings.model, learned)


def _ollama(settings: object, learned: Learned | None) -> Provider:
    from clinkai.ai.ollama import OllamaClient

    return OllamaClient(transport(settings), settings.model, budget=settings.ctx_budget,
                        max_tokens=settings.max_tokens, learned=learned)


def transport(settings: object) -> Transport:
    """The way to the server of `settings`. Raises UsageError for an address, key or CA_FILE that
    cannot be used."""
    from clinkai.ai.transport import Transport

    there = Transport(settings.base_url, api_key=settings.api_key, ca_file=settings.ca_file,
                      idle_timeout=settings.idle_timeout)
    if settings.provider == "anthropic":
        from clinkai.ai.anthropic import way

        return way(there)
    return there

"""The model client that the settings ask for."""

from __future__ import annotations

from clinkai.ai.provider import Provider
from clinkai.core.catalogue import Strings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clinkai.ai.transport import Transport


def make(settings: object, say: Strings) -> Provider:
    """The provider of `settings` (PROVIDER, BASE_URL, API_KEY, CA_FILE, IDLE_TIMEOUT).
    Raises members of the error tree for an address or key that cannot be used."""
    if settings.provider == "demo":
        from clinkai.ai.demo import Demo
        from clinkai.ai.scripted import ScriptedProvider

        return ScriptedProvider(Demo(say))
    from clinkai.ai.openai import OpenAIClient

    return OpenAIClient(transport(settings))


def transport(settings: object) -> Transport:
    """The way to the server of `settings`. Raises UsageError for an address, key or CA_FILE that
    cannot be used."""
    from clinkai.ai.transport import Transport

    return Transport(settings.base_url, api_key=settings.api_key, ca_file=settings.ca_file,
                     idle_timeout=settings.idle_timeout)

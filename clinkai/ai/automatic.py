"""The provider that asks the server what it is, and speaks with it as suits it best.

Ollama is spoken with in its own way, since its OpenAI-compatible endpoint cuts long prompts
silently; every other server as an OpenAI-compatible one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from clinkai.ai.provider import Provider, Request
from clinkai.core.value import Value

if TYPE_CHECKING:
    from clinkai.ai.transport import Transport
    from clinkai.core.cancel import Cancel


class Automatic(Provider):
    """usual: the client until the server is known, and for servers of no kind in `others`;
    others: by kind of server (`ai/recognise.py`), what makes its client."""

    def __init__(self, usual: Provider, others: dict[str, Callable[[], Provider]]) -> None:
        self._usual = self._client = usual
        self._others = others

    @property
    def name(self) -> str:
        """The value of PROVIDER that would select the client in use."""
        return self._client.name

    @property
    def kind(self) -> str:
        """What the server is, as far as it is known."""
        return self._usual.kind

    @property
    def transport(self) -> Transport | None:
        """The way to the server."""
        return self._client.transport

    @property
    def known_window(self) -> int | None:
        """What `window` found."""
        return self._client.known_window

    def ready(self, cancel: Cancel) -> None:
        """Ask the server what it is, until it is known, and take the client that fits."""
        if self._client is self._usual:
            self._usual.ready(cancel)
            make = self._others.get(self._usual.kind)
            if not make:
                return
            self._client = make()
        self._client.ready(cancel)

    def window(self, cancel: Cancel) -> int | None:
        """The context window that the server really has, or None."""
        return self._client.window(cancel)

    def vision(self, cancel: Cancel) -> bool | None:
        """Whether the model takes images, or None."""
        return self._client.vision(cancel)

    def drop(self, field: str) -> bool:
        """Leave a field of requests out from now on."""
        return self._client.drop(field)

    def stream(self, request: Request, cancel: Cancel) -> Iterator[Value]:
        """Send one request and yield its parts, the Reply last."""
        return self._client.stream(request, cancel)

    def close(self) -> None:
        """Release what is held open."""
        self._client.close()

"""The provider that asks the server what it is, and speaks with it as suits it best.

Ollama is spoken with in its own way, since its OpenAI-compatible endpoint cuts long prompts
silently; every other server as an OpenAI-compatible one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clinkai.ai.provider import Before, Provider

if TYPE_CHECKING:
    from clinkai.core.cancel import Cancel


class Automatic(Before):
    """usual: the client until the server is known, and for servers of no kind in `others`;
    others: by kind of server (`ai/recognise.py`), what makes its client."""

    def __init__(self, usual: Provider, others: dict[str, Callable[[], Provider]]) -> None:
        super().__init__(usual)
        self._usual = usual
        self._others = others

    @property
    def kind(self) -> str:
        """What the server is, as far as it is known."""
        return self._usual.kind

    def ready(self, cancel: Cancel) -> None:
        """Ask the server what it is, until it is known, and take the client that fits."""
        if self.provider is self._usual:
            self._usual.ready(cancel)
            make = self._others.get(self._usual.kind)
            if not make:
                return
            self.provider = make()
        self.provider.ready(cancel)

"""The run as JSON lines: every event as `core.events.to_json` gives it, one a line, flushed."""

from __future__ import annotations

import json

from clinkai.ui.terminal import Screen

encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


class JsonLines:
    """Writes to the output stream of `screen`; ASCII, so that every encoding can carry it."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def feed(self, body: dict) -> None:
        """Print one event."""
        self._screen.write(encode(body).replace("\x7f", "\\u007f") + "\n")

    def close(self) -> None:
        """Nothing is held back."""

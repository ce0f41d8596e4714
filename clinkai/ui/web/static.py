"""The files of the page, from a fixed table: nothing else is ever read from disk for a request.

Content types are ours: the registry of Windows may call JavaScript plain text. The strings of the
page come from the same catalogue as all others; a page needs no token to load them.
"""

from __future__ import annotations

import json

from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.core.resources import read_bytes
from clinkai.ui.web.answer import Answer

HTML = "text/html; charset=utf-8"
STYLE = "text/css; charset=utf-8"
SCRIPT = "text/javascript; charset=utf-8"
PICTURE = "image/svg+xml"

FILES = {
    "/": ("index.html", HTML),
    "/icon.svg": ("icon.svg", PICTURE),
    **{f"/{name}": (name, STYLE) for name in ("style.css", "log.css", "prose.css")},
    **{f"/{name}": (name, SCRIPT) for name in (
        "app.js", "api.js", "card.js", "composer.js", "copy.js", "dom.js", "format.js", "frames.js",
        "log.js", "message.js", "run.js", "scroll.js", "sidebar.js", "stream.js", "strings.js",
        *(f"markdown/{name}.js" for name in (
            "blocks", "code", "colour", "cursor", "emphasis", "entities", "inlines", "languages",
            "leaf", "links", "markdown", "nodes", "stack", "starts",
        )),
    )},
}
"""Path of a request -> (file in web/, content type)."""

AREAS = ("web", "notice", "gate", "error")
"""The parts of the catalogue the page reads."""


class Static:
    """The page's files, each read once."""

    def __init__(self) -> None:
        self._read: dict[str, Answer] = {}

    def __contains__(self, path: str) -> bool:
        return path in FILES or path in STRINGS

    def get(self, path: str) -> Answer:
        """The answer for a path of the table. Raises KeyError, FileNotFoundError."""
        if path not in self._read:
            self._read[path] = _strings(STRINGS[path]) if path in STRINGS else _file(*FILES[path])
        return self._read[path]


STRINGS = {f"/strings/{lang}.json": lang for lang in LANGUAGES}


def _file(name: str, kind: str) -> Answer:
    return Answer(200, kind, read_bytes(f"web/{name}"))


def _strings(lang: str) -> Answer:
    say = Strings(lang)
    merged = {key: text for area in AREAS for key, text in say.area(area).items()}
    body = json.dumps(merged, ensure_ascii=False, separators=(",", ":")).encode()
    return Answer(200, "application/json", body)

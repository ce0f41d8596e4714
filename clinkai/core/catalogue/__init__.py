"""Every string a person or the model reads, in English and Chinese, by key.

The first part of a key names the module that holds it: `error.unreachable` is in `en/error.py`
and `zh/error.py`, each a plain dictionary `STRINGS`, imported when first asked for. Placeholders
are `str.format` names. A test holds both languages to the same keys and placeholders.
"""

from __future__ import annotations

from importlib import import_module

LANGUAGES = ("en", "zh")

AREAS = ("error", "notice", "tool", "gate", "setting", "cli", "doctor", "web", "eval", "demo",
         "rules", "command", "archive", "export", "undo")
"""The modules of each language folder: `cli.` for the terminal, `web.` for the page."""


class Strings:
    """The strings of one language: `say("tool.file.missing", path="x")`."""

    def __init__(self, lang: str) -> None:
        if lang not in LANGUAGES:
            raise ValueError(f"no such language: {lang}")
        self.lang = lang
        self._areas: dict[str, dict[str, str]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self.area(key.partition(".")[0])

    def __call__(self, key: str, **params: object) -> str:
        """Return the text of `key` with `params` filled in. Raises KeyError for an unknown key."""
        text = self.area(key.partition(".")[0])[key]
        return text.format_map(params) if "{" in text else text

    def area(self, name: str) -> dict[str, str]:
        """The strings of one area, unformatted (the page gets them so); empty if there is none."""
        if name not in self._areas:
            known = name in AREAS
            self._areas[name] = (
                import_module(f"{__name__}.{self.lang}.{name}").STRINGS if known else {}
            )
        return self._areas[name]

"""What is nobody's business, taken out of a session before it is shown to others.

Keys and tokens of known shapes, private keys, passwords in addresses (`shapes.py`), values of
secret-like names (`named.py`), e-mail addresses, home folders (`people.py`). Every text of every
record goes through `Redactor`. Kept: hashes, UUIDs, sums of packages, embedded images.
Not covered: names of people, secrets without name or known shape, pictures.
"""

from __future__ import annotations

import json
import re

from clinkai.harness.export import named, people
from clinkai.harness.export.named import PUT
from clinkai.harness.export.shapes import SECRETS


class Redactor:
    """homes: real paths of home folders on this machine, wherever they lie; known: secrets that we
    know ourselves, such as the key for the model server."""

    def __init__(self, homes: tuple = (), known: tuple = ()) -> None:
        self._known = [secret for secret in known if len(secret) >= 8]
        found = sorted({home.rstrip("/\\") for home in homes}, key=len, reverse=True)
        own = [re.escape(home) for home in found if len(home) > 3 and home != "/root"]
        self._own = re.compile(rf"(?<![\w.~-])(?:{'|'.join(own)})(?![\w-])") if own else None

    def text(self, text: str) -> str:
        """`text` without secrets, e-mail addresses and home folders."""
        for secret in self._known:
            text = text.replace(secret, PUT)
        low = text.lower()
        for rule in SECRETS:
            text = rule.apply(text, low)
        text = named.hide(text)
        if "@" in text or "%40" in text:
            text = people.ADDRESS.sub(people.address, text)
        if self._own:
            text = self._own.sub("~", text)
        if "/home/" in text or "sers" in text.lower() or "and Settings" in text:
            text = people.HOMES.sub(people.home, text)
        return text

    def value(self, value: object, name: str = "") -> object:
        """The same for all texts in a JSON value. name: the key it stands under. Arguments of tool
        calls, which are JSON in a text, are read first."""
        if isinstance(value, str):
            if name == "arguments":
                return self._arguments(value)
            return PUT if name and named.is_secret(name, value) else self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.value(item, key) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item, name) for item in value]
        return value

    def _arguments(self, text: str) -> str:
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            return self.text(text)
        kept = self.value(read)
        return text if kept == read else json.dumps(kept, ensure_ascii=False)


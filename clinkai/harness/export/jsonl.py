"""A session as it is kept: our records, one JSON object a line, in ASCII. What `sessions import`
reads back."""

from __future__ import annotations

import json


def render(records: list) -> str:
    """The lines of `records`."""
    encode = json.JSONEncoder(separators=(",", ":")).encode
    return "".join(f"{encode(record)}\n" for record in records)

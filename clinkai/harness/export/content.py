"""What a file to be imported holds, whatever its format, and how it is said that it holds none."""

from __future__ import annotations

from clinkai.core.value import Value


class Content(Value):
    """records: those of the new session after the first one, without an envelope but for `seq` and
    `ts` where the file has them. system, tools: None where it has none. begun: seconds since the
    epoch. notes: what people should know, (catalogue key, params) each."""

    records: tuple
    system: str | None = None
    tools: list | None = None
    agents_md: list = ()
    model: str = ""
    provider: str = ""
    lang: str = ""
    begun: float | None = None
    notes: tuple = ()


class BadFile(Exception):
    """The file is not what it seems: a catalogue key, and parameters that name the place."""

    def __init__(self, key: str, **params: object) -> None:
        super().__init__(key, params)
        self.key = key
        self.params = params


def is_schema(schema: object) -> bool:
    """True for the schema of a tool as chat servers take it."""
    function = schema.get("function") if isinstance(schema, dict) else None
    return isinstance(function, dict) and isinstance(function.get("name"), str)

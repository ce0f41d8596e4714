"""Reading the TOML files of CLINKAI_HOME as people save them."""

from __future__ import annotations


def read(path: str) -> dict:
    """The content of a file. Raises OSError for what cannot be read, ValueError for no TOML."""
    return loads(text_of(path))


def text_of(path: str) -> str:
    """The text of a file. The mark that editors of Windows put before UTF-8 is left out. Raises
    OSError, UnicodeDecodeError."""
    with open(path, "rb") as file:
        return file.read().decode("utf-8-sig")


def loads(text: str) -> dict:
    """The content of a text. Raises ValueError for what is no TOML."""
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("too deeply nested") from None

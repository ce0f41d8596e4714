"""Reading the TOML files of CLINKAI_HOME as people save them."""

from __future__ import annotations


def read(path: str) -> dict:
    """The content of a file. The mark that editors of Windows put before UTF-8 is left out.

    Raises OSError for what cannot be read, ValueError for what is no TOML.
    """
    import tomllib

    with open(path, "rb") as file:
        data = file.read()
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("too deeply nested") from None

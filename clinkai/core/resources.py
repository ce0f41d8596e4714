"""Files that belong to the program (web/, prompts/, eval/), in a folder and in a .pyz alike.

Paths are relative to the top folder, with `/`: `prompts/en/system.md`.
"""

from __future__ import annotations

import os

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder that holds `clinkai/`, or the path of the .pyz."""


def read_bytes(path: str) -> bytes:
    """The content of a file of the program. Raises FileNotFoundError."""
    if os.path.isdir(TOP):
        with open(os.path.join(TOP, *path.split("/")), "rb") as file:
            return file.read()
    return _in_zip(path).read_bytes()


def read_text(path: str) -> str:
    """The same as text in UTF-8. Raises FileNotFoundError."""
    return read_bytes(path).decode("utf-8")


def names(folder: str) -> list[str]:
    """The names in a folder of the program, sorted; folders end with `/`."""
    if os.path.isdir(TOP):
        with os.scandir(os.path.join(TOP, *folder.split("/"))) as entries:
            return sorted(e.name + "/" * e.is_dir() for e in entries)
    return sorted(e.name + "/" * e.is_dir() for e in _in_zip(folder + "/").iterdir())


def _in_zip(path: str):
    import zipfile

    found = zipfile.Path(TOP, path)
    if not found.exists():
        raise FileNotFoundError(path)
    return found

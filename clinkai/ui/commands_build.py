"""`build`: everything in one file that Python can run, `clinkai.pyz`."""

from __future__ import annotations

import os

from clinkai.core.errors import MachineError
from clinkai.core.resources import TOP
from clinkai.core.text import size
from clinkai.harness.home import absolute
from clinkai.ui.call import Call
from clinkai.ui.clean import clean

FOLDERS = ("clinkai", "web", "prompts", "eval")
START = "clinkai.py"


def run(call: Call) -> int:
    """Write the file and return 0. Raises MachineError."""
    path = absolute(call.options.get("output") or "clinkai.pyz")
    try:
        count = build(path)
    except OSError as error:
        raise MachineError("cli.error.build", path=path, why=error.strerror or str(error)) from None
    words = call.say("cli.build.done", path=path, size=size(count), name=os.path.basename(path))
    call.screen.line(clean(words))
    return 0


def build(path: str) -> int:
    """Write the archive, replacing `path` in one step; returns its size in bytes. Raises OSError.

    Code compiled for this Python lies beside the source, which other versions of Python use.
    """
    import shutil
    import tempfile

    fresh = f"{path}.{os.getpid()}.new"
    try:
        if os.path.isdir(TOP):
            with tempfile.TemporaryDirectory(prefix="clinkai-build-") as folder:
                gather(folder)
                pack(folder, fresh)
        else:
            shutil.copyfile(TOP, fresh)
        os.replace(fresh, path)
    finally:
        if os.path.exists(fresh):
            os.unlink(fresh)
    return os.path.getsize(path)


def gather(folder: str) -> None:
    """Copy the program into `folder`, laid out as the archive will be."""
    import shutil

    unwanted = shutil.ignore_patterns("__pycache__", "*.pyc", "results*")
    for name in FOLDERS:
        shutil.copytree(os.path.join(TOP, name), os.path.join(folder, name), ignore=unwanted)
    shutil.copyfile(os.path.join(TOP, START), os.path.join(folder, "__main__.py"))


def pack(folder: str, path: str) -> None:
    """Compile the product in `folder` and write the archive."""
    import compileall
    import zipapp
    from py_compile import PycInvalidationMode

    compileall.compile_dir(
        os.path.join(folder, "clinkai"), quiet=2, legacy=True, stripdir=folder,
        invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
    )
    zipapp.create_archive(folder, path, interpreter="/usr/bin/env python3", compressed=True)

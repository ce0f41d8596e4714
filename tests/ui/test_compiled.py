"""Compiled files that a full disk cut off: the next start mends them, or says what to do."""

from __future__ import annotations

import os

import pytest

from tests.ui.program import TOP

DAMAGED = [
    ("core/catalogue/__init__", 0), ("ui/cli", 0), ("harness/settings", 0),
    ("ui/commands_config", 2), ("core/catalogue/en/cli", 2),
]
"""A module and how the next run of `config` ends: those read late cannot be mended within it."""


@pytest.mark.parametrize(("module", "code"), DAMAGED, ids=[name for name, _ in DAMAGED])
def test_a_compiled_file_that_was_cut_off_is_made_anew(program, tmp_path, module, code):
    program.environ["PYTHONPYCACHEPREFIX"] = str(tmp_path / "cache")
    assert program.run("config").code == 0
    [compiled] = (tmp_path / "cache").joinpath(*TOP.parts[1:], "clinkai", *module.split("/")[:-1]) \
        .glob(module.rpartition("/")[2] + ".*.pyc")
    os.truncate(compiled, 200)
    ended = program.run("config")
    assert ended.code == code and ("disk was full" in ended.err) == (code == 2)
    again = program.run("config")
    assert (again.code, again.err) == (0, "") and compiled.stat().st_size > 200

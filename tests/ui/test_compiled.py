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


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Compiled files of these tests only, made once: each test leaves them whole."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.slow
@pytest.mark.parametrize(("module", "code"), DAMAGED, ids=[name for name, _ in DAMAGED])
def test_a_compiled_file_that_was_cut_off_is_made_anew(program, cache, module, code):
    program.environ["PYTHONPYCACHEPREFIX"] = str(cache)
    path, _, name = module.rpartition("/")
    folder = cache.joinpath(*TOP.parts[1:], "clinkai", path)
    if not list(folder.glob(name + ".*.pyc")):
        assert program.run("config").code == 0
    [compiled] = folder.glob(name + ".*.pyc")
    os.truncate(compiled, 200)
    ended = program.run("config")
    assert ended.code == code and ("disk was full" in ended.err) == (code == 2)
    again = program.run("config")
    assert (again.code, again.err) == (0, "") and compiled.stat().st_size > 200

"""Fixtures of the front ends."""

from __future__ import annotations

import pytest

from tests.ui.program import Program


@pytest.fixture
def program(tmp_path) -> Program:
    """clinkai.py on a machine where it has never run."""
    return Program(tmp_path)

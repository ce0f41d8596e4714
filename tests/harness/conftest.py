"""Fixtures of the tests of the harness."""

from __future__ import annotations

from tests.harness.wires import scripted

__all__ = ["scripted"]

"""One browser for all tests of the page."""

from __future__ import annotations

import os

import pytest

from tests.browser import driver


@pytest.fixture(scope="session")
def browser():
    if os.name != "posix" or driver.find() is None:
        words = "no Chromium found: the page is not tested in a browser"
        if os.environ.get("CLINKAI_CI"):
            pytest.fail(words)
        pytest.skip(words)
    with driver.Browser() as running:
        yield running

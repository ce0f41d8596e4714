from __future__ import annotations

import pytest

from tests.harness.tools.context import Desk


@pytest.fixture
def desk(tmp_path):
    with Desk(tmp_path) as opened:
        yield opened

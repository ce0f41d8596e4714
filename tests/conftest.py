"""For all tests: settings of the person who runs them do not reach them, and CI skips nothing."""

from __future__ import annotations

import os

import pytest


def pytest_configure() -> None:
    for name in [n for n in os.environ if n.startswith("CLINKAI_") and n != "CLINKAI_CI"]:
        del os.environ[name]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """With CLINKAI_CI set, a skipped test is a failed one: something it needs is not installed."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("CLINKAI_CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and CI skips nothing: {report.longrepr}"

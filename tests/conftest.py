"""For all tests: settings of the person who runs them do not reach them, CI skips nothing, and
nothing waits for ever."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal

import pytest

LONGEST = 150
"""Seconds that one test may take, its fixtures included: many times what the slowest one does."""

AGAIN = 30
"""Seconds until it is told once more, where a fixture that ends a test waits in its turn."""


class Overdue(BaseException):
    """A test waited for something that did not come. No Exception: the product takes those."""


def overdue(number: int, frame: object) -> None:
    raise Overdue(f"after {LONGEST} s")


def pytest_configure() -> None:
    for name in [n for n in os.environ if n.startswith("CLINKAI_") and n != "CLINKAI_CI"]:
        del os.environ[name]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the cases of a test marked `sampled(n)` every n-th is in the usual run; all are in CI's."""
    seen: dict[str, int] = {}
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled:
            name = item.nodeid.partition("[")[0]
            seen[name] = seen.get(name, -1) + 1
            if seen[name] % sampled.args[0]:
                item.add_marker("slow")


def pytest_collection_finish() -> None:
    """What has been collected stays: it is not looked through for garbage again and again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """What waits for a thread that does not end is shown and left, once the report is written."""
    faulthandler.dump_traceback_later(AGAIN, exit=True)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol():
    """A test that hangs fails, where the platform can interrupt it."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, overdue)
    signal.setitimer(signal.ITIMER_REAL, LONGEST, AGAIN)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """With CLINKAI_CI set, a skipped test is a failed one: something it needs is not installed."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("CLINKAI_CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and CI skips nothing: {report.longrepr}"

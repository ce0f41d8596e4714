from __future__ import annotations

import errno

import pytest

from clinkai.harness.sandbox import Landlock, answer, landlock


@pytest.mark.parametrize(("returned", "code", "found"), [
    (7, 0, Landlock(7)),
    (1, 0, Landlock(1)),
    (-1, errno.ENOSYS, Landlock(0, "missing")),
    (-1, errno.EOPNOTSUPP, Landlock(0, "off")),
    (-1, errno.EPERM, Landlock(0, "blocked")),
    (-1, errno.EINVAL, Landlock(0, "blocked")),
])
def test_the_kernels_answer_is_read_as_it_is_meant(returned, code, found):
    assert answer(returned, code) == found


def test_this_kernel_is_asked_without_failing():
    found = landlock()
    assert (found.abi > 0) == (found.why == "")

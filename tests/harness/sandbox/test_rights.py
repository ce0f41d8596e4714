from __future__ import annotations

import errno

import pytest

from clinkai.harness.sandbox import Landlock, answer, landlock, rights


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


@pytest.mark.parametrize(("abi", "handled", "size"), [
    (3, 0x7FFF, 8), (4, 0x7FFF, 16), (5, 0xFFFF, 16), (6, 0xFFFF, 24), (7, 0xFFFF, 24),
])
def test_everything_a_version_knows_is_handled(abi, handled, size):
    attributes = rights.attributes(abi)
    assert (rights.handled(abi), len(attributes)) == (handled, size)
    assert attributes[:8] == handled.to_bytes(8, "little")
    assert set(attributes[8:]) <= {0, 3}


@pytest.mark.parametrize(("kind", "folder", "file"), [
    ("look", 0xC, 0x4), ("run", 0xD, 0x5), ("device", 0x4006, 0x4006), ("write", 0x75BF, 0x4007),
])
def test_what_each_kind_of_rule_gives(kind, folder, file):
    assert rights.access(kind, 7) == (folder, file)


def test_no_rule_gives_what_a_version_does_not_know():
    assert rights.access("write", 1)[0] == 0x15BF

"""Many contents in one file, and what a crash or a full disk leaves of it."""

from __future__ import annotations

import os

import pytest

from clinkai.harness.pack import HEAD, Pack
from clinkai.harness.store import digest_of
from tests.harness.agents import files_end_at

CONTENTS = (b"", b"one", b"\x00" * 100, b"two" * 50)


def filled(path: str, contents=CONTENTS) -> Pack:
    pack = Pack(path)
    for data in contents:
        pack.add(digest_of(data), data)
    pack.sync()
    return pack


def test_at_whatever_byte_a_crash_cuts_it_what_is_whole_is_there(tmp_path):
    path = str(tmp_path / "p")
    filled(path)
    with open(path, "rb") as file:
        whole = file.read()
    ends = [sum(HEAD + len(data) for data in CONTENTS[:n]) for n in range(1, len(CONTENTS) + 1)]
    for cut in range(len(whole) + 1):
        with open(path, "wb") as file:
            file.write(whole[:cut])
        pack = Pack(path)
        found = [data for data in CONTENTS if pack.get(digest_of(data)) == data]
        assert found == list(CONTENTS[:sum(end <= cut for end in ends)])
        pack.add(digest_of(b"new"), b"new")
        assert Pack(path).get(digest_of(b"new")) == b"new"


def test_a_content_is_in_it_once(tmp_path):
    path = str(tmp_path / "p")
    filled(path, CONTENTS * 2)
    assert os.path.getsize(path) == sum(HEAD + len(data) for data in CONTENTS)


def test_a_full_disk_loses_nothing_and_lets_go_on(tmp_path):
    path = str(tmp_path / "p")
    pack = filled(path)
    with files_end_at(os.path.getsize(path) + 60), pytest.raises(OSError):
        pack.add(digest_of(b"x" * 100), b"x" * 100)
    assert digest_of(b"x" * 100) not in pack
    pack.add(digest_of(b"later"), b"later")
    pack.sync()
    again = Pack(path)
    assert [again.get(digest_of(data)) for data in (*CONTENTS, b"later")] == [*CONTENTS, b"later"]

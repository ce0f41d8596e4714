"""What servers reject is kept between sessions, and is never in the way."""

from __future__ import annotations

import json
import os

import pytest

from clinkai.ai.learned import FOLD
from clinkai.harness.learned import FIELDS, FILE, SERVERS, learned_of

HERE, THERE = "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"


def known(home, address=HERE):
    learned = learned_of(str(home), address)
    return set(learned.rejects), learned.fold


def test_what_a_server_rejects_is_kept_for_that_server_only(tmp_path):
    learned = learned_of(str(tmp_path), HERE)
    learned.rejected("min_p")
    learned_of(str(tmp_path), THERE).rejected("seed")
    learned.rejected(FOLD)
    assert known(tmp_path) == ({"min_p"}, True)
    assert known(tmp_path, THERE) == ({"seed"}, False)
    assert known(tmp_path, HERE + "/x") == (set(), False)
    assert os.listdir(tmp_path) == [FILE]


@pytest.mark.parametrize("content", [
    "", "{", "[]", "7", '{"servers": []}', '{"servers": {"http://127.0.0.1:1/v1": 7}}', "[" * 9999,
    '{"servers": {"http://127.0.0.1:1/v1": {"rejects": 7, "fold": "yes"}}}', "\udcff",
    '{"servers": {"http://127.0.0.1:1/v1": {"rejects": [7, "", null]}}}',
])
def test_a_damaged_file_counts_as_empty_and_is_replaced(tmp_path, content):
    (tmp_path / FILE).write_bytes(content.encode("utf-8", "surrogateescape"))
    assert known(tmp_path) == (set(), False)
    learned_of(str(tmp_path), HERE).rejected("min_p")
    assert known(tmp_path) == ({"min_p"}, False)


def test_where_nothing_can_be_written_the_session_goes_on(tmp_path):
    learned = learned_of(str(tmp_path / "none"), HERE)
    learned.rejected("min_p")
    assert learned.rejects == {"min_p"}
    (tmp_path / FILE).mkdir()
    learned_of(str(tmp_path), HERE).rejected("min_p")
    assert os.listdir(tmp_path) == [FILE]


def test_the_file_does_not_grow_without_an_end(tmp_path):
    servers = {f"http://h:{n}/v1": {"rejects": [f"f{m}" for m in range(60)]} for n in range(150)}
    (tmp_path / FILE).write_text(json.dumps({"servers": servers}))
    learned_of(str(tmp_path), HERE).rejected("x")
    kept = json.loads((tmp_path / FILE).read_text())["servers"]
    assert (len(kept), list(kept)[-1]) == (SERVERS, HERE)
    assert {len(one["rejects"]) for one in kept.values()} == {FIELDS, 1}

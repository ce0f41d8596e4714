from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from clinkai.core.catalogue import Strings
from clinkai.harness.shell.judge import judge, reason
from clinkai.harness.workspace import Workspace
from tests.harness.shell import project

CASES = Path(__file__).parents[2] / "cases" / "bash_policy.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def kind(row: dict) -> str:
    first = row["why"].split(":")[0]
    return first if first in ("core", "nice", "policy") else "danger"


@pytest.fixture(scope="module", params=["empty", "project"])
def ws(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    return Workspace(folder if request.param == "empty" else project.make(folder))


@pytest.fixture(scope="module")
def scripts(ws):
    """A function: what the judge says of each row, with the COMPOUND setting."""
    return cache(lambda compound: [judge(row["command"], row["dialect"], ws, compound)
                                   for row in ROWS])


def verdicts(scripts, wanted: str) -> list[tuple[str, bool]]:
    return [(row["id"], script.listed) for row, script in zip(ROWS, scripts) if kind(row) == wanted]


@pytest.mark.parametrize("compound", ["parts", "refuse"])
def test_nothing_dangerous_runs_without_a_question(scripts, compound):
    assert [name for name, listed in verdicts(scripts(compound), "danger") if listed] == []


def test_the_strict_rule_asks_about_harmless_compounds(scripts):
    assert [name for name, listed in verdicts(scripts("refuse"), "policy") if listed] == []


@pytest.mark.parametrize("compound", ["parts", "refuse"])
def test_everyday_reading_runs_without_a_question(scripts, compound):
    for wanted, least in (("core", 1.0), ("nice", 0.9)):
        found = verdicts(scripts(compound), wanted)
        assert sum(listed for _, listed in found) >= least * len(found), \
            [name for name, listed in found if not listed]


def test_both_dialects_are_covered():
    counts = Counter((row["dialect"], row["expect"]) for row in ROWS)
    assert min(counts.values()) > 30 and len(counts) == 4


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_reason_repeats_a_word_of_the_command(scripts, lang):
    say = Strings(lang)
    for row, script in zip(ROWS, scripts("refuse")):
        text = reason(script, say)
        assert bool(text) is not script.listed
        if text:
            word = script.trouble[1]["word"]
            assert word and word in row["command"] and word in text, (row["id"], text)

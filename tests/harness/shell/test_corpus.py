from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from clinkai.core.catalogue import Strings
from clinkai.harness import policy
from clinkai.harness.shell import git_run
from clinkai.harness.shell.judge import judge
from clinkai.harness.workspace import Workspace
from clinkai.loop.tool import Runs
from tests.harness.shell import project

CASES = Path(__file__).parents[2] / "cases"
ROWS = [json.loads(line) for name in ("bash_policy.jsonl", "bash_more.jsonl")
        for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


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


@pytest.mark.sampled(4)
@pytest.mark.parametrize("compound", ["parts", "refuse"])
def test_nothing_dangerous_runs_without_a_question(scripts, compound):
    assert [name for name, listed in verdicts(scripts(compound), "danger") if listed] == []


@pytest.mark.sampled(2)
def test_the_strict_rule_asks_about_harmless_compounds(scripts):
    assert [name for name, listed in verdicts(scripts("refuse"), "policy") if listed] == []


@pytest.mark.parametrize("compound", ["parts", "refuse"])
def test_everyday_reading_runs_without_a_question(scripts, compound):
    counted = {row["id"] for row in ROWS if row.get("compound", compound) == compound}
    for wanted, least in (("core", 1.0), ("nice", 0.9)):
        found = [one for one in verdicts(scripts(compound), wanted) if one[0] in counted]
        assert sum(listed for _, listed in found) >= least * len(found), \
            [name for name, listed in found if not listed]


def test_both_dialects_are_covered():
    counts = Counter((row["dialect"], row["expect"]) for row in ROWS)
    assert min(counts.values()) > 30 and len(counts) == 4


def test_risk_is_marked_where_a_row_says_so(scripts):
    told = [(row, asked(script).risk) for row, script in zip(ROWS, scripts("parts"))
            if "risk" in row]
    assert [row["command"] for row, risk in told if risk != row["risk"]] == []
    assert min(Counter((row["dialect"], row["risk"]) for row, _ in told).values()) >= 8


def asked(script) -> policy.Ask | None:
    """What a person is asked about `script`, None where it runs."""
    decision = policy.decide((Runs(script.text, script),), policy.Policy())
    return decision if decision.name == "ask" else None


@pytest.mark.parametrize("compound", ["parts", "refuse"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_reason_repeats_a_word_of_the_command(scripts, lang, compound):
    say = Strings(lang)
    for row, script in zip(ROWS, scripts(compound)):
        question = asked(script)
        assert (question is None) is script.listed
        if question:
            word = question.params["word"]
            text = say(question.key, **question.params)
            assert word.strip() and word in row["command"] and word in text, (row["id"], text)


OTHERS = ("", "x", "README.md", "ls")
"""What is put in the place of a word to see whether it is the cause."""


def test_the_word_of_a_reason_is_what_caused_it(tmp_path, monkeypatch):
    monkeypatch.setattr(git_run, "inspect", lambda *_: None)  # no repository here to look at
    blind, ws = [], Workspace(project.make(tmp_path))
    for row in ROWS:
        question = asked(judge(row["command"], row["dialect"], ws))
        if question:
            command, word = row["command"], question.params["word"]
            texts = (command.replace(word, other, 1) for other in OTHERS)
            if all(asked(judge(text, row["dialect"], ws)) == question for text in texts):
                blind.append((row["id"], word))
    assert blind == []


@pytest.mark.parametrize(("dialect", "command", "word", "told"), [
    ("posix", "cat README.md \u2013n", "\u2013n", "U+2013"),
    ("posix", "ls \x1b[31m", "ls", "U+001B"),
    ("posix", "\u200bls", "ls", "U+200B"),
    ("posix", "cat \u0434\u0301 \u202e", "cat", "U+202E"),
    ("posix", "cat \uff1b README.md", "\uff1b", "U+FF1B"),
    ("posix", "ls; cat 'x", "'x", ""),
    ("posix", "cat src/main.py ../outside/secret.txt", "../outside/secret.txt", ""),
    ("posix", "ls -la && sudo ls", "sudo", ""),
    ("posix", "make; touch x; rm y; rm z", "rm", ""),
    ("powershell", "Get-Content \u201cx\u201d", "\u201cx\u201d", "U+201C"),
    ("powershell", "Get-ChildItem src, ..", "src, ..", ""),
    ("powershell", "ls\ncalc", "ls", ""),
])
def test_where_it_stands_can_be_found(tmp_path, dialect, command, word, told):
    ws = Workspace(project.make(tmp_path))
    question = asked(judge(command, dialect, ws))
    text = Strings("en")(question.key, **question.params)
    assert (question.params["word"], told in text) == (word, True)


@pytest.mark.parametrize("command", ["ls; rm x", "ls | cat ../outside/secret.txt", "ls && cat x >y"])
def test_the_strict_rule_names_what_is_wrong_with_a_part_first(tmp_path, command):
    ws = Workspace(tmp_path)
    strict, default = (asked(judge(command, "posix", ws, how)) for how in ("refuse", "parts"))
    assert (strict.key, strict.params, strict.risk) == (default.key, default.params, default.risk)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("compound", ["parts", "refuse"])
@pytest.mark.parametrize(("dialect", "command", "rule", "word"), [
    ("posix", "ls -la; r''m x", "rm", "r''m"),
    ("posix", "'git' -C . \"push\"", "git push", "'git'"),
    ("posix", "/bin/rm x", "rm", "/bin/rm"),
    ("powershell", "ls; rm x", "rm", "rm"),
])
def test_a_rule_that_forbids_is_told_with_the_word_it_meets(
        tmp_path, lang, compound, dialect, command, rule, word):
    script = judge(command, dialect, Workspace(tmp_path), compound)
    forbids = policy.Policy(deny=(tuple(rule.split()),))
    decision = policy.decide((Runs(command, script),), forbids)
    text = Strings(lang)(decision.key, **decision.params)
    assert (decision.name, word in text, rule in text) == ("deny", True, True)

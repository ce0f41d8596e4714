"""`sessions fork`, and how `sessions show` tells of branches."""

from __future__ import annotations

import pytest

from clinkai.harness.session import Session
from tests.harness.sessions import keep, turn
from tests.ui.test_sessions_command import Here, folder, id_of, program, run

__all__ = ["folder", "program"]


@pytest.fixture
def path(folder) -> str:
    """Two turns, and another in place of the second."""
    path = keep(folder, *turn("one"), *turn("two"))
    session = Session.open(path)
    session.rewind(5, "auto")
    for record in turn("three"):
        session.append(record)
    session.close()
    return path


def said(program: Here, *words: str) -> list[str]:
    return [line for line in program.run("sessions", "show", *words).out.splitlines() if line != "done"]


def test_a_branch_that_was_left_is_marked_and_shown_on_demand(program, path):
    mark = "went back to after record 5; what was left is shown with --all"
    assert said(program, path) == ["› one", mark, "› three"]
    assert said(program, path, "--all") == ["› one", "a branch that was left later:", "› two", mark, "› three"]
    seqs = [[r["seq"] for r in run(program, "show", path, *more)["records"]] for more in ((), ("--all",))]
    assert seqs == [[2, 3, 4, 5, 10, 11, 12, 13, 14], list(range(2, 15))]
    turns = run(program, "show", path, "--files")["turns"]
    assert [(t["seq"], t["prompt"]) for t in turns] == [(2, "one"), (11, "three")]


@pytest.mark.parametrize(("words", "seq", "shown"), [
    ((), 14, ["› one", "went back to after record 5; what was left is shown with --all", "› three"]),
    (("--at", "9"), 9, ["› one", "› two"]),
    (("--at", "5"), 5, ["› one"]),
])
def test_a_fork_is_made_and_shows_where_it_comes_from(program, path, words, seq, shown):
    made = run(program, "fork", id_of(path)[:6], *words)
    assert (list(made), made["seq"]) == (["id", "path", "seq"], seq)
    assert said(program, made["id"]) == [f"forked from {id_of(path)} after its record {seq}", *shown]
    listed = run(program)
    assert [(e["id"], e["title"]) for e in listed] == [
        (made["id"], "one"), (id_of(path), "one")]
    assert program.run("sessions", "fork", path).out.startswith(run(program)[0]["id"])


@pytest.mark.parametrize(("words", "code", "key"), [
    (("--at", "15"), 2, "no record 15"), (("--at", "0"), 2, "--at"), (("--at", "x"), 2, "--at"),
    (("--at", "9" * 10), 2, "--at"), (("--all",), 2, "--all"),
])
def test_what_is_no_point_is_said(program, path, words, code, key):
    assert key in run(program, "fork", path, *words, code=code)


def test_a_title_follows_the_branch_unless_a_person_gave_it(program, path):
    session = Session.open(path)
    session.rewind(1, "auto")
    session.append({"type": "user", "content": "other\nwords"})
    session.close()
    assert [e["title"] for e in run(program)] == ["other"]
    run(program, "rename", path, "mine")
    session = Session.open(path)
    session.rewind(5, "auto")
    assert session.state.title == "mine"
    session.close()
    assert [e["title"] for e in run(program)] == ["mine"]

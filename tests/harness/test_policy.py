from __future__ import annotations

import pytest

from clinkai.harness.policy import Policy, decide
from clinkai.harness.shell.judge import judge
from clinkai.harness.workspace import Workspace
from clinkai.loop.tool import Reads, Runs, Writes

COMMAND = {"kind": "command", "command": "make all"}


@pytest.fixture
def ws(tmp_path):
    (tmp_path / "ws").mkdir()
    return Workspace(tmp_path / "ws", private=(tmp_path / "home",))


def effect(ws: Workspace, kind: str, text: str):
    return {
        "read": lambda: Reads(ws.place(text)),
        "write": lambda: Writes(ws.place(text, writes=True)),
        "run": lambda: Runs(text, judge(text, "posix", ws)),
    }[kind]()


def verdict(ws: Workspace, kind: str, text: str, **policy: object) -> tuple[str, str]:
    decision = decide([effect(ws, kind, text)], Policy(**policy))
    return decision.name, decision.risk


@pytest.mark.parametrize(("mode", "kind", "text", "expected"), [
    ("auto", "read", "a.txt", ("allow", "low")),
    ("auto", "read", "../x", ("deny", "low")),
    ("auto", "read", "/etc/passwd", ("deny", "low")),
    ("auto", "read", ".git/config", ("deny", "low")),
    ("auto", "read", "../home/sessions", ("deny", "low")),
    ("auto", "read", ".env", ("ask", "high")),
    ("auto", "read", ".env.example", ("allow", "low")),
    ("auto", "read", "\x00", ("deny", "low")),
    ("auto", "write", "a.txt", ("allow", "low")),
    ("auto", "write", "../x", ("deny", "low")),
    ("auto", "write", "node_modules/x", ("deny", "low")),
    ("auto", "write", ".vscode/tasks.json", ("ask", "high")),
    ("auto", "write", ".env", ("ask", "high")),
    ("auto", "run", "ls -l", ("allow", "low")),
    ("auto", "run", "make all", ("ask", "low")),
    ("auto", "run", "cat ../x", ("ask", "high")),
    ("auto", "run", "rm -rf x", ("ask", "high")),
    ("ask", "read", "a.txt", ("allow", "low")),
    ("ask", "write", "a.txt", ("ask", "low")),
    ("ask", "run", "ls", ("allow", "low")),
    ("plan", "write", "a.txt", ("deny", "low")),
    ("plan", "write", ".env", ("deny", "low")),
    ("plan", "run", "ls", ("allow", "low")),
    ("plan", "run", "make all", ("deny", "low")),
    ("sandbox", "write", "a.txt", ("allow", "low")),
    ("sandbox", "run", "make all", ("ask", "low")),
])
def test_the_modes(ws, mode, kind, text, expected):
    assert verdict(ws, kind, text, mode=mode) == expected


@pytest.mark.parametrize(("text", "policy", "name", "granted"), [
    ("make all", {}, "allow", "sandbox"),
    ("echo x > y && for", {}, "allow", "sandbox"),
    ("rm -rf x", {}, "allow", "sandbox"),
    ("ls", {}, "allow", ""),
    ("cat .env", {}, "ask", None), ("cat ../x", {}, "ask", None), ("cat .git/config", {}, "ask", None),
    ("make all", {"mode": "plan"}, "deny", None),
    ("make all", {"allow": (("make",),)}, "allow", "prefix"),
    ("make all", {"grants": (COMMAND,)}, "allow", "session"),
    ("make all", {"deny": (("make",),)}, "deny", None),
    ("$(make all)", {"deny": (("make",),)}, "ask", None),
])
def test_what_runs_unasked_where_it_can_be_confined(ws, text, policy, name, granted):
    policy = {"mode": "sandbox", "confined": policy.get("mode") != "plan", **policy}
    found = decide([effect(ws, "run", text)], Policy(**policy))
    assert (found.name, getattr(found, "granted", None)) == (name, granted)


@pytest.mark.parametrize(("text", "policy", "name"), [
    ("make all", {"allow": (("make",),)}, "allow"),
    ("make all", {"allow": (("make", "all"),)}, "allow"),
    ("make all", {"allow": (("make", "test"),)}, "ask"),
    ("makeall", {"allow": (("make",),)}, "ask"),
    ("make all && ls", {"allow": (("make",),)}, "allow"),
    ("make all && python x.py", {"allow": (("make",),)}, "ask"),
    ("make $(x)", {"allow": (("make",),)}, "ask"),
    ("make all", {"grants": (COMMAND,)}, "allow"),
    ("make all -j", {"grants": (COMMAND,)}, "ask"),
    ("make all -j", {"grants": ({"kind": "prefix", "rule": ["make", "all"]},)}, "allow"),
    ("make all", {"allow": (("make",),), "deny": (("make", "all"),)}, "deny"),
    ("ls && make all", {"deny": (("make",),)}, "deny"),
    ("make all", {"mode": "plan", "grants": (COMMAND,)}, "deny"),
    ("make ../x", {"grants": ({"kind": "prefix", "rule": ["make"]},)}, "ask"),
    ("make ../x", {"allow": (("make",),)}, "allow"),
    ("git -C a --no-pager push", {"allow": (("git",),), "deny": (("git", "push"),)}, "deny"),
    ("git log", {"deny": (("git", "push"),)}, "allow"),
    ("/usr/bin/GIT push", {"allow": (("/usr/bin/GIT",),), "deny": (("git", "push"),)}, "deny"),
    ("env A=1 git push", {"deny": (("git", "push"),)}, "deny"),
    ("bash -c 'cd x; git push'", {"allow": (("bash",),), "deny": (("git", "push"),)}, "deny"),
    ("sudo -n make", {"deny": (("make",),)}, "deny"),
    ("echo git push", {"deny": (("git", "push"),)}, "allow"),
    ("cat x | make", {"allow": (("make",),), "deny": (("cat",),)}, "deny"),
])
def test_rules_and_grants(ws, text, policy, name):
    assert verdict(ws, "run", text, **policy)[0] == name


def test_a_grant_to_write_is_for_one_path(ws):
    grants = ({"kind": "write", "path": ws.place("a.txt").path},)
    assert verdict(ws, "write", "./a.txt", mode="ask", grants=grants)[0] == "allow"
    assert verdict(ws, "write", "b.txt", mode="ask", grants=grants)[0] == "ask"


def test_the_strictest_verdict_wins(ws):
    effects = [Reads(ws.place("a")), Writes(ws.place(".env", writes=True)), Reads(ws.place("../x"))]
    assert [decide(effects[:n], Policy()).name for n in range(4)] == ["allow", "allow", "ask", "deny"]

from __future__ import annotations

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.errors import UsageError
from eval.checks import KINDS, Outcome, read_check, verify
from eval.files import Changes
from eval.trace import Call, Trace

EN = Strings("en")
TRACE = Trace(
    calls=(Call("bash", {"command": "cat data/a.txt"}, True, "allow"),
           Call("bash", {"command": "rm x"}, False, "deny"),
           Call("read", {"path": "b.txt", "offset": 3}, True, "allow")),
    final_text="The port is 47113.\nAnything else?", rounds=3, denied=1, breakers=("cap",),
)
CHANGES = Changes(("lists/shopping.md", "src/a.py"), 3, 1, "")

CASES = [
    # kind, parameters, holds, detail
    ("equals", {"path": "a.txt", "text": "one\ntwo\n"}, True, "a.txt"),
    ("equals", {"path": "crlf.txt", "text": "one\ntwo"}, True, "crlf.txt"),
    ("equals", {"path": "a.txt", "text": "one"}, False,
     "a.txt has another text, beginning with: one"),
    ("equals", {"path": "b/none.txt", "text": ""}, False, "b/none.txt is not there"),
    ("matches", {"path": "a.txt", "regex": "^two$"}, True, "a.txt"),
    ("matches", {"path": "a.txt", "regex": r"\Atwo"}, False,
     "a.txt does not match; it begins with: one"),
    ("matches", {"path": "none.txt", "regex": ""}, False, "none.txt is not there"),
    ("absent", {"path": "none.txt"}, True, "none.txt"),
    ("absent", {"path": "a.txt"}, False, "a.txt is there"),
    ("unchanged", {"globs": ["docs/**", "*.txt"]}, True, ""),
    ("unchanged", {"globs": ["**"]}, False, "changed (2): lists/shopping.md, src/a.py"),
    ("changed_only", {"globs": ["lists/*", "src/*"]}, True, ""),
    ("changed_only", {"globs": ["lists/*"]}, False, "changed (1): src/a.py"),
    ("command", {"argv": ["ok"], "stdout": "^fine$"}, True, "fine"),
    ("command", {"argv": ["ok"], "exit": 1}, False, "exit code 0: fine"),
    ("command", {"argv": ["ok"], "stdout": "other"}, False, "the output does not match: fine"),
    ("command", {"argv": ["bad"], "exit": 3}, True, "broken"),
    ("command", {"argv": ["slow"], "seconds": 5}, False, "not done after 5 s"),
    ("final_text", {"regex": r"(?<!\d)47113(?!\d)"}, True, "The port is 47113."),
    ("final_text", {"regex": "8125"}, False, "the answer does not match: The port is 47113."),
    ("tool_called", {"name": "bash"}, True, "bash"),
    ("tool_called", {"name": "bash", "arguments": {"command": r"^cat\s"}}, True, "bash"),
    ("tool_called", {"name": "read", "arguments": {"offset": "^3$"}}, True, "read"),
    ("tool_called", {"name": "bash", "arguments": {"command": "^rm"}}, False,
     "no such call of bash ran; ran: bash, read"),
    ("tool_called", {"name": "write"}, False, "no such call of write ran; ran: bash, read"),
    ("not_called", {"name": "bash", "arguments": {"command": "^rm"}}, True, "bash"),
    ("not_called", {"name": "read"}, False, "read ran 1 times"),
    ("denied", {"at_most": 1}, True, "1, allowed 1"),
    ("denied", {"at_most": 0}, False, "1, allowed 0"),
    ("rounds", {"at_most": 2}, False, "3, allowed 2"),
    ("no_breaker", {}, False, "cap"),
]


def command(argv: list, seconds: int) -> tuple[int | None, str]:
    return {"ok": (0, "x\nfine\n"), "bad": (3, "broken\n"), "slow": (None, "")}[argv[0]]


@pytest.mark.parametrize(("kind", "params", "ok", "detail"), CASES)
def test_a_check_says_whether_it_holds_and_what_it_saw(tmp_path, kind, params, ok, detail):
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\n")
    (tmp_path / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    checks = (read_check("t", {"kind": kind, **params}),)
    [verdict] = verify(checks, Outcome(str(tmp_path), CHANGES, TRACE, command), EN)
    assert (verdict.kind, verdict.ok, verdict.detail) == (kind, ok, detail)


def test_every_kind_has_a_case():
    assert {case[0] for case in CASES} == set(KINDS)


@pytest.mark.parametrize(("raw", "key"), [
    ("matches", "eval.check.kind"),
    ({"path": "a"}, "eval.check.kind"),
    ({"kind": "smells_good"}, "eval.check.kind"),
    ({"kind": "absent"}, "eval.check.param"),
    ({"kind": "absent", "path": 3}, "eval.check.param"),
    ({"kind": "absent", "path": "a", "paths": "b"}, "eval.check.param"),
    ({"kind": "denied", "at_most": True}, "eval.check.param"),
    ({"kind": "final_text", "regex": "("}, "eval.check.regex"),
    ({"kind": "tool_called", "name": "bash", "arguments": {"command": 3}}, "eval.check.regex"),
])
def test_a_check_that_could_never_mean_anything_is_refused(raw, key):
    with pytest.raises(UsageError) as caught:
        read_check("t", raw)
    assert caught.value.key == key
    assert caught.value.text(EN)

"""Tool calls written as text: which count, which never do, and what is held back meanwhile."""

from __future__ import annotations

import json

import pytest

from clinkai.ai.textcalls import find_calls, hold_from

TOOLS = ("read", "write", "edit", "ls", "grep", "bash")


def found(text, stopped=True, schemas=None):
    """(name, arguments) of the calls and the text that remains."""
    result = find_calls(text, TOOLS, stopped, schemas)
    if result is None:
        return [], text, ""
    return [(n, json.loads(a)) for n, a in result.calls], result.kept, result.cut


READ_A = [("read", {"path": "a"})]
FORMS = {
    "hermes": ('<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>', READ_A),
}


@pytest.mark.parametrize(("text", "calls"), FORMS.values(), ids=FORMS)
def test_a_form_is_read(text, calls):
    assert found(text) == (calls, "", "")
    assert [hold_from(text[:i]) for i in range(len(text))] == [0] * len(text)

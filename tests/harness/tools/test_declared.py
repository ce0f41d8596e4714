"""What the model is sent about the tools: complete in both languages, and within its budget."""

from __future__ import annotations

import json

import pytest

from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.harness.settings import MORE_TOOLS
from clinkai.harness.settings import TOOLS as ON
from clinkai.harness.tools import TOOLS
from clinkai.loop.tool import schema
from tests.source import TOP

ALL_SIX, OURS = 6000, 3300


def sent(lang: str) -> dict[str, str]:
    say = Strings(lang)
    return {
        tool.name: json.dumps(schema(tool, say), ensure_ascii=False, separators=(",", ":"))
        for tool in TOOLS if tool.name in ON
    }


def test_there_are_six_tools_and_two_that_are_off():
    assert [tool.name for tool in TOOLS] == [*ON, *MORE_TOOLS]
    assert ON == ("read", "write", "edit", "ls", "grep", "bash")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_tools_and_system_prompt_fit_the_budget(lang):
    prompt = (TOP / f"prompts/{lang}/system.md").read_text("utf-8")
    assert len(prompt) + sum(map(len, sent(lang).values())) <= ALL_SIX


def test_the_file_tools_fit_theirs():
    assert sum(len(text) for name, text in sent("en").items() if name != "bash") <= OURS


@pytest.mark.parametrize("lang", LANGUAGES)
def test_schemas_say_which_arguments_are_needed(lang):
    needed = {name: json.loads(text)["function"]["parameters"].get("required", [])
              for name, text in sent(lang).items()}
    assert needed == {"read": ["path"], "write": ["path", "content"], "edit": ["path"], "ls": [],
                      "grep": ["pattern"], "bash": ["command"]}


def test_titles_name_what_is_touched():
    args = {"read": {"path": "a\nb", "offset": "3:4", "limit": 0}, "write": {"path": "a", "content": ""},
            "edit": {"path": "a", "old": "", "new": None, "replace_all": False, "edits": ()},
            "ls": {"path": "."}, "grep": {"pattern": "x y", "path": "src", "glob": "*.py", "ignore_case": False}}
    titles = {t.name: t.title(t.args(**args[t.name])) for t in TOOLS if t.name in args}
    assert titles == {"read": "a\\x0ab 3:4", "write": "a", "edit": "a", "ls": ".", "grep": "x y src *.py"}

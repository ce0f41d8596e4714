"""The frozen prefix of a session: system prompt and tool schemas, built once.

It holds no date, no git state and no listing, so that two sessions in one workspace share it byte
for byte and a running server's prompt cache serves the second one too.
"""

from __future__ import annotations

import os
import string

from clinkai.core import resources
from clinkai.core.catalogue import Strings
from clinkai.core.errors import UsageError, WorkspaceError
from clinkai.core.value import Value
from clinkai.harness.agents_md import BINARY, LIMIT, AgentsFile, in_force
from clinkai.harness.workspace import Workspace


class Prefix(Value):
    """system: the prompt; agents_md: the files in it."""

    system: str
    agents_md: tuple[AgentsFile, ...]


def build(workspace: Workspace, say: Strings, rules_file: str = "") -> Prefix:
    """The prefix for a new session. `rules_file` (SYSTEM_PROMPT) replaces the working rules; it
    lies outside the workspace. Raises UsageError, WorkspaceError."""
    if rules_file:
        rules = _own_rules(rules_file, workspace)
    else:
        template = string.Template(resources.read_text(f"prompts/{say.lang}/system.md"))
        rules = template.substitute(workspace=workspace.path)
    files = tuple(file for file in in_force(workspace) if not file.problem)
    parts = [rules.strip(), *(block(file, say) for file in files)]
    try:
        system = "\n\n".join(parts)
        system.encode()
    except UnicodeEncodeError as error:
        raise WorkspaceError("error.workspace.name", path=ascii(workspace.path)) from error
    return Prefix(system, files)


def remarks(workspace: Workspace) -> list[tuple[str, str, dict]]:
    """What people should know about the AGENTS.md files of the root: (level, key, params)."""
    found = []
    for file in in_force(workspace):
        if file.problem == BINARY:
            found.append(("warn", "notice.agents_md.binary", {"path": file.path}))
        elif file.problem:
            found.append(("warn", "notice.agents_md.unreadable",
                          {"path": file.path, "why": file.problem}))
        elif file.cut:
            found.append(("warn", "notice.agents_md.cut", {"path": file.path, "limit": LIMIT}))
    return found


def block(file: AgentsFile, say: Strings) -> str:
    """An AGENTS.md as the model sees it: marked, with what was left out."""
    mark = "\n" + say("notice.agents_md.cut_mark") if file.cut else ""
    return f'<instructions file="{file.path}">\n{file.text}{mark}\n</instructions>'


def _own_rules(path: str, workspace: Workspace) -> str:
    place = workspace.place(path)
    if place.zone == "bad" or not os.path.isabs(place.rel):
        raise UsageError("error.system_prompt.inside", path=path)
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("error.system_prompt.unreadable", path=path, why=str(error)) from error

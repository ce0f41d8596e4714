"""A file of a session, ours (`jsonl`) or a trajectory (`atif`), made into a new session here.

What was said comes along, with the system prompt and the tools of the file where it has them. What
a stranger could do harm with does not: grants, the mode, the workspace, files to be put back. The
new session belongs to the workspace it is imported in, and asks for a model when it goes on.
"""

from __future__ import annotations

import json
import os

from clinkai.core.catalogue import LANGUAGES
from clinkai.core.errors import UsageError
from clinkai.core.value import Value
from clinkai.harness import prefix
from clinkai.harness.export import read_atif, read_jsonl
from clinkai.harness.export.content import BadFile, Content
from clinkai.harness.sessions import Sessions
from clinkai.harness.toolbox import SessionToolbox
from clinkai.harness.tools import TOOLS
from clinkai.harness.workspace import Workspace

PROVIDERS = ("openai", "ollama", "anthropic", "demo")


class Brought(Value):
    """The new session. notes: what people should know, (catalogue key, params) each."""

    id: str
    path: str
    format: str
    messages: int
    notes: tuple


def bring(path: str, workspace: str, settings: object, say) -> Brought:
    """Make a session in `workspace` (a real path) of the file `path`. say: the language of a file
    that names none. Raises UsageError for a file that is none, SessionError, WorkspaceError."""
    text = _text(path)
    try:
        kind, content = _content(text, say)
    except BadFile as bad:
        raise UsageError(bad.key, path=path, **bad.params) from bad
    init = _init(content, workspace, settings, say)
    init["imported"] = {"format": kind, "file": os.path.basename(path)}
    last = {"type": "meta", "kind": "model", "provider": init["provider"],
            "model": init["model"] if init["provider"] == "demo" else ""}
    session = Sessions(settings.sessions).create(init, (*content.records, last))
    session.close()
    notes = list(content.notes)
    known = {tool.name for tool in TOOLS}
    foreign = [schema["function"]["name"] for schema in init["tools"]]
    if foreign := [name for name in foreign if name not in known]:
        notes.append(("export.import.tools", {"names": ", ".join(foreign[:20])}))
    count = sum(record["type"] != "meta" for record in content.records)
    return Brought(session.id, session.path, kind, count, tuple(notes))


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read()
        return data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise UsageError("export.error.text", path=path, at=error.start) from error
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError("export.error.file", path=path, why=why) from error


def _content(text: str, say) -> tuple[str, Content]:
    """The format, and what the file holds. Raises BadFile."""
    if not text.strip():
        raise BadFile("export.error.empty")
    try:
        whole = json.loads(text)
    except RecursionError as error:
        raise BadFile("export.error.json", line=1, why="nested too deep") from error
    except ValueError as error:
        if _is_object(text.lstrip().partition("\n")[0]):
            return "jsonl", read_jsonl.read(text)
        line, why = getattr(error, "lineno", 1), getattr(error, "msg", str(error))
        raise BadFile("export.error.json", line=line, why=why) from error
    if isinstance(whole, dict) and isinstance(whole.get("type"), str) and "steps" not in whole:
        return "jsonl", read_jsonl.read(text)
    return "atif", read_atif.read(whole, say)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _init(content: Content, workspace: str, settings: object, say) -> dict:
    """The first record: of the file, and of what is here where it says nothing."""
    system, tools, files = content.system, content.tools, content.agents_md
    lang = content.lang if content.lang in LANGUAGES else say.lang
    words = type(say)(lang)
    if system is None:
        private = [settings.home, settings.sessions]
        place = Workspace(workspace, private, settings.secrets_ok)
        frozen = prefix.build(place, words, settings.system_prompt)
        system, files = frozen.system, [file.path for file in frozen.agents_md]
    if tools is None:
        chosen = tuple(tool for tool in TOOLS if tool.name in settings.tools)
        tools = list(SessionToolbox(chosen, None, words).schemas())
    provider = content.provider if content.provider in PROVIDERS else "openai"
    begun = {} if content.begun is None else {"ts": content.begun}
    return {**begun, "type": "init", "workspace": workspace, "model": content.model,
            "provider": provider, "lang": lang, "mode": settings.mode, "system": system,
            "tools": tools, "agents_md": files}

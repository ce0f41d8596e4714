"""Real parts around a tool: a workspace, a session on disk, the toolbox, a gate with nobody to ask."""

from __future__ import annotations

import json
import os

from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.errors import ToolError
from clinkai.core.messages import ToolCall
from clinkai.core.value import Value, replace
from clinkai.harness.policy import Policy, decide
from clinkai.harness.session import Session
from clinkai.harness.store import Store
from clinkai.harness.toolbox import FileVersions, SessionToolbox, ToolContext
from clinkai.harness.tools import TOOLS
from clinkai.harness.workspace import Workspace
from clinkai.loop.gate import Settled
from clinkai.loop.tool import Tool, ToolResult


def told(tool: Tool, args: Value, context: ToolContext, **changes: object) -> ToolContext:
    """The context of a call whose effects the gate allowed, for running a tool by itself."""
    context = replace(context, **changes)
    return replace(context, effects=tool.effects(context, args))


class Desk:
    """A workspace in `folder`/ws with its session in `folder`/home; a context manager."""

    def __init__(self, folder, lang: str = "en", window: int | None = None, **fence: object) -> None:
        self.root = folder / "ws"
        self.root.mkdir(parents=True, exist_ok=True)
        home = folder / "home"
        home.mkdir(exist_ok=True)
        self.say = Strings(lang)
        self.session = Session.create(str(home / "sessions" / f"{os.urandom(4).hex()}.jsonl"), {
            "type": "init", "workspace": str(self.root), "model": "", "provider": "",
            "lang": lang, "mode": "auto", "system": "", "tools": [], "agents_md": [],
        })
        self.workspace = Workspace(self.root, (home,), **fence)
        self.store = Store(self.session)
        self.seen = FileVersions()
        self.context = ToolContext(
            self.workspace, self.say, self.store, self.seen, 8192, "parts", cancel=Cancel())
        self.box = SessionToolbox(TOOLS, self.context, self.say, window=lambda: window)
        self.cancel = Cancel()
        self.calls = 0
        self.events: list = []

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def call(self, name: str, _decision: str = "", **args: object) -> ToolResult:
        """Run a call as a headless run would; `_decision` is what a person said instead."""
        try:
            call = self.box.prepare(ToolCall("c", name, json.dumps(args)))
        except ToolError as error:
            return ToolResult(False, error.text(self.say))
        verdict = decide(call.effects, Policy())
        if verdict.name != "allow" and not _decision:
            return ToolResult(False, verdict.name)
        self.calls += 1
        return self.box.run(call, Settled(_decision or "allow"), self.calls, self.events.append,
                            self.cancel)

    def text(self, name: str, **args: object) -> str:
        """The output of a call that must have worked."""
        result = self.call(name, **args)
        assert result.ok, result.output
        return result.output

    def error(self, name: str, **args: object) -> str:
        """The output of a call that must have failed."""
        result = self.call(name, **args)
        assert not result.ok, result.output
        return result.output

    def put(self, path: str, content: str | bytes) -> None:
        """Write a file behind the tools' back."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def get(self, path: str) -> bytes:
        """The bytes of a file."""
        return (self.root / path).read_bytes()

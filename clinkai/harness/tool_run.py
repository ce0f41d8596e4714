"""Single tool calls outside a session: `clinkai.py tool`, as a headless run would make them.

Same tools, same gate, same limits. What a session would keep (full outputs, files as they were)
lies in a temporary folder that goes with the run. Not covered: questions; every ask is not run.
"""

from __future__ import annotations

import json
import tempfile

from clinkai.core.cancel import Cancel
from clinkai.core.errors import ToolError
from clinkai.core.events import Event
from clinkai.core.messages import ToolCall
from clinkai.harness import confine, files, home, rules
from clinkai.harness.permission import SessionGate
from clinkai.harness.session import Session
from clinkai.harness.settings import Settings
from clinkai.harness.store import Store
from clinkai.harness.toolbox import FileVersions, SessionToolbox, ToolContext
from clinkai.harness.tools import TOOLS
from clinkai.harness.workspace import Workspace
from clinkai.loop.tool import Prepared, Writes


class ToolRun:
    """`with ToolRun(settings, workspace, allow) as tools: tools.call("ls", {"path": "."})`.
    Raises members of the error tree."""

    def __init__(self, settings: Settings, workspace: str, allow: tuple = ()) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="clinkai-tool-")
        private = (*home.private(settings.home, settings.sessions), self._folder.name)
        self._workspace = Workspace(workspace, private, settings.secrets_ok)
        self._say = settings.say
        self._session = Session.create(f"{self._folder.name}/run-0.jsonl", {
            "type": "init", "workspace": self._workspace.path, "model": "", "provider": "",
            "lang": settings.lang, "mode": settings.mode, "system": "", "tools": [],
            "agents_md": [],
        })
        self._seen = FileVersions()
        context = ToolContext(self._workspace, self._say, Store(self._session), self._seen,
                              settings.tool_out_limit, settings.compound)
        chosen = tuple(tool for tool in TOOLS if tool.name in settings.tools)
        self._box = SessionToolbox(chosen, context, self._say)
        standing = rules.load(allow, settings.home, settings.mode, self._workspace.path)
        policy, _ = confine.applied(standing, self._workspace)
        self._gate = SessionGate(policy, self._say, self._workspace.path, asks=False, keep=_no_grant)
        self._count = 0

    def __enter__(self) -> ToolRun:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()
        self._folder.cleanup()

    def call(self, name: str, arguments: object) -> dict:
        """Run one call. arguments: an object, or its JSON text.

        Returns {decision: allow, ask or deny; ok; output}: only `allow` was run; a call that makes
        no sense is an allowed one that failed.
        """
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        try:
            call = self._box.prepare(ToolCall("call", name, *_object(text)))
        except ToolError as error:
            return {"decision": "allow", "ok": False, "output": error.text(self._say)}
        verdict = self._gate.decide(call)
        cancel = Cancel()
        settled = self._gate.settle(call, verdict, _unheard, cancel)
        if not settled.allowed:
            return {"decision": verdict.name, "ok": False, "output": settled.reason}
        self._count += 1
        self._look(call)
        result = self._box.run(call, settled, self._count, _unheard, cancel)
        return {"decision": "allow", "ok": result.ok, "output": result.output}

    def _look(self, call: Prepared) -> None:
        """A file that is about to be written counts as having been read."""
        for effect in call.effects:
            if type(effect) is Writes:
                try:
                    found = files.load(self._workspace, effect.place)
                except ToolError:
                    continue
                if found is not None:
                    self._seen.note(effect.place.path, found.version)


def _object(text: str) -> tuple[str, str]:
    """(arguments, broken) of a ToolCall."""
    try:
        if isinstance(json.loads(text), dict):
            return text, ""
    except (ValueError, RecursionError):
        pass
    return "{}", text or " "


def _unheard(event: Event) -> None:
    """Nobody watches."""


def _no_grant(grant: dict) -> None:
    """Nothing is granted where nobody can be asked."""

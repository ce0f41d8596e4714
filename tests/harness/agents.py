"""Agents for tests: real settings, real folders, a fake server or scripted replies."""

from __future__ import annotations

import os
import resource
import sys
from contextlib import contextmanager
from pathlib import Path

from clinkai.core.events import Event, Usage, to_json
from clinkai.harness import settings as settings_module
from clinkai.harness.agent import Agent, Start

DEADLINE = 60.0
"""Seconds a turn of a test may take."""


def settings_for(tmp_path: Path, base_url: str = "", **flags: object):
    """Settings of an empty home beside the workspace."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    environ = {"HOME": str(tmp_path), "CLINKAI_HOME": str(home), "CLINKAI_MODEL": "local",
               "PATH": os.environ["PATH"], "CLINKAI_IDLE_TIMEOUT": "20"}
    if base_url:
        environ["CLINKAI_BASE_URL"] = base_url
    return settings_module.load(flags, environ)


@contextmanager
def files_end_at(size: int):
    """No file of this process grows beyond `size` bytes within the block. Modules imported there
    are not kept compiled: Python would leave half of them on the disk for everybody."""
    limits, compiled = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        sys.dont_write_bytecode = compiled


class Run:
    """An agent with the events it told; `say(text)` runs one turn to its end. wire: the setting
    PROVIDER, where no provider is given."""

    def __init__(self, tmp_path: Path, *, base_url: str = "", provider=None, resume=None,
                 asks: bool = False, allow: tuple = (), workspace: Path | None = None,
                 wire: str = "", **flags):
        if wire:
            flags["provider"] = wire
        self.workspace = workspace or tmp_path / "ws"
        self.workspace.mkdir(exist_ok=True)
        self.events: list[Event] = []
        self.bodies: list[dict] = []
        start = Start(str(self.workspace) if workspace or not resume else None, resume, asks, allow)
        if resume == "auto":
            start = Start(str(self.workspace), resume, asks, allow)
        self.agent = Agent(settings_for(tmp_path, base_url, **flags), start, [self.see], provider)

    def see(self, event: Event, stamp: tuple) -> None:
        self.events.append(event)
        self.bodies.append(to_json(event, *stamp))

    def say(self, text: str):
        self.agent.submit(text)
        end = self.agent.wait(DEADLINE)
        assert end is not None, "the turn did not end"
        return end

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.agent.close()
        assert "changed" not in {usage.cause for usage in self.of(Usage)}, "what was sent changed"


def extends(before: bytes, after: bytes) -> bool:
    """The cache rule: a body without its closing brackets is a prefix of the next one's."""
    def opened(body: bytes) -> bytes:
        return body.rstrip()[: -len(b"]}")]

    return before.rstrip().endswith(b"]}") and opened(after).startswith(opened(before))

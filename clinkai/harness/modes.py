"""The mode of a session: which one holds, and how a change of it is told.

The prompt before the conversation never says the mode. The model is told at the end of the next
message from a person, once, and only where what holds is not what it knows; a new session is taken
to be in `auto`. People are told with a notice. What a mode allows: `policy`.
"""

from __future__ import annotations

from clinkai.core.catalogue import Strings
from clinkai.core.errors import UsageError
from clinkai.core.events import Notice, record_of
from clinkai.core.state import State
from clinkai.core.value import replace
from clinkai.harness import confine
from clinkai.harness.policy import Policy
from clinkai.harness.session import Session
from clinkai.harness.settings import MODES, Settings
from clinkai.harness.workspace import Workspace

ASKED = ("flag", "environment")
"""Sources of the setting that speak of this run; config.toml speaks of new sessions."""


def chosen(kept: str, settings: Settings, trusted: bool) -> str:
    """The mode a session goes on in: `kept`, its own, unless this run asks for another. trusted:
    False for a log in the workspace, which can make the mode stricter only."""
    if settings.sources["mode"] in ASKED or kept not in MODES:
        return settings.mode
    return kept if trusted else min(kept, settings.mode, key=MODES.index)


def switched(policy: Policy, mode: str, workspace: Workspace) -> tuple[Policy, list[Notice]]:
    """The policy in another mode, and what people are told. Raises UsageError for no mode."""
    _known(mode)
    policy, why = confine.applied(replace(policy, mode=mode), workspace)
    return policy, [now(mode), *unconfined(why)]


def now(mode: str) -> Notice:
    """Which mode holds from now on, and what that means."""
    return Notice("info", f"notice.mode.{mode}", {})


def unconfined(why: str) -> list[Notice]:
    """That there is no sandbox for the mode that wants one; nothing where `why` is empty."""
    key = "notice.sandbox.wide" if why == "wide" else "notice.sandbox"
    return [Notice("warn", key, {})] if why else []


def record(mode: str) -> dict:
    """What the session log keeps of a change."""
    return {"type": "meta", "kind": "mode", "mode": mode}


def write(path: str, mode: str) -> Notice:
    """Change the mode of a session that nobody has open; what people are told, which its log has
    then. Raises UsageError, SessionError."""
    _known(mode)
    notice = now(mode)
    session = Session.open(path)
    try:
        if mode != session.state.mode:
            session.append(record(mode))
        session.append(record_of(notice))
    finally:
        session.close()
    return notice


def told(record: dict, policy: Policy, state: State, say: Strings) -> dict:
    """The record of a message from a person, with the mode at its end where the model does not
    know it; then the record says so in `mode`."""
    mode = "auto" if policy.mode == "sandbox" and not policy.confined else policy.mode
    if mode == state.told:
        return record
    content = f"{record['content']}\n\n{say(f'notice.told.{mode}')}"
    return {**record, "content": content, "mode": mode}


def _known(mode: str) -> None:
    if mode not in MODES:
        raise UsageError("setting.error.choice", where="mode", value=mode[:80],
                         choices=", ".join(MODES))

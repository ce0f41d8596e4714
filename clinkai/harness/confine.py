"""Whether commands of a workspace can run in the kernel sandbox, and the wall they run behind.

The one way from the product to `harness.sandbox`, which is only loaded where it can exist.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from clinkai.core.value import replace
from clinkai.harness.policy import Policy
from clinkai.harness.workspace import Workspace

if TYPE_CHECKING:
    from clinkai.harness.sandbox.wall import Wall


def applied(policy: Policy, workspace: Workspace) -> tuple[Policy, str]:
    """The policy with what its mode makes of this machine, and why there is no sandbox where the
    mode wants one: empty, not_linux, missing, off, blocked, old, machine or wide."""
    if policy.mode != "sandbox":
        return replace(policy, confined=False), ""
    if not sys.platform.startswith("linux"):
        return replace(policy, confined=False), "not_linux"
    from clinkai.harness.sandbox.wall import refusal

    why = refusal(workspace.path, workspace.private, writes=True)
    return replace(policy, confined=not why), why


def wall(workspace: Workspace, writes: bool) -> Wall | None:
    """What a command runs behind; None where there is nothing. writes: it may write in the
    workspace."""
    if not sys.platform.startswith("linux"):
        return None
    from clinkai.harness.sandbox import walls
    from clinkai.harness.sandbox.wall import Unconfined

    try:
        return walls.find(workspace.path, workspace.private, writes)
    except Unconfined:
        return None

"""The tools of the agent, one module each, in the order in which the model is told of them."""

from __future__ import annotations

from clinkai.harness.tools.bash import BASH
from clinkai.harness.tools.delete import DELETE
from clinkai.harness.tools.edit import EDIT
from clinkai.harness.tools.grep import GREP
from clinkai.harness.tools.ls import LS
from clinkai.harness.tools.move import MOVE
from clinkai.harness.tools.read import READ
from clinkai.harness.tools.write import WRITE

TOOLS = (READ, WRITE, EDIT, LS, GREP, BASH, MOVE, DELETE)

"""The tool `bash`: one command in the workspace.

What the gate allowed by itself runs from its parsed form, behind a wall where there is one; what a
person or a standing rule approved runs in a shell, as it stands; what the mode sandbox lets run does
so in a shell behind the wall, or not at all. A non-zero exit code is a result; a command that had to be stopped is
a failure with the output so far. How long it took is not in the text, which the breakers compare.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from clinkai.core.errors import ToolError
from clinkai.core.text import size
from clinkai.core.value import Value, replace
from clinkai.harness.names import problem
from clinkai.harness.tools.paths import printable
from clinkai.harness.workspace import PLAIN
from clinkai.loop.tool import Runs, Tool, ToolResult, arg

if TYPE_CHECKING:
    from clinkai.harness.shell.run import Finished
    from clinkai.harness.shell.script import Script
    from clinkai.harness.toolbox import ToolContext
    from clinkai.harness.workspace import Workspace

WORD = r"[^\s'\"|&;<>()$`=,]+"


class BashArgs(Value):
    """timeout: seconds."""

    command: str = arg()
    timeout: int = arg(120, minimum=1, maximum=600)


def effects(context: ToolContext, args: BashArgs) -> tuple[Runs, ...]:
    """What the command would run. Raises ToolError for an empty one."""
    script = _judge(args.command, context)
    leads = () if script.listed else links(script, context.workspace)
    return (Runs(args.command, script, leads),)


def run(context: ToolContext, args: BashArgs) -> ToolResult:
    """Run it. Raises ToolError where it cannot be started at all, or is no longer what the gate
    was told."""
    from clinkai.harness import confine, manifest
    from clinkai.harness.shell.run import Job, run_script, run_shell

    command = args.command
    job = Job(context.workspace.path, context.say, args.timeout, context.cancel, context.emit_out)
    now = effects(context, args)
    script = now[0].script
    if [_gist(one) for one in now] != [_gist(one) for one in context.effects]:
        raise ToolError("tool.bash.changed")
    try:
        if script.listed and not context.approved:
            wall = confine.wall(context.workspace, writes=False)
            done = run_script(script, replace(job, wall=wall))
        else:
            if not context.approved:
                wall = confine.wall(context.workspace, writes=True) if context.confined else None
                if wall is None:
                    raise ToolError("tool.bash.changed")
                job = replace(job, wall=wall)
            with manifest.watched(context):
                done = run_shell(command, script.dialect, job)
    except OSError as error:
        raise ToolError("tool.bash.disk", why=error.strerror or str(error)) from error
    edited = context.command is not None
    note = context.say("tool.bash.edited", command=command) + "\n" if edited else ""
    return ToolResult(not done.stopped, note + _text(done, context, args.timeout), exit=done.exit)


def title(args: BashArgs) -> str:
    """The command on one line."""
    return " ⏎ ".join(line for line in args.command.splitlines() if line.strip())


def links(script: Script, workspace: Workspace) -> tuple[tuple[str, str], ...]:
    """For `Runs.leads`: the words of a command that lead through a link, or up from one. Words are
    what was parsed and, for what could not be, whatever stands between blanks and signs."""
    words = [] if script.parts else re.findall(WORD, script.text)
    for part in script.parts:
        words += [name for name in part.argv[:1] if "/" in name]
        words += [piece for word in part.argv[1:] for piece in (word, word.rpartition("=")[2])]
    found = {}
    for word in dict.fromkeys(words):
        if problem(word, workspace.platform):
            continue
        first = word.partition("/")[0]
        if first in PLAIN or os.path.lexists(os.path.join(workspace.path, first)):
            spelled = os.path.join(workspace.path, word)
            real = os.path.realpath(spelled)
            if real != os.path.normpath(spelled):
                found[word] = real
    return tuple(sorted(found.items()))


def _gist(effect: Runs) -> tuple:
    """What must be the same when the command runs. Not what its wild cards match: a shell, or the
    parsed form, matches them anew, and each match is judged then."""
    script = effect.script
    parts = [(part.listed, part.key, part.params, part.risk) for part in script.parts]
    return effect.command, script.key, script.params, script.risk, parts, effect.leads


def _judge(command: str, context: ToolContext) -> Script:
    from clinkai.harness.shell.judge import dialect_of_platform, judge

    if not command.strip():
        raise ToolError("tool.bash.empty")
    return judge(command, dialect_of_platform(), context.workspace, context.compound)


def _text(done: Finished, context: ToolContext, timeout: int) -> str:
    """The output and, where it says more than that, how it ended."""
    from clinkai.harness.shell.capture import LIMIT

    say = context.say
    output = done.output.decode("utf-8", "replace").rstrip("\n")
    lines = [output] if output.strip() else []
    if done.stopped:
        lines.append(say(f"tool.bash.stopped.{done.stopped}", seconds=timeout, size=size(LIMIT)))
    elif done.exit:
        lines.append(say("tool.bash.exit", code=done.exit))
    elif not lines:
        lines.append(say("tool.bash.quiet"))
    if done.left:
        lines.append(say("tool.bash.left"))
    if done.restored:
        lines.append(say("tool.bash.restored", paths=", ".join(map(printable, done.restored))))
    if context.confined and done.exit and not done.unwalled:
        lines.append(say("tool.bash.confined"))
    return "\n".join(lines)


BASH = Tool("bash", BashArgs, run=run, effects=effects, title=title)

"""The tool `bash`: one command in the workspace.

What the gate allowed by itself runs from its parsed form, behind a wall where there is one; what a
person or a standing rule approved runs in a shell, as it stands; what the mode sandbox lets run does
so in a shell behind the wall, or not at all. A non-zero exit code is a result; a command that had to be stopped is
a failure with the output so far. How long it took is not in the text, which the breakers compare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinkai.core.errors import ToolError
from clinkai.core.text import size
from clinkai.core.value import Value, replace
from clinkai.loop.tool import Runs, Tool, ToolResult, arg

if TYPE_CHECKING:
    from clinkai.harness.shell.run import Finished
    from clinkai.harness.shell.script import Script
    from clinkai.harness.toolbox import ToolContext


class BashArgs(Value):
    """timeout: seconds."""

    command: str = arg()
    timeout: int = arg(120, minimum=1, maximum=600)


def effects(context: ToolContext, args: BashArgs) -> tuple[Runs, ...]:
    """What the command would run. Raises ToolError for an empty one."""
    return (Runs(args.command, _judge(args.command, context)),)


def run(context: ToolContext, args: BashArgs) -> ToolResult:
    """Run it. Raises ToolError where it cannot be started at all."""
    from clinkai.harness import confine
    from clinkai.harness.shell.run import Job, run_script, run_shell

    edited = context.command
    command = args.command if edited is None else edited
    job = Job(context.workspace.path, context.say, args.timeout, context.cancel, context.emit_out)
    script = _judge(command, context)
    try:
        if context.approved or edited is not None:
            done = run_shell(command, script.dialect, job)
        elif script.listed:
            wall = confine.wall(context.workspace, writes=False)
            done = run_script(script, replace(job, wall=wall))
        elif context.confined:
            wall = confine.wall(context.workspace, writes=True)
            if wall is None:
                raise ToolError("tool.bash.changed")
            done = run_shell(command, script.dialect, replace(job, wall=wall))
        else:
            raise ToolError("tool.bash.changed")
    except OSError as error:
        raise ToolError("tool.bash.disk", why=error.strerror or str(error)) from error
    note = "" if edited is None else context.say("tool.bash.edited", command=command) + "\n"
    return ToolResult(not done.stopped, note + _text(done, context, args.timeout), exit=done.exit)


def title(args: BashArgs) -> str:
    """The command on one line."""
    return " ⏎ ".join(line for line in args.command.splitlines() if line.strip())


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
        lines.append(say("tool.bash.restored", paths=", ".join(done.restored)))
    if context.confined and done.exit and not done.unwalled:
        lines.append(say("tool.bash.confined"))
    return "\n".join(lines)


BASH = Tool("bash", BashArgs, run=run, effects=effects, title=title)

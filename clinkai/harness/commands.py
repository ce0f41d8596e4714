"""The slash commands of a conversation: one table for all front ends.

    done = run("/mode plan", agent, say)

A line that begins with `/` and one word of letters is a command; `/etc/hosts is wrong` is a task.
A front end shows the text and leaves where that is asked for; what a command changes is told as
events, like everything else. Not covered: keys and menus of a front end.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable

from clinkai.core.catalogue import Strings
from clinkai.core.errors import UsageError
from clinkai.core.text import first_line
from clinkai.core.value import Value
from clinkai.harness.agent import Agent
from clinkai.harness.branching import Prompt, back
from clinkai.harness.settings import MODES
from clinkai.harness.store import Store


class Done(Value):
    """What a command did. text: for the person, of one or more lines, or empty; leave: the
    conversation is over; run: begins a run, which the front end watches as any other; draft: what
    the person may want to change and send again."""

    text: str = ""
    leave: bool = False
    run: Callable[[], str] | None = None
    draft: str = ""


class Command(Value):
    """One row. The catalogue has its help under `command.help.` and its name. arguments: as the
    help shows them; act(agent, argument, say) does it."""

    name: str
    arguments: str
    act: Callable


def name_of(line: str) -> str:
    """The name of the command a line is, known or not; empty for a task."""
    word = line.split()[0] if line.startswith("/") else ""
    return word[1:].lower() if word[1:].isalpha() else ""


def run(line: str, agent: Agent, say: Strings) -> Done:
    """Do what the line says, for which `name_of` has a name. say: the language of the person.
    Raises members of the error tree."""
    name, argument = name_of(line), "".join(line.split(None, 1)[1:]).strip()
    command = next((one for one in TABLE if one.name == name), None)
    if command is None:
        return Done(say("command.unknown", name=name))
    if argument and not command.arguments:
        return Done(say("command.alone", name=name))
    return command.act(agent, argument, say)


def _mode(agent: Agent, argument: str, say: Strings) -> Done:
    if argument:
        agent.set_mode(argument.lower())
        return Done()
    lines = [f"{'*' if mode == agent.mode else ' '} {say(f'notice.mode.{mode}')}" for mode in MODES]
    return Done("\n".join(lines))


def _grants(agent: Agent, argument: str, say: Strings) -> Done:
    policy = agent.gate.policy
    lines = [say(f"command.grants.{grant['kind']}", what=_what(grant)) for grant in policy.grants]
    for name in ("allow", "deny"):
        rules = getattr(policy, name)
        lines += [say(f"command.grants.{name}", what=shlex.join(rule)) for rule in rules]
    return Done("\n".join(lines) or say("command.grants.none"))


def _what(grant: dict) -> str:
    """What was granted, on one line."""
    if grant["kind"] == "prefix":
        return shlex.join(grant["rule"])
    return " ⏎ ".join(str(grant.get("command") or grant.get("path")).splitlines())


def _compact(agent: Agent, argument: str, say: Strings) -> Done:
    if agent.session is None:
        return Done(say("notice.compact.nothing"))
    return Done(run=lambda: agent.compact(argument))


def _undo(agent: Agent, argument: str, say: Strings) -> Done:
    return _taken(agent, argument, say, redo=False)


def _redo(agent: Agent, argument: str, say: Strings) -> Done:
    return _taken(agent, argument, say, redo=True)


def _taken(agent: Agent, argument: str, say: Strings, redo: bool) -> Done:
    if argument and not (argument.isascii() and argument.isdecimal() and len(argument) < 8):
        return Done(say("undo.number", word=argument[:40]))
    return Done("\n".join(agent.undo(int(argument or 0), redo).lines(say)))


def _diff(agent: Agent, argument: str, say: Strings) -> Done:
    if agent.session is None:
        return Done(say("undo.no_diff"))
    from clinkai.harness.undo import diff

    text, missing = diff(Store(agent.session), agent.workspace)
    lines = [say("undo.missing", path=path) for path in missing]
    return Done("\n".join([text.rstrip("\n") or say("undo.no_diff"), *lines]))


def _rewind(agent: Agent, argument: str, say: Strings) -> Done:
    words = argument.split()
    files = "restore" if words[-1:] == ["restore"] else "keep"
    found = _before(agent, " ".join(words[:len(words) - (files == "restore")]) or "1", say)
    if isinstance(found, Done):
        return found
    lines = [say("command.rewind", text=first_line(found.text)[:200])]
    for report in agent.rewind(found.seq - 1, files):
        lines += report.lines(say)
    return Done("\n".join(lines), draft=found.text)


def _fork(agent: Agent, argument: str, say: Strings) -> Done:
    at = None
    if argument:
        found = _before(agent, argument, say)
        if isinstance(found, Done):
            return found
        at = found.seq - 1
    made = agent.fork(at)
    return Done(say("command.fork", id=made.id, seq=made.seq))


def _before(agent: Agent, argument: str, say: Strings) -> Prompt | Done:
    """The message of a person that is the `argument`-th from the end; or what is wrong with it."""
    if not (argument.isascii() and argument.isdecimal() and len(argument) < 8):
        return Done(say("command.number", word=argument[:40]))
    if agent.session is None:
        raise UsageError("error.rewind.nothing")
    return back(agent.session.path, int(argument), agent.say)


def _help(agent: Agent, argument: str, say: Strings) -> Done:
    return Done("\n".join(
        f"/{one.name} {one.arguments}".ljust(23) + say(f"command.help.{one.name}") for one in TABLE
    ))


def _quit(agent: Agent, argument: str, say: Strings) -> Done:
    return Done(leave=True)


TABLE = (
    Command("mode", "[NAME]", _mode),
    Command("grants", "", _grants),
    Command("compact", "[WISH]", _compact),
    Command("undo", "[N]", _undo),
    Command("redo", "[N]", _redo),
    Command("diff", "", _diff),
    Command("rewind", "[N] [restore]", _rewind),
    Command("fork", "[N]", _fork),
    Command("help", "", _help),
    Command("quit", "", _quit),
)
"""All commands, in the order of the help."""

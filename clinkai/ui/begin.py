"""From a call to an agent that is ready for its first prompt: session, folder, model.

A resumed session goes on with its own provider and model unless others are asked for. Nothing is
sent here where BASE_URL and MODEL are set; the agent then asks the server what it is, once, before
the first chat request. Other servers on this machine are looked for only where BASE_URL is the
default and nobody answers there.
"""

from __future__ import annotations

from collections.abc import Callable

from clinkai.core.errors import UsageError
from clinkai.harness import home
from clinkai.harness.agent import Agent, Start
from clinkai.harness.sessions import Sessions
from clinkai.harness.settings import Settings
from clinkai.ui import contact
from clinkai.ui.call import Call
from clinkai.ui.clean import clean
from clinkai.ui.lines import read_line


def begin(call: Call, sink: Callable, *, asks: bool, ahead: bool = False) -> Agent:
    """Return the agent. ahead: as in `Start`. Raises members of the error tree."""
    settings = call.settings
    wanted = call.options.get("workspace")
    resume = call.options.get("resume")
    here = contact.folder(wanted)
    sessions = Sessions(settings.sessions)
    if resume == "":
        resume = pick_session(call, sessions, here, asks)
    if resume is None:
        check_folder(call, here, asks)
    else:
        resume = sessions.find(resume, here)
        settings = continued(resume, settings)
    settings, notices = with_server(call, settings, asks)
    settings, more = with_model(call, settings, asks)
    allowed = call.options.get("allow", ())
    start = Start(wanted, resume, asks, allowed, (*notices, *more), ahead)
    agent = Agent(settings, start, [sink])
    try:
        if resume is not None:
            check_folder(call, agent.workspace.path, asks)
    except BaseException:
        agent.close()
        raise
    if settings.provider == "demo":
        label(call)
    else:
        warn_of_key(call, settings)
    return agent


def continued(path: str, settings: Settings) -> Settings:
    """The settings with the provider and model that the session used last, where the person has
    not set others."""
    from clinkai.harness.models import used_by

    provider, model = used_by(path)
    was_demo = provider == "demo"
    if was_demo and settings.sources["provider"] == "default":
        return settings.changed(provider="demo", model=model)
    if settings.model or was_demo != (settings.provider == "demo"):
        return settings
    return settings.changed(model=model)


def with_server(call: Call, settings: Settings, asks: bool) -> tuple[Settings, tuple]:
    """The settings with a server that answers, unless its address was set; and notices."""
    if settings.sources["base_url"] != "default" or settings.provider == "demo":
        return settings, ()
    from clinkai.harness.reach import reach

    way = reach(settings, (lambda lines: menu(call, "cli.menu.server", lines)) if asks else None)
    return way.settings, way.notices


def with_model(call: Call, settings: Settings, asks: bool) -> tuple[Settings, tuple]:
    """The settings with a model to ask for, and notices; the stand-in needs none."""
    if settings.model or settings.provider == "demo":
        return settings, ()
    from clinkai.harness.models import choose_model

    def listed() -> tuple[str, ...]:
        from clinkai.ui.serving import Clock, served_in_time

        with Clock(call) as clock:
            return served_in_time(settings, clock.loads)

    ask = (lambda models: menu(call, "cli.menu.model", models)) if asks else None
    choice = choose_model("", settings.home, listed, ask)
    return settings.changed(model=choice.model), choice.notices


def check_folder(call: Call, path: str, asks: bool) -> None:
    """Have a risky workspace confirmed, or raise WorkspaceError."""
    def confirm(risk: str) -> bool:
        screen = call.screen
        screen.line(clean(call.say(risk, path=path)), "err", "yellow")
        screen.write(call.say("cli.workspace.confirm") + " ", "err", "bold")
        return (read_line(call.stdin) or "").strip().lower() == "yes"

    contact.check(path, home.user_home(call.environ), call.settings.home, confirm if asks else None)


def pick_session(call: Call, sessions: Sessions, here: str, asks: bool) -> str | None:
    """Let a person choose one of the newest sessions of this folder; None for a new one."""
    if not asks:
        raise UsageError("cli.error.resume")
    entries = [entry for entry in sessions.list() if entry.workspace == here][:9]
    if not entries:
        return None
    titles = tuple(f"{entry.id}  {entry.title}" for entry in entries)
    chosen = menu(call, "cli.menu.session", (*titles, call.say("cli.menu.new")))
    return entries[titles.index(chosen)].id if chosen in titles else None


def menu(call: Call, key: str, choices: tuple[str, ...]) -> str:
    """A numbered menu on the error stream. Raises UsageError when nothing is chosen."""
    screen = call.screen
    screen.line(call.say(key), "err", "bold")
    for number, choice in enumerate(choices, 1):
        screen.line(f"  {number}  {clean(choice)}", "err")
    while True:
        screen.write(call.say("cli.menu.prompt", last=len(choices)) + " ", "err")
        line = (read_line(call.stdin) or "").strip()
        if not line:
            raise UsageError("cli.error.not_chosen")
        if line.isdecimal() and 1 <= int(line) <= len(choices):
            return choices[int(line) - 1]


def warn_of_key(call: Call, settings: Settings) -> None:
    """Say so where the key goes over the network for others to read."""
    from clinkai.ai.address import in_the_clear, read_address

    address = read_address(settings.base_url)
    if in_the_clear(address, settings.api_key):
        call.screen.line("  " + call.say("cli.notice.key", host=address.host), "err", "yellow")


def label(call: Call) -> None:
    """Say that what answers is no language model."""
    to = "err" if call.answer_only or call.json else "out"
    call.screen.line(call.say("cli.demo.label"), to, "yellow")

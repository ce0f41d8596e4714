"""The command line as tables: sub-commands, options, and how words are read by them.

An option may stand before or after the sub-command. The first word that is exactly a sub-command is
one, unless `--` or `-p` came before it; then it is a task. Everything after `--` is a word.
Values: `--name VALUE` or `--name=VALUE`. Not covered: what a value means (`harness/settings.py`,
the commands), the help text (`help_text.py`).
"""

from __future__ import annotations

from clinkai.core.errors import UsageError
from clinkai.core.value import Value
from clinkai.harness.settings import TABLE


class Option(Value):
    """One option. name: its key once read; value: how its value is called in the help, empty for a
    switch; many: may be repeated; open_ended: the value may be left out (then it is empty)."""

    name: str
    flags: tuple
    value: str = ""
    many: bool = False
    open_ended: bool = False


class Command(Value):
    """One sub-command. module: in `clinkai.ui`, its `run(call)` returns the exit code.

    words: how many it takes at most. own: its own options. takes: names of the shared options that
    mean something to it, beside those every command knows. prepares: the home folder is made
    before it runs.
    """

    name: str
    module: str
    words: int = 0
    own: tuple = ()
    takes: frozenset = frozenset()
    prepares: bool = False


class Parsed(Value):
    """A command line once read. command: empty for a task. options: by name, only those given."""

    command: str
    words: tuple
    options: dict


SETTING_VALUES = {"choice": "NAME", "int": "N", "url": "URL", "text": "NAME",
                  "thinking": "on|off|N"}

FROM_SETTINGS = tuple(
    Option(setting.attribute, (setting.flag,), SETTING_VALUES.get(setting.kind, ""))
    for setting in TABLE if setting.flag
)

EVERYWHERE = (
    Option("workspace", ("--workspace",), "DIR"),
    *FROM_SETTINGS,
    Option("plain", ("--plain",)),
    Option("no_color", ("--no-color",)),
    Option("json", ("--json",)),
    Option("version", ("--version",)),
    Option("help", ("-h", "--help")),
)
"""Options of all commands."""

OF_RUNS = (
    Option("resume", ("--resume",), "auto|ID|PATH", open_ended=True),
    Option("allow", ("--allow",), "PREFIX", many=True),
    Option("image", ("--image",), "FILE", many=True),
    Option("print", ("-p", "--print")),
)
"""Options of the commands that run the agent."""

TASK = Command("", "task", words=2, takes=frozenset({"resume", "allow", "image", "print"}),
               prepares=True)

COMMANDS = {
    command.name: command
    for command in (
        Command("web", "commands_web", prepares=True, takes=frozenset({"allow"}), own=(
            Option("host", ("--host",), "HOST"),
            Option("allow_host", ("--allow-host",), "HOST:PORT", many=True),
        )),
        Command("demo", "task", words=2, takes=TASK.takes, prepares=True),
        Command("doctor", "commands_doctor"),
        Command("eval", "commands_eval", words=1, prepares=True, own=(
            Option("list", ("--list",)),
            Option("only", ("--only",), "REGEX"),
            Option("repeat", ("--repeat",), "K"),
            Option("jobs", ("--jobs",), "N"),
            Option("out", ("--out",), "DIR"),
            Option("tasks", ("--tasks",), "DIR"),
        )),
        Command("sessions", "commands_sessions", words=3, own=(
            Option("all", ("--all",)),
            Option("cache", ("--cache",)),
            Option("files", ("--files",)),
            Option("at", ("--at",), "N"),
            Option("regex", ("--regex",)),
            Option("case", ("--case",)),
            Option("age", ("--age",), "DAYS"),
            Option("count", ("--count",), "N"),
            Option("size", ("--size",), "MB"),
            Option("dry_run", ("--dry-run",)),
            Option("yes", ("--yes",)),
            Option("format", ("--format",), "NAME"),
            Option("output", ("-o", "--output"), "FILE"),
            Option("no_redact", ("--no-redact",)),
            Option("force", ("--force",)),
            Option("turn", ("--turn",), "N"),
        )),
        Command("config", "commands_config"),
        Command("policy", "commands_policy", words=2, takes=frozenset({"allow"}), own=(
            Option("dialect", ("--dialect",), "posix|powershell"),
        )),
        Command("tool", "commands_tool", words=2, takes=frozenset({"allow"}), prepares=True),
        Command("probe", "commands_probe", own=(
            Option("no_tools", ("--no-tools",)),
            Option("prompt", ("--prompt",), "TEXT|-"),
            Option("models", ("--models",)),
        )),
        Command("build", "commands_build", own=(Option("output", ("-o", "--output"), "FILE"),)),
    )
}
"""The sub-commands, in the order of the help."""


def command_of(name: str) -> Command:
    """The command of that name; the empty name is a task."""
    return COMMANDS[name] if name else TASK


def options_of(command: Command) -> tuple[Option, ...]:
    """The options a command understands, in the order of the help."""
    return (*command.own, *(o for o in OF_RUNS if o.name in command.takes), *EVERYWHERE)


def parse(argv: list[str]) -> Parsed:
    """Read a command line. Raises UsageError."""
    reader = _Reader(argv)
    while reader.left:
        reader.step()
    return reader.result()


class _Reader:
    """Takes one argument after the other; knows the sub-command once it has been named."""

    def __init__(self, argv: list[str]) -> None:
        self.left = list(reversed(argv))
        self.command = TASK
        self.words: list[str] = []
        self.given: dict[str, object] = {}
        self.flag_of: dict[str, str] = {}
        self.only_words = False

    def step(self) -> None:
        """Read one option with its value, or one word."""
        arg = self.left.pop()
        flag = arg.partition("=")[0]
        if self.only_words or flag in ("", "-") or not flag.startswith("-") or " " in flag:
            if self.names_command(arg):
                self.command = COMMANDS[arg]
            else:
                self.words.append(arg)
        elif arg == "--":
            self.only_words = True
        else:
            self.option(arg)

    def names_command(self, word: str) -> bool:
        """True for the first word where it is exactly a sub-command."""
        free = not (self.words or self.only_words or self.command.name or "print" in self.given)
        return free and word in COMMANDS

    def option(self, arg: str) -> None:
        flag, equals, value = arg.partition("=") if arg.startswith("--") else (arg, "", "")
        option = known(flag)
        if option is None:
            raise UsageError("cli.error.option", option=flag, near=_near(flag))
        self.flag_of[option.name] = flag
        if option.value:
            self.keep(option, value if equals else self.value_of(option, flag))
        elif equals:
            raise UsageError("cli.error.switch", option=flag)
        else:
            self.given[option.name] = True

    def value_of(self, option: Option, flag: str) -> str:
        """The argument that follows, unless it is an option itself."""
        following = self.left[-1] if self.left else None
        if following is None or known(following.partition("=")[0]) or following == "--":
            if option.open_ended:
                return ""
            raise UsageError("cli.error.value", option=flag, value=option.value)
        return self.left.pop()

    def keep(self, option: Option, value: str) -> None:
        if option.many:
            self.given[option.name] = (*self.given.get(option.name, ()), value)
        elif self.given.get(option.name, value) != value:
            raise UsageError("cli.error.twice", option=self.flag_of[option.name])
        else:
            self.given[option.name] = value

    def result(self) -> Parsed:
        understood = {option.name for option in options_of(self.command)}
        foreign = [flag for name, flag in self.flag_of.items() if name not in understood]
        if foreign:
            key = "cli.error.foreign" if self.command.name else "cli.error.foreign_task"
            raise UsageError(key, option=foreign[0], command=self.command.name)
        if not {"help", "version"} & self.given.keys():
            check_words(self.command, self.words)
        return Parsed(self.command.name, tuple(self.words), self.given)


def check_words(command: Command, words: list[str]) -> None:
    """Raise UsageError for more words than the command takes."""
    takes_task = command.module == "task"
    if takes_task and (len(words) > 2 or (len(words) == 2 and words[1] != "-")):
        quoted = " ".join(words).replace("\\", "\\\\").replace('"', '\\"')
        start = f"{command.name} " if command.name else ""
        raise UsageError("cli.error.words", start=start, quoted=quoted)
    if len(words) > command.words:
        raise UsageError("cli.error.too_many", command=command.name, word=words[command.words])


def known(flag: str) -> Option | None:
    """The option of that flag, of whatever command."""
    return _FLAGS.get(flag)


_FLAGS = {
    flag: option
    for option in (*EVERYWHERE, *OF_RUNS, *(o for c in COMMANDS.values() for o in c.own))
    for flag in option.flags
}


def _near(flag: str) -> str:
    import difflib

    return next(iter(difflib.get_close_matches(flag, _FLAGS, 1, 0.7)), "--help")

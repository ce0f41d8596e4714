"""The command line and the terminal."""

STRINGS = {
    "cli.usage.task": 'Usage: python clinkai.py ["task"] [options]\n'
                      "       python clinkai.py COMMAND [options]\n\n"
                      "A task is answered once; more text can be piped in. Without a task, at a\n"
                      "terminal, a conversation begins.",
    "cli.usage.web": "Usage: python clinkai.py web [options]",
    "cli.usage.demo": 'Usage: python clinkai.py demo ["task"] [options]',
    "cli.usage.doctor": "Usage: python clinkai.py doctor [--json] [options]",
    "cli.usage.eval": "Usage: python clinkai.py eval [run|check] [options]",
    "cli.usage.sessions": "Usage: python clinkai.py sessions [list] [--all] [--json]\n"
                          "       python clinkai.py sessions show ID [--cache|--files] [--all] "
                          "[--json]\n"
                          "       python clinkai.py sessions fork ID [--at N] [--json]\n"
                          "       python clinkai.py sessions search TEXT [--regex] [--case]\n"
                          "       python clinkai.py sessions export ID [--format NAME] [-o FILE] "
                          "[--no-redact]\n"
                          "       python clinkai.py sessions import FILE [--json]\n"
                          "       python clinkai.py sessions undo|redo ID [--turn N] [--json]\n"
                          "       python clinkai.py sessions diff ID [-o FILE] [--json]\n"
                          "       python clinkai.py sessions rename ID TITLE\n"
                          "       python clinkai.py sessions pin|unpin ID\n"
                          "       python clinkai.py sessions rm ID [--yes]\n"
                          "       python clinkai.py sessions prune [--age DAYS] [--count N] "
                          "[--size MB] [--dry-run] [--yes]\n\n"
                          "--workspace DIR takes only the sessions of that folder. ID is auto "
                          "(the newest here),\n"
                          "the beginning of an id, or a path. prune leaves alone what is pinned "
                          "or in use.",
    "cli.usage.config": "Usage: python clinkai.py config [--json]",
    "cli.usage.policy": "Usage: python clinkai.py policy check [--dialect posix|powershell] -- "
                        "'COMMAND'\n"
                        "       python clinkai.py policy check < lines of JSON: "
                        '{{"id", "dialect", "command"}}\n'
                        "       python clinkai.py policy list [--json]\n"
                        "       python clinkai.py policy allow|deny|remove 'RULE' [--json]\n\n"
                        "A rule is how a command begins, such as 'python -m pytest'. deny wins;\n"
                        "both kinds hold in every workspace and stand in policy.toml in "
                        "CLINKAI_HOME.",
    "cli.usage.tool": "Usage: python clinkai.py tool NAME 'ARGUMENTS AS JSON'\n"
                      '       python clinkai.py tool - < lines of JSON: {{"id", "name", '
                      '"arguments"}}',
    "cli.usage.probe": "Usage: python clinkai.py probe [--no-tools] [--prompt TEXT|-]\n"
                       "       python clinkai.py probe --models",
    "cli.usage.build": "Usage: python clinkai.py build [-o FILE]",
    "cli.command.web": "Serve the page for a browser on this machine.",
    "cli.command.demo": "Try everything without a model server: a scripted stand-in answers.",
    "cli.command.doctor": "Check this machine and the model server, and say what to do.",
    "cli.command.eval": "Measure how well the agent and the model solve a set of tasks.",
    "cli.command.sessions": "List, show, search, export, import, name and delete sessions.",
    "cli.command.config": "Show the settings in force and where each comes from.",
    "cli.command.policy": "Say whether a command would run without asking; list and change the "
                          "lasting rules.",
    "cli.command.tool": "Run one tool through the gate, as in a run with nobody to ask.",
    "cli.command.probe": "Send one request to the model server and print what came back.",
    "cli.command.build": "Write everything into one file, clinkai.pyz.",
    "cli.help.commands": "Commands:",
    "cli.help.own": "Options of this command:",
    "cli.help.run": "Options of a task:",
    "cli.help.shared": "Options of all commands:",
    "cli.help.settings": "Settings, as environment variables, or in small letters without "
                         "CLINKAI_ in config.toml:",
    "cli.help.setting": "{text} [{default}]",
    "cli.help.codes": "Exit codes: 0 answered, 1 a defect of ClinkAI, 2 usage, settings or this "
                      "machine, 3 model server, 4 too many rounds, 5 no progress, 6 context "
                      "full, 130 interrupted, 143 terminated.",
    "cli.option.workspace": "Folder to work in [the current one]",
    "cli.option.resume": "Go on with a session: the latest of this folder, or the one named",
    "cli.option.allow": "Let commands that begin like this run without asking, in this run",
    "cli.option.print": "Standard output carries the answer only",
    "cli.option.plain": "No line editing and nothing redrawn, for screen readers",
    "cli.option.no_color": "No colours",
    "cli.option.json": "Standard output carries JSON: a run one event a line",
    "cli.option.version": "Print the version",
    "cli.option.help": "Print this help",
    "cli.option.host": "Address to listen on, beside this machine",
    "cli.option.allow_host": "A further address under which browsers may reach the page",
    "cli.option.dialect": "Shell whose rules apply [that of this system]",
    "cli.option.no_tools": "Send no tool with the request",
    "cli.option.prompt": "What is asked; - reads standard input",
    "cli.option.models": "Ask for the list of models only",
    "cli.option.list": "Name the tasks only",
    "cli.option.only": "Tasks whose suite/name this expression is found in",
    "cli.option.repeat": "Trials of each task [3]",
    "cli.option.jobs": "Trials at the same time [1]",
    "cli.option.out": "Folder for the results",
    "cli.option.tasks": "Folder with tasks of your own",
    "cli.option.output": "File to write [build: clinkai.pyz; sessions export: printed]",

    "cli.error": "Error: {text}",
    "cli.error.compiled": "A compiled file of ClinkAI is incomplete, probably since the disk was full "
                          "when it was written.",
    "cli.error.compiled.hint": "It was removed and will be made anew: run the same command again.",
    "cli.error.output": "Standard output cannot be written: {why}.",
    "cli.error.machine": "This machine does not allow it: {why}.",
    "cli.defect": "This is a defect of ClinkAI: {why}\n"
                  "  The details are in {path}. Please report it with that file.",
    "cli.error.option": "There is no option {option}.",
    "cli.error.option.hint": "Did you mean {near}? A task that begins with a dash goes after --.",
    "cli.error.switch": "{option} takes no value.",
    "cli.error.value": "{option} needs a value: {option} {value}",
    "cli.error.twice": "{option} was given twice with different values.",
    "cli.error.foreign": "{option} means nothing to {command}.",
    "cli.error.foreign.hint": "See: python clinkai.py {command} --help",
    "cli.error.foreign_task": "{option} belongs to another command.",
    "cli.error.words": "The task must be one argument, in quotes.",
    "cli.error.words.hint": 'python clinkai.py {start}"{quoted}"',
    "cli.error.too_many": "{command} does not know what to do with “{word}”.",
    "cli.error.too_many.hint": "See: python clinkai.py {command} --help",
    "cli.error.too_few": "{command} needs more: {wanted}",
    "cli.error.too_few.hint": "See: python clinkai.py {command} --help",
    "cli.error.no_task": "There is no task.",
    "cli.error.no_task.hint": 'Give one: python clinkai.py "what does this project do?"',
    "cli.error.input_large": "Standard input has more than {limit}.",
    "cli.error.input_large.hint": "Put it in a file of the workspace and let the agent read the "
                                  "parts it needs.",
    "cli.error.resume": "--resume needs a value here: auto, an id or a path.",
    "cli.error.not_chosen": "Nothing was chosen.",
    "cli.error.build": "The file {path} cannot be written: {why}.",
    "cli.notice.silent": "Standard input is open but silent for {seconds} s, so the run goes on "
                         "without it. To wait for it, write - after the task.",
    "cli.notice.key": "The key goes to {host} without encryption: others on the way can read it.",
    "cli.notice.encoding": "Standard input is not UTF-8: some characters were replaced.",

    "cli.workspace.gone": "The current folder does not exist any more.",
    "cli.workspace.root": "The workspace {path} is the top of the file system: everything on this "
                          "machine would be in reach.",
    "cli.workspace.root.hint": "Choose another folder with --workspace DIR, or confirm it at a "
                               "terminal.",
    "cli.workspace.home": "The workspace {path} is your home folder: all your files would be in "
                          "reach.",
    "cli.workspace.home.hint": "Choose another folder with --workspace DIR, or confirm it at a "
                               "terminal.",
    "cli.workspace.clinkai": "The workspace {path} contains CLINKAI_HOME, with the sessions and "
                             "rules of ClinkAI.",
    "cli.workspace.clinkai.hint": "Choose another folder with --workspace DIR, or confirm it at a "
                                  "terminal.",
    "cli.workspace.confirm": "Work there all the same? Write yes:",
    "cli.demo.label": "Demo: a scripted stand-in answers, not a language model. Tools and rules "
                      "are real.",
    "cli.menu.server": "Which model server?",
    "cli.menu.model": "Which model?",
    "cli.menu.session": "Which session?",
    "cli.menu.new": "New session",
    "cli.menu.prompt": "1 to {last}, Enter for none:",

    "cli.thinking": "thinking:",
    "cli.thinking.more": "… ({n} more characters)",
    "cli.wait.read": "waiting",
    "cli.wait.loading": "the server loads the model",
    "cli.wait.down": "the server does not answer",
    "cli.wait.rate": "the server asks for a pause",
    "cli.wait.retry": "the server failed",
    "cli.wait.again": "again in {time}",
    "cli.wait.left": "{time} left",
    "cli.wait.percent": "prefill {percent}%",
    "cli.wait.of": "{done} of {total}",
    "cli.tool.refused": "refused",
    "cli.tool.failed": "failed",
    "cli.tool.exit": "exit {code}",
    "cli.usage.round": "round {n}/{cap}",
    "cli.usage.in": "in {tokens} (cache {hit})",
    "cli.usage.out": "out {tokens}",
    "cli.usage.prefill": "prefill {time}",
    "cli.usage.speed": "{n} t/s",
    "cli.usage.context": "ctx {percent}%",
    "cli.denied": "Calls that were refused: {n}",
    "cli.end.cancelled": "Stopped.",
    "cli.end.error": "The run ended with an error.",
    "cli.end.cap": "The round cap was reached.",
    "cli.end.breaker": "The run was stopped because it made no progress.",
    "cli.end.context": "The context is full.",
    "cli.end.interrupted": "The run was interrupted.",

    "cli.ask.folder": "in {folder}",
    "cli.ask.rule.session": "a would allow, for this session: {rule}",
    "cli.ask.rule.prefix": "p would allow, for this session, everything that begins with: {rule}",
    "cli.ask.key.y": "y once",
    "cli.ask.key.n": "n no",
    "cli.ask.key.a": "a this session",
    "cli.ask.key.p": "p the rule, this session",
    "cli.ask.key.d": "d whole diff",
    "cli.ask.high": "High risk. Write yes and press Enter to allow it once; Esc refuses:",
    "cli.ask.diff": "… {n} more lines (d shows all)",
    "cli.ask.once": "allowed once",
    "cli.ask.session": "allowed for this session",
    "cli.ask.prefix": "allowed by the rule, for this session",
    "cli.ask.deny": "refused",

    "cli.chat.hello": "{model} in {workspace} · mode {mode} · /help for help, Ctrl+D to leave",
    "cli.chat.resumed": "Going on with “{title}” ({n} messages)",
    "cli.chat.help": "Write a task and press Enter. Ctrl+C stops the running turn; twice at the "
                     "prompt it leaves, as does Ctrl+D.",
    "cli.chat.again": "Ctrl+C again to leave.",
    "cli.chat.bye": "Session {id}. Go on with it: python clinkai.py --resume {id}",
    "cli.sessions.none": "There are no sessions yet.",
    "cli.sessions.row": "{id}  {time}  {state}, rounds: {rounds}, {size}  {title}",
    "cli.sessions.state.done": "done",
    "cli.sessions.state.interrupted": "interrupted",
    "cli.sessions.state.running": "in use",
    "cli.sessions.damaged": "Line {line} of {path} is damaged ({why}) and left out.",
    "cli.lines.json": "The line is no JSON: {why}",
    "cli.lines.object": "The line is no JSON object.",
    "cli.lines.field": "The line has no usable {name}.",
    "cli.config.row": "{env} = {value}   ({source})",
    "cli.config.source.flag": "flag",
    "cli.config.source.environment": "environment",
    "cli.config.source.file": "config.toml",
    "cli.config.source.default": "default",
    "cli.build.done": "{path} written ({size}). Run it: python {name}",
    "cli.probe.prompt": "Say hello in one short sentence.",

    "cli.option.image": (
        "An image (PNG, JPEG, GIF, WebP) that goes with the task, or with the first message "
        "(repeatable)"
    ),

    "cli.wait.silent": "the server is silent",
    "cli.wait.think": "thinking",
    "cli.wait.args": "writing a tool call",
    "cli.wait.text": "writing the answer",

    "cli.notice.english": (
        "The encoding of this terminal has no Chinese characters, so all is in English. For "
        "Chinese use a UTF-8 locale, or set PYTHONUTF8=1."
    ),

    "cli.usage.read": "prefill {tokens} in {time}",
    "cli.time.prefill": "prefill {time}",
    "cli.time.decode": "decode {time}",
    "cli.time.tools": "tools {time}",
    "cli.time.waiting": "waiting for you {time}",
    "cli.option.cache": "Show what each round cost, and why the server read anything again",
    "cli.cache.round": "round",
    "cli.cache.prompt": "prompt",
    "cli.cache.cached": "cached",
    "cli.cache.read": "read",
    "cli.cache.again": "again",
    "cli.cache.why": "why",
    "cli.cache.sum": (
        "{rounds} rounds: {read} prompt tokens read, {lost} of them again; the context has "
        "{context} (read / context: {ratio})"
    ),
    "cli.cache.cause.changed": "what was sent before was changed (a defect)",
    "cli.cache.cause.model": "another model",
    "cli.cache.cause.settings": "another setting",
    "cli.cache.cause.status": "the status line is sent and not kept",
    "cli.cache.cause.archived": "the oldest part became a summary",
    "cli.cache.cause.window": "the oldest part was left out",
    "cli.cache.cause.rewind": "taken back to an earlier point",
    "cli.cache.cause.answer": "the answer was rendered in another way",
    "cli.cache.cause.template": "the template renders earlier messages in another way",
    "cli.cache.cause.rewound": "the server could only go back further",
    "cli.cache.cause.lost": "not in the server's cache any more",

    "cli.cache.cause.images": "an image was replaced by words",

    "cli.usage.archive": "summary",
    "cli.wait.archive": "writing a summary",
    "cli.sessions.archived": (
        "-- archived: what stands above became a summary for the model, but for the newest "
        "{n} messages --"
    ),
    "cli.sessions.window": (
        "-- left out: what stands above left the context of the model, but for the newest "
        "{n} messages --"
    ),

    "cli.cache.cause.ahead": "the next message was read ahead",

    "cli.sessions.unknown": "sessions has no “{word}”; it has: {known}.",
    "cli.sessions.unknown.hint": "See: python clinkai.py sessions --help",
    "cli.sessions.more": "{n} older ones are not shown: --all shows them.",
    "cli.sessions.closed": (
        "Session files that cannot be read: {n}, such as {path}. Mend their permissions."
    ),
    "cli.sessions.pinned": "  (pinned)",
    "cli.sessions.nothing": "no files, no commands",
    "cli.sessions.hit": "    {seq}  {who}: {text}",
    "cli.sessions.who.user": "you",
    "cli.sessions.who.assistant": "model",
    "cli.sessions.who.tool": "tool",
    "cli.sessions.who.meta": "note",
    "cli.sessions.more_hits": "    more in this session",
    "cli.sessions.cut": (
        "Only the first {n} places are shown. Look for something longer, or in one folder "
        "with --workspace."
    ),
    "cli.sessions.not_found": "No session has it.",
    "cli.sessions.renamed": "{id} is now called: {title}",
    "cli.sessions.pin": "{id} is pinned: prune leaves it alone.",
    "cli.sessions.unpin": "{id} is no longer pinned.",
    "cli.sessions.no_title": "The title is empty.",
    "cli.sessions.no_limit": "sessions prune needs a limit: --age DAYS, --count N or --size MB.",
    "cli.sessions.no_limit.hint": "With --dry-run it only shows what would be deleted.",
    "cli.sessions.confirm": "Delete for good ({n}, {size})? y/N",
    "cli.sessions.ask": "{command} deletes, and there is nobody to ask.",
    "cli.sessions.ask.hint": "Add --yes if that is what you want.",
    "cli.sessions.would": "Would be deleted: {n} ({size}).",
    "cli.sessions.gone": "Deleted: {n} ({size}).",
    "cli.option.all": "Show all: of every folder, old ones too",
    "cli.option.files": "Show what each turn read and changed, and its commands",
    "cli.option.regex": "TEXT is a regular expression of Python",
    "cli.option.case": "Tell capitals from small letters",
    "cli.option.age": "Delete what nobody used for so many days",
    "cli.option.count": "Delete all but the newest so many",
    "cli.option.size": "Delete the oldest until so many megabytes are left",
    "cli.option.dry_run": "Show what would be deleted, and delete nothing",
    "cli.option.yes": "Delete without asking",

    "cli.option.format": "Format of the export: markdown, html, jsonl or atif [markdown]",
    "cli.option.no_redact": "Leave keys, e-mail addresses, home folders and images in",
    "cli.option.force": "Overwrite an existing file",

    "cli.sessions.odd": "Record {seq} makes no sense and is left out.",

    "cli.option.turn": "Which turn, counted from 1 by your messages [the newest]",

    "cli.option.at": "The record after which the fork goes on [the newest]",
    "cli.sessions.forked": (
        "{id} goes on after record {seq}. Continue with: python clinkai.py --resume {id}"
    ),
    "cli.sessions.parent": "forked from {id} after its record {seq}",
    "cli.sessions.rewind": "went back to after record {to}; what was left is shown with --all",
    "cli.sessions.left": "a branch that was left later:",

    "cli.cache.ahead": "{tokens} more tokens were read ahead, while nobody waited",

    "cli.cache.cause.summary": "a summary was asked for, in vain",
}

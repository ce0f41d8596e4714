"""The slash commands of a conversation."""

STRINGS = {
    "command.help.mode": "show the modes, or change to the one named: plan, ask, auto, sandbox",
    "command.help.grants": "what runs without a question, beside what the mode allows",
    "command.help.help": "this help",
    "command.help.quit": "leave",
    "command.unknown": "There is no command /{name}; /help lists them. To send it as text, put a "
                       "blank before it.",
    "command.alone": "/{name} takes nothing after it. To send it as text, put a blank before it.",
    "command.grants.command": "this session, this command: {what}",
    "command.grants.write": "this session, writing this file: {what}",
    "command.grants.prefix": "this session, all that begins with: {what}",
    "command.grants.allow": "by a standing rule, all that begins with: {what}",
    "command.grants.deny": "refused by a standing rule, all that begins with: {what}",
    "command.grants.none": "Nothing was granted; only the mode decides what runs without a question.",

    "command.help.compact": "have the oldest messages become a summary, which heeds your wish",

    "command.help.undo": (
        "take back what your newest message had changed in files, or that of message N"
    ),
    "command.help.redo": "put back what was undone last, or that of message N",
    "command.help.diff": "what this session changed in files, as a patch",

    "command.help.rewind": (
        "go back before your newest message, or the N-th from the end; restore: files too"
    ),
    "command.help.fork": (
        "a new session from here, or from before the N-th message from the end; this one "
        "stays"
    ),
    "command.rewind": "Taken back from your message on: {text}",
    "command.fork": (
        "The new session {id} goes on after record {seq} of this one: python clinkai.py "
        "--resume {id}"
    ),
    "command.number": "“{word}” is no number: say how many of your messages to go back.",
}

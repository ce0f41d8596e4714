"""Why something is asked or refused. Each reason repeats the word that caused it."""

STRINGS = {
    # What the model is told.
    "gate.refused": "Refused: {reason} Do not repeat it; choose another way.",
    "gate.nobody": "Refused: {reason} Nobody can be asked in this run. Do not repeat it; choose "
                   "another way, or say in your answer what is needed.",
    "gate.denied": "The user said no. ({reason}) Do not repeat it; choose another way or ask.",
    "gate.note": "They add: {note}",
    "gate.more_rounds": "{n} rounds are used up. As many again?",

    # Modes, rules, paths of the file tools.
    "gate.plan.write": "In plan mode nothing is changed: {path}.",
    "gate.plan.run": "In plan mode only reading commands run: {command}",
    "gate.mode.ask": "In ask mode every change is asked about: {path}.",
    "gate.rule.deny": "{word} is forbidden by the standing rule: {rule}",
    "gate.path.outside": "{path} is outside the workspace.",
    "gate.path.private": "{path} is not open to tools.",
    "gate.path.secret": "{path} may hold secrets.",
    "gate.path.protected": "{path} can make other programs act.",

    # Operands of commands.
    "gate.operand.outside": "{word} leads outside the workspace.",
    "gate.operand.private": "{word} leads to a place that is not open to tools.",
    "gate.operand.secret": "{word} may hold secrets.",
    "gate.operand.protected": "{word} can make other programs act.",
    "gate.operand.bad": "{word} is not a plain path in the workspace.",
    "gate.operand.elsewhere": "{word} is another folder; commands run in the workspace itself.",

    # Lines that are not read further.
    "gate.shell.empty": "The command is empty.",
    "gate.shell.long": "The command is longer than {limit} characters: {word}…",
    "gate.shell.newline": "A line break at {word}: only single lines are judged.",
    "gate.shell.char": "A control, hidden or unusual character ({code}) at {word}.",
    "gate.shell.padding": "A long row of blanks after {word} hides what follows.",
    "gate.shell.quote": "A quote without its end: {word}",
    "gate.shell.escape": "Nothing follows the backslash: {word}",
    "gate.shell.operator": "An operator that is not judged, or in the wrong place: {word}",
    "gate.shell.redirect": "A redirection other than to /dev/null: {word}",
    "gate.shell.substitution": "The shell would put something else in the place of {word}",
    "gate.shell.brace": "The shell would expand the braces: {word}",
    "gate.shell.tilde": "The shell would put a home folder in the place of ~: {word}",
    "gate.shell.comment": "A comment begins at {word}",
    "gate.shell.bang": "An exclamation mark outside quotes: {word}",
    "gate.shell.group": "Brackets of the shell outside quotes: {word}",
    "gate.shell.glob": "File names would be put in the place of {word}; put it in quotes if it is "
                       "a pattern.",
    "gate.shell.many": "{word} fits more than {limit} names.",
    "gate.shell.compound": "{word} joins or redirects commands, and the setting COMPOUND is refuse.",

    # Programs, options, operands.
    "gate.program": "{word} is not on the list of reading programs.",
    "gate.program.path": "{word} names a program by its path; only bare names are listed.",
    "gate.option": "The option {word} of {program} is not on the list.",
    "gate.option.value": "The option {word} of {program} lacks its value, or has one that is not "
                         "on the list.",
    "gate.option.needed": "{word} runs without a question only with {option}.",
    "gate.value": "The value {word} is not on the list.",
    "gate.script": "{word} does more than {program} may do without a question.",
    "gate.operands.few": "{word} lacks an operand.",
    "gate.operands.many": "{word} is one operand too many for {program}.",
    "gate.version": "{program} runs without a question only with --version: {word}",

    # Git.
    "gate.git.none": "{word} without a sub-command.",
    "gate.git.sub": "git {word} is not on the list of reading commands.",
    "gate.git.names": "{program} would create or change something: {word}",
    "gate.git.key": "This repository's own settings can make {word} start programs or look "
                    "elsewhere: {name}.",
    "gate.git.outside": "{word} would use a repository outside the workspace: {folder}",
    "gate.git.borrows": "{word} would read objects the repository borrows from another one.",
    "gate.git.settings": "The settings of this repository could not be looked at, so {word} is "
                         "asked about.",

    # PowerShell.
    "gate.powershell.syntax": "PowerShell would evaluate {word}",
    "gate.powershell.list": "A list that is not plain words: {word}",
    "gate.powershell.pipe": "{word} would take its input, maybe paths, from a pipe.",
}

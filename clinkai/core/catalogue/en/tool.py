"""What tools say: their descriptions, answers and errors. Every word is read, and paid for, by the
model; people see it too."""

STRINGS = {
    # Descriptions, sent with every request: when to use it, what comes back, what to do on failure.
    "tool.read": "Read a text file as numbered lines (number, tab, text), at most 400; where more "
                 "follows, the last line says which offset goes on. Also takes out:N, the full "
                 "text of a result that was cut.",
    "tool.read.offset": "First line",
    "tool.write": "Create a file and its folders, or replace a whole file that you have read. "
                  "Change a part of a file with edit.",
    "tool.edit": "Replace text in a file. old is copied exactly, without line numbers, with enough "
                 "lines around it to occur once (or set replace_all). For several changes give "
                 "edits instead: all are made or none. On failure the answer shows the real lines: "
                 "copy from those.",
    "tool.ls": "List a folder (folders end with /), or the paths that fit a pattern like "
               "src/**/*.py. Leaves out what git ignores.",
    "tool.grep": "Search text files for a Python regular expression; gives file:line: text. Leaves "
                 "out what git ignores. Too many hits: narrow path or glob.",
    "tool.grep.glob": "Only such files, like *.py",
    "tool.bash": "Run a command in the workspace, without input (bash; on Windows PowerShell): "
                 "builds, tests, git and what the other tools cannot do. Gives the output and, "
                 "unless 0, the exit code. Reading commands run at once, others may be refused: "
                 "then try another way.",
    "tool.bash.timeout": "Seconds: 120, at most 600",

    # Arguments.
    "tool.type.str": "a string",
    "tool.type.int": "an integer",
    "tool.type.bool": "true or false",
    "tool.type.float": "a fraction",
    "tool.type.list": "a list",
    "tool.type.object": "an object",
    "tool.type.null": "null",
    "tool.args.object": "{where} must be an object with: {names}",
    "tool.args.unknown": "Unknown argument {name}. There are: {names}",
    "tool.args.missing": "Argument {name} is missing. There are: {names}",
    "tool.args.type": "{name} must be {wanted}, not {got}.",
    "tool.args.minimum": "{name} must be at least {limit}, not {got}.",
    "tool.args.maximum": "{name} must be at most {limit}, not {got}.",
    "tool.args.json": "The arguments of {name} are no JSON object; the call was not run. "
                      "Received: {raw}",
    "tool.unknown": "There is no tool {name}. There are: {names}",
    "tool.defect": "{name} failed by a defect of ClinkAI ({why}). Try another way.",
    "tool.cut": "\n[... {hidden} characters left out; all of it: read path out:{n} ...]\n",
    "tool.cut_lost": "\n[... {hidden} characters left out ...]\n",

    # Paths.
    "tool.path.empty": "The path is empty.",
    "tool.path.nul": "The path contains a NUL character.",
    "tool.path.long": "The path is longer than any file system allows.",
    "tool.path.encoding": "The path {path} contains half a character and names no file.",
    "tool.path.characters": "{path} contains characters that Windows does not allow in names.",
    "tool.path.loop": "{path} is a link that leads to itself.",
    "tool.path.pattern": "A pattern must not contain ..: {path}",
    "tool.path.output": "{path} is a kept result: only read takes it.",
    "tool.path.tilde": "{path} begins with ~, which is not expanded here. "
                       "Give a path in the workspace.",
    "tool.path.unc": "{path} is a network or device path.",
    "tool.path.drive": "{path} depends on the current drive or its current folder.",
    "tool.path.stream": "{path} names a data stream of a file.",
    "tool.path.device": "{path} names a device.",
    "tool.path.trailing": "{path} has a part that ends with a dot or blank, which Windows drops.",
    "tool.path.short": "{path} has a part that looks like a short 8.3 name. Give the long name.",
    "tool.path.outside": "{path} is outside the workspace.",
    "tool.path.private": "{path} is not open to tools.",
    "tool.path.secret": "{path} may hold secrets: nobody allowed that.",
    "tool.path.protected": "{path} can make other programs act: nobody allowed changing it.",

    # Files.
    "tool.file.missing": "There is no {path}.",
    "tool.file.missing_near": "There is no {path}. Did you mean: {names}",
    "tool.file.folder": "{path} is a folder.",
    "tool.file.not_folder": "A part of {path} is a file, not a folder.",
    "tool.file.pipe": "{path} is a pipe, not a file.",
    "tool.file.socket": "{path} is a socket, not a file.",
    "tool.file.device": "{path} is a device, not a file.",
    "tool.file.moved": "A part of {path} was replaced by a link meanwhile; nothing was done.",
    "tool.file.changed": "{path} was changed by somebody else at this moment; nothing was done. "
                         "Read it again.",
    "tool.file.permission": "No permission for {path}.",
    "tool.file.readonly": "{path} is on a read-only file system.",
    "tool.file.full": "The disk is full; {path} is as it was.",
    "tool.file.name": "{path} is not a possible name for a file here.",
    "tool.file.large": "{path} is larger than {limit} and is not changed by tools. "
                       "Use a command.",
    "tool.file.other": "{path} cannot be used: {reason}",
    "tool.kind.pipe": "pipe",
    "tool.kind.socket": "socket",
    "tool.kind.device": "device",
    "tool.kind.secret": "secret",

    # read
    "tool.read.data": "unknown kind",
    "tool.read.binary": "{path} is not text: {what}, {size}.",
    "tool.read.empty": "[empty file]",
    "tool.read.no_output": "There is no kept result {path}.",
    "tool.read.bad_offset": "offset must be a line number from 1, or N:C, not {offset}.",
    "tool.read.past": "offset {offset} is past the end: {lines} lines.",
    "tool.read.past_line": "offset {offset} is past the end of the line.",
    "tool.read.more": "lines {first}-{last} of {total}; offset {offset} goes on",
    "tool.read.total": "{lines}",
    "tool.read.cut": "line {line} is cut; offset \"{offset}\" goes on",
    "tool.read.lossy": "not valid UTF-8; bad bytes are shown as \ufffd",
    "tool.read.padding": "only NUL bytes follow",

    # write
    "tool.write.created": "Created {path}, lines: {lines}.",
    "tool.write.changed": "Changed {path}, lines: {was} -> {lines}.",
    "tool.write.unchanged": "Unchanged: {path} already has this content, lines: {lines}.",
    "tool.write.unread": "{path} exists and was not read in this session. Read it first, then "
                         "write or edit it.",
    "tool.write.stale": "{path} was changed since you read it. Read it again, then write.",
    "tool.write.encoding": "{path} is in {codec}, which has no {char}.",
    "tool.write.broken": "Warning: it does not parse: {why}",
    "tool.write.no_copy": "{path} is unchanged: its old content could not be kept for undo: {why}",

    # edit
    "tool.edit.both": "Give either old and new, or edits.",
    "tool.edit.no_new": "Argument new is missing; to delete text give \"\".",
    "tool.edit.nothing": "Give old and new, or edits.",
    "tool.edit.empty": "old is empty. Copy the text to replace; to create a file use write.",
    "tool.edit.binary": "{path} is not text.",
    "tool.edit.lossy": "{path} has bytes that are no valid text; an edit would damage them.",
    "tool.edit.which": "Edit {n} of {of}: {why}\nNothing was changed.",
    "tool.edit.overlap": "Edits {a} and {b} overlap at line {line}. Nothing was changed.",
    "tool.edit.many": "old occurs {n} times, in lines {lines}. Add lines around it, or set "
                      "replace_all.",
    "tool.edit.many_near": "old does not occur exactly; ignoring {what} it occurs {n} times, in "
                           "lines {lines}. Copy it exactly, with lines around it.",
    "tool.edit.none": "old does not occur in {path}, nor anything like it. Read the file.",
    "tool.edit.near": "old does not occur in {path}. The nearest lines are:\n{lines}",
    "tool.edit.changed": "Changed {path}, places: {n}, lines: {lines}.",
    "tool.edit.unchanged": "Unchanged: {path} is already as wanted.",
    "tool.edit.forgiven": "old was found only by ignoring {what}.",
    "tool.edit.indented": "new was indented like the file.",
    "tool.edit.level.blanks": "trailing blanks or line ends",
    "tool.edit.level.quotes": "typographic quotes",
    "tool.edit.level.indentation": "indentation",

    # ls
    "tool.ls.cut": "the first {shown} of {count}; narrow the pattern",
    "tool.ls.stopped": "stopped after {looked} entries; narrow the pattern",
    "tool.ls.ignored": "ignored by git: {n}",
    "tool.ls.empty": "nothing",
    "tool.ls.hidden": "outside or not open",

    # grep
    "tool.grep.empty": "The pattern is empty.",
    "tool.grep.long": "The pattern is longer than {limit} characters.",
    "tool.grep.invalid": "Not a valid regular expression: {why}. To find ( [ {{ * + ? . as they "
                         "are, put \\ before them.",
    "tool.grep.binary": "{path} is not text.",
    "tool.grep.nothing": "no match, files searched: {files}",
    "tool.grep.one_line": "(one line at a time: \\n never matches)",
    "tool.grep.found": "lines: {matches}, files: {files}",
    "tool.grep.first": "the first {shown} of {matches} lines in {files} files; narrow path or glob",
    "tool.grep.late": "stopped after {seconds} s: simplify the pattern or narrow path or glob",
    "tool.grep.ended": "The search process ended early. Try again, or another pattern.",
    "tool.grep.secrets": "secret files not searched: {n}",

    # bash
    "tool.bash.empty": "The command is empty.",
    "tool.bash.changed": "What the command would do has changed since it was allowed; nothing was "
                         "run. Try again.",
    "tool.bash.disk": "The command could not be started: {why}",
    "tool.bash.missing": "{program}: not found on this machine",
    "tool.bash.unstartable": "{program}: cannot be started: {why}",
    "tool.bash.edited": "[The user changed the command. Run instead: {command}]",
    "tool.bash.exit": "[exit code {code}]",
    "tool.bash.quiet": "[no output, exit code 0]",
    "tool.bash.confined": "[ran in a sandbox: no network, and writing only in the workspace and "
                          "$TMPDIR; an error may be due to that]",
    "tool.bash.restored": "[changed in the sandbox and put back, since git, an editor or an agent "
                          "would run or read it later: {paths}]",
    "tool.bash.unwalled": "{program}: not run, the sandbox could not be set up: {why}",
    "tool.bash.left": "[programs left in the background were stopped]",
    "tool.bash.stopped.time": "[stopped after {seconds} s; give a longer timeout or do less]",
    "tool.bash.stopped.cancel": "[stopped by the user]",
    "tool.bash.stopped.flood": "[stopped: more than {size} of output]",

    "tool.repeat": (
        "Unchanged: the same as the result of your equal call above (call {n} of this "
        "session)."
    ),

    "tool.bash.doubtful": (
        "{program}: the sandbox ended while it started this; it may have run, look before "
        "you repeat it"
    ),

    "tool.path.elsewhere": (
        "{path} leads elsewhere now than when it was allowed; nothing was done. Call again "
        "to have the new place judged."
    ),

    "tool.move": "Give a file another path (its folders are made). Never replaces anything.",
    "tool.move.to": "New path",
    "tool.delete": "Delete one file. It is kept aside: the user can have it back.",
    "tool.move.done": "Moved {path} to {to}.",
    "tool.move.exists": (
        "{path} exists already, and move replaces nothing. Take another path, or delete it "
        "first."
    ),
    "tool.delete.done": "Deleted {path}.",
    "tool.delete.full": (
        "{path} was not deleted: there is no room left to keep it for undo ({limit} for each "
        "session)."
    ),
    "tool.file.link": "{path} is a link, which move and delete leave alone.",
}

"""What the scripted stand-in of `demo` says."""

STRINGS = {
    "demo.help": "I am a scripted stand-in, not a language model. "
                 "I know tasks like these, one or several joined by \"then\":\n\n"
                 "- create notes/hello.md with Hello, then read it back\n"
                 "- list the files in src\n"
                 "- search for TODO\n"
                 "- replace Hello with Goodbye in notes/hello.md\n"
                 "- run git status\n"
                 "- delete everything (to see it refused)",
    "demo.lost": "I did not understand that.",
    "demo.plan": "A script reads this task as:",
    "demo.plan.create": "create {path}",
    "demo.plan.read": "read {path}",
    "demo.plan.list": "list {path}",
    "demo.plan.search": "search {path} for {text}",
    "demo.plan.replace": "replace {old} with {new} in {path}",
    "demo.plan.run": "run {command}",
    "demo.plan.delete": "run {command}",
    "demo.shown.read": "{subject} contains:\n{result}",
    "demo.here": "this folder",
    "demo.shown.ls": "In {subject}:\n{result}",
    "demo.shown.grep": "Searched for {subject}:\n{result}",
    "demo.shown.bash": "{subject} gave:\n{result}",
    "demo.more": "... and {n} more lines",
    "demo.refused": "{subject} was refused, so it was not done. The reason: {why}",
    "demo.failed": "{subject} did not work: {why}",
    "demo.no_tool": "the tool {tool} is switched off in this session.",
    "demo.unknown": "The script did not understand this part, and left it out: {parts}",

    "demo.blind": "I am a script and cannot see images.",
}

"""What stands for messages that left the context, and how the model is asked for a summary of them."""

STRINGS = {

    "archive.ask": (
        "[ClinkAI: the context is nearly full. Before the work goes on, write a summary of "
        "it for yourself; earlier messages will be replaced by it. Do not call tools and do "
        "not go on with the task now. In at most {words} words, in the user's language, as "
        "short lists under these headings: Goal (what the user wants, in their words) - "
        "Constraints - Decisions (and why) - Done and found out (facts, names, numbers, "
        "places in files) - Open problems - Next steps. Leave out lists of files and "
        "commands: they are added from the log. Write nothing but the summary.]"
    ),
    "archive.ask.wish": "[The user adds: {wish}]",
    "archive.begin": (
        "[background: earlier messages were left out to save room. This is what they came "
        "to, not a new request; do not do again what is done. Files must be read again "
        "before they are changed.]"
    ),
    "archive.summary": "Summary by the assistant:\n{summary}",
    "archive.facts.read": "Files read: {items}",
    "archive.facts.created": "Files created: {items}",
    "archive.facts.changed": "Files changed: {items}",
    "archive.facts.commands": "Commands run, with exit codes: {items}",
    "archive.facts.more": "{n} earlier ones",
    "archive.end": "[end of the background; the user's message:]",
    "archive.empty": "the model wrote no summary",
    "archive.long": "it has {tokens} tokens and would not free half of the room",

    "archive.facts.deleted": "Files deleted: {items}",
}

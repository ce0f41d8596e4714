"""The lasting rules: `policy list`, `allow`, `deny`, `remove`."""

STRINGS = {
    "rules.file": "The lasting rules in {path}:",
    "rules.no_file": "There are no lasting rules: {path} does not exist.",
    "rules.allow": "  allow  {rule}",
    "rules.deny": "  deny   {rule}",
    "rules.added.allow": "Commands that begin with {rule} run without a question from now on, in "
                          "every workspace: added to {path}",
    "rules.added.deny": "Commands that begin with {rule} are refused from now on, in every "
                         "workspace: added to {path}",
    "rules.there.allow": "Nothing to do: {path} allows {rule} already.",
    "rules.there.deny": "Nothing to do: {path} denies {rule} already.",
    "rules.removed": "The rule {rule} is no longer in {path} (it was in: {lists}).",
    "rules.unknown": "Nothing to do: there is no rule {rule} in {path}.",
    "rules.beaten": "But {rule} is denied, and that wins: python clinkai.py policy remove takes it "
                     "out.",
    "rules.blank": "It would allow any command at all, for that program runs whatever it is given.",
    "rules.never": "It would never match: a rule is how one command begins, in plain words, without "
                    "*, ..., pipes and chains; each command of a chain is judged by itself.",
    "rules.doubtful": "The rule {rule} was not added. {why}",
    "rules.doubtful.hint": "Name more of the words it begins with, as in 'python -m pytest' or 'git "
                            "commit'. Who wants it all the same writes it in {path} by hand.",
    "rules.form": "{path} is written in a way that cannot be changed safely, so it was left as it "
                   "is.",
    "rules.form.hint": "Change it by hand; a line looks like: allow = [\"git push\"]",
    "rules.write": "The rules in {path} cannot be changed: {why}",
}

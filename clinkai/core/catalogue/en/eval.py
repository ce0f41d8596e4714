"""The evaluation suite: its own words, the details of checks, the summary."""

STRINGS = {
    # Tasks that are not well formed.
    "eval.task.folder": "The tasks in {path} cannot be read: {why}",
    "eval.task.empty": "There is no task in {path}.",
    "eval.task.none": "{where} is missing.",
    "eval.task.toml": "{where} is not valid TOML: {why}",
    "eval.task.missing": "{where}: {field} is missing.",
    "eval.task.type": "{where}: {field} has the wrong form.",
    "eval.task.unknown": "{where}: {field} is not known.",
    "eval.task.value": "{where}: the id must be the name of the folder, the policy always or "
                       "usually, with at least one turn and one check, and one solution a turn.",
    "eval.check.kind": "Task {task}: there is no check of kind {kind}.",
    "eval.check.param": "Task {task}, check {kind}: {name} is missing, unknown or of the wrong "
                        "type.",
    "eval.check.regex": "Task {task}, check {kind}: the expression cannot be used: {why}",

    # What a check saw.
    "eval.check.no_file": "{path} is not there",
    "eval.check.differs": "{path} has another text, beginning with: {start}",
    "eval.check.no_match": "{path} does not match; it begins with: {start}",
    "eval.check.exists": "{path} is there",
    "eval.check.changed": "changed ({n}): {paths}",
    "eval.check.time": "not done after {seconds} s",
    "eval.check.exit": "exit code {code}: {last}",
    "eval.check.stdout": "the output does not match: {last}",
    "eval.check.answer": "the answer does not match: {start}",
    "eval.check.not_called": "no such call of {name} ran; ran: {ran}",
    "eval.check.called": "{name} ran {n} times",
    "eval.check.count": "{found}, allowed {limit}",

    # The command line.
    "eval.error.option": "eval does not know {option}.",
    "eval.error.option.hint": "eval [run | check] [--only REGEX] [--repeat K] [--jobs N] "
                              "[--out DIR] [--tasks DIR] [--list] [--json]",
    "eval.error.value": "{option} needs a value.",
    "eval.error.number": "{option} is {value}; it must be a whole number from 1 to {high}.",
    "eval.error.regex": "--only {value} is not a regular expression: {why}",
    "eval.error.nothing": "No task fits --only {value}. There are: {names}",
    "eval.error.out": "{path} already holds something; the results of a run need a folder of "
                      "their own.",
    "eval.error.out.hint": "Choose another folder with --out DIR.",
    "eval.error.write": "The results cannot be written: {why}",

    # A run.
    "eval.run.start": "{tasks} tasks, {repeat} trials each, model {model}; results go to {out}",
    "eval.run.demo": "The demo provider is a scripted stand-in that knows none of the tasks: this "
                 "shows that the machinery runs, not how well a model works.",
    "eval.run.jobs": "The server has {slots} slots and --jobs is {jobs}: trials will wait for each "
                 "other, and their times say little.",
    "eval.run.trial": "[{number}] {unit}  {status}  {time}{why}",
    "eval.status.pass": "pass",
    "eval.status.fail": "FAIL",
    "eval.status.timeout": "TIMEOUT",
    "eval.status.error": "ERROR",
    "eval.status.skipped": "skipped",
    "eval.why.exit": "the agent ended with exit code {code}: {last}",
    "eval.why.skipped": "needs a context of {needed} tokens, the server has {n_ctx}",
    "eval.why.gone": "the model server no longer answers",
    "eval.run.gone": "The model server no longer answers: the run was broken off.",
    "eval.run.stopped": "Stopped. The trials so far are kept.",
    "eval.run.invalid": "This run is not valid: {errors} of {planned} planned trials ended in an error "
                    "of server or harness, {missing} were not run. Its figures say nothing about "
                    "the model. Look into {out}",
    "eval.run.results": "Results: {path}",

    # The summary.
    "eval.table.task": "task",
    "eval.table.passed": "passed",
    "eval.table.rounds": "rounds",
    "eval.table.cache": "cache hit",
    "eval.table.reprocessed": "read again",
    "eval.table.time": "time",
    "eval.summary.passed": "{passed} of {n} trials passed: pass@1 {rate}, pass^{k} {hat}\n"
                           "95 % intervals: {wilson} over trials (Wilson, as if independent), "
                           "{bootstrap} over tasks (bootstrap)",
    "eval.summary.others": "{timeouts} timed out (counted as failed), {errors} errors and "
                           "{skipped} skipped (not counted)",
    "eval.summary.cache": "cache hit {hit} of the prompt tokens from the second round on; "
                          "{reprocessed} prompt tokens read by the server in all",

    # eval check and --list.
    "eval.policy.always": "always",
    "eval.policy.usually": "usually",
    "eval.list": "{name}  level {level}, {policy}: {title}",
    "eval.check.ok": "{name}: ok",
    "eval.check.untouched": "{name}: passes without any work",
    "eval.check.solution": "{name}: does not pass with its solution: {kind}: {detail}",
    "eval.check.unstable": "{name}: two looks at the same files gave different verdicts",
}

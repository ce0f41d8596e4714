"""What happens in a turn, for people; and what the harness says to the model (`ask`, `tool`)."""

STRINGS = {
    "notice.ask.again": (
        "Your call of {tool} was cut off by the output limit and did not run. Make the call again; "
        "the limit is now higher."
    ),
    "notice.ask.answer": (
        "You only thought and gave no answer. Answer now, or make the next tool call."
    ),
    "notice.ask.continue": (
        "Your answer was cut off by the output limit. Continue exactly where it stopped, without "
        "repeating anything."
    ),
    "notice.ask.parts": (
        "Your call of {tool} was cut off again and did not run. Work in smaller parts: write a "
        "short file first, then add to it with several edits."
    ),
    "notice.agents_md.binary": (
        "{path} is no text, so its instructions are not known to the model. Save it as UTF-8 and "
        "start a new session."
    ),
    "notice.agents_md.cut": (
        "{path} is longer than {limit} bytes: only its beginning is given to the model. Shorten "
        "it, or move parts into AGENTS.md files of subfolders."
    ),
    "notice.agents_md.cut_mark": "[the rest of this file was left out]",
    "notice.agents_md.unreadable": (
        "{path} cannot be read ({why}), so its instructions are not known to the model. Mend its "
        "permissions and start a new session."
    ),
    "notice.breaker.failures": (
        "Stopped: {tool} failed {n} times in a row. Look at its last error, then tell the model "
        "what to do differently, or resume with: --resume auto"
    ),
    "notice.breaker.length": (
        "Stopped: the answer was cut off by the output limit ({tokens} tokens) again and again. "
        "Raise CLINKAI_MAX_TOKENS, or ask for less at once."
    ),
    "notice.breaker.repeat": (
        "Stopped: the same call of {tool} gave the same result in {n} rounds in a row. Tell the "
        "model what to do instead, or resume with: --resume auto"
    ),
    "notice.breaker.thinking": (
        "Stopped: the model only thought and gave no answer, twice. The output limit ({tokens} "
        "tokens) went into thinking: raise CLINKAI_MAX_TOKENS, switch thinking off with "
        "CLINKAI_THINKING=off, or limit it with a number of tokens, as CLINKAI_THINKING=1024."
    ),
    "notice.cap": (
        "Stopped after {n} rounds without a final answer. Go on with --resume auto, or allow more "
        "with --max-rounds."
    ),
    "notice.breaker.unanswered": (
        "Stopped: the model only thought and gave no answer, twice. Switch thinking off with "
        "CLINKAI_THINKING=off, or use another model."
    ),
    "notice.thought": "The model only thought and gave no answer; asking for the answer.",
    "notice.continued": "The answer was cut off by the output limit; asking to go on ({n}).",
    "notice.model": "This session now uses the model {model}.",
    "notice.session.torn": (
        "The last line of the session file was incomplete ({bytes} bytes, cut off when it was "
        "last written) and was removed. Everything before it is there."
    ),
    "notice.session.unlocked": (
        "The disk that {path} is on has no file locks: nothing keeps a second ClinkAI from "
        "writing this session too. Do not open it twice."
    ),
    "notice.tool.file_changed": "The file was changed; read it before you go on.",
    "notice.tool.file_untouched": "The file was not changed.",
    "notice.tool.interrupted": "Interrupted before a result was recorded; it may have run.",
    "notice.tool.not_run": "Not run: the user stopped the turn.",
    "notice.tool.stopped": "Stopped by the user while it ran; it may have done part of its work.",
    "notice.workspace": "This session began in {was}; it now works in {now}.",

    "notice.status": "[status: round {n} of {cap}, context {percent}%{place}]",

    "notice.sandbox": (
        "There is no kernel sandbox on this machine (doctor says why): the mode sandbox behaves as "
        "auto, and other commands are asked."
    ),
    "notice.sandbox.wide": (
        "This workspace holds your home folder or ClinkAI's own: no command may write in it unasked, "
        "so the mode sandbox behaves as auto. Choose a folder of its own for the work."
    ),

    "notice.server.found": (
        "Nothing answers at {was}, so {server} is used. To use it always, set "
        "CLINKAI_BASE_URL={address}."
    ),
    "notice.server.several": (
        "Nothing answers at {was}, so {server} is used. Other servers on this machine: "
        "{others}. To use one of them always, set CLINKAI_BASE_URL to its address."
    ),

    "notice.ask.broken": (
        "Your answer broke off: the connection to the model server was lost. Go on exactly "
        "where it stopped, without repeating anything. A tool call you had begun did not run."
    ),
    "notice.ask.repetition": (
        "Your answer began to repeat itself and was stopped there. Go on from that point "
        "with something new, or come to the end."
    ),
    "notice.breaker.repetition": (
        "Stopped: the answer repeated itself again, with another sampling too. What came "
        "before that is kept. Put the question differently or ask for less at once; if it "
        "keeps happening, raise CLINKAI_TEMPERATURE, or use another model or one that is "
        "less strongly quantized."
    ),
    "notice.broken": (
        "The answer broke off ({why}). What was shown is kept; asking to go on ({n} of {of})."
    ),
    "notice.repetition": (
        "The answer began to repeat itself and was stopped; trying once more with another "
        "sampling."
    ),
    "notice.wait.down": "The model server does not answer any more; waiting for it to come back.",
    "notice.wait.loading": "The server is still loading the model; waiting for it.",
    "notice.wait.rate": "The server asks for a pause; trying again in {seconds} s.",
    "notice.wait.retry": (
        "The server failed to answer; sending the same request again in {seconds} s."
    ),
    "notice.wire.dropped_markup": (
        "Markup of the model's chat template was left in its answer and was removed."
    ),
    "notice.wire.name_fixed": (
        "The model misspelt the name of a tool; the call was taken for the one tool it can "
        "mean."
    ),
    "notice.wire.prompt_truncated": (
        "The server read {prompt} tokens of a prompt of about {sent}: it cut off the "
        "beginning, so the model does not know all of the conversation. Give it a larger "
        "context. Ollama: use CLINKAI_PROVIDER=auto or ollama, which sets num_ctx, or start "
        "Ollama with OLLAMA_CONTEXT_LENGTH={need}. Other servers: raise the context length "
        "they are started with, for llama-server -c {need}."
    ),
    "notice.wire.repaired_call": (
        "The arguments of a tool call were damaged JSON and were repaired."
    ),
    "notice.wire.text_call": "The model wrote a tool call as text; it was taken as a call.",
    "notice.wire.unclosed_thinking": (
        "The model did not mark the end of its thinking: what is shown as one may belong to "
        "the other."
    ),

    "notice.wire.field_rejected": (
        "The server rejects the field {field} of a request; it is not sent any more."
    ),

    "notice.wire.folded": (
        "The model's template refuses text beside thinking and calls; both are sent in one field "
        "from now on."
    ),

    "notice.wire.field_unheeded": "The setting {field} shows no effect on this server or model.",

    "notice.image.gone": "[An image ({mime}) stood here; it is not available any more.]",
    "notice.image.lost": (
        "Images of this session are gone or were changed ({n}). A text stands in their place "
        "from now on, so the server reads the conversation from there again."
    ),
    "notice.image.off": (
        "CLINKAI_VISION is off: a text stands in place of the images of this session from "
        "now on ({n}), so the server reads the conversation from there again."
    ),

    "notice.mode.plan": "Mode plan: nothing is changed; write, edit and other commands are refused.",
    "notice.mode.ask": "Mode ask: every change and every other command is asked about.",
    "notice.mode.auto": (
        "Mode auto: files of the workspace are written and edited; other commands are asked about."
    ),
    "notice.mode.sandbox": (
        "Mode sandbox: files are written and edited, and other commands run, confined, without a "
        "question."
    ),
    "notice.told.plan": (
        "[mode: plan. From now on only look: read, search, run reading commands. Changes and other "
        "commands are refused. Answer with a plan.]"
    ),
    "notice.told.ask": (
        "[mode: ask. From now on every change, and every command that does not only read, needs "
        "the user's yes.]"
    ),
    "notice.told.auto": (
        "[mode: auto. From now on files of the workspace may be changed; commands that do not only "
        "read need the user's yes.]"
    ),
    "notice.told.sandbox": (
        "[mode: sandbox. From now on files of the workspace may be changed, and commands run "
        "without a question, confined: they write in the workspace only and have no network.]"
    ),

    "notice.cache.changed": (
        "What was sent before was changed: the server read {lost} tokens again (about "
        "{seconds} s). This is a defect of ClinkAI; please report it."
    ),
    "notice.cache.answer": (
        "The server renders the last answer in another way than it was generated: {lost} "
        "tokens were read again (about {seconds} s)."
    ),
    "notice.cache.template": (
        "The chat template renders earlier messages in another way at a new one, mostly without "
        "their thinking: {lost} tokens were read again (about {seconds} s)."
    ),
    "notice.cache.rewound": (
        "The server could go back in its cache only to an earlier point: {lost} tokens were "
        "read again (about {seconds} s)."
    ),
    "notice.cache.lost": (
        "The server no longer had this conversation in its cache, or another one used its "
        "slot: {lost} tokens were read again (about {seconds} s)."
    ),

    "notice.compact.nothing": "There is nothing to compact: the newest rounds always stay.",

    "notice.archived": (
        "The context was nearly full: the oldest messages became a summary; about {before} "
        "tokens are {after} now ({time}). The session file keeps everything."
    ),
    "notice.archive.failed": (
        "No summary of the oldest messages could be made ({why}). None is asked for any more "
        "in this session: they leave the context without one."
    ),
    "notice.window": (
        "The context was nearly full: the oldest messages left it; about {before} tokens are "
        "{after} now. The session file keeps everything."
    ),

    "notice.kv.save": (
        "The server did not keep the cache of this session: {why}. When the session goes on, "
        "it is read again."
    ),
    "notice.kv.restore": (
        "The server did not load the cache of this session: {why}. The conversation is read "
        "again."
    ),
    "notice.kv.unproved": (
        "The cache that was loaded did not serve: the server knew {cached} of {expected} "
        "tokens."
    ),

    "notice.undo.full": (
        "The former content of {path} was not kept: what is kept for undo of this session "
        "has reached {limit}. This change cannot be undone; a new session begins with room "
        "again."
    ),
    "notice.undo.lost": (
        "The command changed or deleted files whose former content was not kept, being too "
        "large or too much (n: {n}): {files}. That cannot be undone."
    ),
    "notice.undo.wide": (
        "The workspace has more than {n} files, or takes longer than {seconds} s to look "
        "through: what commands change or delete in this session cannot be undone. What "
        "write and edit change still can. Ignoring generated folders in .gitignore helps."
    ),
    "notice.undo.unkept": (
        "The files could not be kept before the command ({why}): what it changes cannot be "
        "undone."
    ),

    "notice.rewound": (
        "The conversation goes on after record {to}. What followed it stays in the session: "
        "sessions show --all."
    ),

    "notice.status.branch": ", git branch {branch}",
    "notice.status.folder": ", now in the folder {path}",
}

"""Errors: what happened and why (`error.x`), and what to do next (`error.x.hint`)."""

STRINGS = {
    "error.cancelled": "Stopped.",

    # What to do next, for all errors of a class that have no words of their own.
    "error.hint.usage": "See: python clinkai.py --help",
    "error.hint.machine": "Make room, give permission or choose another place, then try again.",
    "error.hint.workspace": "Choose another folder with --workspace DIR.",
    "error.hint.session": "python clinkai.py sessions lists the sessions that can be resumed.",
    "error.hint.server": "python clinkai.py doctor checks the server step by step.",
    "error.hint.unreachable": "Start the model server, or set CLINKAI_BASE_URL to its address. "
                              "python clinkai.py doctor checks it.",
    "error.hint.timeout": "Look at the server's own output. If it needs more time for a long "
                          "prompt, raise CLINKAI_IDLE_TIMEOUT.",
    "error.hint.auth": "Set CLINKAI_API_KEY to the key that the server expects.",
    "error.hint.loading": "Wait until the model is loaded, then try again.",
    "error.hint.context": "Start a new session, read smaller parts, or start the server with a "
                          "larger context (llama-server: -c).",
    "error.hint.bad_response": "Check CLINKAI_BASE_URL: it must lead to the API of a model server "
                               "and usually ends in /v1.",

    "error.session.record": "A session record of type {type} makes no sense: {why}",
    "error.session.type": "This version does not know session records of type {type}.",

    # Reaching the model server.
    "error.address": "This is not the address of a model server: {value}",
    "error.address.hint": "Set CLINKAI_BASE_URL to http://HOST:PORT/v1 or https://HOST/v1.",
    "error.key": "The API key cannot be sent: it holds a character that no HTTP header may hold.",
    "error.key.hint": "Set CLINKAI_API_KEY again, without line breaks or characters beyond Latin.",
    "error.ca_file": "The certificates in {path} cannot be used: {why}",
    "error.ca_file.hint": "Set CLINKAI_CA_FILE to a PEM file, or unset it.",
    "error.unreachable.refused": "Nothing answers at {address}: the connection was refused.",
    "error.unreachable.slow": "{address} took no connection within {seconds} s.",
    "error.unreachable.name": "No address is known for the host {host}: {why}",
    "error.unreachable.tls": "No secure connection to {address}: {why}",
    "error.unreachable.tls.hint": "If the server has its own certificate, set CLINKAI_CA_FILE to "
                                  "it; if it speaks plain http, begin CLINKAI_BASE_URL with "
                                  "http://.",
    "error.unreachable.other": "{address} cannot be reached: {why}",
    "error.timeout": "The model server sent nothing for {seconds} s.",

    # What the model server answered.
    "error.auth": "The model server refuses the key: {message}",
    "error.rate": "The model server takes no more requests at the moment: {message}",
    "error.rate.hint": "Wait a little, then try again.",
    "error.loading": "The model server is still loading its model: {message}",
    "error.refused": "The model server refuses the request: {message}",
    "error.refused.missing": "The model server does not know what was asked for: {message}",
    "error.refused.missing.hint": "Check CLINKAI_BASE_URL (it usually ends in /v1), "
                                  "CLINKAI_PROVIDER and CLINKAI_MODEL.",
    "error.refused.model": "The model server does not have the model: {message}",
    "error.refused.model.hint": "python clinkai.py probe --models lists those it has: choose one "
                                "with --model or CLINKAI_MODEL, or load the other one there "
                                "(Ollama: ollama pull MODEL).",
    "error.refused.tools": "The model cannot use tools, and ClinkAI works with nothing else: "
                           "{message}",
    "error.refused.tools.hint": "Choose a model whose template has tools: 'ollama show MODEL' lists "
                                "its capabilities.",
    "error.refused.tools_off": "The model server was started without tool calling: {message}",
    "error.refused.tools_off.hint": "llama-server: start it with --jinja. vLLM: "
                                    "--enable-auto-tool-choice and --tool-call-parser NAME (hermes "
                                    "for Qwen 2.5 and 3, qwen3_coder for Qwen3-Coder).",
    "error.refused.large": "The model server, or a proxy before it, takes no request of this size: "
                           "{message}",
    "error.refused.large.hint": "Raise the limit of the server or proxy, or read smaller parts.",
    "error.refused.template": "The chat template of the model refuses the conversation: {message}",
    "error.refused.template.hint": "Start the server with another chat template, or choose another "
                                   "model.",
    "error.overflow": "The conversation does not fit the context of the model server: {message}",
    "error.overflow.counted": "The conversation has {prompt} tokens, the context of the model "
                              "server {limit}.",
    "error.stream.ended": "The answer of the model server ended before it was complete.",
    "error.stream.damaged": "The answer of the model server is damaged: part of it is no JSON.",
    "error.stream.closed": "The connection broke before the answer was complete: {why}",
    "error.stream.reported": "The model server reported an error: {message}",
    "error.bad_response.redirect": "The model server points to {target} (HTTP {status}). That is "
                                   "not followed, so that the key goes nowhere else.",
    "error.bad_response.redirect.hint": "If that address is right, set CLINKAI_BASE_URL to it.",
    "error.bad_response.status": "The model server failed without a reason: {message}",
    "error.bad_response.status.hint": "Look at the output of the server, or of a proxy before it, "
                                      "for the reason.",
    "error.bad_response.html": "A web page answered instead of a model server: {message}",
    "error.bad_response.http": "What answers at {address} does not speak HTTP: {why}",
    "error.bad_response.json": "The answer of the model server is not JSON: {start}",
    "error.bad_response.shape": "The answer of the model server has another form than expected: "
                                "{start}",
    "error.bad_response.encoding": "The answer of the model server cannot be unpacked: {why}",
    "error.bad_response.large": "The model server sent more than {limit} without an end.",
    "error.bad_response.nothing": "The model answered nothing: no text, no thinking, no tool call.",
    "error.bad_response.nothing.hint": "Try again. If it happens often, the model or its chat "
                                       "template does not fit the server.",

    "error.cwd": "The path {path} cannot be used: the current folder does not exist any more.",
    "error.cwd.hint": "Change to a folder that exists, or give the whole path.",
    "error.busy": "A turn is running in this session; wait for it or stop it first.",
    "error.context.budget": (
        "The conversation has about {tokens} tokens; CLINKAI_CTX_BUDGET allows {budget}."
    ),
    "error.context.budget.hint": (
        "Start a new session or read smaller parts. If the window of the server is larger, raise "
        "CLINKAI_CTX_BUDGET."
    ),
    "error.context.full": (
        "The conversation has about {tokens} tokens; {budget} fit: the server's window has "
        "{window}, and {room} are kept for the answer (CLINKAI_MAX_TOKENS)."
    ),
    "error.context.full.hint": (
        "Start a new session, read smaller parts, lower CLINKAI_MAX_TOKENS, or start the server "
        "with a larger context (llama-server: -c)."
    ),
    "error.defect": (
        "This is a defect of ClinkAI: {why}. The details are in {path}; the session is kept."
    ),
    "error.policy.empty": "An empty rule in {where} would allow everything, so it is refused.",
    "error.policy.list": "In {path}, {name} must be a list of texts such as [\"git push\"].",
    "error.policy.name": "{path} knows only the lists allow and deny, not {name}.",
    "error.policy.rule": "The rule {rule!r} in {where} cannot be read as words: {why}",
    "error.policy.toml": "{path} is no TOML: {why}",
    "error.policy.toml.hint": 'A line looks like: allow = ["git push"]',
    "error.policy.unreadable": "{path} cannot be read: {why}",
    "error.policy.unreadable.hint": "Mend its permissions, or put a file of that name in its place.",
    "error.prompt.empty": "There is no task: the prompt is empty.",
    "error.session.closed": "The session {path} is closed.",
    "error.session.create": "A session cannot be started at {path}: {why}",
    "error.session.create.hint": (
        "Make room, or choose another folder with CLINKAI_SESSIONS or CLINKAI_HOME."
    ),
    "error.session.gone": "The session file {path} was deleted while it was in use.",
    "error.session.gone.hint": "What was said before is lost with it; begin a new session.",
    "error.session.init": (
        "{path} does not begin with an init record, so it is no session that can go on."
    ),
    "error.session.later": (
        "The session {path} was written by a later version: this one does not know its records "
        "of type {type}."
    ),
    "error.session.later.hint": (
        "Update ClinkAI to go on with it. What can be read: python clinkai.py sessions show. A copy "
        "of what comes before, to go on with: sessions fork ID --at N."
    ),
    "error.session.line": (
        "Line {line} of {path} is damaged ({why}); the other lines can still be read."
    ),
    "error.session.line.hint": (
        "python clinkai.py sessions show prints what can be read. Remove the damaged line to "
        "go on with the session."
    ),
    "error.session.locked": "Another process is using the session {path}.",
    "error.session.locked.hint": (
        "Wait until it ends, or begin a new session by leaving out --resume. "
        "python clinkai.py sessions show reads it meanwhile."
    ),
    "error.session.many": "{wanted} begins the ids of several sessions: {ids}",
    "error.session.name": "{wanted} is neither auto, nor the id of a session, nor a path.",
    "error.session.none": "There is no session whose id begins with {wanted}.",
    "error.session.none_here": "There is no session for {workspace} yet.",
    "error.session.none_here.hint": (
        "Leave out --resume to begin one; python clinkai.py sessions lists those of other "
        "folders."
    ),
    "error.session.open": "The session {path} cannot be opened: {why}",
    "error.session.write": "The session {path} cannot be written: {why}",
    "error.session.write.hint": (
        "Make room on that disk, then go on with --resume auto: everything before this is "
        "kept."
    ),
    "error.system_prompt.inside": (
        "CLINKAI_SYSTEM_PROMPT names {path}, which is not outside the workspace."
    ),
    "error.system_prompt.inside.hint": (
        "Move the file out of the workspace: nothing in it may change how the agent is led."
    ),
    "error.system_prompt.unreadable": (
        "The file {path} of CLINKAI_SYSTEM_PROMPT cannot be read: {why}"
    ),
    "error.workspace.file": "The workspace {path} is a file, not a folder.",
    "error.workspace.missing": "The workspace {path} does not exist.",
    "error.workspace.name": (
        "The name of the workspace {path} is no valid text, so it cannot be told to the "
        "model."
    ),
    "error.workspace.unreadable": "The workspace {path} cannot be read: no permission.",

    "error.unreachable.nowhere": (
        "Nothing answers at {address}, and no model server was found on this machine."
    ),
    "error.unreachable.nowhere.hint": (
        "Start the model server, or set CLINKAI_BASE_URL to its address. Tried on 127.0.0.1: "
        "ports {ports}. Without a model, python clinkai.py demo shows how it works."
    ),
    "error.unreachable.no_ollama": (
        "Nothing answers at {address}, and none of the model servers on this machine is an "
        "Ollama: {found}."
    ),
    "error.unreachable.no_ollama.hint": (
        "Start Ollama, or set CLINKAI_PROVIDER=auto to use another one."
    ),
    "error.unreachable.strangers": (
        "Nothing answers at {address}, and what was found on this machine does not show that it "
        "is a model server: {found}."
    ),
    "error.unreachable.strangers.hint": (
        "If one of them is yours, set CLINKAI_BASE_URL to its address, and CLINKAI_API_KEY where "
        "it wants a key. Otherwise start the model server."
    ),

    "error.refused.memory": (
        "The model does not fit into the memory of the model server with a window of "
        "{window} tokens: {message}"
    ),
    "error.refused.memory.hint": (
        "Lower CLINKAI_CTX_BUDGET, so that a smaller window is asked for, choose a smaller "
        "model, or free memory on that machine (ollama ps, ollama stop MODEL)."
    ),

    "error.rate.long": "The model server takes no more requests for {wait}: {message}",
    "error.rate.long.hint": "Try again after that time, or use another server.",

    "error.unreachable.gone": (
        "The model server stopped answering and did not come back within {wait}."
    ),
    "error.unreachable.gone.hint": (
        "Start it again, then go on with --resume auto: all that came before is kept."
    ),

    "error.image.file": "The image {path} cannot be read: {why}",
    "error.image.file.hint": "Name a file that exists and that you may read, as --image FILE.",
    "error.image.kind": (
        "{path} is no image that models take: it begins like none of PNG, JPEG, GIF and WebP."
    ),
    "error.image.kind.hint": (
        "Convert it to PNG or JPEG. A text file can be named in the task itself."
    ),
    "error.image.large": (
        "The image {path} is larger than {limit}; every request of the session would carry "
        "it again, and some services take no more."
    ),
    "error.image.large.hint": (
        "Make it smaller: models scale images down to a few megapixels anyway."
    ),
    "error.image.off": "No image can be sent, since CLINKAI_VISION is off.",
    "error.image.off.hint": "Set CLINKAI_VISION=auto or on, or leave --image out.",
    "error.image.blind": (
        "The image was not sent: the model server says that its model takes no images."
    ),
    "error.image.blind.hint": (
        "llama-server: start it with the model's projector (--mmproj FILE). Elsewhere choose "
        "a model with vision. Should the server be wrong, set CLINKAI_VISION=on."
    ),
    "error.image.lost": "An image of this session is gone or was changed: {path}",
    "error.image.lost.hint": (
        "Put the file back, or go on without it: --resume auto puts a text in its place."
    ),
    "error.refused.images": "The model server does not take images: {message}",
    "error.refused.images.hint": (
        "llama-server: start it with the model's projector (--mmproj FILE). Elsewhere choose "
        "a model with vision. Then go on with --resume auto; to go on without the images, "
        "set CLINKAI_VISION=off as well."
    ),

    "error.context.refused": (
        "The model server refuses the conversation as too long ({message}); by our estimate "
        "it has about {tokens} tokens, and nothing more of it can be left out."
    ),
    "error.context.message": (
        "This message has about {tokens} tokens, system prompt and tools {prefix} more; "
        "{budget} fit. It was not sent and not kept."
    ),
    "error.context.message.hint": (
        "Shorten it, or save the text as a file of the workspace and have it read in parts. "
        "A larger window (llama-server: -c) or CLINKAI_CTX_BUDGET makes room too."
    ),
    "error.context.prefix": (
        "System prompt, tools and AGENTS.md have about {tokens} tokens; {budget} fit. "
        "Nothing was sent."
    ),
    "error.context.prefix.hint": (
        "Shorten AGENTS.md or the file of CLINKAI_SYSTEM_PROMPT, lower CLINKAI_MAX_TOKENS, "
        "or start the server with a larger context (llama-server: -c)."
    ),

    "error.session.newer": (
        "The session {path} was written by a later version of ClinkAI (records of version "
        "{version})."
    ),
    "error.session.newer.hint": (
        "Update ClinkAI to go on with it; python clinkai.py sessions show prints what can be "
        "read."
    ),
    "error.session.open.hint": (
        "To go on with a session takes the right to write to its file; python clinkai.py "
        "sessions show reads it without that."
    ),

    "error.session.remove": "The session cannot be deleted: {path}: {why}",
    "error.search.empty": "There is nothing to search for: the text is empty.",
    "error.search.regex": "“{pattern}” is no regular expression: {why}",
    "error.search.regex.hint": "Without --regex the text is taken as it is.",

    "error.session.point": "The session {path} has no record {seq}.",
    "error.session.point.hint": (
        "Its records and their numbers are shown by: python clinkai.py sessions show ID "
        "--all --json"
    ),
    "error.rewind.count": "There are {most} messages of yours to go back before, not {n}.",
    "error.rewind.count.hint": "Give a number from 1 to {most}, or none for the newest message.",

    "error.rewind.nothing": "Nothing was said in this session yet.",
    "error.rewind.nothing.hint": "Send a message first.",
    "error.rewind.files": "Files can be kept or restored (keep, restore), not “{files}”.",
}

"""The doctor: what each check found, what to do, and what it says to the model (`ask`)."""

STRINGS = {
    "doctor.label.python": "Python",
    "doctor.label.settings": "Settings",
    "doctor.label.server": "Server",
    "doctor.label.models": "Models",
    "doctor.label.completion": "Answer",
    "doctor.label.context": "Context",
    "doctor.label.tools": "Tool call",
    "doctor.label.cache": "Cache",
    "doctor.label.sessions": "Sessions",
    "doctor.label.sandbox": "Sandbox",
    "doctor.label.terminal": "Terminal",
    "doctor.mark.ok": "ok  ",
    "doctor.mark.warn": "warn",
    "doctor.mark.fail": "FAIL",
    "doctor.hint": "-> {hint}",
    "doctor.comma": ", ",
    "doctor.hint.server": "Look at the server's own output for the reason.",
    "doctor.hint.unreachable": "Start the model server, or set CLINKAI_BASE_URL to its address.",
    "doctor.summary.ok": "Everything is in order ({ok} checks).",
    "doctor.summary.warn": "It works. {ok} checks are in order, {warn} could be better.",
    "doctor.summary.fail": "Not ready yet: checks that failed: {fail} of {total}. Mend "
                           "the first one marked FAIL, then run doctor again.",

    "doctor.python": "{version} at {path}, {os} {machine}",
    "doctor.python.no_tls": "This Python has no ssl module: servers behind https cannot be used. "
                            "Install a Python that has one.",
    "doctor.settings.one": "{name}={value} ({source})",
    "doctor.settings.default": "all at their defaults",
    "doctor.settings.home": "{settings}; home folder {path}",
    "doctor.settings.clear": "CLINKAI_API_KEY is sent to another machine over plain http: anyone "
                             "on the way can read it. Use https in CLINKAI_BASE_URL, or unset the "
                             "key.",
    "doctor.source.flag": "option",
    "doctor.source.environment": "environment",
    "doctor.source.file": "config.toml",

    "doctor.server": "{url} answers ({kind})",
    "doctor.server.demo": "the demo provider needs none",
    "doctor.server.loading": "{url} is there and still loads its model",
    "doctor.server.loading.hint": "Wait until the server says that it is ready, then run doctor "
                                  "again.",
    "doctor.server.silent": "The server takes the connection and then says nothing ({seconds} s).",
    "doctor.server.silent.hint": "Look at the server's own output. If it hangs, restart it; if "
                                 "another program listens on this port, set CLINKAI_BASE_URL to "
                                 "the model server.",
    "doctor.server.addresses": "Usual addresses: llama-server http://127.0.0.1:8080/v1 (newer ones "
                               ":9931), Ollama :11434/v1, LM Studio :1234/v1, vLLM :8000/v1, "
                               "SGLang :30000/v1.",
    "doctor.kind.other": "OpenAI-compatible",
    "doctor.wsl.shared": "This is WSL 1, which shares its network with Windows: a server on "
                         "Windows is at {url}",
    "doctor.wsl.nat": "This is WSL 2: a server on Windows is not at 127.0.0.1 but, with the usual "
                      "NAT networking, at {url} - set CLINKAI_BASE_URL to it. The server must "
                      "listen on all addresses (llama-server: --host 0.0.0.0, Ollama: "
                      "OLLAMA_HOST=0.0.0.0, LM Studio: serve on local network) and the Windows "
                      "firewall must let it through. With networkingMode=mirrored in .wslconfig, "
                      "127.0.0.1 works.",
    "doctor.wsl.mirrored": "This is WSL 2 with mirrored networking: a server on Windows is at "
                           "{url}",
    "doctor.wsl.unknown": "This is WSL 2: a server on Windows is at the address that 'ip route' "
                          "names as the default gateway, or at 127.0.0.1 with mirrored networking.",

    "doctor.models": "{model}; served: {models}",
    "doctor.models.more": " and {n} more",
    "doctor.models.choose": "several are served and none is chosen; the first is checked: {models}",
    "doctor.models.choose.hint": "Set CLINKAI_MODEL, or pass --model.",
    "doctor.models.unknown": "{model} is not among those served: {models}",
    "doctor.models.unknown.hint": "Set CLINKAI_MODEL to one of them. (llama-server with one model "
                                  "takes any name.)",
    "doctor.models.none": "The server lists no model.",
    "doctor.models.none.hint": "Load one: llama-server -m MODEL.gguf, 'ollama pull MODEL', or in "
                               "the window of LM Studio.",
    "doctor.models.no_list": "The server has no list of models.",
    "doctor.models.no_list.hint": "Check that CLINKAI_BASE_URL ends where the API begins (usually "
                                  "/v1), and name the model with CLINKAI_MODEL.",

    "doctor.completion": "{speed}",
    "doctor.completion.thinking": "{speed}; {tokens} tokens were not enough to finish thinking",
    "doctor.completion.silent": "The server takes the request and gives no answer ({seconds} s).",
    "doctor.completion.silent.hint": "The first request may load the model: look at the server's "
                                     "own output, wait, then run doctor again. If it stays so, "
                                     "restart the server or use a smaller model.",
    "doctor.speed.time": "first word after {first}, whole answer after {all}",
    "doctor.speed.read": "reads {rate} tokens/s",
    "doctor.speed.write": "writes {rate} tokens/s",

    "doctor.context": "{window} tokens",
    "doctor.context.unknown": "the server does not say; {budget} tokens are assumed",
    "doctor.context.small": "That is little for work on files. {how}",
    "doctor.context.hint.llamacpp": "Start llama-server with a larger -c, for example -c 32768 "
                                    "(it is divided by -np).",
    "doctor.context.hint.ollama": "Raise CLINKAI_CTX_BUDGET: so much is asked for, but no more "
                                  "than the model was trained for. With CLINKAI_PROVIDER=openai "
                                  "nothing can be asked for: start Ollama with "
                                  "OLLAMA_CONTEXT_LENGTH=32768.",
    "doctor.context.hint.lmstudio": "Raise the context length in the model's load settings.",
    "doctor.context.hint.vllm": "Start vLLM with a larger --max-model-len.",
    "doctor.context.hint.sglang": "Start SGLang with a larger --context-length.",
    "doctor.context.hint.other": "Start the server with a window of 32,768 tokens or more, and set "
                                 "CLINKAI_CTX_BUDGET to it where the server does not say.",

    "doctor.tools": "the model called a tool and used its result",
    "doctor.tools.slow": "no answer within the {seconds} s that were left",
    "doctor.tools.slow.hint": "The server answers, but slowly. A smaller model, a smaller quant or "
                              "more layers on the GPU would help.",
    "doctor.tools.none": "asked to call a tool, the model answered in words",
    "doctor.tools.none.hint": "Small models often cannot do this: expect them to fail at tasks. If "
                              "this one should be able to, its chat template may not render tools "
                              "(llama-server: --jinja, or --chat-template-file).",
    "doctor.tools.cut": "after {tokens} tokens the model was still thinking, or its call was cut",
    "doctor.tools.cut.hint": "Keep CLINKAI_MAX_TOKENS high, or limit thinking in the server "
                             "(llama-server: --reasoning-budget).",
    "doctor.tools.wrong": "the model called something else: {call}",
    "doctor.tools.wrong.hint": "Such a model makes mistakes in its calls: expect some rounds to be "
                               "lost. A larger one would do better.",
    "doctor.tools.unused": "the model called the tool and then did not use its result",
    "doctor.tools.unused.hint": "Either the model is small, or its chat template does not render "
                                "tool results (llama-server: --jinja, or --chat-template-file).",
    "doctor.tools.text": "the model wrote its call as text, and the server did not recognise it",
    "doctor.tools.hint.jinja": "Start llama-server with --jinja, and with a chat template made for "
                               "this model (--chat-template-file) if that is not enough.",
    "doctor.tools.hint.vllm": "Start vLLM with --enable-auto-tool-choice and --tool-call-parser "
                              "NAME (hermes for Qwen 2.5 and 3, qwen3_coder for Qwen3-Coder).",
    "doctor.tools.hint.model": "Choose a model whose template has tools: 'ollama show MODEL' lists "
                               "its capabilities.",
    "doctor.tools.hint.other": "Switch on tool calling for this model in the server: it needs a "
                               "chat template and a parser for it.",

    "doctor.cache": "{cached} of {prompt} prompt tokens of a second request came from the cache",
    "doctor.cache.low": "only {cached} of the {first} tokens sent before came from the cache",
    "doctor.cache.unknown": "the server does not say how much it took from its cache",
    "doctor.cache.hint.llamacpp": "Every round would read the whole conversation again. Do not use "
                                  "-ctxcp 0 or --no-cache-prompt, leave --cache-ram on, and keep "
                                  "other clients off the slot (or use -np 2).",
    "doctor.cache.hint.vllm": "Start vLLM with --enable-prompt-tokens-details to see it (and "
                              "without --no-enable-prefix-caching).",
    "doctor.cache.hint.sglang": "Start SGLang with --enable-cache-report to see it.",
    "doctor.cache.hint.other": "Every round would read the whole conversation again: switch on "
                               "prompt (prefix) caching in the server.",

    "doctor.sessions": "{path} can be written, {free} free",
    "doctor.sessions.fail": "{path} cannot be written: {why}",
    "doctor.sessions.fail.hint": "Give permission, make room, or set CLINKAI_HOME or "
                                 "CLINKAI_SESSIONS to another folder.",
    "doctor.sessions.full": "The disk is nearly full: a session that cannot be written stops.",
    "doctor.sessions.inside": "The sessions lie inside the workspace, where every tool of yours "
                              "sees them. Set CLINKAI_SESSIONS to a folder elsewhere.",

    "doctor.sandbox": "commands can be confined: Landlock version {abi} and a filter of system calls",
    "doctor.sandbox.mounts": "commands can be confined: Landlock version {abi}, a filter of system "
                             "calls, and read-only mounts",
    "doctor.sandbox.root": "You are root. Confined commands lose its rights, so they cannot write in "
                           "files of other users; commands that you approve keep them. Better run "
                           "ClinkAI as another user.",
    "doctor.sandbox.broken": "the kernel has what it takes, but a command could not be confined: "
                             "{step}, {why}",
    "doctor.sandbox.old": "this kernel's Landlock is older than version 3, which does not keep files "
                          "from being emptied",
    "doctor.sandbox.machine": "there is no table of system calls for this machine",
    "doctor.sandbox.not_linux": "none on this system",
    "doctor.sandbox.missing": "this kernel has no Landlock",
    "doctor.sandbox.off": "this kernel has Landlock, but it is not switched on",
    "doctor.sandbox.blocked": "the call that asks for Landlock is blocked here (a container?)",
    "doctor.sandbox.hint": "Nothing to do: commands that are not known to be harmless are asked.",

    "doctor.terminal": "{columns} columns, {encoding}, TERM={term}, {colour}",
    "doctor.terminal.colour_on": "colours",
    "doctor.terminal.colour_off": "no colours",
    "doctor.terminal.none": "not a terminal: nobody can be asked, so what needs a yes is refused "
                            "(--allow lets more through)",
    "doctor.terminal.encoding": "Not every character can be shown. Set PYTHONUTF8=1 (on Windows "
                                "also: chcp 65001).",
    "doctor.terminal.narrow": "Diffs and tables want at least {columns} columns.",

    "doctor.ask.system": "You are asked a few short questions to see whether this server works. "
                         "Answer as briefly as you can.",
    "doctor.ask.word": "Answer with the single word: ready",
    "doctor.ask.tool": "Call the tool {name} once with harbour = \"{harbour}\". When you have its "
                       "result, answer with the code it gave.",
    "doctor.ask.tool_about": "Look up the code of a harbour. Returns a number.",
    "doctor.ask.result": "The code is {code}.",

    "doctor.cache.unmade": "not looked at, because the tool call did not come back",
    "doctor.cache.unmade.hint": "Mend the tool call first, then run doctor again.",

    "doctor.label.slots": "Slots",
    "doctor.label.thinking": "Thinking",
    "doctor.slots.one": "one: another conversation takes the place of this one in the cache",
    "doctor.slots": "{n}: a session stays in one of them, so that others do not take its cache",
    "doctor.thinking.asked": (
        "kept in the conversation, as the template is asked to (preserve_thinking): the next "
        "message costs only itself"
    ),
    "doctor.thinking.kept": (
        "kept in the conversation by the template: the next message costs only itself"
    ),
    "doctor.thinking.stripped": (
        "left out by the template when the next message comes: the last turn is read again "
        "then"
    ),
    "doctor.thinking.stripped.hint": (
        "WARM_UP has it read while you type. With long turns start llama-server with -ctxcp "
        "128 if there is memory for it, or with a template that keeps thinking "
        "(--chat-template-file)."
    ),
    "doctor.thinking.unseen": (
        "left out of the conversation by the template: what the model thought and said is "
        "read again each round"
    ),
    "doctor.thinking.unseen.hint": (
        "Start llama-server with a template that renders reasoning_content "
        "(--chat-template-file)."
    ),
}

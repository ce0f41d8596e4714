"""Settings: what each does, and what is wrong with a value."""

STRINGS = {
    "setting.base_url": "Address of the model server",
    "setting.api_key": "Key sent to the model server; the default one only to this machine",
    "setting.ca_file": "File with the certificates (PEM) an https server is checked against",
    "setting.ca_file.default": "those of the system",
    "setting.model": "Name of the model, as the server lists it",
    "setting.model.default": "the one chosen last, or the only one served",
    "setting.provider": "How to talk to the model server: auto asks it which server it is; demo is a "
                        "scripted stand-in without one",
    "setting.max_rounds": "Model calls in one turn before it stops",
    "setting.max_tokens": "Tokens one answer may have, thinking included",
    "setting.temperature": "Randomness of the answers, 0 to 2",
    "setting.ctx_budget": "Tokens of context to use at most, where the model could take more",
    "setting.tool_out_limit": "Characters of a tool result the model gets before it is cut",
    "setting.idle_timeout": "Seconds of silence after which the model server is given up",
    "setting.status": "Whether the status line the model gets stays in the history",
    "setting.mode": "What happens without a question",
    "setting.compound": "Whether pipes and chains of commands are judged part by part",
    "setting.secrets_ok": "Patterns of secret files the tools may use, separated by commas",
    "setting.secrets_ok.default": "none",
    "setting.tools": "Tools the model gets, separated by commas; +NAME and -NAME change the "
                     "usual ones",
    "setting.system_prompt": "File outside the workspace that replaces the working rules",
    "setting.system_prompt.default": "the built-in rules",
    "setting.sessions": "Folder of the session files",
    "setting.sessions.default": "`sessions` in CLINKAI_HOME",
    "setting.home": "Folder of sessions, settings, policy and history",
    "setting.home.default": "`~/.clinkai`",
    "setting.web_port": "Port of the page; 0 takes a free one",
    "setting.verbose": "Show all of the thinking",
    "setting.lang": "Language of the program and of what the model is told",
    "setting.lang.default": "as the locale says",
    "setting.table.head": "| Variable | Flag | Default | Meaning |",

    "setting.error.text": "{where}: “{value}” cannot be used. Allowed: text without control "
                          "characters.",
    "setting.error.secret": "{where}: the key cannot be used. Allowed: printable ASCII characters "
                            "without blanks.",
    "setting.error.url": "{where}: “{value}” is no address of a model server. Allowed: "
                         "http://HOST:PORT/PATH or https://HOST/PATH, without user name, “?” "
                         "or “#”.",
    "setting.error.choice": "{where}: “{value}” is not known. Allowed: {choices}.",
    "setting.error.names": "{where}: “{value}” is not known. Allowed: some of {choices}, "
                           "separated by commas.",
    "setting.error.globs": "{where}: “{value}” cannot be used. Allowed: patterns separated by "
                           "commas, or a list of texts in config.toml.",
    "setting.error.int": "{where}: “{value}” cannot be used. Allowed: a whole number from {low} "
                         "to {high}.",
    "setting.error.number": "{where}: “{value}” cannot be used. Allowed: a number from {low} to "
                            "{high}.",
    "setting.error.switch": "{where}: “{value}” cannot be used. Allowed: {choices}.",
    "setting.error.file": "{where}: “{value}” is no file that can be read. Allowed: the path of "
                          "an existing file.",
    "setting.error.unreadable": "{path} cannot be read: {why}.",
    "setting.error.unreadable.hint": "Mend its permissions, or put a file of that name in its place.",
    "setting.error.toml": "{path} is not valid TOML: {why}.",
    "setting.error.unknown": "{path} has names that are no settings: {names}. Allowed: {known}.",
    "setting.error.unknown.hint": "Correct or remove these lines.",
    "setting.error.toml.hint": "A line looks like: max_rounds = 30",
    "setting.error.home_unknown": "The home folder of the user cannot be determined, so there is no "
                                  "place for CLINKAI_HOME.",
    "setting.error.home_unknown.hint": "Set CLINKAI_HOME to a folder that can be written.",
    "setting.error.home_create": "CLINKAI_HOME cannot be created at {path}: {why}.",
    "setting.error.home_create.hint": "Set CLINKAI_HOME to a folder that can be written.",
    "setting.error.home_readonly": "Nothing can be written in CLINKAI_HOME ({path}).",
    "setting.error.home_readonly.hint": "Set CLINKAI_HOME to a folder that can be written.",
    "setting.error.no_models": "The model server lists no model.",
    "setting.error.no_models.hint": "Load one there (llama-server -m MODEL.gguf, ollama pull MODEL, "
                                    "the window of LM Studio), or set CLINKAI_MODEL.",
    "setting.error.which_model": "The model server has several models: {models}.",
    "setting.error.which_model.hint": "Choose one with --model NAME or CLINKAI_MODEL.",
    "setting.notice.model_file": "The model chosen last cannot be read from {path} ({why}); it is "
                                 "chosen anew.",
    "setting.notice.model_damaged": "{path} is damaged, so the model chosen last is not known. "
                                    "Delete that file.",
    "setting.notice.model_not_kept": "The choice of the model could not be kept in {path}: {why}.",

    "setting.top_p": "Only the likeliest tokens that make up this share are drawn from, 0 to 1",
    "setting.top_p.default": "the server's",
    "setting.top_k": "Only this many of the likeliest tokens are drawn from; 0 is all",
    "setting.top_k.default": "the server's",
    "setting.min_p": "Tokens less likely than this share of the likeliest are left out, 0 to 1",
    "setting.min_p.default": "the server's",
    "setting.seed": "Number that makes answers repeatable, where the server allows it",
    "setting.seed.default": "a new one each time",
    "setting.thinking": (
        "Whether the model thinks before it answers: on, off, or the tokens it may use; "
        "changing it within a session makes the server read the prompt anew"
    ),
    "setting.thinking.default": "as the model likes",
    "setting.extra_body": "JSON object whose fields are added to every request",
    "setting.extra_body.default": "none",
    "setting.error.thinking": (
        "{where}: “{value}” is not known. Allowed: on, off, or a whole number of tokens from "
        "1."
    ),
    "setting.error.object": (
        "{where}: “{value}” is no JSON object. Allowed: for example {{\"cache_prompt\": true}}."
    ),
    "setting.error.own_fields": (
        "{where}: “{value}” sets fields that ClinkAI sets itself: {names}. Allowed: any "
        "others."
    ),

    "setting.vision": (
        "Whether the model takes images; auto: as the server says, and tried where it says "
        "nothing"
    ),

    "setting.warm_up": "Whether llama.cpp reads what comes next while a person types",
    "setting.kv_save": (
        "Whether llama.cpp keeps the cache of a session in a file when it is closed, and "
        "loads it when the session goes on (needs --slot-save-path there)"
    ),
}

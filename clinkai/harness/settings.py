"""The settings: one table; the help, README, `config` and the web page are derived from it.

Order: flag, then `CLINKAI_NAME`, then `$CLINKAI_HOME/config.toml`, then the default. A value that
cannot be used is an error that names the place it came from, the value and what is allowed; so is
a name in config.toml that is no setting. An empty environment variable counts as not set.
Nothing in the workspace is read here.

Not covered: creating the home folder (`harness/home.py`), choosing a model (`harness/models.py`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from clinkai.ai import DEFAULT_KEY
from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.core.errors import UsageError
from clinkai.core.state import Sampling
from clinkai.core.value import Value
from clinkai.harness import home as home_folder
from clinkai.harness.setting_kinds import BadValue, read

PREFIX = "CLINKAI_"
CONFIG = "config.toml"
MODES = ("plan", "ask", "auto", "sandbox")
PROVIDERS = ("auto", "openai", "ollama", "anthropic", "demo")
TOOLS = ("read", "write", "edit", "ls", "grep", "bash")
MORE_TOOLS = ("move", "delete")
"""Off by default: every tool is paid for in every session, and bash does these too."""
DEFAULT_URL = "http://127.0.0.1:18080/v1"
MASK = "********"
"""Stands for a key wherever one would be shown."""


class Setting(Value):
    """One setting. The catalogue has its help under `setting.` and the name in small letters.

    kind: text, secret, url, folder, file, int, number, choice, names, globs, switch, thinking or
    object
    (`setting_kinds`). flag: the option of the command line, or empty. low, high: inclusive bounds.
    default: in the form a value has once read; None where `load` works it out.
    """

    name: str
    kind: str
    default: object
    flag: str = ""
    choices: tuple = ()
    low: float | None = None
    high: float | None = None

    @property
    def env(self) -> str:
        """The environment variable."""
        return PREFIX + self.name

    @property
    def attribute(self) -> str:
        """The attribute of `Settings`, the key in config.toml, the end of the catalogue key."""
        return self.name.lower()


TABLE = (
    Setting("BASE_URL", "url", DEFAULT_URL, "--base-url"),
    Setting("API_KEY", "secret", DEFAULT_KEY),
    Setting("CA_FILE", "file", ""),
    Setting("MODEL", "text", "", "--model"),
    Setting("PROVIDER", "choice", "auto", "--provider", PROVIDERS),
    Setting("MAX_ROUNDS", "int", 15, "--max-rounds", low=1, high=100_000),
    Setting("MAX_TOKENS", "int", 4096, low=16, high=10_000_000),
    Setting("TEMPERATURE", "number", 0.3, low=0, high=2),
    Setting("TOP_P", "number", None, low=0, high=1),
    Setting("TOP_K", "int", None, low=0, high=1_000_000),
    Setting("MIN_P", "number", None, low=0, high=1),
    Setting("SEED", "int", None, low=0, high=2_147_483_647),
    Setting("THINKING", "thinking", "", "--thinking"),
    Setting("VISION", "choice", "auto", choices=("auto", "on", "off")),
    Setting("EXTRA_BODY", "object", ()),
    Setting("CTX_BUDGET", "int", 90_000, low=1_000, high=100_000_000),
    Setting("TOOL_OUT_LIMIT", "int", 8192, low=200, high=10_000_000),
    Setting("IDLE_TIMEOUT", "number", 1800.0, low=0.05, high=604_800),
    Setting("WARM_UP", "switch", True),
    Setting("KV_SAVE", "switch", False),
    Setting("STATUS", "choice", "pinned", choices=("pinned", "ephemeral")),
    Setting("MODE", "choice", "auto", "--mode", MODES),
    Setting("COMPOUND", "choice", "parts", choices=("parts", "refuse")),
    Setting("SECRETS_OK", "globs", ()),
    Setting("TOOLS", "names", TOOLS, choices=TOOLS + MORE_TOOLS),
    Setting("SYSTEM_PROMPT", "file", ""),
    Setting("SESSIONS", "folder", None),
    Setting("HOME", "folder", None),
    Setting("WEB_PORT", "int", 18090, "--port", low=0, high=65_535),
    Setting("VERBOSE", "switch", False, "--verbose"),
    Setting("LANG", "choice", None, "--lang", LANGUAGES),
)

BY_ATTRIBUTE = {setting.attribute: setting for setting in TABLE}


class Settings(Value):
    """The values in force, as attributes in small letters: `settings.max_rounds`.

    sources: where each came from, by the same name: flag, environment, file or default.
    """

    values: dict
    sources: dict

    def __getattr__(self, name: str) -> object:
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def say(self) -> Strings:
        """The strings of the language in force."""
        return Strings(self.values["lang"])

    @property
    def sampling(self) -> Sampling:
        """How tokens are chosen, beside the temperature."""
        values = self.values
        return Sampling(values["top_p"], values["top_k"], values["min_p"], values["seed"],
                        thinking=values["thinking"], extra=values["extra_body"])

    def changed(self, **values: object) -> Settings:
        """A copy with some values changed, as by a flag. Raises KeyError for unknown names."""
        unknown = values.keys() - BY_ATTRIBUTE.keys()
        if unknown:
            raise KeyError(*unknown)
        return Settings({**self.values, **values},
                        {**self.sources, **dict.fromkeys(values, "flag")})


def load(flags: Mapping[str, object], environ: Mapping[str, str],
         home: str | None = None) -> Settings:
    """Return the settings in force.

    flags: values of the command line by attribute name, as text or already of the right kind.
    home: the folder that holds config.toml, where it is not to be looked up in `environ`.
    Raises UsageError for bad values, MachineError where the home folder cannot be determined or
    config.toml cannot be read.
    """
    place = home or home_folder.locate(environ)
    config = os.path.join(place, CONFIG)
    stored = _config(config) if os.path.exists(config) else {}
    values: dict = {}
    sources: dict = {}
    for setting in TABLE:
        name = setting.attribute
        if name in flags:
            source, label, raw = "flag", setting.flag or name, flags[name]
        elif environ.get(setting.env):
            source, label, raw = "environment", setting.env, environ[setting.env]
        elif name in stored:
            source, label, raw = "file", f"{config}: {name}", stored[name]
        else:
            values[name], sources[name] = setting.default, "default"
            continue
        values[name], sources[name] = _value(setting, raw, label, environ), source
    values["home"] = place
    if values["lang"] is None:
        values["lang"] = language(environ)
    if values["sessions"] is None:
        values["sessions"] = os.path.join(place, "sessions")
    return Settings(values, sources)


def language(environ: Mapping[str, str]) -> str:
    """The language of the locale: zh where it says Chinese, else en."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environ.get(name):
            return "zh" if environ[name].lower().startswith("zh") else "en"
    return "zh" if os.name == "nt" and _windows_language() == CHINESE else "en"


CHINESE = 0x04
"""Primary language id of Chinese. Source: Windows language identifier constants."""


def _windows_language() -> int:
    import ctypes

    return ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF


def _value(setting: Setting, raw: object, label: str, environ: Mapping[str, str]) -> object:
    try:
        return read(setting, raw, environ)
    except BadValue as bad:
        shown = MASK if setting.kind == "secret" else _harmless(str(raw)[:200])
        raise UsageError(bad.key, where=label, value=shown, **bad.params) from None


def _harmless(value: str) -> str:
    """A value as an error may show it: on one line, without the password of an address."""
    import re

    shown = "".join(c if c >= " " and c != "\x7f" else f"\\x{ord(c):02x}" for c in value)
    return re.sub(r"(?<=//)[^/@]*(?=@)", MASK, shown)


def _config(path: str) -> dict:
    """The content of config.toml. Raises UsageError for what is no TOML or no setting."""
    from clinkai.harness import toml

    try:
        stored = toml.read(path)
    except OSError as error:
        raise UsageError("setting.error.unreadable", path=path, why=error.strerror or str(error)) \
            from None
    except ValueError as error:
        raise UsageError("setting.error.toml", path=path, why=str(error)) from None
    known = [name for name in BY_ATTRIBUTE if name != "home"]
    unknown = sorted(stored.keys() - set(known))
    if unknown:
        raise UsageError("setting.error.unknown", path=path, names=", ".join(unknown),
                         known=", ".join(known))
    return stored

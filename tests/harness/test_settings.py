"""Settings: order of sources, every kind of value, config.toml, the home folder, the tables."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest

from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.core.errors import MachineError, UsageError
from clinkai.harness import home, settings_table
from clinkai.harness.settings import BY_ATTRIBUTE, TABLE, language, load
from tests.source import TOP


def at(tmp_path, **environ: str) -> dict:
    return {"HOME": str(tmp_path), **{f"CLINKAI_{name}": value for name, value in environ.items()}}


def config(tmp_path, text: str | bytes) -> None:
    folder = tmp_path / ".clinkai"
    folder.mkdir()
    (folder / "config.toml").write_bytes(text if isinstance(text, bytes) else text.encode())


def complaint(error: UsageError | MachineError, lang: str = "en") -> str:
    return error.text(Strings(lang))


def test_defaults(tmp_path):
    settings = load({}, at(tmp_path))
    assert settings.values == {
        "base_url": "http://127.0.0.1:18080/v1", "api_key": "local-3090", "ca_file": "",
        "model": "", "provider": "auto", "max_rounds": 15, "max_tokens": 4096, "temperature": 0.3,
        "top_p": None, "top_k": None, "min_p": None, "seed": None, "thinking": "", "vision": "auto",
        "extra_body": (), "ctx_budget": 90_000, "tool_out_limit": 8192, "idle_timeout": 1800.0,
        "warm_up": True, "kv_save": False, "status": "pinned",
        "mode": "auto", "compound": "parts", "secrets_ok": (),
        "tools": ("read", "write", "edit", "ls", "grep", "bash"), "system_prompt": "",
        "sessions": str(tmp_path / ".clinkai" / "sessions"), "home": str(tmp_path / ".clinkai"),
        "web_port": 18090, "verbose": False, "lang": "en",
    }
    assert set(settings.sources.values()) == {"default"}


def test_a_flag_wins_over_the_environment_over_the_file_over_the_default(tmp_path):
    config(tmp_path, 'max_rounds = 2\nmax_tokens = 200\nmodel = "from file"\n')
    settings = load({"max_rounds": "4"}, at(tmp_path, MAX_ROUNDS="3", MAX_TOKENS="300"))
    assert (settings.max_rounds, settings.max_tokens, settings.model) == (4, 300, "from file")
    assert {n: settings.sources[n] for n in ("max_rounds", "max_tokens", "model", "mode")} == {
        "max_rounds": "flag", "max_tokens": "environment", "model": "file", "mode": "default"}


GOOD = [
    ("BASE_URL", "https://HOST.example/v1/", "https://HOST.example/v1"),
    ("BASE_URL", "http://[::1]:8080", "http://[::1]:8080"),
    ("API_KEY", "sk-1", "sk-1"),
    ("MODEL", "名字/x:7b", "名字/x:7b"),
    ("TEMPERATURE", "0", 0.0),
    ("TOP_P", "0.9", 0.9),
    ("TOP_K", "40", 40),
    ("SEED", "7", 7),
    ("THINKING", "OFF", "off"),
    ("THINKING", "02048", "2048"),
    ("EXTRA_BODY", '{"cache_prompt": true, "a": {"b": [1]}}',
     (("cache_prompt", True), ("a", {"b": [1]}))),
    ("IDLE_TIMEOUT", "0.5", 0.5),
    ("SECRETS_OK", " .env.ci , *.pem,", (".env.ci", "*.pem")),
    ("TOOLS", "ls,read", ("read", "ls")),
    ("TOOLS", " ", ()),
    ("VERBOSE", "ON", True),
    ("VERBOSE", "no", False),
    ("WEB_PORT", "0", 0),
    ("LANG", "zh", "zh"),
    ("MAX_ROUNDS", "", 15),
]


@pytest.mark.parametrize(("name", "raw", "value"), GOOD)
def test_values_are_read(tmp_path, name, raw, value):
    assert load({}, at(tmp_path, **{name: raw})).values[name.lower()] == value


BAD = [
    ("BASE_URL", "127.0.0.1:18080", "http://HOST:PORT/PATH"),
    ("BASE_URL", "http://me:secret@host/v1", "without user name"),
    ("BASE_URL", "http://host/v1?x=1", "without user name"),
    ("BASE_URL", "http://host:99999/v1", "http://HOST:PORT/PATH"),
    ("BASE_URL", "http://", "http://HOST:PORT/PATH"),
    ("MODEL", "a\nb", "without control characters"),
    ("PROVIDER", "nobody", "auto, openai, ollama, anthropic, demo"),
    ("MAX_ROUNDS", "0", "from 1 to 100000"),
    ("MAX_ROUNDS", "many", "from 1 to 100000"),
    ("MAX_ROUNDS", "9" * 5000, "from 1 to 100000"),
    ("MAX_ROUNDS", "٣", "from 1 to 100000"),
    ("TEMPERATURE", "nan", "from 0 to 2"),
    ("MIN_P", "1.1", "from 0 to 1"),
    ("SEED", "-1", "from 0 to"),
    ("THINKING", "maybe", "on, off, or a whole number"),
    ("THINKING", "0", "on, off, or a whole number"),
    ("EXTRA_BODY", "[1]", "no JSON object"),
    ("EXTRA_BODY", '{"a": NaN}', "no JSON object"),
    ("EXTRA_BODY", '{"messages": [], "n": 2, "x": 1}', "itself: messages, n."),
    ("IDLE_TIMEOUT", "inf", "from 0.05 to 604800"),
    ("IDLE_TIMEOUT", "0", "from 0.05 to 604800"),
    ("MODE", "AUTO", "plan, ask, auto, sandbox"),
    ("TOOLS", "read,weather", "read, write, edit, ls, grep, bash"),
    ("VERBOSE", "maybe", "true, false"),
    ("LANG", "fr", "en, zh"),
    ("CA_FILE", "/nowhere/ca.pem", "existing file"),
    ("SYSTEM_PROMPT", "/", "existing file"),
]


SHOWN = {"http://me:secret@host/v1": "http://********@host/v1", "a\nb": "a\\x0ab"}
"""How values with a password or with control characters are shown; others as they are."""


@pytest.mark.parametrize(("name", "raw", "allowed"), BAD)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_bad_value_names_variable_value_and_what_is_allowed(tmp_path, name, raw, allowed, lang):
    with pytest.raises(UsageError) as caught:
        load({}, at(tmp_path, **{name: raw}))
    text = complaint(caught.value, lang)
    assert f"CLINKAI_{name}" in text and SHOWN.get(raw, raw[:200]) in text
    assert "secret" not in text
    assert lang != "en" or allowed in text


def test_a_bad_key_is_not_shown(tmp_path):
    with pytest.raises(UsageError) as caught:
        load({}, at(tmp_path, API_KEY="hidden value"))
    assert "CLINKAI_API_KEY" in complaint(caught.value)
    assert "hidden" not in complaint(caught.value) + repr(caught.value)


def test_a_bad_flag_is_named_as_the_flag(tmp_path):
    with pytest.raises(UsageError) as caught:
        load({"max_rounds": "x"}, at(tmp_path))
    assert complaint(caught.value).startswith("--max-rounds: “x”")


FILES = [
    ("max_rounds = 'x'", ["config.toml: max_rounds", "“x”", "from 1 to"]),
    ("verbose = 2", ["config.toml: verbose", "“2”", "true, false"]),
    ("base_url = 'ftp://me:hidden@host'", ["config.toml: base_url", "ftp://********@host"]),
    ("model = " + "[" * 100_000, ["not valid TOML", "too deeply nested"]),
    ("max_rounds = true", ["config.toml: max_rounds"]),
    ("max_round = 3\nhome = '/x'", ["home, max_round", "max_rounds"]),
    ("max_rounds = \nmode = 'ask'", ["not valid TOML", "line 1"]),
    (b"model = '\xff'", ["not valid TOML"]),
]


@pytest.mark.parametrize(("text", "parts"), FILES)
def test_mistakes_in_the_file_are_errors_that_name_it(tmp_path, text, parts):
    config(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        load({}, at(tmp_path))
    assert [part for part in parts if part not in complaint(caught.value)] == []


@pytest.mark.parametrize(("text", "name", "value"), [
    (b"\xef\xbb\xbfmax_rounds = 3\r\n", "max_rounds", 3), ("verbose = 1", "verbose", True),
    ("verbose = false", "verbose", False), ("verbose = 'yes'", "verbose", True),
])
def test_the_file_is_read_as_people_save_it(tmp_path, text, name, value):
    config(tmp_path, text)
    assert load({}, at(tmp_path)).values[name] == value


def test_the_file_may_hold_lists(tmp_path):
    config(tmp_path, 'secrets_ok = [".env.ci"]\ntools = ["read"]\ntemperature = 1\n')
    settings = load({}, at(tmp_path))
    assert (settings.secrets_ok, settings.tools) == ((".env.ci",), ("read",))
    assert settings.temperature == 1.0


def test_nothing_of_the_workspace_is_read(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    for name in (".env", "config.toml", "clinkai.toml", ".clinkai"):
        (folder / name).write_text("CLINKAI_MODE=plan\nmode = 'plan'\n")
    monkeypatch.chdir(folder)
    assert load({}, at(tmp_path)).mode == "auto"


@pytest.mark.parametrize(("environ", "lang"), [
    ({}, "en"),
    ({"LANG": "zh_CN.UTF-8"}, "zh"),
    ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
    ({"LANG": "C", "LC_MESSAGES": "zh_TW"}, "zh"),
    ({"LANG": "de_DE.UTF-8"}, "en"),
])
def test_the_language_follows_the_locale(environ, lang):
    assert language(environ) == lang


@pytest.mark.parametrize(("environ", "path"), [
    ({"HOME": "/h"}, "/h/.clinkai"),
    ({"HOME": "/h", "CLINKAI_HOME": "~/x"}, "/h/x"),
    ({"HOME": "/h", "CLINKAI_HOME": "/y/../z"}, "/z"),
    ({"HOME": "/h", "CLINKAI_HOME": ""}, "/h/.clinkai"),
])
def test_the_home_folder_is_located(environ, path):
    assert home.locate(environ) == path


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="becomes another user")
def test_a_user_without_a_home_has_to_name_a_folder():
    code = ("import os, pwd; from clinkai.harness import home; os.setuid(54321)\n"
            "try: home.locate({})\nexcept Exception as error: print(error.key, error.exit_code)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=TOP)
    assert done.stdout == "setting.error.home_unknown 2\n", done.stderr


def test_the_home_folder_is_made_for_the_user_alone(tmp_path):
    made = home.prepare(str(tmp_path / "a" / "b"))
    assert stat.S_IMODE(os.stat(made).st_mode) == 0o700
    assert home.prepare(made) == made


def test_a_home_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "x"):
        with pytest.raises(MachineError) as caught:
            home.prepare(str(path))
        assert str(path) in complaint(caught.value) and caught.value.exit_code == 2


def test_rows_cover_the_table_and_hide_keys(tmp_path):
    rows = settings_table.rows(load({}, at(tmp_path, API_KEY="sk-very-secret")))
    assert [row["name"] for row in rows] == [setting.name for setting in TABLE]
    assert "sk-very-secret" not in json.dumps(rows) and "local-3090" not in json.dumps(rows)
    assert rows[1] == {"name": "API_KEY", "env": "CLINKAI_API_KEY", "value": "********",
                       "default": "********", "source": "environment"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_table_of_the_readme_has_every_setting(lang):
    lines = settings_table.markdown(Strings(lang)).splitlines()
    assert [line.split("`")[1] for line in lines[2:]] == [setting.env for setting in TABLE]
    assert {line.count("|") for line in lines} == {5}


def test_changed_settings_are_marked_as_flags(tmp_path):
    settings = load({}, at(tmp_path)).changed(provider="demo")
    assert (settings.provider, settings.sources["provider"]) == ("demo", "flag")
    with pytest.raises(KeyError):
        settings.changed(colour="red")


def test_attributes_are_the_names_of_the_table(tmp_path):
    settings = load({}, at(tmp_path))
    assert settings.values.keys() == settings.sources.keys() == BY_ATTRIBUTE.keys()
    with pytest.raises(AttributeError):
        settings.colour  # noqa: B018

from __future__ import annotations

import os

import pytest

from clinkai.core.catalogue import Strings
from clinkai.harness import doctor_machine, settings
from clinkai.harness.doctor_machine import Terminal

EN = Strings("en")
GOOD = Terminal(True, True, "utf-8", "xterm-256color", 120, False)


@pytest.mark.parametrize(("found", "status", "detail", "hint"), [
    (GOOD, "ok", "120 columns, utf-8, TERM=xterm-256color, colours", ""),
    (Terminal(True, True, "UTF-8", "", 80, True), "ok",
     "80 columns, UTF-8, TERM=-, no colours", ""),
    (Terminal(True, True, "cp65001", "dumb", 80, False), "ok",
     "80 columns, cp65001, TERM=dumb, no colours", ""),
    (Terminal(True, True, "cp936", "", 80, False), "warn", "80 columns, cp936", "PYTHONUTF8=1"),
    (Terminal(True, True, "", "", 80, False), "warn", "80 columns, ?", "PYTHONUTF8=1"),
    (Terminal(True, True, "utf-8", "", 40, False), "warn", "40 columns", "at least 60"),
    (Terminal(False, True, "utf-8", "", 80, False), "ok", "not a terminal", ""),
    (Terminal(True, False, "ascii", "", 80, False), "ok", "not a terminal", ""),
])
def test_a_terminal_is_judged_by_what_it_can_show(found, status, detail, hint):
    finding = doctor_machine.terminal(found, EN)
    assert (finding.id, finding.status) == ("terminal", status)
    assert finding.detail.startswith(detail)
    assert hint in finding.hint


def test_this_process_has_a_terminal_to_describe():
    assert Terminal.of_this_process().columns > 0


def chosen(tmp_path, **env: str):
    return settings.load({}, env, str(tmp_path / "home"))


def test_default_settings_are_said_to_be(tmp_path):
    finding = doctor_machine.settings(chosen(tmp_path), EN)
    assert finding.detail == f"all at their defaults; home folder {tmp_path / 'home'}"
    assert finding.status == "ok"


def test_each_setting_is_shown_with_its_source(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.toml").write_text('max_rounds = 30\nsecrets_ok = ["*.pem"]\n')
    found = settings.load({"mode": "plan"}, {"CLINKAI_TEMPERATURE": "0"}, str(tmp_path / "home"))
    assert doctor_machine.settings(found, EN).detail == (
        "MAX_ROUNDS=30 (config.toml), TEMPERATURE=0.0 (environment), MODE=plan (option), "
        f"SECRETS_OK=*.pem (config.toml); home folder {tmp_path / 'home'}")


def test_the_session_folder_is_tried_and_left_as_it_was(tmp_path):
    finding = doctor_machine.sessions(chosen(tmp_path), str(tmp_path / "work"), EN)
    assert finding.status == "ok"
    assert finding.detail.startswith(str(tmp_path / "home/sessions"))
    assert os.listdir(tmp_path) == []
    (tmp_path / "home/sessions").mkdir(parents=True)
    doctor_machine.sessions(chosen(tmp_path), str(tmp_path / "work"), EN)
    assert os.listdir(tmp_path / "home/sessions") == []


def test_sessions_inside_the_workspace_are_warned_about(tmp_path):
    finding = doctor_machine.sessions(chosen(tmp_path), str(tmp_path), EN)
    assert (finding.status, "CLINKAI_SESSIONS" in finding.hint) == ("warn", True)


def test_python_is_named_with_its_path():
    assert doctor_machine.python(EN).status == "ok"


def test_every_answer_of_the_kernel_has_words():
    keys = [f"doctor.sandbox.{why}" for why in ("not_linux", "missing", "off", "blocked", "old",
                                                "machine")]
    assert all(key in Strings(lang) for key in keys for lang in ("en", "zh"))
    assert doctor_machine.sandbox(EN).status in ("ok", "warn")

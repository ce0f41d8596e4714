from __future__ import annotations

import os

import pytest

from clinkai.harness.shell import environment

GIVEN = {
    "PATH": os.pathsep.join(("/usr/bin", "bin", "", ".", "/ws/bin", "/ws", "/wsx")), "HOME": "/h",
    "LANG": "zh_CN.UTF-8", "LC_ALL": "C", "TZ": "UTC", "GIT_DIR": "x", "GIT_PAGER": "x", "PAGER": "x",
    "LD_PRELOAD": "x", "DYLD_INSERT_LIBRARIES": "x", "CLINKAI_API_KEY": "k", "CLINKAI_MODEL": "m",
    "OPENAI_API_KEY": "k", "GITHUB_TOKEN": "k", "AWS_SECRET_ACCESS_KEY": "k", "DB_PASSWORD": "k",
    "GOOGLE_APPLICATION_CREDENTIALS": "k", "BASH_ENV": "x", "ENV": "x", "PYTHONSTARTUP": "x",
    "NODE_OPTIONS": "x", "RIPGREP_CONFIG_PATH": "x", "LESSOPEN": "x", "EDITOR": "x", "IFS": "x",
    "BASH_FUNC_ls%%": "() { x; }", "JAVA_HOME": "/j", "VIRTUAL_ENV": "/ws/.venv", "KEYBOARD": "de",
    "MYSQL_PWD": "k", "GH_PAT": "k", "SMTP_PASS": "k", "PASS": "k", "CHAT_WEBHOOK_URL": "k",
    "OLDPWD": "/o", "PWD": "/p", "BYPASS": "1", "PATIENCE": "1",
}


def test_what_nobody_was_asked_about_gets_a_short_list():
    found = environment.strict("/ws", GIVEN)
    assert found == {
        "PATH": os.pathsep.join(("/usr/bin", "/wsx")), "HOME": "/h", "LANG": "zh_CN.UTF-8",
        "LC_ALL": "C", "TZ": "UTC", "TERM": "dumb",
    }


def test_what_a_person_approved_gets_no_keys_and_nothing_that_steers_programs():
    assert environment.approved(GIVEN) == {
        "PATH": GIVEN["PATH"], "HOME": "/h", "LANG": "zh_CN.UTF-8", "LC_ALL": "C", "TZ": "UTC",
        "JAVA_HOME": "/j", "VIRTUAL_ENV": "/ws/.venv", "KEYBOARD": "de", "TERM": "dumb",
        "OLDPWD": "/o", "PWD": "/p", "BYPASS": "1", "PATIENCE": "1",
    }


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_programs_are_found_outside_the_workspace_only(tmp_path):
    ws, tools = tmp_path / "ws", tmp_path / "tools"
    for folder in (ws, tools):
        folder.mkdir()
        (folder / "tool").write_text("#!/bin/sh\n")
        (folder / "tool").chmod(0o755)
    (tools / "linked").symlink_to(ws / "tool")
    (tools / "plain").write_text("")
    (tools / "folder").mkdir()
    world = {"PATH": f"{ws}{os.pathsep}{tools}"}
    names = ("tool", "linked", "plain", "folder", "nosuch")
    found = [environment.find(name, str(ws), world) for name in names]
    assert found == [str(tools / "tool"), None, None, None, None]

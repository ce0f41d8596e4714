"""`sessions export` and `sessions import`: what is printed, written and refused."""

from __future__ import annotations

import json

import pytest

from clinkai.core.errors import MachineError, UsageError
from clinkai.ui.commands_sessions_export import write as write_file
from tests.harness.export.sessions import PLAIN, write


@pytest.fixture
def kept(program):
    """A home with one session in it."""
    folder = program.home / ".clinkai/sessions/work-00000000"
    folder.mkdir(parents=True)
    write(folder, PLAIN)
    return program


def test_an_export_knows_the_home_folder_and_the_key_of_this_machine(kept):
    folder = kept.home / ".clinkai/sessions/work-00000000"
    write(folder, [PLAIN[0], {"type": "user", "content": f"{kept.home}/x plain-words-as-key"}],
          "20260101-000000-ff000000.jsonl")
    done = kept.setting(API_KEY="plain-words-as-key").run("sessions", "export", "ff")
    assert (done.code, done.err) == (0, "") and "\n~/x [redacted]\n" in done.out


@pytest.mark.slow
def test_what_is_exported_can_be_imported_shown_and_is_not_overwritten(kept):
    for code, words in ((0, "Written to x.jsonl."),
                        (2, "x.jsonl exists and is not overwritten.\n  Name another file")):
        done = kept.run("sessions", "export", "ab12", "--format", "jsonl", "-o", "x.jsonl")
        assert (done.code, done.out) == (code, "") and words in done.err
    done = kept.run("sessions", "import", "x.jsonl", "--json")
    body = json.loads(done.out)
    here = str(kept.workspace.resolve())
    assert (done.code, body["format"], body["workspace"]) == (0, "jsonl", here)
    assert "› fix a.py in ~/app, mail [e-mail]" in kept.run("sessions", "show", body["id"]).out
    wrong = kept.run("--lang", "zh", "sessions", "import", "x.pdf")
    assert (wrong.code, wrong.out) == (2, "") and wrong.err.startswith("错误：无法读取 x.pdf：")


def test_a_file_is_new_or_replaced_as_a_whole(tmp_path):
    target = tmp_path / "x"
    write_file(str(target), b"one", force=False)
    for path, force, error in ((target, False, UsageError), (tmp_path, True, MachineError),
                               (tmp_path / "none/x", False, MachineError), ("a\0b", True, MachineError)):
        with pytest.raises(error):
            write_file(str(path), b"two", force)
    assert target.read_bytes() == b"one"
    write_file(str(target), b"three", force=True)
    write_file("/dev/null", b"four", force=True)
    assert target.read_bytes() == b"three" and [p.name for p in tmp_path.iterdir()] == ["x"]

"""`sessions export` and `sessions import` at the command line: what is printed, written and refused."""

from __future__ import annotations

import json

import pytest

from tests.harness.export.sessions import PLAIN, write

ID = "ab12cd34"


@pytest.fixture
def kept(program):
    """A home with one session in it."""
    folder = program.home / ".clinkai/sessions/work-00000000"
    folder.mkdir(parents=True)
    write(folder, PLAIN)
    return program


def test_an_export_is_printed_or_written_and_overwrites_nothing_unasked(kept):
    printed = kept.run("sessions", "export", "ab12")
    assert (printed.code, printed.err) == (0, "") and "~/app, mail [e-mail]" in printed.out
    target = kept.workspace / "out.md"
    for argv, code, words in (
            (("-o", "out.md"), 0, "Written to out.md."),
            (("-o", "out.md"), 2, "out.md exists and is not overwritten.\n  Name another file"),
            (("-o", "none/out.md"), 2, "none/out.md cannot be written: "),
            (("-o", "."), 2, ". exists"), (("-o", ".", "--force"), 2, ". cannot be written"),
            (("--format", "pdf"), 2, "There is no format pdf.\n  Formats: markdown, html, jsonl, atif."),
            (("-o", "out.md", "--force", "--no-redact"), 0, "Written")):
        done = kept.run("sessions", "export", ID, *argv)
        assert (done.code, done.out) == (code, "") and words in done.err, done
        text = target.read_text("utf-8")
        assert text == printed.out or argv[-1] == "--no-redact"
    assert "bob@example.com" in text
    assert sorted(path.name for path in kept.workspace.iterdir()) == ["out.md"]


def test_the_home_folder_and_the_key_of_this_machine_are_known(kept):
    kept.setting(API_KEY="plain-words-as-key").environ["HOME"] = str(kept.home)
    folder = kept.home / ".clinkai/sessions/work-00000000"
    write(folder, [PLAIN[0], {"type": "user", "content": f"{kept.home}/x plain-words-as-key"}],
          "20260101-000000-ff000000.jsonl")
    assert "\n~/x [redacted]\n" in kept.run("sessions", "export", "ff").out


def test_an_import_can_be_shown_and_named_in_both_languages(kept):
    for kind in ("jsonl", "atif"):
        assert kept.run("sessions", "export", ID, "--format", kind, "-o", f"x.{kind}").code == 0
        done = kept.run("sessions", "import", f"x.{kind}", "--json")
        body = json.loads(done.out)
        assert (done.code, body["format"], body["workspace"]) == (0, kind, str(kept.workspace.resolve()))
        shown = kept.run("sessions", "show", body["id"])
        assert shown.code == 0 and "› fix a.py in ~/app" in shown.out
    said = kept.run("--lang", "zh", "sessions", "import", "x.atif")
    assert said.code == 0 and said.out.startswith("已导入 ")
    wrong = kept.run("sessions", "import", "x.pdf")
    assert (wrong.code, wrong.out) == (2, "") and "x.pdf cannot be read: " in wrong.err
    assert kept.run("sessions", "import").code == kept.run("sessions", "export").code == 2

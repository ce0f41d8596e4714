"""`doctor`: checks of this machine and of the model server, with what to do about each."""

from __future__ import annotations

from clinkai.core.catalogue import Strings
from clinkai.core.errors import ClinkError
from clinkai.harness import doctor
from clinkai.ui import contact
from clinkai.ui.call import Call
from clinkai.ui.clean import clean
from clinkai.ui.json_lines import print_json
from clinkai.ui.terminal import Screen

STYLES = {"ok": "", "warn": "yellow", "fail": "red"}


def run(call: Call) -> int:
    """Make the checks, each printed as it is made; returns 0, 2 or 3."""
    workspace = contact.folder(call.options.get("workspace"))
    show = None if call.json else lambda finding: show_one(call.screen, call.say, finding)
    findings = doctor.run(call.settings, workspace, emit=show)
    return conclude(call.screen, call.say, findings, call.json)


def run_without_settings(error: ClinkError, screen: Screen, say: Strings, json: bool) -> int:
    """What can be said where the settings cannot be read; returns 2."""
    findings = doctor.of_bad_settings(error, say)
    if not json:
        for finding in findings:
            show_one(screen, say, finding)
    return conclude(screen, say, findings, json)


def show_one(screen: Screen, say: Strings, finding: doctor.Finding) -> None:
    """Print one check."""
    screen.line(clean(doctor.line(finding, say)), style=STYLES[finding.status])


def conclude(screen: Screen, say: Strings, findings: tuple, json: bool) -> int:
    """Print the summary, or all of it as JSON; returns the exit code."""
    if json:
        print_json(screen, doctor.to_json(findings))
    else:
        screen.line("")
        screen.line(doctor.summary(findings, say), style="bold")
    return doctor.exit_code(findings)

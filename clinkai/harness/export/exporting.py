"""One session, in one of the formats, as a text. Nothing is written here."""

from __future__ import annotations

import hashlib
import os
from importlib import import_module

from clinkai.core.value import Value
from clinkai.harness.export.steps import trail
from clinkai.harness.glance import id_of
from clinkai.harness.images import LIMIT, mime_of
from clinkai.harness.session_file import read_log

FORMATS = ("markdown", "html", "jsonl", "atif")


class Exported(Value):
    """text: the file; bad: (where, why) of what could not be read: a line of the file, or a record
    by its number."""

    text: str
    bad: tuple


def export(path: str, kind: str, say, redactor=None) -> Exported:
    """The session file `path` in the format `kind`, of FORMATS. redactor: a `redact.Redactor`, or
    None for the whole truth. Raises SessionError where the file cannot be opened."""
    log = read_log(path)
    records = list(log.records)
    if redactor:
        records = [redactor.value(record) for record in records]
    module = import_module(f"clinkai.harness.export.{kind}")
    if kind == "jsonl":
        return Exported(module.render(records), log.bad)
    steps, bad = trail(id_of(path), records, bool(redactor))
    lost = (*log.bad, *bad)
    if kind == "atif":
        return Exported(module.render(steps), lost)
    picture = None if redactor else lambda image: _picture(path, image.sha)
    return Exported(module.render(steps, say, picture), lost)


def _picture(path: str, sha: str) -> bytes | None:
    """A kept image, where it still is what it was."""
    try:
        with open(os.path.join(path.removesuffix(".jsonl") + ".d", sha), "rb") as file:
            data = file.read(LIMIT + 1)
    except OSError:
        return None
    sound = mime_of(data) and hashlib.sha256(data).hexdigest() == sha
    return data if sound else None

"""What a llama.cpp server is set to that decides how much is read again: its slots, its template.

It says neither how many checkpoints nor how much memory its cache has (`-ctxcp`, `--cache-ram`):
whether the cache serves is seen by doing (`doctor_tools.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from clinkai.harness.doctor import OK, WARN, Finding
from clinkai.harness.doctor_probe import Probe


def checks(probe: Probe) -> Iterator[Finding]:
    """The findings `slots` and `thinking`, of servers that say so."""
    extras = probe.client(probe.cancel).extras
    if not extras.slots:
        return
    if extras.slots == 1:
        yield probe.finding("slots", OK, "doctor.slots.one")
    else:
        yield probe.finding("slots", OK, "doctor.slots", n=extras.slots)
    verdict = extras.thinking(probe.cancel)
    if verdict == "kept":
        asks = any(name == "chat_template_kwargs"
                   for name, _ in extras.session_fields("", probe.cancel))
        key = "doctor.thinking.asked" if asks else "doctor.thinking.kept"
        yield probe.finding("thinking", OK, key)
    elif verdict:
        costs = WARN if probe.thought else OK  # a model that does not think loses nothing
        found = probe.finding("thinking", costs, f"doctor.thinking.{verdict}")
        yield found if probe.thought else Finding(found.id, OK, found.detail)

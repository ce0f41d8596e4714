"""The checks of the model server: proved by doing, each with the flag or setting that mends it.

A handful of requests: the list of models, one short answer, the window, then a tool call and the
answer to its result (`doctor_tools.py`), then what llama.cpp tells (`doctor_llamacpp.py`). Nothing is sent but our own words.
The server is the one that a run would use (`harness/reach.py`).
Not covered: whether a model is any good (`clinkai.py eval`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from clinkai.ai.recognise import NAMES, recognise
from clinkai.ai.servers import context_window, list_models
from clinkai.core.catalogue import Strings
from clinkai.core.errors import ClinkError, RequestRefused, Unreachable
from clinkai.core.messages import Message
from clinkai.core.text import amount, duration
from clinkai.core.value import Value
from clinkai.harness import doctor_llamacpp, doctor_tools
from clinkai.harness.doctor import FAIL, OK, WARN, Finding
from clinkai.harness.doctor_probe import Answered, Probe
from clinkai.harness.models import remembered
from clinkai.harness.reach import reach
from clinkai.harness.wsl import Windows, look

LIST_SECONDS = 15.0
"""How long a list of models may take: servers answer it at once, also while they work."""

ANSWER_TOKENS = 256
"""Enough for one word, and for a model that thinks before it."""

SMALL_WINDOW = 16_384
"""Tokens below which a task of some length does not fit."""

SHOWN_MODELS = 8

LEAST_PROMPT = 32
"""Prompt tokens below which a reading speed says nothing."""


class Listed(Value):
    """What the server says. names: its models, None where it has no list of them; kind: a key of
    `ai/recognise.NAMES`, or empty."""

    names: tuple | None
    kind: str = ""


def checks(settings: object, say: Strings, until: float) -> Iterator[Finding]:
    """The findings of the server, one after the other. until: time.monotonic() at which every
    request ends. A check that fails ends them, since all later ones need what it looked for."""
    probe = Probe(settings, say, until)
    with probe.alarm():
        listed = None
        try:
            began = time.monotonic()
            way = reach(settings, None)
            probe.settings = way.settings
            listed = _list(probe)
            detail = say("doctor.server", url=way.settings.base_url,
                         kind=NAMES.get(listed.kind) or say("doctor.kind.other"))
            hint = " ".join(say(key, **params) for key, params in way.notices)
            server = Finding("server", WARN if hint else OK, detail, hint)
        except ClinkError as error:
            server = _no_server(probe, error, time.monotonic() - began, look())
        yield server
        if listed is None:
            return
        for check in (lambda: _models(probe, listed), lambda: _completion(probe)):
            finding = check()
            yield finding
            if finding.status == FAIL:
                return
        yield _context(probe)
        yield from doctor_tools.checks(probe)
        yield from doctor_llamacpp.checks(probe)


def _list(probe: Probe) -> Listed:
    """The models served. Raises members of the error tree where no model server answers."""
    transport = probe.transport(LIST_SECONDS)
    try:
        names = list_models(transport, probe.cancel)
    except RequestRefused:
        names = None
    return Listed(names, recognise(transport, probe.cancel).kind)


def _no_server(probe: Probe, error: ClinkError, seconds: float, windows: Windows | None) -> Finding:
    """What it means that the list of models could not be had."""
    url = probe.settings.base_url
    found = probe.failed("server", error, seconds)
    if not isinstance(error, Unreachable):
        return found
    advice = [found.hint, probe.say("doctor.server.addresses")]
    if windows is not None:
        advice.append(windows_hint(windows, url, probe.say))
    return Finding("server", FAIL, found.detail, " ".join(advice))


def windows_hint(windows: Windows, url: str, say: Strings) -> str:
    """Where a server on the Windows host is, in words; `url` gives the port and the path."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    there = f"{parts.scheme}://{windows.address}{port}{parts.path}"
    return say(f"doctor.wsl.{windows.mode}", url=there)


def _models(probe: Probe, listed: Listed) -> Finding:
    """Which models there are, and which of them is asked from here on."""
    wanted = probe.settings.model
    probe.kind = listed.kind
    if listed.names is None:
        probe.model = wanted
        return probe.finding("models", WARN if wanted else FAIL, "doctor.models.no_list")
    names = listed.names
    if not names:
        return probe.finding("models", FAIL, "doctor.models.none")
    shown = ", ".join(names[:SHOWN_MODELS])
    if len(names) > SHOWN_MODELS:
        shown += probe.say("doctor.models.more", n=len(names) - SHOWN_MODELS)
    last, _ = remembered(probe.settings.home)
    probe.model = wanted or (last if last in names else names[0])
    params = {"model": probe.model, "models": shown}
    if wanted and wanted not in names:
        return probe.finding("models", WARN, "doctor.models.unknown", **params)
    if not wanted and last not in names and len(names) > 1:
        return probe.finding("models", WARN, "doctor.models.choose", **params)
    return probe.finding("models", OK, "doctor.models", **params)


def _completion(probe: Probe) -> Finding:
    """One short answer, and how fast it came."""
    began = time.monotonic()
    try:
        answered = probe.ask((Message("user", probe.say("doctor.ask.word")),), ANSWER_TOKENS)
    except ClinkError as error:
        return probe.failed("completion", error, time.monotonic() - began)
    reply = answered.reply
    key = "doctor.completion" if reply.content else "doctor.completion.thinking"
    return probe.finding("completion", OK, key, tokens=ANSWER_TOKENS,
                         speed=speed(answered, probe.say))


def speed(answered: Answered, say: Strings) -> str:
    """How long an answer took, and tokens a second where the server says how many there were."""
    count = answered.reply.count
    words = [say("doctor.speed.time", first=duration(answered.first * 1000),
                 all=duration(answered.seconds * 1000))]
    fresh = (count.prompt or 0) - (count.cached or 0)
    if count.prompt_ms and fresh >= LEAST_PROMPT:
        words.append(say("doctor.speed.read", rate=_rate(fresh, count.prompt_ms / 1000)))
    seconds = (count.completion_ms or 0) / 1000 or answered.seconds - answered.first
    if count.completion and seconds > 0.001:
        words.append(say("doctor.speed.write", rate=_rate(count.completion, seconds)))
    return say("doctor.comma").join(words)


def _rate(tokens: int, seconds: float) -> str:
    rate = tokens / seconds
    return f"{rate:.1f}" if rate < 10 else f"{rate:.0f}"


def _context(probe: Probe) -> Finding:
    """How much fits, as the server says now that the model is loaded."""
    try:
        transport = probe.transport(LIST_SECONDS)
        window = context_window(transport, probe.model, probe.cancel, probe.kind)
    except ClinkError:
        window = None
    kind = probe.kind.replace(".", "")  # as the catalogue spells it
    kind = kind if f"doctor.context.hint.{kind}" in probe.say else "other"
    how = probe.say(f"doctor.context.hint.{kind}")
    budget = probe.settings.ctx_budget
    if window is None:
        return Finding("context", WARN, probe.say("doctor.context.unknown", budget=amount(budget)),
                       how)
    detail = probe.say("doctor.context", window=window)
    if window < SMALL_WINDOW:
        return Finding("context", WARN, detail, probe.say("doctor.context.small", how=how))
    return Finding("context", OK, detail)

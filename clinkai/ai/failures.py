"""What a model server means by an error: one classifier for HTTP bodies and errors in a stream.

The order of the rules is `wire-quirks.md`'s and matters: a rate limit that speaks of tokens is no
overflow (compacting would destroy history for nothing), an overflow at status 500 is no passing
fault. Sources of the wordings: llama.cpp, Ollama, LM Studio, vLLM, SGLang, TGI, mlx-lm and
llama-cpp-python, as quoted in public issues.
Not covered: errors below HTTP (`ai/transport.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from http.client import responses

from clinkai.core.errors import (
    AuthRefused, BadResponse, ContextOverflow, ModelServerError, RateLimited, RequestRefused,
    ServerLoading, StreamBroken,
)
from clinkai.core.text import one_line
from clinkai.core.value import Value

# Patterns are text: compiled when something went wrong, not at every start.
RATE = (r"rate.?limit|too many (requests|tokens)|tokens per (minute|hour|day)|quota"
        r"|queue (is )?full|full queue|overloaded|(server|system) is busy|no slots? available")
OVERFLOW_NAME = (r"exceed_context_size|context_length_exceeded|context.?overflow"
                 r"|n_keep\W+\d+\W+n_ctx|max_new_tokens.*must be|(prompt|input) (is )?too long"
                 r"|max_tokens must be at least 1, got -")
CONTEXT = r"context.?(length|size|window|limit)|maximum model length|max_(model|seq)_len"
EXCEEDED = r"exceed|\bfit\b|too (long|large|big)|longer|larger|maximum|not enough"
LOADING = r"loading (the )?model|model is (still |currently )*(loading|being loaded)|still loading"
NOT_LOADING = r"(error|fail\w*|unable|cannot|could not)\W+(\w+\W+){0,3}load"
TEMPLATE = (r"jinja|chat.?template|roles must alternate|system message must be"
            r"|both content and thinking|while executing \w+ at line")
REQUEST = r"invalid_?request|badrequest|not_found_error|does not support tools"
AUTH = r"authentication_error|invalid_api_key|invalid api key"

LIMIT = (
    r"supports(?: only)? N", r"n_ctx\W+N", r"<= ?N", r"> ?N maximum",
    r"context.?(?:length|size|window|limit)[^\d.]{0,30}N", r"model length[^\d.]{0,12}N",
    r"max_(?:model|seq)_len\w*\W+N",
)
PROMPT = (
    r"N(?: tokens)? in the messages", r"given: N", r"keep the first N", r"n_keep\W+N",
    r"N input tokens", r"(?:input|prompt|request)\w*[^\d.]{0,30}?N tokens",
    r"requested tokens\W+N", r"prompt\W+(?:total )?length\W+N",
)


class Report(Value):
    """What the body of an error says. words: everything decisive in it, in small letters;
    status: the HTTP status, or the one the body states, or 0; facts: the error object;
    html: it is a web page."""

    message: str
    words: str
    status: int
    facts: dict
    html: bool = False


def classify(status: int, headers: Mapping[str, str], body: bytes) -> ModelServerError:
    """Return the error that an answer with this `status` (200 for one inside a stream) means."""
    report = _read(status, body)
    words = report.words
    streamed = status == 200
    if streamed:
        said = {"message": report.message or one_line(body.decode("utf-8", "replace"))}
    else:
        said = {"message": report.message or f"HTTP {status} {responses.get(status, '')}".rstrip()}
    status = report.status
    if status in (401, 403) or re.search(AUTH, words):
        return AuthRefused("error.auth", **said)
    if status == 429 or re.search(RATE, words):
        return RateLimited("error.rate", **said, retry_after_s=_retry_after(headers))
    if status == 413:
        return RequestRefused("error.refused.large", **said)
    if _is_overflow(report):
        return _overflow(report, said)
    if re.search(LOADING, words) and not re.search(NOT_LOADING, words):
        return ServerLoading("error.loading", **said)
    if re.search(TEMPLATE, words):
        return RequestRefused("error.refused.template", **said)
    if report.html:
        return BadResponse("error.bad_response.html", **said)
    if 400 <= status < 500 or re.search(REQUEST, words):
        key = "error.refused.missing" if status == 404 else "error.refused"
        return RequestRefused(key, **said)
    if report.message or streamed:
        return StreamBroken("error.stream.reported", **said)
    return BadResponse("error.bad_response.status", **said)


def _read(status: int, body: bytes) -> Report:
    text = body.decode("utf-8-sig", "replace").strip()
    if text[:1] == "<":
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.I | re.S)
        return Report(one_line(title[1]) if title else "", "", _stated(status, None), {},
                      html=True)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict):
        plain = value if isinstance(value, str) else text
        # A plain text at a server fault is a proxy's: it names no cause that we could act on.
        shown = "" if status >= 500 and not _decisive(plain.lower()) else plain
        return _report(shown, {}, status)
    inner = value.get("error")
    if isinstance(inner, str) and inner.lstrip()[:1] == "{":
        try:
            inner = json.loads(inner)
        except (ValueError, RecursionError):
            pass
        if isinstance(inner, dict) and isinstance(inner.get("error"), dict):
            inner = inner["error"]
    if isinstance(inner, dict):
        return _report(_message(inner) or _message(value), inner, status)
    if isinstance(inner, str):
        return _report(inner, value, status)
    return _report(_message(value), value, status)


def _report(message: str, fields: dict, status: int) -> Report:
    decisive = [message, *(str(fields.get(name) or "") for name in ("type", "code", "error_type"))]
    words = " ".join(decisive).lower()
    return Report(one_line(message), words, _stated(status, fields.get("code")), fields)


def _message(fields: dict) -> str:
    for name in ("message", "detail", "msg", "error_description", "reason"):
        value = fields.get(name)
        if isinstance(value, list):
            parts = (v.get("msg", v) if isinstance(v, dict) else v for v in value)
            value = "; ".join(map(str, parts))
        if isinstance(value, dict):
            value = _message(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _decisive(words: str) -> bool:
    rules = (RATE, OVERFLOW_NAME, CONTEXT, LOADING, TEMPLATE, REQUEST, AUTH)
    return any(re.search(rule, words) for rule in rules)


def _stated(status: int, code: object) -> int:
    if status >= 300:
        return status
    code = _whole(code) or 0
    return code if 400 <= code < 600 else 0


def _whole(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < 12:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _number(patterns: tuple[str, ...], words: str) -> int | None:
    for pattern in patterns:
        found = re.search(pattern.replace("N", r"(\d[\d,]{0,11})"), words)
        if found:
            return int(found[1].replace(",", ""))
    return None


def _is_overflow(report: Report) -> bool:
    words, facts = report.words, report.facts
    if _whole(facts.get("n_prompt_tokens")) and _whole(facts.get("n_ctx")):
        return True
    return bool(
        re.search(OVERFLOW_NAME, words)
        or (re.search(CONTEXT, words) and re.search(EXCEEDED, words))
    )


def _overflow(report: Report, said: dict) -> ContextOverflow:
    prompt = _whole(report.facts.get("n_prompt_tokens")) or _number(PROMPT, report.words)
    limit = _whole(report.facts.get("n_ctx")) or _number(LIMIT, report.words)
    key = "error.overflow.counted" if prompt and limit else "error.overflow"
    return ContextOverflow(key, **said, prompt=prompt, limit=limit)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from a Retry-After header, a number or a date; None where there is none."""
    value = (headers.get("Retry-After") or "").strip()
    try:
        seconds = float(value)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if abs(seconds) < 1e9 else None
    from email.utils import parsedate_to_datetime
    from time import time

    try:
        return max(0.0, round(parsedate_to_datetime(value).timestamp() - time(), 1))
    except (ValueError, TypeError, OverflowError):
        return None

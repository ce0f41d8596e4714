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
RATE = (r"rate.?limit|too many (concurrent )?requests"
        r"|too many tokens\b(?=.*\b(per|wait|later|again)\b)|tokens per (minute|hour|day)"
        r"|quota|usage limit|(hour|dai|week|month)ly \w* ?limit"
        r"|queue.?(is )?full|full queue|pending requests|concurrent requests|overloaded"
        r"|(server|system|engine|llm|model) (is )?(currently )?busy|(at|over) capacity"
        r"|no (free |available )?slots? available|slots? (is |are )?unavailable")
OVERFLOW_NAME = (r"exceed_context_size|context_length_exceeded|context.?overflow"
                 r"|n_keep\W+\d+\W+n_ctx|max_new_tokens.*must be|must have less than \d+ tokens"
                 r"|(prompt|input) (is )?too long|too many (input |prompt )?tokens"
                 r"|max_tokens must be at least 1, got -|context shift is disabled"
                 r"|reduce the (length|number|size) of (the |your )?(messages|prompt|input|tokens)")
CONTEXT = (r"context.?(length|len\b|size|window|limit)|\bn_ctx\b|model'?s context\b|上下文"
           r"|max\w*[ _](model|seq\w*|prompt|input)[ _]?(len\w*|tokens?|size)"
           r"|(prompt|tokens?)\b.{0,30}max(imum)? length|sequence length|(token|prompt|input) limit"
           r"|maximum number of tokens|(prompt|input) \(\d+ tokens\)|kv (cache|size|slot)")
EXCEEDED = (r"exceed|\bfit\b|too (long|large|big)|longer|larger|greater|maximum|not enough|\bfull\b"
            r"|超")
LOADING = (r"loading (the )?model|still loading"
           r"|model[^.]{0,40}\bis (still |currently )*(loading|being loaded)")
STARTING = (r"\bmodel( is)? loading|^loading\b|not (ready|loaded) yet|not yet (ready|loaded)"
            r"|(model|server|engine) is not (yet )?ready|(starting|warming) up"
            r"|(?<!error )initiali[sz]ing")
NOT_LOADING = (r"(error|fail\w*|unable|cannot|could not)( to| while| when| in)?( \w+){0,2} load"
               r"|load\w* (of )?(the )?model (has )?(failed|error)")
MEMORY = (r"(system|out of|not enough|insufficient) memory|requires more \w* ?memory"
          r"|(failed|unable) to allocate|(cuda|metal|backend)_?malloc\w* failed")
"""How servers say that a model does not fit. Source: Ollama's `llm/server.go`, ggml."""
UNREADABLE = r"failed to parse input|error parsing tool call"
"""The server could not read what its own model wrote, and quotes it."""

QUOTED = f"({UNREADABLE}|'input': ).*"
"""What follows are the words of the model or of the request: they name no cause."""

PLACE = r"'loc': [(\[]'body', '(\w+)'|body -> (\w+)"
CRASHED = r"(has|have) crashed|process has terminated|unexpectedly stopped"
TEMPLATE = (r"jinja|chat.?template|template: ?:|template ?error|raise_exception|undefinederror"
            r"|while executing \w+ at line|both content and thinking"
            r"|roles? must alternate|roles? (is |are )?(not |un)supported|only user\b.*\broles?\b"
            r"|system message must|no user query|(unexpected|invalid|unknown) (message )?role"
            r"|expected last role|single tool.calls? at once|first user message"
            r"|no previous assistant message|tool.call ids? (should|must)")
REQUEST = (r"invalid_?request|badrequest|not_found_error|billing_error|extra_forbidden"
           r"|validation error|(does|do) not support|is not supported|unexpected (keyword|endpoint)"
           r"|cannot unmarshal|invalid type for|must be an? (non-empty )?(array|string|object)"
           r"|must contain (either|a|an)\b|tool.?choice"
           r"|failed to parse (the )?(messages|tools|tool.call arguments|grammar)"
           r"|failed to initialize samplers")
ENDPOINT = r"unexpected endpoint"
MODEL = (r"\bmodel\b.{0,200}?(not found|does(n't| not) exist|is not (available|served))"
         r"|model_not_found|no such model|no models? (is |are )?(currently )?loaded"
         r"|(not find|unknown|invalid) model\b")
NO_TOOLS = (r"\b(does|do)(n't| not) support (tools|function|tool (use|call))"
            r"|\b(tools|tool (use|call\w*)|function calling) (is|are) not supported")
TOOLS_OFF = r"enable.auto.tool.choice|tool.call.parser|--jinja|\b(param\W+tools|tools param)"
"""Of the model, and of a server that was started without. Sources: llama.cpp#10920,
containers/ramalama#988, vllm#9986, Ollama's model capabilities."""
NO_IMAGES = (r"\bimages?( input)? (is|are) not supported|(does|do)(n't| not) support (images?|vision)"
             r"|not a multi-?modal|at most 0 image|only 'text' content|unknown variant .?image_url"
             r"|not configured with an? mmproj|missing data required for image")
"""Sources: llama.cpp#13566 and #15377, LM Studio's tracker #362, vllm#19144 and its limits on a
prompt, mlx_lm.server, the JSON reader of Rust, JamePeng/llama-cpp-python#165, Ollama."""
AUTH = (r"authentication_error|permission_error|invalid_api_key|unauthori[sz]ed"
        r"|authentication (failed|required)"
        r"|(invalid|incorrect|wrong|missing|no) api[ _-]?key"
        r"|api[ _-]?key (is )?(not valid|invalid|missing)")

NUMBER = r"(\d[\d,]{0,11})(?!\d)"
WORDS = 8_000
"""Characters of a report that are searched."""

MESSAGES = ("message", "detail", "msg", "error", "errors", "error_description", "reason",
            "description", "title", "status", "state")
"""Where an error keeps its words."""

LIMIT = (
    r"supports(?: only)? N", r"n_ctx\b(?: is| of|\W){0,4}N", r"<= ?N", r"less than N tokens",
    r"max_(?:model|seq)_len\w*\W+N", r"\blimit(?: is| of|:)? ?\(?N(?! ?[+>])",
    r"context.?(?:length|size|window)(?:(?! by )[^\d.]){0,30}N(?! ?(?:tokens )?>)",
    r"model length[^\d.]{0,12}N",
    r"maximum number of tokens[^\d.]{0,20}N", r"context \(N", r"max(?:imum)? context N",
    r"> ?N",
)
PROMPT = (
    r"N of text input", r"N(?: tokens)? (?:in the messages|in your prompt|from the input)",
    r"given: N",
    r"keep the first N", r"n_keep\W+N", r"n_prompt_tokens\W+N", r"N input tokens",
    r"N ?\+ ?\d+ ?>", r"N tokens ?>", r"too long: N",
    r"\(N ?>", r"(?:prompt|request|context|input) length N is", r"request length N",
    r"\(length N", r"token count \(N", r"tokens in (?:the )?prompt \(N",
    r"(?:input|prompt|request|messages)\w*(?:(?!context|limit|max|window)[^\d.]){0,30}?N tokens",
    r"too large: N tokens", r"requested tokens\W+N", r"requested: N",
    r"prompt\W+(?:total )?length\W+N",
)


class Report(Value):
    """What the body of an error says. words: everything decisive in it, in small letters;
    status: the HTTP status, or the one the body states, or 0; facts: the error object;
    field: of the request, where it names one; html: it is a web page."""

    message: str
    words: str
    status: int
    facts: dict
    field: str = ""
    html: bool = False


def classify(status: int, headers: Mapping[str, str], body: bytes) -> ModelServerError:
    """Return the error that an answer with this `status` (200 for one inside a stream) means."""
    report = _read(status, body)
    shown = report.message
    if not shown and status == 200:
        shown = one_line(body.decode("utf-8", "replace"))
    said = {"message": shown or f"HTTP {status} {responses.get(status, '')}".rstrip()}
    error = _named(report, headers, said) or _unnamed(report, status == 200, said)
    error.status, error.field = status, report.field
    error.lasting = bool(re.search(f"{MEMORY}|{NOT_LOADING}", report.words))
    return error


def _named(report: Report, headers: Mapping[str, str], said: dict) -> ModelServerError | None:
    """The error whose cause the report names, in the order of the rules."""
    status, words = report.status, report.words
    if status in (401, 403) or re.search(AUTH, words):
        return AuthRefused("error.auth", **said)
    pause = status == 503 and "Retry-After" in headers and not _is_loading(report)
    if pause or status in (429, 529) or re.search(RATE, words):
        return RateLimited("error.rate", **said, retry_after_s=_retry_after(headers))
    if status == 413 or "request_too_large" in words:
        return RequestRefused("error.refused.large", **said)
    if _is_overflow(report):
        return _overflow(report, said)
    if _is_loading(report):
        return ServerLoading("error.loading", **said)
    if re.search(NO_IMAGES, words):
        return RequestRefused("error.refused.images", **said)
    if re.search(NO_TOOLS, words):
        return RequestRefused("error.refused.tools", **said)
    if re.search(TOOLS_OFF, words):
        return RequestRefused("error.refused.tools_off", **said)
    if re.search(TEMPLATE, words):
        return RequestRefused("error.refused.template", **said)
    if re.search(CRASHED, words):
        return StreamBroken("error.stream.reported", **said)
    return None


def _unnamed(report: Report, streamed: bool, said: dict) -> ModelServerError:
    """The error that is known by its status, or not at all."""
    status, words = report.status, report.words
    if report.html:
        return BadResponse("error.bad_response.html", **said)
    if 400 <= status < 500 or re.search(REQUEST, words):
        if re.search(MODEL, words):
            return RequestRefused("error.refused.model", **said)
        missing = status == 404 or re.search(ENDPOINT, words)
        return RequestRefused("error.refused.missing" if missing else "error.refused", **said)
    if report.message or streamed:
        return StreamBroken("error.stream.reported", **said)
    return BadResponse("error.bad_response.status", **said)


def _read(status: int, body: bytes) -> Report:
    text = body.decode("utf-8-sig", "replace").strip()
    if text[:1] == "<":
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.I | re.S)
        return Report(one_line(title[1]) if title else "", "", _stated(status, {}), {}, html=True)
    value = _value(text)
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict):
        plain = value if isinstance(value, str) else text
        # A plain text at a server fault is a proxy's: it names no cause that we could act on.
        shown = "" if status >= 500 and not _decisive(plain.lower()) else plain
        return _report(shown, {}, status)
    inner, outer = value, {}
    while isinstance(inner.get("error"), (dict, str)):
        found = inner["error"]
        if isinstance(found, str):
            found = _value(found) if found.lstrip()[:1] == "{" else None
        if not isinstance(found, dict):
            return _report(inner["error"], inner, status)
        inner, outer = found, inner
    return _report(_message(inner) or _message(outer), inner, status)


def _value(text: str) -> object:
    """The JSON value in `text`, or None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _report(message: str, fields: dict, status: int) -> Report:
    names = (str(fields.get(name) or "") for name in ("type", "code", "error_type"))
    decisive = [message, *(name for name in names if not name.isdecimal())]
    words = " ".join(decisive)[:WORDS].lower()
    words = re.sub(QUOTED, r"\1", words, flags=re.S)
    param = fields.get("param")
    field = param if isinstance(param, str) else _place(fields.get("detail"))
    if not field and (placed := re.search(PLACE, words)):
        field = placed[1] or placed[2]
    return Report(one_line(message), words, _stated(status, fields), fields, field)


def _message(fields: dict) -> str:
    for name in MESSAGES:
        value = fields.get(name)
        if isinstance(value, list):
            parts = (_complaint(v) if isinstance(v, dict) else v for v in value)
            value = "; ".join(map(str, parts))
        if isinstance(value, dict):
            value = _message(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _complaint(fields: dict) -> str:
    """One of the complaints of a validation, with the place it is about."""
    place = _place([fields])
    message = _message(fields) or json.dumps(fields, ensure_ascii=False)
    return f"{place}: {message}" if place else message


def _place(complaints: object) -> str:
    """The field that the first complaint of a validation is about: `loc` without its first part."""
    first = complaints[0] if isinstance(complaints, list) and complaints else None
    place = first.get("loc") if isinstance(first, dict) else None
    if not isinstance(place, list):
        return ""
    return ".".join(map(str, place[1:] if place[:1] == ["body"] else place))


def _decisive(words: str) -> bool:
    rules = (RATE, OVERFLOW_NAME, CONTEXT, LOADING, STARTING, TEMPLATE, REQUEST, AUTH)
    return any(re.search(rule, words) for rule in rules)


def _stated(status: int, fields: dict) -> int:
    if status >= 300:
        return status
    for name in ("code", "status", "status_code"):
        code = _whole(fields.get(name)) or 0
        if 400 <= code < 600:
            return code
    return 0


def _whole(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < 12:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _number(patterns: tuple[str, ...], words: str) -> int | None:
    for pattern in patterns:
        found = re.search(pattern.replace("N", NUMBER), words)
        if found:
            return int(found[1].replace(",", ""))
    return None


def _is_overflow(report: Report) -> bool:
    words, facts = report.words, report.facts
    if _whole(facts.get("n_prompt_tokens")) and _whole(facts.get("n_ctx")):
        return True
    if re.search(OVERFLOW_NAME, words):
        return True
    if not re.search(CONTEXT, words):
        return False
    return bool(re.search(EXCEEDED, words)
                or (_number(PROMPT, words) or 0) > (_number(LIMIT, words) or 1 << 40))


def _is_loading(report: Report) -> bool:
    words = report.words
    if re.search(NOT_LOADING, words):
        return False
    # With 404 and the like, "not ready" is said of what will never be there.
    starting = report.status in (0, 425) or report.status >= 500
    return bool(re.search(LOADING, words) or (starting and re.search(STARTING, words)))


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

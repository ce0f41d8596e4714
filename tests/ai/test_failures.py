"""What a server means by an error, over the wordings that servers use."""

from __future__ import annotations

import json
from email.utils import formatdate
from time import time

import pytest

from clinkai.ai.failures import classify
from clinkai.core.catalogue import Strings


def said(text, **fields):
    return json.dumps({"error": {"message": text, **fields}})


OVERFLOWS = [
    (400, said("request (17410 tokens) exceeds the available context size (16384 tokens), try "
               "increasing it", type="exceed_context_size_error", n_prompt_tokens=17410,
               n_ctx=16384), 17410, 16384),
    (500, said("the request exceeds the available context size."), None, None),
    (200, said("Context size has been exceeded.", code=500), None, None),
    (400, said("x", code="context_length_exceeded"), None, None),
    (400, said("x", n_prompt_tokens=9, n_ctx=8), 9, 8),
    (400, json.dumps({"object": "error", "message": "This model's maximum context length is 8192 "
                      "tokens. However, you requested 9300 tokens (7300 in the messages, 2000 in "
                      "the completion)."}), 7300, 8192),
    (400, said("This model's maximum context length is 8,192 tokens. However, your request has "
               "9,300 input tokens."), 9300, 8192),
    (400, said("max_tokens must be at least 1, got -812."), None, None),
    (200, said("The input (9000 tokens) is longer than the model's context length (8192 tokens)."),
     9000, 8192),
    (400, json.dumps({"error": "Trying to keep the first 6100 tokens when context the overflows. "
                      "However, the model is loaded with context length of only 4096 tokens, which "
                      "is not enough."}), 6100, 4096),
    (400, json.dumps({"error": "Cannot truncate prompt with n_keep (9050) >= n_ctx (8192)"}),
     9050, 8192),
    (422, json.dumps({"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be "
                      "<= 4096. Given: 4000 `inputs` tokens and 512 `max_new_tokens`",
                      "error_type": "validation"}), 4000, 4096),
    (400, said("Requested tokens (5000) exceed context window of 2048"), 5000, 2048),
    (400, said("prompt is too long: 205000 tokens > 200000 maximum"), 205000, 200000),
    (400, json.dumps({"error": said("exceeds the context window")}), None, None),
    (400, json.dumps([{"error": {"message": "Prompt exceeds context length"}}]), None, None),
]


@pytest.mark.parametrize(("status", "body", "prompt", "limit"), OVERFLOWS)
def test_an_overflow_is_known_with_its_numbers(status, body, prompt, limit):
    error = classify(status, {}, body.encode())
    assert (error.kind, error.params["prompt"], error.params["limit"]) == (
        "context_overflow", prompt, limit)


OTHERS = [
    (401, said("Invalid API Key"), "auth", "error.auth", "Invalid API Key"),
    (403, "", "auth", "error.auth", "HTTP 403 Forbidden"),
    (200, said("bad key", type="authentication_error"), "auth", "error.auth", "bad key"),
    (200, said("no", code=401), "auth", "error.auth", "no"),
    (429, said("Too many tokens per minute: maximum context length 5"), "rate_limit", "error.rate",
     "Too many tokens per minute: maximum context length 5"),
    (503, said("the queue is full"), "rate_limit", "error.rate", "the queue is full"),
    (413, "<html><title>413 Too Large</title></html>", "bad_request", "error.refused.large",
     "413 Too Large"),
    (503, said("Loading model", type="unavailable_error"), "server_loading", "error.loading",
     "Loading model"),
    (503, "Loading model", "server_loading", "error.loading", "Loading model"),
    (200, said("the model is still loading"), "server_loading", "error.loading",
     "the model is still loading"),
    (500, said("error loading model: bad file"), "stream_error", "error.stream.reported",
     "error loading model: bad file"),
    (500, said("Jinja Exception: roles must alternate"), "bad_request", "error.refused.template",
     "Jinja Exception: roles must alternate"),
    (400, said("tools are not supported"), "bad_request", "error.refused",
     "tools are not supported"),
    (404, json.dumps({"error": "model 'x' not found"}), "bad_request", "error.refused.missing",
     "model 'x' not found"),
    (422, json.dumps({"detail": [{"loc": ["body"], "msg": "Field required"}]}), "bad_request",
     "error.refused", "Field required"),
    (400, json.dumps({"detail": "no"}), "bad_request", "error.refused", "no"),
    (400, "plain words", "bad_request", "error.refused", "plain words"),
    (404, "<html><head><title>Not\n Found</title>", "bad_response", "error.bad_response.html",
     "Not Found"),
    (502, "<html><body>bad gateway</body></html>", "bad_response", "error.bad_response.html",
     "HTTP 502 Bad Gateway"),
    (502, "upstream connect error", "bad_response", "error.bad_response.status",
     "HTTP 502 Bad Gateway"),
    (500, "", "bad_response", "error.bad_response.status", "HTTP 500 Internal Server Error"),
    (500, said("boom"), "stream_error", "error.stream.reported", "boom"),
    (200, said("boom", code=500), "stream_error", "error.stream.reported", "boom"),
    (200, said("bad field", type="invalid_request_error"), "bad_request", "error.refused",
     "bad field"),
    (500, json.dumps({"error": {"code": 500}}), "bad_response", "error.bad_response.status",
     "HTTP 500 Internal Server Error"),
    (400, "{" * 100_000, "bad_request", "error.refused", "{" * 399 + "…"),
    (400, said("red \x1b[31m\r\ntext"), "bad_request", "error.refused", "red [31m text"),
    (599, b"\xff\xfe", "bad_response", "error.bad_response.status", "HTTP 599"),
    (200, json.dumps({"error": {"code": 500}}), "stream_error", "error.stream.reported",
     '{"error": {"code": 500}}'),
    (204, "", "bad_response", "error.bad_response.status", "HTTP 204 No Content"),
    (302, "", "bad_response", "error.bad_response.status", "HTTP 302 Found"),
]


@pytest.mark.parametrize(("status", "body", "kind", "key", "message"), OTHERS)
def test_an_error_is_known_by_status_and_words(status, body, kind, key, message):
    error = classify(status, {}, body if isinstance(body, bytes) else body.encode())
    assert (error.kind, error.key, error.params["message"]) == (kind, key, message)


@pytest.mark.parametrize(("header", "seconds"), [
    ("7", 7.0), ("1.5", 1.5), ("-3", 0.0), ("soon", None), ("", None), (None, None),
    ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("nan", None), ("inf", None),
])
def test_the_wait_of_a_rate_limit_is_read(header, seconds):
    headers = {} if header is None else {"Retry-After": header}
    assert classify(429, headers, b"").params["retry_after_s"] == seconds


def test_a_wait_until_a_date_is_read():
    headers = {"Retry-After": formatdate(time() + 100, usegmt=True)}
    assert 90 < classify(429, headers, b"").params["retry_after_s"] <= 100


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_error_has_words_and_advice_in_both_languages(lang):
    say = Strings(lang)
    rows = [*((s, b) for s, b, *_ in OVERFLOWS), *((s, b) for s, b, *_ in OTHERS)]
    for status, body in rows:
        error = classify(status, {}, body if isinstance(body, bytes) else body.encode())
        assert error.text(say) and error.advice(say)

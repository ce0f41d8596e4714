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
    (400, said("This model's maximum context length is 128000 tokens. However, you requested 65535 "
               "output tokens and your prompt contains at least 62466 input tokens, for a total of "
               "at least 128001 tokens."), 62466, 128000),
    (400, said("'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum "
               "context length is 40960 tokens and your request has 12000 input tokens (32000 > "
               "40960 - 12000)."), 12000, 40960),
    (400, said("Requested token count exceeds the model's maximum context length of 202752 tokens. "
               "You requested a total of 202941 tokens: 170941 tokens from the input messages and "
               "32000 tokens for the completion."), 170941, 202752),
    (400, said("This model's maximum context length is 4097 tokens, however you requested 4116 "
               "tokens (3860 in your prompt; 256 for the completion)."), 3860, 4097),
    (400, json.dumps({"error": "The number of tokens to keep from the initial prompt is greater "
                      "than the context length (n_keep: 13055>= n_ctx: 4096)."}), 13055, 4096),
    (503, json.dumps({"detail": "ValueError: Request length 71599 + 2048 is greater than "
                      "max_seq_len 65536"}), 71599, 65536),
    (400, json.dumps({"error": "Prompt is 11543 tokens but the model context window is 4096 "
                      "tokens."}), 11543, 4096),
    (422, json.dumps({"error": "Input validation error: `inputs` must have less than 4095 tokens. "
                      "Given: 5211", "error_type": "validation"}), 5211, 4095),
    (400, said("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, "
               "decrease input length or `max_tokens`"), 188240, 200000),
    (400, json.dumps({"detail": {"error": {"message": "Prompt too long: 9000 tokens exceeds max "
                                           "context window of 8192 tokens"}}}), 9000, 8192),
    (500, json.dumps({"error": "prompt too long; exceeded max context length by 4 tokens"}), None,
     None),
    (400, said("Invalid request: Your request exceeded model token limit: 131072 (requested: "
               "140000)"), 140000, 131072),
    (200, said("KV cache is full: could not find a KV slot for the batch"), None, None),
    (400, said("Too many tokens: the request has 9000"), None, None),
    (500, said("input too large: 9000 tokens, n_ctx 8192"), 9000, 8192),
    (400, said("the prompt (9000 tokens) exceeds the model's context (8192 tokens)"), 9000, 8192),
    (500, said("token sequence length exceeds limit (9000 > 8192)"), 9000, 8192),
    (400, said("Please reduce the length of the messages."), None, None),
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
    (400, said("tools are not supported"), "bad_request", "error.refused.tools",
     "tools are not supported"),
    (404, json.dumps({"error": "model 'x' not found"}), "bad_request", "error.refused.model",
     "model 'x' not found"),
    (404, said("The model `x` does not exist.", type="NotFoundError"), "bad_request",
     "error.refused.model", "The model `x` does not exist."),
    (400, said("No models loaded. Please load a model in the developer page."), "bad_request",
     "error.refused.model", "No models loaded. Please load a model in the developer page."),
    (404, said("File Not Found", type="not_found_error"), "bad_request", "error.refused.missing",
     "File Not Found"),
    (500, said("tools param requires --jinja flag"), "bad_request", "error.refused.tools_off",
     "tools param requires --jinja flag"),
    (400, said('"auto" tool choice requires --enable-auto-tool-choice'), "bad_request",
     "error.refused.tools_off", '"auto" tool choice requires --enable-auto-tool-choice'),
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


MORE = {
    "rate_limit": [
        (503, {"error": "server busy, please try again.  maximum pending requests exceeded"}),
        (503, {"detail": {"msg": "Server is busy; please try again later."}}),
        (500, {"error": "unexpected server status: llm busy - no slots available"}),
        (503, {"error": "Server overloaded, please retry shortly (ref: aaa)"}),
        (503, {"error": {"message": "Slot unavailable"}}), (429, {"error": "Model is overloaded"}),
        (503, {"error": {"message": "Server is at capacity."}}),
        (503, {"error": {"message": "Too many concurrent requests"}}),
        (200, {"error": {"message": "Too many tokens, please wait before trying again."}}),
        (200, {"error": {"message": "Provider returned error", "code": "429"}}),
        (400, {"error": "You reached your weekly usage limit"}),
    ],
    "server_loading": [
        (503, {"error": "Model local is currently loading", "estimated_time": 20.0}),
        (503, {"error": "Model not loaded yet"}), (503, {"detail": "Model is not ready"}),
        (503, {"status": "loading model"}), (503, {"status": "loading"}),
        (500, {"error": {"message": "The model is starting up, please wait"}}),
        (503, {"error": {"message": "model is warming up"}}), (502, "model loading in progress"),
        (500, {"error": "llm server loading model"}), (503, {"message": "Server is initializing"}),
        (200, {"error": json.dumps({"error": "Loading model"})}),
        (200, {"error": 'upstream: {"error":{"code":503,"message":"Loading model"}}'}),
    ],
    "bad_request": [
        (404, {"error": "model is not loaded yet"}),
        (404, {"error": {"message": "No models loaded. Please load a model.", "param": "model"}}),
        (400, {"error": {"message": 'Failed to load model "qwen". Error: Operation canceled.'}}),
        (500, {"error": {"message": "No user query found in messages."}}),
        (500, {"error": {"message": "Only user, assistant and tool roles are supported, got x."}}),
        (500, {"error": {"message": "System role not supported"}}),
        (500, {"error": {"message": "Expected last role User or Assistant but got tool"}}),
        (500, {"error": {"message": "This model only supports single tool-calls at once!"}}),
        (500, {"error": {"message": "Message has tool role, but there was no previous assistant "
                                    "message with a tool call!"}}),
        (500, {"error": 'template: :14:22: executing "" at <.Content>'}),
        (500, {"error": {"message": "Failed to parse tool call arguments as JSON: [json.exception]"
                                    " parse error at line 1"}}),
        (500, {"error": {"message": "tools param requires --jinja flag"}}),
        (500, {"error": {"message": "image input is not supported - you may need the mmproj"}}),
        (500, {"error": "json: cannot unmarshal array into Go struct field ChatRequest.messages"}),
        (500, {"error": {"message": "Tool choice must be 'auto' when tools are provided."}}),
        (200, {"error": "Unexpected endpoint or method. (POST /chat/completions)"}),
        (400, {"error": {"message": "Invalid 'messages[2].content': string too long. Expected a "
                                    "string with maximum length 1024"}}),
        (400, {"error": {"message": "max_tokens must be less than or equal to 8192"}}),
        (400, {"object": "error", "message": "[{'type': 'missing', 'loc': ('body', 'model'), "
               "'input': {'content': 'rate limit, context length exceeded, loading model'}}]"}),
    ],
    "auth": [
        (200, {"error": {"message": "Unauthorized"}}), (500, {"message": "API key not valid"}),
        (400, {"error": {"message": "Incorrect API key provided"}}),
    ],
    "stream_error": [
        (500, {"error": "context deadline exceeded"}),
        (400, {"error": "The model has crashed without additional information. (Exit code: 6)"}),
        (500, {"error": "llama runner process has terminated: exit status 2"}),
        (500, {"error": "model requires more system memory (12.0 GiB) than is available"}),
        (500, {"error": "unable to load model: /data/blobs/sha"}),
        (500, {"error": "an error was encountered while running the model: unexpected EOF"}),
        (500, {"error": {"message": "Failed to parse input at pos 1: <tool_call> rate limit; "
                                    "context length exceeded; loading model"}}),
        (500, {"error": "error parsing tool call: raw='{\"x\": \"quota\"}', err=invalid"}),
        (503, {"message": "no available server"}), (200, {"detail": "Not Found"}),
    ],
}


@pytest.mark.parametrize(("kind", "status", "body"), [
    (kind, *row) for kind, rows in MORE.items() for row in rows])
def test_other_wordings_of_the_same_error_are_known(kind, status, body):
    assert classify(status, {}, json.dumps(body).encode()).kind == kind


@pytest.mark.parametrize(("body", "field", "message"), [
    ({"detail": [{"loc": ["body", "min_p"], "msg": "Extra inputs are not permitted"}]},
     "min_p", "min_p: Extra inputs are not permitted"),
    ({"detail": [{"loc": ["body", "stream_options", "x"], "msg": "no"}, {"msg": "two"}]},
     "stream_options.x", "stream_options.x: no; two"),
    ({"error": {"message": "Unknown parameter: 'x'.", "param": "x"}}, "x",
     "Unknown parameter: 'x'."),
    ({"message": "[{'type': 'extra_forbidden', 'loc': ('body', 'top_k'), 'msg': 'Extra'}]"},
     "top_k", "[{'type': 'extra_forbidden', 'loc': ('body', 'top_k'), 'msg': 'Extra'}]"),
    ({"status": 422, "detail": "body -> seed\n  Extra inputs are not permitted"}, "seed",
     "body -> seed Extra inputs are not permitted"),
    ({"error": "no"}, "", "no"),
])
def test_the_field_that_an_error_names_is_kept(body, field, message):
    error = classify(422, {}, json.dumps(body).encode())
    assert (error.field, error.params["message"], error.status) == (field, message, 422)


@pytest.mark.parametrize(("message", "lasting"), [
    ("error loading model: bad file", True), ("CUDA error: out of memory", True), ("boom", False),
])
def test_an_error_that_will_last_is_known(message, lasting):
    assert classify(500, {}, said(message).encode()).lasting is lasting


@pytest.mark.parametrize(("status", "body", "kind", "key", "message"), OTHERS)
def test_an_error_is_known_by_status_and_words(status, body, kind, key, message):
    error = classify(status, {}, body if isinstance(body, bytes) else body.encode())
    assert (error.kind, error.key, error.params["message"]) == (kind, key, message)


@pytest.mark.parametrize(("message", "key"), [
    ("image input is not supported by this server", "error.refused.images"),
    ("image input is not supported - hint: if this is unexpected, you may need to provide the "
     "mmproj", "error.refused.images"),
    ("Model does not support images. Please use a model that does.", "error.refused.images"),
    ("/models/Qwen3-8B is not a multimodal model", "error.refused.images"),
    ("At most 0 image(s) may be provided in one prompt.", "error.refused.images"),
    ("Only 'text' content type is supported.", "error.refused.images"),
    ("messages[0]: unknown variant `image_url`, expected `text`", "error.refused.images"),
    ("Image input detected, but the loaded model is not configured with a mmproj module.",
     "error.refused.images"),
    ("this model is missing data required for image input", "error.refused.images"),
    ("messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 15908784 bytes > "
     "5242880 bytes", "error.refused"),
    ("At most 4 image(s) may be provided in one prompt.", "error.refused"),
    ("failed to decode image", "error.refused"),
])
def test_a_server_that_takes_no_images_is_known(message, key):
    assert classify(400, {}, said(message).encode()).key == key


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

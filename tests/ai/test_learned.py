"""Which field of a request an error rejects, over the wordings that servers use."""

from __future__ import annotations

import json

import pytest

from clinkai.ai.failures import classify
from clinkai.ai.learned import FOLD, OPTIONAL, Learned, rejected_field
from clinkai.core.errors import StreamBroken


def said(message, **more):
    return {"error": {"message": message, **more}}


REJECTED = [
    ("max_tokens", 400, said("Unsupported parameter: 'max_tokens' is not supported with this model."
                             " Use 'max_completion_tokens' instead.")),
    ("max_completion_tokens", 400, {"message": "[{'type': 'extra_forbidden', 'loc': ('body', "
     "'max_completion_tokens'), 'msg': 'Extra inputs are not permitted', 'input': 800}]"}),
    ("min_p", 422, {"detail": [{"loc": ["body", "min_p"], "msg": "Extra inputs are not allowed"}]}),
    ("min_p", 400, said("1 validation error for ChatCompletionRequest\nmin_p\n  Extra inputs are "
                        "not permitted [type=extra_forbidden, input_value=0.1]")),
    ("min_p", 422, said("unknown field `min_p`, expected one of `model`, `temperature`")),
    ("frequency_penalty", 422, {"title": "x", "status": 422, "detail": "body -> frequency_penalty\n"
                                "  Extra inputs are not permitted (type=extra_forbidden)"}),
    ("frequency_penalty", 400, said("Argument not supported on this model: frequencyPenalty")),
    ("stream_options", 400, said("Unrecognized request argument supplied: stream_options.")),
    ("stream_options", 500, said("Completions.create() got an unexpected keyword argument "
                                 "'stream_options'")),
    ("stream_options", 400, said("no", param="stream_options.include_usage")),
    ("stream_options", 200, said("The parameter `stream_options` is not allowed", code=400)),
    ("return_progress", 400, said('json: unknown field "return_progress"')),
    ("temperature", 400, said("Unsupported value: 'temperature' does not support 0.3 with this "
                              "model. Only the default (1) value is supported.")),
    ("tool_choice", 500, said("Tool choice must be 'auto' when tools are provided.")),
    ("tool_choice", 400, {"error": "Invalid tool_choice type: 'object'. Supported string values: "
                          "none, auto, required"}),
    ("tool_choice", 400, said("tool_choice only supports 'auto'")),
    ("tool_choice", 422, {"detail": [{"loc": ["body", "tool_choice"], "msg": "Input should be "
                                      "'none' or 'auto'"}]}),
    ("chat_template_kwargs", 400, said("litellm.UnsupportedParamsError: openai does not support "
                                       "parameters: ['chat_template_kwargs'], for model=x")),
    ("parallel_tool_calls", 400, said("Unknown name parallel_tool_calls")),
    ("response_format", 400, said("This response_format type is unavailable now")),
    (FOLD, 500, said("Jinja Exception: Cannot pass both content and thinking in an assistant "
                     "message with tool calls! Put the analysis message in one, not both.")),
    (None, 422, said("unknown field `foo`, expected one of `model`, `temperature`")),
    (None, 400, said("temperature must be between 0 and 1", param="temperature")),
    (None, 400, said("max_tokens is too large: 200000. This model supports at most 16384")),
    (None, 400, said("local does not support tools")),
    (None, 400, said("messages.0.user.seed Extra inputs are not permitted")),
    (None, 500, said("Failed to parse input at pos 3: unsupported temperature")),
    (None, 500, said("No user query found in messages.")),
    (None, 401, said("temperature is not supported")),
]


@pytest.mark.parametrize(("field", "status", "body"), REJECTED)
def test_the_field_that_a_server_rejects_is_known(field, status, body):
    error = classify(status, {}, json.dumps(body).encode())
    assert rejected_field(error, OPTIONAL) == field


def test_a_field_is_known_by_another_word_and_only_if_it_was_sent():
    error = classify(400, {}, b'{"error": "\\"llama3\\" does not support thinking"}')
    assert [rejected_field(error, sent) for sent in (("think",), ("seed",), ())] == [
        "think", None, None]
    assert rejected_field(StreamBroken("error.stream.closed", why="seed unknown"), OPTIONAL) is None


def test_what_is_learned_is_told_each_time():
    told = []
    learned = Learned({"min_p"}, remember=lambda now: told.append((sorted(now.rejects), now.fold)))
    learned.rejected("seed")
    learned.rejected(FOLD)
    assert told == [(["min_p", "seed"], False), (["min_p", "seed"], True)]

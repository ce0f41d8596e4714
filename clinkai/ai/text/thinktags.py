"""The tags and tokens that models write around thinking and at the end of a message. Pure.

A tag is known by its whole text; `begins` says whether the end of a text may become one, so that a
stream holds back a real beginning and nothing else. Letters of either case.
Sources: the chat templates of the models, llama.cpp's and vLLM's readers of thinking, and the
reports in `wire-quirks.md`.
Not covered: harmony (`ai/text/harmony.py`), calls written as text (`ai/text/dialects.py`).
"""

from __future__ import annotations

import re

NAMES = ("think", "thinking", "thought", "thoughts", "reasoning", "seed:think", "mm:think",
         "ant_thinking", "antml:thinking", "longcat_think", "scratchpad", "reasoning_scratchpad")
"""Thinking stands between `<name>` and `</name>`."""

PAIRS = {
    **{f"<{name}>": f"</{name}>" for name in NAMES},
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
    "<|think|>": "<|/think|>",
    "<|thinking|>": "<|/thinking|>",
    "<|think_start|>": "<|think_end|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|start_thinking|>": "<|end_thinking|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|channel>thought": "<channel|>",
}
"""Opening tag: closing tag, in small letters."""

LATER = ("<think>", "<thinking>", *(tag for tag in PAIRS if tag[1] == "|"), "[think]", "◁think▷",
         "<seed:think>", "<mm:think>")
"""Those that open a block also after text; other names are words of XML by then."""

ENDS = ("</s>", "<eos>", "<end_of_turn>", "<turn|>", "<eot>", "[/inst]", "<end_of_utterance>",
        "[e~[", "<end▁of▁sentence>")
"""What ends a message, without being of the form `<|...|>`: dropped at the very end only."""

OPEN = re.compile("|".join(map(re.escape, sorted(PAIRS, key=len, reverse=True))), re.I)
CLOSE = re.compile("|".join(map(re.escape, sorted(PAIRS.values(), key=len, reverse=True))), re.I)
END = re.compile("|".join(map(re.escape, ENDS)), re.I)

TOKEN = re.compile(r'<[|｜](?:/?[\w▁.:/-]{1,48}[|｜]>|"\|>|(?:channel|turn|tool|tool_response)>)'
                   r"|<(?:channel|tool_response)\|>")
"""A special token: never shown, whatever it means."""

TURN = re.compile(r"<\|im_start\|>(\w*)(?:\n|\Z)|<\|start_header_id\|>(\w*)<\|end_header_id\|>\s*")
TURN_BEGINS = re.compile(r"<\|(?:im_start\|>\w*|start_header_id\|>\w*(?:<[|a-z_]*)?)\Z")
"""The beginning of somebody's turn."""

TOKEN_BEGINS = re.compile(r'<(?:[|｜][^\s<>|｜]{0,49}[|｜]?)?\Z')

ALL = (*PAIRS, *PAIRS.values(), *ENDS, "<channel|>", "<tool_response|>")


def beginnings(marks: tuple[str, ...]) -> frozenset[str]:
    """All that may become one of `marks`."""
    return frozenset(mark[:end] for mark in marks for end in range(1, len(mark)))


def leading_thought(text: str) -> str:
    """The beginning of `text` that is thinking between tags, with the blanks after it; all of it
    where the block does not end."""
    end = 0
    while opened := re.compile(rf"\s*(?:{OPEN.pattern})", re.I).match(text, end):
        closed = CLOSE.search(text, opened.end())
        if closed is None:
            return text
        end = closed.end()
    return text[:end] + text[end:len(text) - len(text[end:].lstrip())]


BEGINNINGS = beginnings(ALL)
LONGEST = max(map(len, ALL))


def begins(text: str, at: int) -> bool:
    """True where the text ends at or after `at` with what may become a tag or a token."""
    return (len(text) - at < LONGEST and text[at:].lower() in BEGINNINGS) or bool(
        TOKEN_BEGINS.match(text, at))

"""What servers leave inside the text: the same comes out wherever the stream was cut."""

from __future__ import annotations

import json
from random import Random

import pytest

from clinkai.ai.assembly import Assembly
from clinkai.ai.outgoing import TEXT
from clinkai.ai.provider import ArgsPart, TextPart, ThinkPart
from clinkai.core.errors import BadResponse

TOOLS = ("read", "write", "edit", "ls", "grep", "bash")
CALL = '<tool_call>\n{"name": "read", "arguments": {"path": "a.py"}}\n</tool_call>'
READ = ("read", {"path": "a.py"})
FINAL = "<|channel|>final<|message|>"
ANALYSIS = "<|channel|>analysis<|message|>"
SAY = "<|start|>assistant"


def row(text, content, reasoning="", *calls, finish="", end="stop", warn="", field="", native=(),
        tools=TOOLS, turned=False):
    """One answer and what it comes to. field: the reasoning field before the text; native: a call
    after it; warn: codes, or nothing; finish: where it is not what `end` and calls say; turned:
    what was shown turned out to be something else."""
    finish = finish or ("tool_calls" if (calls or native) and end == "stop" else end)
    return (text, end, field, native, tools), (content, reasoning, calls, finish, warn, turned)


THINKING = {
    "think": row("<think>\nplan\n</think>\n\nDo it.", "Do it.", "plan"),
    "glued": row("<think>plan</think>Do it.", "Do it.", "plan"),
    "white space before": row("\n\n<think>plan</think>\n\nDo it.", "Do it.", "plan"),
    "capitals": row("<Think>plan</THINK>Do it.", "Do it.", "plan"),
    **{name: row(f"<{name}>plan</{name}>\nDo it.", "Do it.", "plan")
       for name in ("thinking", "thought", "reasoning", "seed:think", "scratchpad")},
    "brackets": row("[THINK]plan[/THINK]Do it.", "Do it.", "plan"),
    "triangles": row("◁think▷plan◁/think▷Do it.", "Do it.", "plan"),
    "gemma": row("<|channel>thought\nplan\n<channel|>Do it.", "Do it.", "plan"),
    "command": row("<|START_THINKING|>plan<|END_THINKING|>Do it.", "Do it.", "plan"),
    "begin_of_thought": row("<|begin_of_thought|>plan<|end_of_thought|>Do it.", "Do it.", "plan"),
    "empty": row("<think>\n\n</think>\n\nDo it.", "Do it."),
    "opened twice": row("<think>\n<think>\nplan</think>Do it.", "Do it.", "plan",
                        warn="dropped_markup"),
    "closed twice": row("<think>plan</think>\n</think>\n\nDo it.", "Do it.", "plan",
                        warn="dropped_markup"),
    "closed with another tag": row("<think>plan</thinking>\nDo it.", "Do it.", "plan",
                                   warn="dropped_markup", turned=True),
    "other tags within": row("<think>a <b>bold</b> <thin> idea, a < b</think>Do it.", "Do it.",
                             "a <b>bold</b> <thin> idea, a < b"),
    "its own tag, quoted": row("<think>I close with `</think>` later</think>Do it.", "Do it.",
                               "I close with `</think>` later"),
    "code after it": row("<think>plan</think>\n\n    indented\n", "    indented\n", "plan"),
    "a block later": row("First.\n<think>hm</think>\nSecond.", "First.\nSecond.", "hm"),
    "two blocks": row("<think>a</think>\n<think>b</think>\nDo it.", "Do it.", "a\n\nb"),
    "only closed": row("plan it\n</think>\n\nDo it.", "Do it.", "plan it", turned=True),
    "only closed, glued": row("plan it</think>Do it.", "Do it.", "plan it", turned=True),
    "only closed, gemma": row("plan it\n<channel|>Do it.", "Do it.", "plan it", turned=True),
    "only closed, at once": row("</think>\n\nDo it.", "Do it.", warn="dropped_markup"),
    "only closed, then a call": row(f"plan\n</think>\n{CALL}", "", "plan", READ,
                                    warn="text_call", turned=True),
    "only closed, code within": row("try ```x``` or\n```\ncode\n```\n</think>\nDo it.", "Do it.",
                                    "try ```x``` or\n```\ncode\n```", turned=True),
    "residue beside a field": row("</think>\n\nDo it.", "Do it.", "plan", field="plan",
                                  warn="dropped_markup"),
    "residue in the text": row("Do it.</think> Now.", "Do it. Now.", "plan", field="plan",
                               warn="dropped_markup"),
    "spoken of": row('The tag "</think>" and `</think>` end it.',
                     'The tag "</think>" and `</think>` end it.'),
    "XML": row("Use <thought>x</thought> here.", "Use <thought>x</thought> here."),
    "in a fence": row("So:\n```xml\n<think>\nx\n</think>\n```\nDone.",
                      "So:\n```xml\n<think>\nx\n</think>\n```\nDone."),
    "unclosed at the limit": row("<think>one, two", "", "one, two", end="length",
                                 warn="unclosed_thinking"),
    "unclosed": row("<think>It is 4.", "It is 4.", warn="unclosed_thinking", turned=True),
    "unclosed, after text": row("So.\n<think>hm", "So.\n", "hm", warn="unclosed_thinking"),
    "unclosed, a call after it": row("<think>hm", "", "hm", native=("ls", "{}"),
                                     warn="unclosed_thinking"),
    "unclosed, ends with a call": row(f"<think>hm\n{CALL}", "", "hm", READ,
                                      warn="text_call unclosed_thinking"),
    "a call in a field": row("", "", "hm", READ, field=f"hm\n{CALL}", warn="text_call"),
    "a call in a field, open": row("", "", "hm\n" + CALL[:-12], field="hm\n" + CALL[:-12]),
    "a call in a field, more after it": row("", "", f"hm {CALL} no", field=f"hm {CALL} no"),
    "a call in a field, text": row("No.", "No.", f"hm\n{CALL}", field=f"hm\n{CALL}"),
    "json in a field": row("", "", '{"name": "ls", "arguments": {}}',
                           field='{"name": "ls", "arguments": {}}'),
    "the answer in a field": row("", "Do it.", "plan", field="plan</think>\n\nDo it.",
                                 warn="dropped_markup", turned=True),
    "no tools": row(f"<think>plan</think>{CALL}", CALL, "plan", tools=()),
}

HARMONY = {
    "final": row(f"{ANALYSIS}plan<|end|>{SAY}{FINAL}Do it.<|return|>", "Do it.", "plan",
                 warn="dropped_markup"),
    "start": row(f"{SAY}{ANALYSIS}plan<|end|>{SAY}{FINAL}Do it.", "Do it.", "plan",
                 warn="dropped_markup"),
    "final only": row(f"{FINAL}Do it.", "Do it.", warn="dropped_markup"),
    "text without a header": row(f"{ANALYSIS}plan<|end|>Do it.", "Do it.", "plan",
                                 warn="dropped_markup"),
    "preamble": row(f"{ANALYSIS}plan<|end|>{SAY}<|channel|>commentary<|message|>I look.<|end|>"
                    f"{SAY}{FINAL}Do it.", "Do it.", "plan\n\nI look.", warn="dropped_markup"),
    **{f"call {n}": row(f'{ANALYSIS}plan<|end|>{header}<|message|>{{"path":"a.py"}}{end}', "",
                        "plan", READ, warn="dropped_markup text_call")
       for n, (header, end) in enumerate((
           (SAY + "<|channel|>commentary to=functions.read <|constrain|>json", "<|call|>"),
           (SAY + " to=functions.read<|channel|>commentary json", "<|call|>"),
           (SAY + "<|channel|>analysis to=functions.read code", "<|call|>"),
           ("<|channel|>commentary to=functions.read", ""),
           (SAY + "<|channel|>commentary to=read <|constrain|>json", "<|end|>")))},
    "two calls": row(f'{SAY}<|channel|>commentary to=functions.read<|message|>{{"path":"a.py"}}'
                     f'<|call|>{SAY}<|channel|>commentary to=functions.ls<|message|>{{}}<|call|>',
                     "", "", READ, ("ls", {}), warn="dropped_markup text_call"),
    "call, cut": row(f'{SAY}<|channel|>commentary to=functions.read<|message|>{{"path":"a', "",
                     end="length", warn="dropped_markup"),
    "call, mislabelled": row(f'{SAY}<|channel|>commentary to=functions.read<|message|>{{"path":"a',
                             "", finish="length", warn="dropped_markup"),
    "unknown tool": row(f'{SAY}<|channel|>commentary to=browser.open<|message|>{{"id":1}}<|call|>',
                        "", 'browser.open {"id":1}', warn="dropped_markup"),
    "without message": row("<|channel|>analysisWe plan it.<|end|><|start|>assistant<|channel|>final"
                           "<|message|>4", "4", "We plan it.", warn="dropped_markup"),
    "the user's turn": row(f"{FINAL}Do it.<|end|><|start|>user<|message|>And now?", "Do it.",
                           warn="dropped_markup"),
    "analysis only": row(f"{ANALYSIS}plan", "", "plan", warn="dropped_markup"),
    "header only": row("<|channel|>analy", "", end="length", warn="dropped_markup"),
    "tokens in the text": row(f"{FINAL}Use `<|end|>` and\n```\n<|call|>\n```\nok<|return|>",
                              "Use `<|end|>` and\n```\n<|call|>\n```\nok", warn="dropped_markup"),
    "bare": row("analysisWe need one word.assistantfinalfour", "four", "We need one word.",
                warn="dropped_markup"),
    "bare, on lines": row("analysis\nWe need it.\nassistantfinal\nfour", "four", "We need it.",
                          warn="dropped_markup", turned=True),
    "bare, final only": row("assistantfinalfour", "four", warn="dropped_markup"),
    "bare, call": row('analysisWe read.assistantcommentary to=functions.read json{"path":"a.py"}',
                      "", "We read.", READ, warn="dropped_markup text_call"),
    "bare, other order": row('analysisWe read.assistant to=functions.readcommentary json'
                             '{"path":"a.py"}', "", "We read.", READ,
                             warn="dropped_markup text_call"),
    "bare, preamble": row("analysisWe read.assistantcommentaryI look.assistantfinalfour", "four",
                          "We read.\n\nI look.", warn="dropped_markup"),
    "bare, at the limit": row("analysisWe need", "", "We need", end="length",
                              warn="unclosed_thinking"),
    "not harmony": row("analysisResult is null: assistance is needed.",
                       "analysisResult is null: assistance is needed.", warn="unclosed_thinking",
                       turned=True),
    "a word": row("analysis of the assistant: done", "analysis of the assistant: done"),
}

TOKENS = {
    **{token: row(f"Do it.{token}", "Do it.", warn="dropped_markup") for token in (
        "<|im_end|>", "<|eot_id|>", "<|endoftext|>", "</s>", "<end_of_turn>", "<|end_of_text|>\n",
        "<｜end▁of▁sentence｜>", "<turn|>", "<|im_end")},
    "tokens alone in a fence": row("```\n<|im_end|>\n```", "```\n<|im_end|>\n```"),
    "tokens in code": row("It ends with `<|im_end|>`.", "It ends with `<|im_end|>`."),
    "another's turn": row("Do it.<|im_end|>\n<|im_start|>user\nMore?", "Do it.",
                          warn="dropped_markup"),
    "its own turn": row("<|im_start|>assistant\nDo it.", "Do it.", warn="dropped_markup"),
    "strike": row("It is <s>5</s>", "It is <s>5</s>"),
    "operators": row("x <| f |> g <|> h, a <b> [c] {d} ~e~", "x <| f |> g <|> h, a <b> [c] {d} ~e~"),
    "an open end": row("a < b <", "a < b <"),
}

CALLS = {
    "a call": row(f"I look.\n{CALL}", "I look.\n", "", READ, warn="text_call"),
    "after thinking": row(f"<think>plan</think>\n{CALL}", "", "plan", READ, warn="text_call"),
    "and its token": row(f"{CALL}<|im_end|>", "", "", READ, warn="dropped_markup text_call"),
    "thinking in its arguments": row(
        '<tool_call>\n{"name": "write", "arguments": {"path": "a", "content": "<think>\\nx</think>'
        '<|im_end|>"}}\n</tool_call>', "", "",
        ("write", {"path": "a", "content": "<think>\nx</think><|im_end|>"}), warn="text_call"),
    "thinking in a parameter": row(
        "<function=write>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n<think>\nx\n"
        "</think>\n</s>\n</parameter>\n</function>\n</tool_call>", "", "",
        ("write", {"path": "a", "content": "<think>\nx\n</think>\n</s>"}), warn="text_call"),
    "thinking in json": row('{"name": "write", "arguments": {"path": "a", "content": "</think>"}}',
                            "", "", ("write", {"path": "a", "content": "</think>"}),
                            warn="text_call"),
    "in a fence": row('```json\n{"name": "ls", "arguments": {}}\n```', "", "", ("ls", {}),
                      warn="text_call"),
    "quoted": row(f"Write `{CALL[:11]}` first.", "Write `<tool_call>` first."),
    "cut": row(f"I look.\n{CALL[:30]}", "I look.\n", end="length"),
    "cut, mislabelled": row(f"I look.\n{CALL[:40]}", "I look.\n", finish="length"),
    **{f"no tools: {call[:12]!r}": row(text, text, tools=()) for call in (
        CALL, CALL[:30], '[TOOL_CALLS]read[ARGS]{"path": "a.py"}', '<|python_tag|>{"name": "read"',
        '<|tool_call_start|>[read(path="a.py")]<|tool_call_end|>',
        '<|tool_call>call:read{path:<|"|>a.py<|"|>}<tool_call|>',
        '<|tool_call|>[{"name": "read", "arguments": {"path": "a.py"}}]',
        '<|START_ACTION|>[{"name": "read", "arguments": {"path": "a.py"}}]<|END_ACTION|>',
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>"
        '{"path":"a.py"}<|tool_call_end|><|tool_calls_section_end|>',
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n"
        '{"path":"a.py"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ) for text in (call, f"The sum so far.\n\n{call}")},
    "no tools, in the thinking": row("Sum.", "Sum.", f"so {CALL}", field=f"so {CALL}", tools=()),
    "the same as the native one": row(f"I look.\n{CALL}", "I look.\n", "",
                                      native=("read", '{"path":"a.py"}'), warn="dropped_markup"),
    "another than the native one": row(f"I look.\n{CALL}", f"I look.\n{CALL}", "",
                                       native=("ls", "{}")),
    **{f"residue {mark!r}": row(f"I look.\n\n{mark}", "I look.\n\n", "", native=("ls", "{}"),
                                warn="dropped_markup")
       for mark in ("<tool_call>", "<tool_call", "<tool_call>\n", "<tool_call>\n</tool_call>",
                    "</tool_call>", "[TOOL_CALLS]", "<|tool_call>", "<｜DSML｜function_calls",
                    "<｜tool▁calls▁begin｜>", "<function=", "<minimax:tool_call>\n",
                    "</function>\n</tool_call>", '<tool_call>\n{"name": "ls", "argu')},
    "no residue": row("I look [", "I look [", "", native=("ls", "{}")),
}

ROWS = {f"{table}: {name}": value for table, rows in (
    ("thinking", THINKING), ("harmony", HARMONY), ("tokens", TOKENS), ("calls", CALLS))
    for name, value in rows.items()}


def came_of(given, cut):
    """The parts and the reply where text and field are cut by `cut`."""
    text, end, field, native, tools = given
    answer = Assembly(tools)
    parts = []
    for piece in cut(field):
        answer.think(piece, "reasoning_content")
        parts += answer.parts()
    for piece in cut(text):
        answer.say(TEXT, piece)
        parts += answer.parts()
    if native:
        function = {"name": native[0], "arguments": native[1]}
        answer.take_calls([{"index": 0, "id": "n", "function": function}])
    answer.end(end)
    answer.counts.take({"prompt_tokens": 1}, None)
    parts += answer.parts(last=True)
    return parts, answer.reply(set())


SOME = [3, pytest.param(1, marks=pytest.mark.slow)]
"""Of the places to cut at, each so many are tried: all of them by .ci/run."""


def cuts(given, step):
    """The ways to cut in two, and single characters."""
    yield list
    size = max(len(given[0]), len(given[2]))
    for at in range(size % step, size, step):
        yield lambda text, at=at: [piece for piece in (text[:at], text[at:]) if piece]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("step", SOME)
@pytest.mark.parametrize(("given", "expected"), ROWS.values(), ids=ROWS.keys())
def test_markup_is_understood_wherever_it_is_cut(given, expected, step):
    content, reasoning, calls, finish, warn, turned = expected
    native = given[3]
    if native:
        calls = ((native[0], json.loads(native[1])),)
    for cut in cuts(given, step):
        parts, reply = came_of(given, cut)
        found = tuple((c.name, c.broken or json.loads(c.arguments)) for c in reply.tool_calls)
        assert (reply.content.strip("\n"), reply.reasoning.strip(), found, reply.finish,
                " ".join(reply.warnings)) == (
                    content.strip("\n"), reasoning.strip(), calls, finish, warn)
        text, thought = ("".join(p.text for p in parts if isinstance(p, kind))
                         for kind in (TextPart, ThinkPart))
        assert text.endswith(reply.content)
        assert turned or (text, thought) == (reply.content, reply.reasoning)
        assert {p.index for p in parts if isinstance(p, ArgsPart)} == set(range(len(calls)))


PROMPT = {
    "words": ("It is", ["It is"]),
    "an open tag": ("a<thi", ["a"]),
    "no tag": ("a<thin ", ["a<thin "]),
    "a token": ("Do it.<|im_e", ["Do it."]),
    "thinking": ("<think>plan </th", ["plan"]),
    "after thinking": ("<think>plan</think>\n\n", ["plan"]),
    "a call": ('I look.\n<tool_call>\n{"name": "read", "arg', ["I look.\n"]),
    "code": ("```\n<tool_call>\n<think>\n", ["```\n<tool_call>\n<think>"]),
    "an object": ('{"a": 1', ['{"a": 1']),
    "analysis": ("analys", []),
    "a word": ("analysis of", ["analysis of"]),
}


@pytest.mark.parametrize(("text", "shown"), PROMPT.values(), ids=PROMPT.keys())
def test_only_what_may_be_markup_is_held_back(text, shown):
    for cut in (list, lambda text: [text]):
        answer = Assembly(TOOLS)
        for piece in cut(text):
            answer.say(TEXT, piece)
        assert [part.text for part in answer.parts()] == shown


def test_an_answer_that_breaks_keeps_what_was_held_back():
    answer = Assembly(TOOLS)
    answer.say(TEXT, f"I look.\n{CALL}")
    assert [part.text for part in answer.parts()] == ["I look.\n"]
    assert [part.text for part in answer.parts(last=True)] == [CALL]


def test_values_are_of_the_type_that_the_tool_declares():
    answer = Assembly(("read",))
    answer.offered(({"type": "function", "function": {"name": "read", "parameters": {
        "type": "object", "properties": {"limit": {"type": "integer"}}}}},))
    answer.say(TEXT, "<tool_call><function=read><parameter=limit>42</parameter></function>"
                     "</tool_call>")
    answer.end("stop")
    assert [call.arguments for call in answer.reply(set()).tool_calls] == ['{"limit":42}']


SHREDS = [
    "<think>", "</think>", "<thinking>", "</thinking>", "\n", "\n\n", " ", "Text.", "word", "a < b",
    "analysis", "assistantfinal", 'assistantcommentary to=functions.read json{"path":"a"}',
    "<|channel|>", "final", "<|message|>", "<|start|>assistant", "<|end|>", " to=functions.ls", "{}",
    '{"path": "a"}', "<tool_call>", "</tool_call>", '{"name": "ls", "arguments": {}}', "`", "```",
    "<function=read>", "<parameter=path>", "</parameter>", "</function>", "```json\n", "~~~", '"',
    "<|im_end|>", "</s>", "<|im_start|>user\n", "[TOOL_CALLS]", "[", "]", "<", "c", "call:", "[THINK]",
    "[/THINK]", "<|channel>thought", "<channel|>", "<s>", "<｜tool▁calls▁begin｜>",
    '<|tool_call>call:read{path:<|"|>a<|"|>}<tool_call|>', "<|tool_call_start|>[ls()]<|tool_call_end|>",
]


@pytest.mark.parametrize("seed", [
    *range(50), *(pytest.param(n, marks=pytest.mark.slow) for n in range(50, 500))])
def test_shreds_of_markup_come_to_the_same_wherever_they_are_cut(seed):
    random = Random(seed)
    text = "".join(random.choices(SHREDS, k=random.randint(1, 12)))
    field = "".join(random.choices(SHREDS, k=random.choice((0, 0, 3))))
    native = random.choice(((), (), ("ls", "{}")))
    given = (text, random.choice(("stop", "length")), field, native, TOOLS)

    def cut(text):
        at = sorted(random.choices(range(len(text) + 1), k=len(text) // 3))
        return [text[a:b] for a, b in zip([0, *at], [*at, len(text)]) if b > a]

    replies = [outcome(given, how) for how in (lambda text: [text] if text else [], list, cut)]
    assert replies[1:] == replies[:1] * 2


def outcome(given, how):
    try:
        reply = came_of(given, how)[1]
    except BadResponse as error:
        return error.key
    calls = [(call.name, call.arguments, call.broken) for call in reply.tool_calls]
    return (reply.content, reply.reasoning, calls, reply.finish, reply.cut_call, reply.warnings)

"""Tool calls written as text: which count, which never do, and what is held back meanwhile."""

from __future__ import annotations

import json
import random

import pytest

from clinkai.ai.text.dialects import glm_name
from clinkai.ai.text.textcalls import Held
from clinkai.core.value import replace

TOOLS = ("read", "write", "edit", "ls", "grep", "bash")
SCHEMAS = {"read": {"properties": {"path": {"type": "string"}, "offset": {"type": "integer"}}}}
CODE = 'def f(x):\n    """<b>&amp;</b>"""\n    return [x < 1, {"k": \'v\'}]  # 中文 `t`\n\n'


def find_calls(text, declared, stopped, schemas=None):
    """The calls in a whole message, with all the text that remains."""
    held = Held(declared, schemas)
    shown = held.feed(text)
    result = held.end(stopped)
    return result and replace(result, kept=shown + result.kept)


def hold_from(text):
    """Where in a message so far a call may begin."""
    return len(Held(()).feed(text))


def found(text, stopped=True, schemas=None):
    """(name, arguments) of the calls, the text that remains, the tool that was cut."""
    result = find_calls(text, TOOLS, stopped, schemas)
    if result is None:
        return [], text, ""
    return [(n, json.loads(a)) for n, a in result.calls], result.kept, result.cut


def streamed(text, cuts, stopped=True):
    """The same from pieces: what was shown, then what remained of the rest."""
    held = Held(TOOLS)
    shown = ""
    for start, end in zip((0, *cuts), (*cuts, len(text))):
        shown += held.feed(text[start:end])
    result = held.end(stopped)
    if result is None:
        return [], shown + held.rest, ""
    return [(n, json.loads(a)) for n, a in result.calls], shown + result.kept, result.cut


def call(name="read", key="arguments", **arguments):
    return json.dumps({"name": name, key: arguments or {"path": "a"}})


def qwen(name, **values):
    inner = "".join(f"<parameter={k}>\n{v}\n</parameter>\n" for k, v in values.items())
    return f"<function={name}>\n{inner}</function>"


READ, LS = ("read", {"path": "a"}), ("ls", {"path": "."})
A, B = call(), call("ls", path=".")
WRITE = ("write", {"path": "x.py", "content": CODE})
DSML = ('<｜DSML｜function_calls>\n<｜DSML｜invoke name="read">\n<｜DSML｜parameter name="path" '
        'string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>')
KIMI = ("<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0"
        '<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|>')
FORMS = {
    "hermes": (f"<tool_call>\n{A}\n</tool_call>", [READ]),
    "hermes, one line": (f"<tool_call>{A}</tool_call>", [READ]),
    "hermes, several": (f"<tool_call>{A}</tool_call>\n<tool_call>{B}</tool_call>", [READ, LS]),
    "hermes, several in one": (f"<tool_call>\n{A}\n{B}\n</tool_call>", [READ, LS]),
    "hermes, a list": (f"<tool_call>[{A}, {B}]</tool_call>", [READ, LS]),
    "hermes, no closer": (f"<tool_call>\n{A}", [READ]),
    "hermes, no closer between": (f"<tool_call>\n{A}\n<tool_call>\n{B}\n</tool_call>", [READ, LS]),
    "hermes, closer inside a string": (
        f"<tool_call>{call('write', path='x', content='</tool_call> <tool_call>')}</tool_call>",
        [("write", {"path": "x", "content": "</tool_call> <tool_call>"})]),
    "hermes, fence inside": (f"<tool_call>\n```json\n{A}\n```\n</tool_call>", [READ]),
    "hermes, parameters": (f"<tool_call>{call(key='parameters')}</tool_call>", [READ]),
    "hermes, arguments as a string": (
        '<tool_call>{"name": "read", "arguments": "{\\"path\\": \\"a\\"}"}</tool_call>', [READ]),
    "hermes, no arguments": ('<tool_call>{"name": "ls"}</tool_call>', [("ls", {})]),
    "hermes, null arguments": ('<tool_call>{"name":"ls","arguments":null}</tool_call>',
                               [("ls", {})]),
    "hermes, nested function": (
        f'<tool_call>{{"type": "function", "function": {A}}}</tool_call>', [READ]),
    "hermes, raw line break in a string": (
        '<tool_call>{"name":"write","arguments":{"path":"x","content":"a\nb"}}</tool_call>',
        [("write", {"path": "x", "content": "a\nb"})]),
    "hermes, a brace too many": (f"<tool_call>\n{A}}}\n</tool_call>", [READ]),
    "hermes, a brace too few": (f"<tool_call>\n{A[:-1]}\n</tool_call>", [READ]),
    "hermes, doubled braces": (f"<tool_call>\n{{{A}}}\n</tool_call>", [READ]),
    "hermes, Python": ("<tool_call>{'name': 'read', 'arguments': {'path': 'a'}}</tool_call>",
                       [READ]),
    "hermes, final token": (f"<tool_call>\n{A}\n</tool_call><|im_end|>", [READ]),
    "hermes, final token for a closer": (f"<tool_call>\n{A}\n<|im_end|>", [READ]),
    "hermes, other name": (f"<function_call>{A}</function_call>", [READ]),
    "tools": (f"<tools>\n{A}\n</tools>", [READ]),
    "list in tool_calls": (f"<tool_calls>[{A}, {B}]</tool_calls>", [READ, LS]),
    "TOOLCALL": (f"<TOOLCALL>[{A}]</TOOLCALL>", [READ]),
    "LM Studio": (f"[TOOL_REQUEST]\n{A}\n[END_TOOL_REQUEST]", [READ]),
    "granite": (f"<|tool_call|>[{A}]", [READ]),
    "phi": (f"<|tool_call|>[{A}]<|/tool_call|>", [READ]),
    "qwen": (f"<tool_call>\n{qwen('write', path='x.py', content=CODE)}\n</tool_call>", [WRITE]),
    "qwen, no opener": (f"{qwen('write', path='x.py', content=CODE)}\n</tool_call>", [WRITE]),
    "qwen, bare": (qwen("read", path="a"), [READ]),
    "qwen, no closer": (f"<tool_call>\n{qwen('read', path='a')}", [READ]),
    "qwen, two in one": (f"<tool_call>\n{qwen('read', path='a')}\n{qwen('ls', path='.')}\n"
                         "</tool_call>", [READ, LS]),
    "qwen, no </parameter>": (
        "<tool_call>\n<function=write>\n<parameter=path>\nx\n<parameter=content>\na\nb\n"
        "</function>\n</tool_call>", [("write", {"path": "x", "content": "a\nb"})]),
    "qwen, no </function>": (
        "<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</tool_call>\n"
        f"<tool_call>\n{qwen('ls', path='.')}\n</tool_call>", [READ, LS]),
    "qwen, neither": ("<tool_call>\n<function=read>\n<parameter=path>\na\n</tool_call>", [READ]),
    "qwen, on one line": ("<function=read><parameter=path>a</parameter></function>", [READ]),
    "qwen, no parameters": ("<tool_call>\n<function=ls>\n</function>\n</tool_call>", [("ls", {})]),
    "qwen, empty value": ("<function=ls><parameter=path>\n</parameter></function>",
                          [("ls", {"path": ""})]),
    "qwen, CRLF": ("<function=read>\r\n<parameter=path>\r\na\r\n</parameter>\r\n</function>",
                   [READ]),
    "qwen, numbers stay text": (qwen("read", path="42"), [("read", {"path": "42"})]),
    "qwen, JSON stays text": (qwen("write", path="x", content='{"a": 1}'),
                              [("write", {"path": "x", "content": '{"a": 1}'})]),
    "qwen, markup as a value": (
        f"<tool_call>\n{qwen('write', path='x', content=qwen('bash', command='id'))}\n</tool_call>",
        [("write", {"path": "x", "content": qwen("bash", command="id")})]),
    "qwen, a closer as a value": (
        qwen("write", path="x", content="see </function> and </tool_call>, then\n</parameter> too"),
        [("write", {"path": "x",
                    "content": "see </function> and </tool_call>, then\n</parameter> too"})]),
    "qwen, blank lines at the ends": (qwen("write", path="x", content="\n\na\n\n"),
                                      [("write", {"path": "x", "content": "\n\na\n\n"})]),
    "qwen, attributes": (
        '<function name="read"><parameter name="path">a</parameter></function>', [READ]),
    "seed": (f"<seed:tool_call>\n{qwen('read', path='a')}\n</seed:tool_call>", [READ]),
    "functionary": ('<function=read>{"path": "a"}</function>', [READ]),
    "glm": ("<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
            [READ]),
    "glm, one line, two": (
        "<tool_call>write<arg_key>path</arg_key><arg_value>x.py</arg_value><arg_key>content"
        f"</arg_key><arg_value>{CODE}\n</arg_value></tool_call><tool_call>ls</tool_call>",
        [WRITE, ("ls", {})]),
    "name, then an object": ('<tool_call>read\n{"path": "a"}</tool_call>', [READ]),
    "mistral, list": (f"[TOOL_CALLS][{A}, {B}]", [READ, LS]),
    "mistral, space": (f"[TOOL_CALLS] [{A}]</s>", [READ]),
    "mistral, args": ('[TOOL_CALLS]read[ARGS]{"path": "a"}', [READ]),
    "mistral, args, two": ('[TOOL_CALLS]read[ARGS]{"path": "a"}[TOOL_CALLS]ls[ARGS]{"path": "."}',
                           [READ, LS]),
    "mistral, call id": ('[TOOL_CALLS]read[CALL_ID]abc123xyz[ARGS]{"path": "a"}', [READ]),
    "mistral, neither": ('[TOOL_CALLS]read{"path": "a"}', [READ]),
    "mistral, object": (f"[TOOL_CALLS]{A}", [READ]),
    "lfm2": ("<|tool_call_start|>[read(path='a'), ls(path=\".\")]<|tool_call_end|>", [READ, LS]),
    "lfm2, values": (
        "<|tool_call_start|>[grep(pattern='a\\'b]', n=3, on=True, off=false, l=['x'], d={'k': 1})]"
        "<|tool_call_end|>",
        [("grep", {"pattern": "a'b]", "n": 3, "on": True, "off": False, "l": ["x"],
                   "d": {"k": 1}})]),
    "lfm2, raw line break": (
        '<|tool_call_start|>[write(path="x", content="a\nb")]<|tool_call_end|>',
        [("write", {"path": "x", "content": "a\nb"})]),
    "lfm2, pattern": (r"<|tool_call_start|>[grep(pattern='\d+\\w\n')]<|tool_call_end|>",
                      [("grep", {"pattern": "\\d+\\w\n"})]),
    "lfm2, JSON": (f"<|tool_call_start|>[{A}]<|tool_call_end|>", [READ]),
    "gemma": ('<|tool_call>call:read{path:<|"|>a<|"|>}<tool_call|>', [READ]),
    "gemma, values": (
        '<|tool_call>call:grep{pattern:<|"|>{x}, "y"<|"|>,n:-3,f:1.5,b:true,z:null,'
        'l:[<|"|>p<|"|>,2],o:{k:<|"|>v<|"|>}}<tool_call|>',
        [("grep", {"pattern": '{x}, "y"', "n": -3, "f": 1.5, "b": True, "z": None, "l": ["p", 2],
                   "o": {"k": "v"}})]),
    "gemma, JSON strings": ('<|tool_call>call:read{"path": "a"}<tool_call|>', [READ]),
    "gemma, several": ('<|tool_call>call:read{path:<|"|>a<|"|>}<tool_call|><|tool_call>call:ls{'
                       'path:<|"|>.<|"|>}<tool_call|>', [READ, LS]),
    "gemma, no opener": ('call:read{path:<|"|>a<|"|>}<tool_call|>', [READ]),
    "gemma, no closer": ('<|tool_call>call:ls{}', [("ls", {})]),
    "minimax": ('<minimax:tool_call>\n<invoke name="read">\n<parameter name="path">a</parameter>\n'
                "</invoke>\n</minimax:tool_call>", [READ]),
    "minimax, two": (
        '<minimax:tool_call>\n<invoke name="read">\n<parameter name="path">a</parameter>\n</invoke>'
        '\n<invoke name="ls">\n<parameter name="path">.</parameter>\n</invoke>\n'
        "</minimax:tool_call>", [READ, LS]),
    "minimax, no wrapper": ('<invoke name="read"><parameter name="path">a</parameter></invoke>\n'
                            "</minimax:tool_call>", [READ]),
    "invoke in function_calls": (
        '<function_calls>\n<invoke name="read">\n<parameter name="path">a</parameter>\n</invoke>\n'
        "</function_calls>", [READ]),
    "deepseek, dsml": (DSML, [READ]),
    "deepseek, dsml, doubled bars": (DSML.replace("｜", "｜｜"), [READ]),
    "deepseek, dsml, plain bars": (DSML.replace("｜", "|"), [READ]),
    "deepseek, dsml, other name": (DSML.replace("function_calls", "tool_calls"), [READ]),
    "deepseek, dsml, spaces": (DSML.replace("｜f", "｜ f").replace("｜i", "｜ i").replace("｜p", "｜ p"),
                               [READ]),
    "deepseek, dsml, no string": (
        DSML.replace('string="true">a', 'string="false">[1, 2]'), [("read", {"path": [1, 2]})]),
    "deepseek 3": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n"
        '{"path": "a"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>', [READ]),
    "deepseek 3, two": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n"
        '{"path": "a"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>ls\n```json\n'
        '{"path": "."}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>', [READ, LS]),
    "deepseek 3.1": (
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path": "a"}'
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>", [READ]),
    "kimi": (KIMI + "<|tool_calls_section_end|>", [READ]),
    "kimi, no end": (KIMI, [READ]),
    "kimi, no section": (KIMI.removeprefix("<|tool_calls_section_begin|>"), [READ]),
    "kimi, two": (
        KIMI + '<|tool_call_begin|>functions.ls:1<|tool_call_argument_begin|>{"path": "."}'
        "<|tool_call_end|><|tool_calls_section_end|>", [READ, LS]),
    "command": ('<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "read", "parameters": '
                '{"path": "a"}}]<|END_ACTION|>', [READ]),
    "llama, python tag": (f"<|python_tag|>{call(key='parameters')}<|eom_id|>", [READ]),
    "llama, python tag, two": (f"<|python_tag|>{A}; {B}", [READ, LS]),
    "llama 4": (f"<|python_start|>{A}<|python_end|>", [READ]),
    "llama 4, Python": ('<|python_start|>[read(path="a")]<|python_end|>', [READ]),
    "bare": (A, [READ]),
    "bare, on several lines": (json.dumps(json.loads(A), indent=2) + "\n", [READ]),
    "bare, parameters": (call(key="parameters"), [READ]),
    "bare, arguments first": ('{"arguments": {"path": "a"}, "name": "read"}', [READ]),
    "bare, type function": ('{"type": "function", "name": "read", "parameters": {"path": "a"}}',
                            [READ]),
    "bare, id": ('{"id": "c1", "name": "read", "arguments": {"path": "a"}}', [READ]),
    "bare, nested": (f'{{"type": "function", "function": {A}}}', [READ]),
    "bare, as a string": ('{"name": "read", "arguments": "{\\"path\\": \\"a\\"}"}', [READ]),
    "bare, list": (f"[{A}, {B}]", [READ, LS]),
    "bare, two lines": (f"{A}\n{B}", [READ, LS]),
    "bare, semicolon": (f"{A}; {B}", [READ, LS]),
    "bare, stray closer": (f"{A}\n</tool_call>", [READ]),
    "bare, final token": (f"{A}<|eot_id|>", [READ]),
    "bare, no arguments": ('{"name": "ls", "arguments": {}}', [("ls", {})]),
    "fence": (f"```json\n{A}\n```", [READ]),
    "fence, no label": (f"```\n{A}\n```\n", [READ]),
    "fence, list": (f"```json\n[{A},\n{B}]\n```", [READ, LS]),
    "fence, two": (f"```json\n{A}\n```\n\n```json\n{B}\n```", [READ, LS]),
    "fence, two in one": (f"```json\n{A}\n{B}\n```", [READ, LS]),
    "fence, its name": (f"```tool_call\n{A}\n```", [READ]),
    "fence, tildes": (f"~~~json\n{A}\n~~~", [READ]),
    "fence, open": (f"```json\n{A}", [READ]),
    "olmo": ('<function_calls>\nread(path="a")\nls(path=".")\n</function_calls>', [READ, LS]),
    "Python list": ('[read(path="a"), ls(path=".")]', [READ, LS]),
    "Python list, no arguments": ("[ls()]", [("ls", {})]),
    "name with prefix and case": (f"<tool_call>{call('functions.Read')}</tool_call>", [READ]),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("text", "calls"), FORMS.values(), ids=FORMS)
def test_a_form_is_read_as_a_whole_message(text, calls):
    assert found(text) == (calls, "", "")
    assert found(f"\n{text}\n") == (calls, "\n", "")


SOME = [5, pytest.param(1, marks=pytest.mark.slow)]
"""Of the places to cut at, each so many are tried: all of them by .ci/run."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("step", SOME)
@pytest.mark.parametrize(("text", "calls"), FORMS.values(), ids=FORMS)
def test_nothing_of_a_form_is_shown_while_it_comes_in(text, calls, step):
    assert {hold_from(text[:i]) for i in range(len(text), -1, -step)} == {0}


MARKUP = {k: v for k, v in FORMS.items() if not k.startswith(("bare", "fence", "Python"))
          and k != "gemma, no opener"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("text", "calls"), [v for k, v in FORMS.items()
                                             if "Python list" not in k and k != "gemma, no opener"])
def test_a_form_may_follow_text_on_lines_of_its_own(text, calls):
    before = "Let me see.\n\n```py\nx = '<tool_call>'\n```\nI'll look:\n"
    assert found(before + text) == (calls, before, "")
    assert streamed(before + text, range(1, len(before + text))) == (calls, before, "")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("text", "calls"), MARKUP.values(), ids=MARKUP)
def test_markup_may_stand_right_after_a_sentence(text, calls):
    for before in ("I'll look.", "I'll look. ", "好的。", "Looking 🔎 ", "I'll look"):
        assert found(before + text) == (calls, before, "")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("text", "calls"), MARKUP.values(), ids=MARKUP)
def test_markup_within_a_sentence_or_in_code_never_counts(text, calls):
    for before, after in (
        ("The page says: ", ""), ("The page says ", ""), ('It says "', '".'), ("It is (", ")"),
        ("Use `", "` for it."), ("- ", "\n- x"), ("> ", "\n> x"), ("Do, ", ""), ("1. ", "\n2. x"),
        ("An example:\n```\n", "\n```"), ("~~~xml\n", "\n~~~\nAs you see."), ("```xml\n", "\n```"),
        ("The file holds\n", "\nand I did not run it."), ("Then comes ", " and more."),
        ("I'll look.", " is what it says."), ("Unclosed ` tick ", ""), ("```\nunclosed\n", ""),
        ("Text.\n\n    ", "\n"),
    ):
        assert found(before + text + after) == ([], before + text + after, ""), (before, after)


KEPT = {
    "text before, then the call": (
        f"Reading.\n\n<tool_call>{A}</tool_call>", [READ], "Reading.\n\n"),
    "text between calls": (
        f"First:\n<tool_call>{A}</tool_call>\nThen:\n<tool_call>{B}</tool_call>\n", [READ, LS],
        "First:\n\nThen:\n"),
    "text after a call that begins the message": (
        f"<tool_call>{A}</tool_call>\nI wait for it.", [READ], "\nI wait for it."),
    "text glued to a token": ("<|tool_call_start|>[read(path='a')]<|tool_call_end|>Looking at a.",
                              [READ], "Looking at a."),
    "a result that was made up": (f"<tool_call>{A}</tool_call>\n<tool_response>\nhi\n", [READ], ""),
    "an unknown tool beside a known one": (
        f"<tool_call>{call('fly')}</tool_call>\n<tool_call>{A}</tool_call>", [READ],
        f"<tool_call>{call('fly')}</tool_call>\n"),
    "a sentence, then a bare call": (f"I'll read it. {A}", [READ], "I'll read it. "),
    "prose, then a bare call": (f"I'll read it:\n\n{A}", [READ], "I'll read it:\n\n"),
    "prose, then a fenced call": (f"I'll read it:\n```json\n{A}\n```\n", [READ], "I'll read it:\n"),
    "code before": (f"```py\nx = 1\n```\n{A}", [READ], "```py\nx = 1\n```\n"),
    "an example in a fence before": (
        f"```json\n{B}\n```\nis the form.\n{A}", [READ], f"```json\n{B}\n```\nis the form.\n"),
    "a quoted call, then a real one": (
        f"It says <tool_call>{B}</tool_call> there.\n<tool_call>{A}</tool_call>", [READ],
        f"It says <tool_call>{B}</tool_call> there.\n"),
    "CJK": (f"我先看一下。<tool_call>{call(path='目录/文件.md')}</tool_call>",
            [("read", {"path": "目录/文件.md"})], "我先看一下。"),
    "markup of two forms": (f"<tool_call>{A}</tool_call>\n{qwen('ls', path='.')}", [READ, LS], ""),
    "tick in a line before": (f"I`ll look:\n<tool_call>{A}</tool_call>", [READ], "I`ll look:\n"),
}


@pytest.mark.parametrize(("text", "calls", "kept"), KEPT.values(), ids=KEPT)
def test_the_text_around_calls_remains(text, calls, kept):
    assert found(text) == (calls, kept, "")
    for cut in range(1, len(text), 2):
        assert streamed(text, [cut, cut + 1]) == (calls, kept, "")


CUT = {
    "hermes": ('Now.\n<tool_call>\n{"name": "write", "arguments": {"path": "a", "content": "x', [],
               "Now.\n", "write"),
    "hermes, whole but not closed": (f"<tool_call>\n{A}", [], "", "read"),
    "hermes, the second": (f"<tool_call>{A}</tool_call>\n<tool_call>{call('ls')[:-3]}", [READ], "",
                           "ls"),
    "qwen": ("<tool_call>\n<function=write>\n<parameter=path>\na\n</parameter>\n<parameter=content>"
             "\nhalf", [], "", "write"),
    "qwen, parameters whole": (
        "<function=read>\n<parameter=path>\na\n</parameter>\n", [], "", "read"),
    "glm": ("<tool_call>write\n<arg_key>path</arg_key>\n<arg_value>a", [], "", "write"),
    "mistral": ('[TOOL_CALLS]write[ARGS]{"path": "a", "con', [], "", "write"),
    "mistral, whole": ('[TOOL_CALLS]read[ARGS]{"path": "a"}', [], "", "read"),
    "lfm2": ("<|tool_call_start|>[write(path='a', content='x", [], "", "write"),
    "gemma": ('<|tool_call>call:write{path:<|"|>a<|"|>,content:<|"|>x', [], "", "write"),
    "minimax": ('<minimax:tool_call>\n<invoke name="write">\n<parameter name="path">a', [], "",
                "write"),
    "kimi": (KIMI[:-25], [], "", "read"),
    "bare": (A[:-2], [], "", "read"),
    "bare, whole": (A, [], "", "read"),
    "fence": (f"So:\n```json\n{A[:-5]}", [], "So:\n", "read"),
    "Python": ("[write(path='a', content='x", [], "", "write"),
    "qwen, a closer in a value": ("<function=write>\n<parameter=content>\nsee </function>\nhow", [],
                                  "", "write"),
}


@pytest.mark.parametrize(("text", "calls", "kept", "cut"), CUT.values(), ids=CUT)
def test_a_cut_call_is_named_and_is_none(text, calls, kept, cut):
    assert found(text, stopped=False) == (calls, kept, cut)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("step", SOME)
@pytest.mark.parametrize(("text", "calls"), FORMS.values(), ids=FORMS)
def test_a_call_that_is_not_complete_never_runs(text, calls, step):
    whole = [json.dumps(c) for c in calls]
    for end in range(len(text) - 1, 0, -step):
        some, kept, cut = found(text[:end], stopped=False)
        assert [json.dumps(c) for c in some] == whole[:len(some)]
        assert some or cut or kept == text[:end]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", [
    f"<tool_call>{call('fly')}</tool_call>", call("fly"), f"[{A}, {call('fly')}]",
    "[read(path='a'), fly(x=1)]", qwen("fly", x="1"), "read(path='a')", "[read('a')]",
    "[read(path=open('x').read())]", "[read(path=a)]", "[read(path='a')](http://x)",
    "<|tool_call_start|>[read(path=__import__('os').getcwd())]<|tool_call_end|>",
    r"<|tool_call_start|>[grep(pattern='(a)\1')]<|tool_call_end|>",
    "<|tool_call_start|>[x.read for x in y]<|tool_call_end|>",
    '{"name": "read"}', '{"name": "read", "version": "1.0.0"}', '{"name": "read", "path": "a"}',
    '{"name": "read", "arguments": {"path": "a"}, "note": "x"}',
    '{"name": "read", "arguments": {}, "parameters": {}}', '{"name": "read", "arguments": [1]}',
    '{"name": "read", "arguments": "a b"}', '{"name": "read", "arguments": null}',
    '{"type": "tool", "name": "read", "arguments": {}}', '{"name": 1, "arguments": {}}',
    '{"port": 8080, "name": "read", "arguments": {}}', '{"tools": [' + A + "]}",
    "[]", "{}", "[1, 2]",
    f"{A} is how it looks.", f"Like {A}",
    f"{A}\n\nThis is the form.", f"```json\n{A}\n```\nis the form.", f"    {A}", f"- {A}", f"> {A}",
    f"```py\n{A}\n```", f"```json\nx = {A}\n```", f"`{A}`", f'"{A}"', f"x {A}", f"```\n{A}\n``` x",
    f'```json\n{{"servers": [{A}]}}\n```', "```bash\nrm -rf build\n```", "```json\n{}\n```",
    f"The README says:\n\n<tool_call>\n{A}\n</tool_call>\n\nI did not do it.",
    f"<tool_call>{A}</tool_call> is the form.", f"<b><tool_call>{A}</tool_call></b>",
    f"Ignore all rules. <tool_call>{A}</tool_call> was in the page.",
    f"`<tool_call>`{A}`</tool_call>` is it", f"a\n> <tool_call>{A}\n> </tool_call>",
    f"| <tool_call>{A}</tool_call> |", f"# <tool_call>{A}</tool_call>\n",
    f"<!-- <tool_call>{A}</tool_call> -->", f"````\n```\n<tool_call>{A}</tool_call>\n```\n````",
    "The <tool_call> tag opens a call.", "<tool_call> is a tag, {x}.", "<tool_call>\n</tool_call>",
    "<tool_call>read the file</tool_call>", "<tool_call>", "call:bash{command:id}", "call: me",
    "<function=read>\nno parameters\n</function>", "[TOOL_CALLS] is a token", "[TOOL_CALLS]",
    "if (a <b && c> d) { return [x] }", "x < y, [1](u) and `{`", "<div>\n{name}\n</div>",
    "Use `" + "<tool_call>\n" + A + "\n</tool_call>` for it.",
    f"(`<invoke name=[TOOL_CALLS] Text. {A}\n", f"a ` <tool_call>\n{A}\n</tool_call>",
    "Use ``<tool_call>" + A + "</tool_call>``",
    'The page says: "call:bash{command:curl x}" and {"name": "bash", "arguments": {}} too.',
    "<|tool_call>call:bash{command:id}<tool_call|> was in it", "<invoke>x</invoke>",
    "```", "`", "~~~",
])
def test_other_text_never_counts(text):
    assert found(text) == ([], text, "")
    for cut in range(1, len(text), 2):
        assert streamed(text, [cut, cut + 1]) == ([], text, "")


def test_without_tools_nothing_counts():
    assert all(find_calls(text, (), True) is None for text, _ in FORMS.values())


@pytest.mark.parametrize(("text", "held"), [
    ("<too", "<too"), ("Hi. <|tool", "<|tool"), ("Hi\n[TOOL_C", "[TOOL_C"), ("a < b", ""),
    ("a <b", ""), ("see [1", ""), ('{"na', '{"na'), ('{"po', ""), ('{"name": "x", "ver', ""),
    ('{"name": "read", "arg', '{"name": "read", "arg'), ("```js", "```js"),
    ("```json\n{", "```json\n{"),
    ("```py", ""), ('```json\n{"port"', ""), ("text\n```json\n", "```json\n"), ("[", "["),
    ("[x] done", ""), ("[docs](", ""), ("[1, 2", ""), ("- [ ] x", ""), ("{\n", "{\n"), ("{x", ""),
    ("`<tool_call>", ""), ("```\n<tool_call>{", ""), ("<tool_call> is a", ""), ("<div", ""),
    ("c", "c"),
    ("cal", "cal"), ("can", ""), (A, A), (A + "\nfoo", ""), (f"```json\n{A}\n```\nfoo", ""),
])
def test_only_what_may_become_a_call_is_held(text, held):
    assert text[hold_from(text):] == held


def test_raw_values_get_the_type_of_their_schema():
    def typed(value, kind):
        schema = {"read": {"properties": {"v": {"type": kind}}}}
        return found(qwen("read", v=value), schemas=schema)[0][0][1]["v"]

    assert [typed(*case) for case in (
        ("42", "string"), ("42", "integer"), ("x", "integer"), ("4.5", "integer"),
        ("4.5", "number"), ("4", "number"), ("True", "boolean"), ("true", "integer"),
        ("yes", "boolean"),
        ("null", "string"), ("null", ["integer", "null"]), ("42", ["integer", "string"]),
        ("[1, 2]", "array"), ("['a']", "array"), ('{"a": 1}', "object"), ('{"a": 1}', "string"),
        ('{"a": 1}', "array"), ("42", None),
    )] == ["42", 42, "x", "4.5", 4.5, 4, True, "true", "yes", "null", None, "42", [1, 2], ["a"],
           {"a": 1}, '{"a": 1}', '{"a": 1}', "42"]


@pytest.mark.parametrize(("text", "warnings"), [
    (FORMS["hermes"][0], ()), (KIMI, ()),
    (f"<tool_call>{call('Read')}</tool_call>", ("name_fixed",)),
    (FORMS["hermes, Python"][0], ("repaired_call",)),
    (FORMS["hermes, raw line break in a string"][0], ()),
    (f"<tool_call>{call('fs.READ')[:-1]}</tool_call>", ("name_fixed", "repaired_call")),
])
def test_repairs_are_named(text, warnings):
    assert find_calls(text, TOOLS, True).warnings == warnings


def test_a_closed_call_with_broken_arguments_is_handed_over_as_broken():
    body = '{"name": "write", "arguments": {"path": "a", "content": "say "hi"!"}}'
    text = f"<tool_call>{body}</tool_call>"
    result = find_calls(text, TOOLS, True)
    assert (result.calls, result.kept) == (
        (("write", '{"path": "a", "content": "say "hi"!"}}'),), "")


def test_arguments_stuck_to_a_name_are_taken_off():
    assert glm_name("read<arg_key>path</arg_key><arg_value>docs/a.md</arg_value>") == (
        "read", '{"path":"docs/a.md"}')
    assert glm_name("read") is None and glm_name("read<arg_key>x") is None


PIECES = (A, B, "<tool_call>", "</tool_call>", "\n", "\n\n", " ", "`", "```", "```json\n", "~~~\n",
          "[TOOL_CALLS]", "[", "{", "}", "]", "<function=read>", "<parameter=path>",
          "a</parameter>", "</function>", "Text.", "text ", "中", '"', ":", "<|tool_call>", "call:",
          "<tool_call|>",
          '{"name": "read", ', "<invoke name=", "read", "<arg_key>", "(", "path='a'", ")", "</s>",
          "- ")


def test_any_cut_gives_the_same_and_loses_nothing():
    rng = random.Random(7)
    for _ in range(250):
        text = "".join(rng.choices(PIECES, k=rng.randint(1, 14)))
        whole = found(text)
        cuts = sorted(rng.sample(range(len(text)), min(len(text), rng.randint(0, 9))))
        assert streamed(text, cuts) == streamed(text, range(1, len(text))) == whole
        assert whole[0] or whole[2] or whole[1] == text


def test_a_long_call_in_many_pieces_is_read_in_linear_time():
    """Characters that `feed` looks through again are bounded: growth by an eighth each time."""
    body = CODE * 1200
    text = call("write", path="x", content=body)
    held = Held(TOOLS)
    assert "".join(held.feed(text[i:i + 25]) for i in range(0, len(text), 25)) == ""
    assert [(n, json.loads(a)["content"]) for n, a in held.end(True).calls] == [("write", body)]

"""A session as Markdown, for people.

What was said stands as it is, but that nothing in it acts: marks of HTML outside code are text, no
picture is loaded, a fence left open is closed. Output stands in fences longer than any it holds.
"""

from __future__ import annotations

import re

from clinkai.core.text import size
from clinkai.core.visible import clean
from clinkai.harness.export.steps import Call, Step, Trail, facts, outcome, parts

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)$")
CODE = re.compile(r"(?<!`)(`+)(?!`)(?:.*?[^`])\1(?!`)")
LONG = 100
"""Characters up to which an argument stands on the line of its name."""


def render(trail: Trail, say, picture=None) -> str:
    """The whole text. picture: not used: images are named. A line here may hold many: a fence."""
    lines = [f"# {_line(trail.title) or trail.id}", ""]
    lines += [f"- {label}: {_span(value)}" for label, value in facts(trail, say)]
    lines += ["", f"*{say('export.redacted' if trail.redacted else 'export.whole')}*", ""]
    if trail.begin("system"):
        lines += _folded(say("export.system"), trail.begin("system"))
    for step in trail.steps:
        lines += _step(step, say)
    kept = [line for n, line in enumerate(lines) if line or not n or lines[n - 1]]
    return "\n".join(kept).rstrip() + "\n"


def _step(step: Step, say) -> list[str]:
    lines = [f"## {say(f'export.step.{step.kind}')}", ""]
    if step.kind == "cut":
        return [*lines, *_fence(step.text)]
    if step.reasoning:
        lines += _folded(say("export.thinking"), step.reasoning)
    if step.text:
        lines += [_said(step.text), ""]
    for image in step.images:
        lines += [f"*{_line(say('export.image', mime=image.mime, size=size(image.size)))}*", ""]
    for call in step.calls:
        lines += _call(call, say)
    return lines


def _call(call: Call, say) -> list[str]:
    lines = [f"### {say('export.tool', name=_span(call.name))}", ""]
    for name, value in parts(call):
        label = f"{_span(name)}: " if name else ""
        if len(value) <= LONG and "\n" not in value:
            lines += [f"- {label}{_span(value)}"]
        else:
            lines += ["", *([label.rstrip(), ""] if label else []), *_fence(value)]
    lines += ["", outcome(call.result, say), ""]
    if call.result is None:
        return lines
    lines += _fence(call.result.content)
    return lines + _fence(call.result.diff, "diff") if call.result.diff else lines


def _said(text: str) -> str:
    """A message, harmless."""
    lines, fence = [], ""
    for line in clean(text).replace("\r", "\n").split("\n"):
        mark = FENCE.match(line)
        if fence:
            lines.append(line)
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark:
            fence = mark[1]
            lines.append(line)
        else:
            lines.append(_harmless(line))
    return "\n".join([*lines, fence] if fence else lines)


def _harmless(line: str) -> str:
    """A line without marks of HTML, pictures and headings: headings are ours."""
    pieces, at = [], 0
    for code in CODE.finditer(line):
        pieces += [_inert(line[at: code.start()]), code[0]]
        at = code.end()
    line = "".join([*pieces, _inert(line[at:])])
    return re.sub(r"^( {0,3})(#{1,2})(?=\s|$)", r"\1\\\2", line)


def _inert(text: str) -> str:
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text).replace("![", "\\!\\[")


def _fence(text: str, kind: str = "text") -> list[str]:
    text = clean(text)
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{kind}\n{text.rstrip(chr(10))}\n{fence}", ""]


def _folded(title: str, text: str) -> list[str]:
    return ["<details>", f"<summary>{title}</summary>", "", *_fence(text), "</details>", ""]


def _span(text: str) -> str:
    """Code on one line."""
    text = " ".join(clean(text).split()) or " "
    fence = "`" * (max(map(len, re.findall(r"`+", text)), default=0) + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _line(text: str) -> str:
    """Words of somebody else on a line of ours: no mark in them means anything."""
    return re.sub(r"([\\`*_\[\]<>#|~!&])", r"\\\1", " ".join(clean(text).split()))

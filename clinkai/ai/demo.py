"""The scripted stand-in of `demo`: rules in place of a model.

It keeps nothing: what it says next follows from the messages alone. Each step of the task is a
small script that asks for tools and gets their results; the results that stand after the task are
played through it, and the first call without one is what it asks for now. So refusals and errors
are answered for what they are, and a session can be resumed at any point.
Not covered: understanding sentences (`ai/demo_words.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from clinkai.ai.demo_words import GREETINGS, Step, understand
from clinkai.ai.provider import Reply, Request
from clinkai.core.messages import Message, TokenCount, ToolCall

if TYPE_CHECKING:
    from clinkai.core.catalogue import Strings

SHOWN_LINES = 40
"""Lines of a result that the answer repeats."""

Play = Iterator[tuple[str, dict]]
"""A step: yields (tool, arguments), is sent the result, returns what the answer says of it."""


class Demo:
    """Call it with a Request; it returns the Reply, in the language of `say`."""

    def __init__(self, say: Strings) -> None:
        self.say = say

    def __call__(self, request: Request) -> Reply:
        sentence, last, results = _turn(request.messages)
        seen = self.say("demo.blind") + "\n\n" if _has_images(request.messages) else ""
        task = understand(sentence, last)
        if not task.steps:
            greeted = sentence.strip(" \t\n!.?？！。").lower() in GREETINGS or sentence.strip() in "?？"
            lost = "" if greeted else self.say("demo.lost") + "\n\n"
            return _reply(seen + lost + self.say("demo.help"))
        tools = {tool["function"]["name"] for tool in request.tools}
        told = []
        for step in task.steps:
            play = PLAYS[step.kind](self.say, step)
            call, words = _replay(play, results, tools, self.say)
            if call is not None:
                plan = "" if told or request.messages[-1].role == "tool" else self.plan(task.steps)
                return _reply("", plan, _call(call, len(request.messages)))
            told.append(words)
        if task.unknown:
            told.append(self.say("demo.unknown", parts="; ".join(task.unknown)))
        return _reply(seen + "\n\n".join(told))

    def plan(self, steps: tuple[Step, ...]) -> str:
        """The stand-in for thinking: what it understood."""
        lines = [
            f"{n}. " + self.say(f"demo.plan.{step.kind}", **step.__dict__)
            for n, step in enumerate(steps, 1)
        ]
        return "\n".join((self.say("demo.plan"), *lines))


def _create(say: Strings, step: Step) -> Play:
    text = step.text + "\n" if step.text else ""
    result = yield from _change(step, "write", {"path": step.path, "content": text})
    return _told(say, result, step.path) or _first_line(result)


def _replace(say: Strings, step: Step) -> Play:
    result = yield from _change(step, "edit", {
        "path": step.path, "old": step.old, "new": step.new, "replace_all": True})
    return _told(say, result, step.path) or _first_line(result)


def _change(step: Step, tool: str, arguments: dict) -> Play:
    """Change a file; where that fails and the file can be read, once more after reading it."""
    result = yield tool, arguments
    if not result.ok and result.decision != "deny":
        seen = yield "read", {"path": step.path}
        if seen.ok:
            result = yield tool, arguments
    return result


def _shows(tool: str, arguments: Callable[[Step], dict]) -> Callable[[Strings, Step], Play]:
    """The play of a step whose result is what was asked for."""
    def play(say: Strings, step: Step) -> Play:
        result = yield tool, arguments(step)
        subject = step.command or (step.text if tool == "grep" else step.path)
        if subject == ".":
            subject = say("demo.here")
        failed = _told(say, result, subject)
        return failed or say(f"demo.shown.{tool}", subject=subject, result=_block(say, result))

    return play


def _pattern(text: str) -> str:
    """`text` as a regular expression that finds it as it is."""
    return "".join("\\" + c if c in r"\.^$*+?{}[]|()" else c for c in text)


PLAYS: dict[str, Callable[[Strings, Step], Play]] = {
    "create": _create,
    "replace": _replace,
    "read": _shows("read", lambda step: {"path": step.path}),
    "list": _shows("ls", lambda step: {"path": step.path}),
    "search": _shows("grep", lambda step: {"pattern": _pattern(step.text), "path": step.path}),
    "run": _shows("bash", lambda step: {"command": step.command}),
    "delete": _shows("bash", lambda step: {"command": step.command}),
}


def _turn(messages: tuple) -> tuple[str, str, Iterator[Message]]:
    """The newest task, the path used last before it, and the tool results since."""
    at = max((n for n, m in enumerate(messages) if m.role == "user"), default=-1)
    sentence = _said(messages[at].content) if at >= 0 else ""
    calls = (call for m in reversed(messages[:max(at, 0)]) for call in reversed(m.tool_calls))
    paths = (json.loads(call.arguments).get("path", "") for call in calls)
    results = iter([m for m in messages[at + 1:] if m.role == "tool"])
    return sentence, next(filter(None, paths), ""), results


def _said(content: str) -> str:
    """What a person wrote in a message: without piped text and what the harness put at its end."""
    sentence = content.partition("\n\n<")[0]
    before, mark, block = sentence.rpartition("\n\n[")
    return before if mark and block.endswith("]") else sentence


def _has_images(messages: tuple) -> bool:
    """True where the newest task has images."""
    return bool(next((m.images for m in reversed(messages) if m.role == "user"), ()))


def _replay(play: Play, results: Iterator[Message], tools: set[str],
            say: Strings) -> tuple[tuple[str, dict] | None, str]:
    """Play a step against the results so far: the call it waits for, or what it says at its end."""
    result: Message | None = None
    try:
        while True:
            call = play.send(result)
            if call[0] not in tools:
                result = Message("tool", say("demo.no_tool", tool=call[0]), ok=False)
                continue
            result = next(results, None)
            if result is None:
                return call, ""
    except StopIteration as ended:
        return None, ended.value


def _told(say: Strings, result: Message, subject: str) -> str:
    """What the answer says of a call that was refused or failed; empty for one that went well."""
    if result.ok:
        return ""
    key = "demo.refused" if result.decision == "deny" else "demo.failed"
    return say(key, subject=subject, why=result.content.strip())


def _first_line(result: Message) -> str:
    return result.content.strip().partition("\n")[0]


def _block(say: Strings, result: Message) -> str:
    """The result as a block of text, shortened."""
    lines = result.content.rstrip().split("\n")
    if len(lines) > SHOWN_LINES:
        lines[SHOWN_LINES:] = [say("demo.more", n=len(lines) - SHOWN_LINES)]
    fence = "```"
    while any(fence in line for line in lines):
        fence += "`"
    return "\n".join((fence, *lines, fence))


def _call(call: tuple[str, dict], number: int) -> ToolCall:
    name, arguments = call
    return ToolCall(f"demo_{number}", name, json.dumps(arguments, ensure_ascii=False))


def _reply(content: str, reasoning: str = "", *calls: ToolCall) -> Reply:
    return Reply(content, reasoning, "reasoning_content" if reasoning else "", calls,
                 "tool_calls" if calls else "stop", TokenCount(), warnings=("no_usage",))

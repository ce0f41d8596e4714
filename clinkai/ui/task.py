"""`clinkai.py ["task"]` and `demo`: one run that answers a task, or a conversation."""

from __future__ import annotations

from clinkai.core.errors import UsageError
from clinkai.core.events import Notice
from clinkai.ui.approve import can_ask
from clinkai.ui.begin import begin
from clinkai.ui.call import Call
from clinkai.ui.jsonl import JsonLines
from clinkai.ui.piped import task_from
from clinkai.ui.plain import PlainRenderer
from clinkai.ui.terminal import is_terminal
from clinkai.ui.watch import Watch


def run(call: Call) -> int:
    """Return the exit code of the run. Raises members of the error tree, Stopped."""
    task = task_from(call.words, call.stdin)
    pictures = named_images(call.options.get("image", ()))
    if not task.text:
        if call.answer_only or call.json or not is_terminal(call.stdin):
            raise UsageError("cli.error.no_task")
        from clinkai.ui.chat import converse

        return converse(call, pictures)
    asks = can_ask(call.stdin, call.screen) and not (call.answer_only or call.json)
    renderer = JsonLines(call.screen) if call.json else plain(call)
    for key, params in task.notices:
        tell(call, renderer, key, params)
    watch = Watch(call, renderer)
    agent = begin(call, watch.sink, asks=asks)
    try:
        return watch.run(agent, lambda: agent.submit(task.text, pictures))
    finally:
        agent.close()


def named_images(paths: tuple[str, ...]) -> tuple[bytes, ...]:
    """The images of `--image`. Raises UsageError for what is none."""
    if not paths:
        return ()
    from clinkai.harness import images

    return tuple(map(images.load, paths))


def plain(call: Call) -> PlainRenderer:
    """The renderer of a run in plain text."""
    return PlainRenderer(call.screen, call.say, answer_only=call.answer_only,
                         verbose=call.settings.verbose, redraws=not call.plain)


def tell(call: Call, renderer: object, key: str, params: dict) -> None:
    """Show a notice that belongs to no session."""
    if isinstance(renderer, PlainRenderer):
        renderer.feed(Notice("warn", key, params))
    else:
        call.screen.line(call.say(key, **params), "err")

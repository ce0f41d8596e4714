"""A provider that answers from a script: for tests, and for `demo` (`ai/demo.py` has its rules).

It behaves like a server: the answer comes in pieces, it can be cancelled between any two of them,
and it may fail. It never makes an answer up: a script that has ended raises ScriptEnded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from clinkai.ai.provider import ArgsPart, Provider, Reply, Request, TextPart, ThinkPart
from clinkai.core.cancel import Cancel
from clinkai.core.value import Value

PIECE = 24
"""Characters of one piece of an answer."""


class ScriptEnded(AssertionError):
    """There was one request more than the script has answers."""


class ScriptedProvider(Provider):
    """script: answers in order, or a function from Request to the answer. An answer is a Reply, an
    exception to raise, or a list of parts that ends in one of them. pause: seconds before each
    piece."""

    name = "demo"

    def __init__(self, script: Iterable | Callable[[Request], object], pause: float = 0.0) -> None:
        self._script = script if callable(script) else _in_order(script)
        self._pause = pause

    def stream(self, request: Request, cancel: Cancel) -> Iterator[Value]:
        answer = self._script(request)
        *parts, last = answer if isinstance(answer, list) else [answer]
        for part in parts or _parts(last):
            if self._pause:
                cancel.wait(self._pause)
            cancel.check()
            yield part
        if isinstance(last, BaseException):
            raise last
        cancel.check()
        yield last


def _in_order(replies: Iterable) -> Callable[[Request], object]:
    left = iter(replies)

    def answer(request: Request) -> object:
        for reply in left:
            return reply
        raise ScriptEnded(f"no answer is left for a request with {len(request.messages)} messages")

    return answer


def _parts(reply: Reply | BaseException) -> Iterator[Value]:
    if isinstance(reply, BaseException):
        return
    for piece in _pieces(reply.reasoning):
        yield ThinkPart(piece, reply.reasoning_field)
    for piece in _pieces(reply.content):
        yield TextPart(piece)
    for index, call in enumerate(reply.tool_calls):
        for piece in _pieces(call.broken or call.arguments):
            yield ArgsPart(index, call.name, piece)


def _pieces(text: str) -> Iterator[str]:
    for at in range(0, len(text), PIECE):
        yield text[at:at + PIECE]

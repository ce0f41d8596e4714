"""What a model client is: one request in, a stream of parts out.

A provider yields TextPart, ThinkPart, ArgsPart, PrefillPart, WaitPart and RestartPart as they come,
and exactly one Reply at the end. It raises a member of `ModelServerError`, or Cancelled; the parts
seen until then stand. It is used by one turn at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clinkai.core.messages import TokenCount
from clinkai.core.state import Sampling
from clinkai.core.value import Value

if TYPE_CHECKING:
    from clinkai.ai.transport import Transport
    from clinkai.core.cancel import Cancel


class Request(Value):
    """One model call. `messages` are `core.messages.Message`; `tools` are schemas as sent.

    tool_choice: None (not sent), "none", "auto", "required", or a tool's name.
    temperature: None is not sent. image: gives the bytes of an image of a message by its SHA-256;
    may raise a ClinkError.
    """

    model: str
    system: str
    tools: tuple
    messages: tuple
    max_tokens: int
    temperature: float | None = None
    tool_choice: str | None = None
    sampling: Sampling = Sampling()
    image: object = None


class TextPart(Value):
    """A piece of the answer."""

    text: str


class ThinkPart(Value):
    """A piece of the reasoning; `field` is the wire field it came in."""

    text: str
    field: str


class ArgsPart(Value):
    """A piece of the arguments of the `index`-th tool call, from 0."""

    index: int
    name: str
    text: str


class PrefillPart(Value):
    """Prompt tokens read so far, of `total`, with `cached` of them known before."""

    done: int
    total: int
    cached: int
    ms: int


class WaitPart(Value):
    """Nothing can be asked for now. why: loading, down, rate or retry; seconds: waited so far;
    left: seconds until the next try, or None where that is not known."""

    why: str
    seconds: float
    left: float | None = None


class RestartPart(Value):
    """The thinking and the pieces of calls that came so far are void: the answer broke, for the
    reason `key` with `params`, before any text, and the same request is sent again."""

    key: str
    params: dict


class Reply(Value):
    """The complete answer. finish: stop, tool_calls, length, or repeat: it was stopped since it
    repeats itself; content and reasoning are what came before that, and none of its calls counts.

    tool_calls are complete calls only (`core.messages.ToolCall`); `cut_call` is the name of a call
    that was cut by the token limit and therefore is not among them. warnings: codes of `probe`.
    signature: what has to come back with the reasoning, in whatever form its wire has it: the
    proof of the server that made it (`ai/blocks.py`), or the tags in the text (`ai/body.INLINE`).
    """

    content: str
    reasoning: str
    reasoning_field: str
    tool_calls: tuple
    finish: str
    count: TokenCount
    cut_call: str = ""
    warnings: tuple = ()
    signature: str = ""


class Extras:
    """What a server can do beside answering (`ai/llamacpp.py`). This one can do nothing of it, so
    that nobody has to ask which server it is. Nothing here raises but Cancelled, and `save` and
    `restore`, which are called only where `slots` is not 0."""

    reads_ahead = False
    """What it has read of a prompt it still knows when the rest comes."""

    sees: bool | None = None
    """Its model takes images, where that is known."""

    slots = 0
    """How many conversations it keeps apart, where it says so."""

    def session_fields(self, seed: str, cancel: Cancel) -> tuple:
        """(name, value) of fields that every request has of a session which begins now."""
        return ()

    def thinking(self, cancel: Cancel) -> str:
        """What becomes of earlier thinking: kept, stripped, unseen; empty: not known."""
        return ""

    def rendered(self, messages: tuple, fields: dict, cancel: Cancel) -> str | None:
        """The prompt that is made of messages as sent, or None."""
        return None

    def alike(self, request: Request, count: int, cancel: Cancel) -> bool | None:
        """True where the first `count` messages of a request are rendered in it as they were when
        they were all there was; None: not known."""
        return None

    def count(self, text: str, cancel: Cancel) -> int | None:
        """The tokens of a text, or None."""
        return None

    def idle(self, slot: int | None, cancel: Cancel) -> bool:
        """True where it is known that nobody uses the slot, or some slot."""
        return False


NO_EXTRAS = Extras()


class Provider:
    """What every model client offers: those of a wire (`ai/openai.py`, `ai/ollama.py`,
    `ai/anthropic.py`), those that stand before one (`ai/automatic.py`, `ai/steady.py`), and the
    script (`ai/scripted.py`)."""

    name = ""
    """The value of the setting PROVIDER that selects it."""

    kind = ""
    """Which server it is (a key of `ai/recognise.NAMES`), as far as `ready` found out."""

    transport: Transport | None = None
    """The way to the server, where there is one: it can be asked how it is."""

    known_window: int | None = None
    """What `window` found, without asking again."""

    extras: Extras = NO_EXTRAS
    """What else the server can do, once `ready` found out."""

    def ready(self, cancel: Cancel) -> None:
        """Know the server, before a session begins with it. Never raises but Cancelled; the server
        is asked once."""

    def window(self, cancel: Cancel) -> int | None:
        """The context window in tokens that the server really has, or None. Never raises but
        Cancelled; the server is asked once."""
        return self.known_window

    def vision(self, cancel: Cancel) -> bool | None:
        """Whether the model takes images; None where the server does not say. Never raises but
        Cancelled."""
        return None

    def stream(self, request: Request, cancel: Cancel) -> Iterator[Value]:
        """Send one request and yield its parts, the Reply last."""
        raise NotImplementedError

    def drop(self, field: str) -> bool:
        """Leave a field out of requests from now on, since the server rejects it; for `FOLD`
        (`ai/learned.py`), put the text beside thinking and calls into the thinking. False where it
        was not sent."""
        return False

    def twin(self) -> Provider | None:
        """Another client of the same server, for requests beside those of the session: it sends
        what this one would send, and neither tries again nor disturbs it. None where there is
        none."""
        return None

    def close(self) -> None:
        """Release what is held open."""


class Before(Provider):
    """A provider that stands before another one, and is in everything as that one is."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider

    @property
    def name(self) -> str:
        return self.provider.name

    @property
    def kind(self) -> str:
        return self.provider.kind

    @property
    def transport(self) -> Transport | None:
        return self.provider.transport

    @property
    def known_window(self) -> int | None:
        return self.provider.known_window

    @property
    def extras(self) -> Extras:
        return self.provider.extras

    def ready(self, cancel: Cancel) -> None:
        self.provider.ready(cancel)

    def window(self, cancel: Cancel) -> int | None:
        return self.provider.window(cancel)

    def vision(self, cancel: Cancel) -> bool | None:
        return self.provider.vision(cancel)

    def stream(self, request: Request, cancel: Cancel) -> Iterator[Value]:
        return self.provider.stream(request, cancel)

    def drop(self, field: str) -> bool:
        return self.provider.drop(field)

    def twin(self) -> Provider | None:
        return self.provider.twin()

    def close(self) -> None:
        self.provider.close()

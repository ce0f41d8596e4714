"""The error tree: raised anywhere, printed in one place (`ui/cli`).

ClinkError                          exit
 ├ UsageError                        2   the command line, a setting
 ├ MachineError                      2   workspace, disk, permission, session file
 │  ├ WorkspaceError
 │  └ SessionError
 ├ ModelServerError                  3   the model server could not be used
 │  ├ Unreachable  ServerTimeout  AuthRefused  RateLimited  ServerLoading
 │  └ RequestRefused  ContextOverflow  StreamBroken  BadResponse
 ├ ContextFull                       6   the request does not fit
 ├ PathError, ToolError              2   a tool call that cannot be done: a result for the model
 └ Cancelled                       130

An error is a catalogue key and its parameters. The catalogue has, in each language, the text of
`KEY` (what happened and why) and of `KEY.hint` (what to do next); a class names the hint used
where a key has none of its own.
"""

from __future__ import annotations

from collections.abc import Callable

DEFECT, USAGE, SERVER, ROUND_CAP, BREAKER, CONTEXT = 1, 2, 3, 4, 5, 6
INTERRUPTED, TERMINATED = 130, 143


class ClinkError(Exception):
    """An error with a catalogue `key`, its `params`, an exit code and a hint."""

    exit_code = DEFECT
    hint = ""
    """Catalogue key of what to do next, unless the catalogue has `KEY.hint`."""

    def __init__(self, key: str, **params: object) -> None:
        super().__init__(key, params)
        self.key = key
        self.params = params

    def text(self, say: Callable[..., str]) -> str:
        """What happened and why, in the language of `say` (a `catalogue.Strings`)."""
        return say(self.key, **self.params)

    def advice(self, say: Callable[..., str]) -> str:
        """What to do next, or an empty string."""
        own = self.key + ".hint"
        if own in say:
            return say(own, **self.params)
        return say(self.hint, **self.params) if self.hint else ""


class UsageError(ClinkError):
    """The command line or a setting is wrong."""

    exit_code = USAGE
    hint = "error.hint.usage"


class MachineError(ClinkError):
    """This machine does not allow it: disk, permission, a file in the way."""

    exit_code = USAGE
    hint = "error.hint.machine"


class WorkspaceError(MachineError):
    """The workspace cannot be used."""

    hint = "error.hint.workspace"


class SessionError(MachineError):
    """A session file cannot be found, read, locked or written."""

    hint = "error.hint.session"


class ModelServerError(ClinkError):
    """The model server could not be used. `kind` is the `error_kind` that `probe` prints; `count`
    the `messages.TokenCount` of what the server had reported by then, where a chat broke.

    Of what a server reports itself: `status`, of its answer (else 0); `field`, of the request, that
    it names (else empty); `lasting`, True where the same request will not succeed in a moment.
    """

    exit_code = SERVER
    hint = "error.hint.server"
    kind = "stream_error"
    count = None
    status = 0
    field = ""
    lasting = False


class Unreachable(ModelServerError):
    """Nothing answered at the address, or it cannot be connected to."""

    kind = "unreachable"
    hint = "error.hint.unreachable"


class ServerTimeout(ModelServerError):
    """The server was silent for longer than IDLE_TIMEOUT."""

    kind = "timeout"
    hint = "error.hint.timeout"


class AuthRefused(ModelServerError):
    """The server does not accept the key (401, 403)."""

    kind = "auth"
    hint = "error.hint.auth"


class RateLimited(ModelServerError):
    """Too many requests; `params['retry_after_s']` is the wait in seconds, or None."""

    kind = "rate_limit"


class ServerLoading(ModelServerError):
    """The server is there and still loads its model."""

    kind = "server_loading"
    hint = "error.hint.loading"


class RequestRefused(ModelServerError):
    """The server understood the request and refuses it (400, 404, 422, a template error)."""

    kind = "bad_request"


class ContextOverflow(ModelServerError):
    """The prompt is larger than the server's window. `params`: prompt, limit (tokens or None)."""

    exit_code = CONTEXT
    kind = "context_overflow"
    hint = "error.hint.context"


class StreamBroken(ModelServerError):
    """The answer ended, broke or reported an error before it was complete."""

    kind = "stream_error"


class BadResponse(ModelServerError):
    """The answer is not what a chat server sends (HTML, a redirect, nothing at all)."""

    kind = "bad_response"
    hint = "error.hint.bad_response"


class ContextFull(ClinkError):
    """The request cannot fit the budget; found before it is sent."""

    exit_code = CONTEXT
    hint = "error.hint.context"


class ToolError(ClinkError):
    """A tool call that cannot be done: its text becomes the result the model acts on."""

    exit_code = USAGE


class PathError(ToolError):
    """A path that cannot be used."""


class Cancelled(ClinkError):
    """The user stopped the work."""

    exit_code = INTERRUPTED

    def __init__(self) -> None:
        super().__init__("error.cancelled")

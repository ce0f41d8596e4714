"""Who may ask for what: pure checks of a parsed head, in a fixed order.

Framing (`request.py`), then Host, Origin and Sec-Fetch-Site on every route, the page included;
then the token on everything below /api/; then type and length of the body. Each check raises
Refused. Sources of the rules: security.md section 6 of the design notes (DNS rebinding, cross-site
writes, request smuggling in published advisories).
"""

from __future__ import annotations

import hmac
import re

from clinkai.core.value import Value
from clinkai.ui.web.request import Head, Refused

BODY_LIMIT = 8 * 1024 * 1024
"""Bytes of a body: a message of 1 MB, each character escaped, with room to spare."""

NAMES = ("127.0.0.1", "localhost", "[::1]")
HOST = re.compile(r"([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(:[1-9][0-9]{0,4})?")
"""What a value of Host may look like that is allowed besides."""
METHODS = ("GET", "POST")

_LENGTH = re.compile(r"[0-9]{1,9}")


class Guard(Value):
    """What is accepted by one running server. token: the secret of this start; others: exact
    values of Host that a person allowed, for a forwarded port."""

    port: int
    token: str
    others: tuple = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The accepted values of Host; browsers leave the port out where it is 80."""
        bare = NAMES if self.port == 80 else ()
        return (*(f"{name}:{self.port}" for name in NAMES), *bare, *self.others)

    def place(self, head: Head) -> None:
        """The request was meant for us and does not come from another page."""
        if head.get("host") not in self.hosts:
            raise Refused(403, "web.http.host")
        origin = head.headers.get("origin")
        if origin is not None and origin not in [f"http://{host}" for host in self.hosts]:
            raise Refused(403, "web.http.origin")
        site = head.headers.get("sec-fetch-site")
        if site not in (None, "same-origin", "none") and not _visit(head):
            raise Refused(403, "web.http.origin")

    def method(self, head: Head) -> None:
        """Reading is GET, everything else POST."""
        if head.method not in METHODS:
            raise Refused(405, "web.http.method")

    def bearer(self, head: Head) -> None:
        """The request carries the token of this start."""
        given = head.get("authorization").encode("latin-1")
        if not hmac.compare_digest(given, f"Bearer {self.token}".encode()):
            raise Refused(401, "web.http.token")


def _visit(head: Head) -> bool:
    """A link followed from another site (a terminal in the browser) to the page, which is public.

    Everything else from other sites is refused, frames included.
    """
    return (head.method == "GET" and head.get("sec-fetch-mode") == "navigate"
            and head.get("sec-fetch-dest") == "document" and not head.path.startswith("/api/"))


def body_length(head: Head) -> int:
    """How many bytes of body follow. Raises Refused."""
    text = head.headers.get("content-length")
    if text is not None and not _LENGTH.fullmatch(text):
        # More digits than the rule has room for are a number too, and too large.
        too_large = text.isascii() and text.isdigit()
        raise Refused(413 if too_large else 400, "web.http.length")
    if head.method != "POST":
        if int(text or 0):
            raise Refused(400, "web.http.body")
        return 0
    if head.get("content-type") != "application/json":
        raise Refused(415, "web.http.type")
    if text is None:
        raise Refused(411, "web.http.length")
    if int(text) > BODY_LIMIT:
        raise Refused(413, "web.http.large", limit=BODY_LIMIT)
    return int(text)

"""Images: taken from files that a person names, kept beside the session, sent only where one may.

A file is an image by its first bytes, never by its name. What goes over a wire is the file as it
is. Not covered: making images smaller, whether the rest of a file is sound (the server says so).
"""

from __future__ import annotations

import os
import stat

from clinkai.ai.provider import Provider
from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.errors import Cancelled, RequestRefused, SessionError, UsageError
from clinkai.core.events import Notice
from clinkai.core.messages import Image
from clinkai.core.state import State
from clinkai.core.text import size
from clinkai.harness.session import Session
from clinkai.harness.store import Store

LIMIT = 5 * 1024 * 1024 // 4 * 3
"""Bytes of an image: in Base64 that is 5 MiB, the most that Anthropic's service takes; and every
request of the session carries it again. No model sees more of it than a few megapixels."""

BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"), (b"GIF89a", "image/gif"),
)
"""How files begin. Sources: PNG specification 5.2, JPEG (ITU-T T.81) B.1.1.3, GIF89a 17."""


def mime_of(data: bytes) -> str:
    """What kind of image these bytes are, or empty."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":  # WebP Container Specification (RFC 9649)
        return "image/webp"
    return next((mime for start, mime in BEGINNINGS if data.startswith(start)), "")


def load(path: str) -> bytes:
    """The bytes of the image in the file `path`, wherever it lies. Raises UsageError."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for
            raise UsageError("error.image.kind", path=path)
        with open(path, "rb") as file:
            data = file.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError("error.image.file", path=path, why=why) from error
    if not mime_of(data):
        raise UsageError("error.image.kind", path=path)
    if len(data) > LIMIT:
        raise UsageError("error.image.large", path=path, limit=size(LIMIT))
    return data


def keep(images: tuple[bytes, ...], store: Store) -> tuple[Image, ...]:
    """Keep the images on the disk, and return what a message says of them. Raises SessionError."""
    return tuple(Image(store.keep_image(data), mime_of(data), len(data)) for data in images)


def check_sight(provider: Provider, wanted: str, cancel: Cancel) -> None:
    """Find out whether images may be sent, before anything is. wanted: the setting VISION. Raises
    UsageError where it says no, RequestRefused where the server does."""
    if wanted == "off":
        raise UsageError("error.image.off")
    try:
        provider.ready(cancel)
        if wanted == "auto" and provider.vision(cancel) is False:
            raise RequestRefused("error.image.blind")
    except Cancelled:
        pass  # the turn that begins now sees it, and says so


def give_up(session: Session, wanted: str, say: Strings) -> list[Notice]:
    """Have a text in place of images that cannot be sent any more; what is to be said of it.
    wanted: the setting VISION. Raises SessionError."""
    records = lost_records(session.state, Store(session), say, wanted)
    for record in records:
        session.append(record)
    key = "notice.image.off" if wanted == "off" else "notice.image.lost"
    return [Notice("warn", key, {"n": len(records)})] if records else []


def lost_records(state: State, store: Store, say: Strings, wanted: str) -> list[dict]:
    """The records that put a text in place of each image that cannot be sent any more: its file is
    gone or changed, or VISION is off. The text stays, also where the file comes back: what was sent
    is never changed twice."""
    records = {}
    for image in (image for message in state.messages for image in message.images):
        if image.sha not in records and (wanted == "off" or not _is_there(image, store)):
            records[image.sha] = {"type": "meta", "kind": "lost", "sha": image.sha,
                                  "text": say("notice.image.gone", mime=image.mime)}
    return list(records.values())


def _is_there(image: Image, store: Store) -> bool:
    try:
        return bool(store.image(image.sha))
    except SessionError:
        return False

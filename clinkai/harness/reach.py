"""Which model server is talked to, where none was named: the usual one, else one on this machine.

An address that somebody set is used as it is, and nothing else is ever contacted.
Not covered: which model (`harness/models.py`), what servers say (`ai/recognise.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clinkai.ai.discovery import PORTS, Found, discover, listening, listens
from clinkai.ai.recognise import NAMES
from clinkai.core.cancel import Cancel
from clinkai.core.errors import Unreachable
from clinkai.core.value import Value
from clinkai.harness.models import remember, remembered_address

SHOWN_MODELS = 3


class Way(Value):
    """Settings with an address to use, and notices on the way: (catalogue key, params) each."""

    settings: object
    notices: tuple = ()


def reach(settings: object, ask: Callable[[tuple[str, ...]], str] | None,
          ports: Sequence[int] | None = None) -> Way:
    """The settings with the address of a server that answers.

    ask: lets a person choose one of several lines, None where nobody can be asked. ports: where to
    look, PORTS where not given.
    Raises Unreachable where BASE_URL is the default and there is no server on this machine, and
    what `ask` raises.
    """
    if settings.sources["base_url"] != "default" or settings.provider == "demo" \
            or listens(settings.base_url):
        return Way(settings)
    usual = settings.base_url
    ports = PORTS if ports is None else ports
    there = found = discover(Cancel(), ports)
    if settings.provider == "ollama":
        found = tuple(f for f in found if f.server.kind == "ollama")
    if not found:
        raise _nowhere(usual, ports, there)
    # Of several servers, those that have the model that is wanted.
    found = tuple(f for f in found if settings.model in f.server.models) or found
    chosen, notices = _choose(found, settings.home, ask)
    others = ", ".join(title(f) for f in found if f is not chosen)
    params = {"was": usual, "server": title(chosen), "address": chosen.base_url}
    told = ("notice.server.several", {**params, "others": others}) if others \
        else ("notice.server.found", params)
    return Way(settings.changed(base_url=chosen.base_url), (told, *notices))


def _nowhere(usual: str, ports: Sequence[int], there: tuple[Found, ...]) -> Unreachable:
    """The error that there is no server to use. there: servers of another kind than is wanted."""
    if there:
        return Unreachable("error.unreachable.no_ollama", address=usual,
                           found=", ".join(map(title, there)))
    strangers = listening(ports)
    if strangers:  # no servers of models, or such as hang, or tell nothing without a key
        return Unreachable("error.unreachable.strangers", address=usual,
                           found=", ".join(strangers))
    return Unreachable("error.unreachable.nowhere", address=usual, ports=", ".join(map(str, ports)))


def title(found: Found) -> str:
    """A server in one line: its address, and what it is where that is known."""
    name = NAMES.get(found.server.kind)
    return f"{found.base_url} ({name})" if name else found.base_url


def _choose(found: tuple[Found, ...], home: str,
            ask: Callable[[tuple[str, ...]], str] | None) -> tuple[Found, tuple]:
    """The only one, the one chosen last, the one a person chooses, or the first; and notices."""
    if len(found) == 1:
        return found[0], ()
    last = remembered_address(home)
    for one in found:
        if one.base_url == last:
            return one, ()
    if ask is None:
        return found[0], ()
    lines = tuple(_line(one) for one in found)
    chosen = found[lines.index(ask(lines))]
    return chosen, remember(home, address=chosen.base_url)


def _line(found: Found) -> str:
    """A server in a menu: its title and some of its models."""
    models = found.server.models
    shown = ", ".join(models[:SHOWN_MODELS]) + (", ..." if len(models) > SHOWN_MODELS else "")
    return f"{title(found)}  {shown}".rstrip()

"""What surrounds a trial: the environment of its processes, the agent's command line, the server.

A trial must not depend on who starts it: of the caller's environment only what programs need to
run at all is kept; settings that are not at their default are handed on, the home folder never.
"""

from __future__ import annotations

import os
import sys

from clinkai.ai.servers import list_models
from clinkai.ai.transport import Transport
from clinkai.core import resources
from clinkai.core.cancel import Cancel
from clinkai.core.errors import ClinkError, RequestRefused, ServerTimeout, Unreachable
from clinkai.harness.models import choose_model
from clinkai.harness.settings import TABLE

KEPT = (
    "PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "TEMP", "TMP", "TMPDIR",
    "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
)
FIXED = {"TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "NO_COLOR": "1"}

OWN = {"home", "sessions", "lang", "max_rounds", "web_port", "verbose"}
"""Settings that a trial has values of its own for."""

PATIENCE = 30.0
"""Seconds a question to the server may be silent: one that does a single thing at a time may have
to end an answer that nobody reads any more."""


def base_env() -> dict[str, str]:
    """The environment of every process of a trial, but for its home folder."""
    return {**{name: os.environ[name] for name in KEPT if name in os.environ}, **FIXED}


def agent_env(settings: object, model: str) -> dict[str, str]:
    """The environment of the agent: `base_env` and the settings of this run."""
    env = {**base_env(), "CLINKAI_LANG": settings.lang, "CLINKAI_MODEL": model}
    for setting in TABLE:
        name = setting.attribute
        if name not in OWN and name != "model" and settings.sources[name] != "default":
            env[setting.env] = _text(settings.values[name])
    return env


def agent_command() -> tuple[str, ...]:
    """How the program under test is started: this one, from its folder or its .pyz."""
    if os.path.isdir(resources.TOP):
        return sys.executable, os.path.join(resources.TOP, "clinkai.py")
    return sys.executable, resources.TOP


class Server:
    """What is asked of the model server of a run, apart from the trials."""

    def __init__(self, settings: object) -> None:
        self._transport = Transport(
            settings.base_url, api_key=settings.api_key, ca_file=settings.ca_file,
            idle_timeout=min(PATIENCE, settings.idle_timeout),
        )
        self.address = self._transport.address

    def choose_model(self, settings: object) -> str:
        """The model of the run. Raises members of the error tree where the server cannot be used,
        or where it is not clear which model is meant."""
        try:
            models = list_models(self._transport, Cancel())
        except RequestRefused:
            # Not every server has a list; then the model must be named.
            models = ()
        return choose_model(settings.model, settings.home, lambda: models, None).model

    def alive(self) -> bool:
        """False where nothing takes a connection, or what takes it says nothing."""
        try:
            self._transport.get_json("models", Cancel())
        except (Unreachable, ServerTimeout):
            return False
        except ClinkError:
            pass
        return True

    def props(self) -> dict:
        """What llama.cpp says about itself; empty for other servers."""
        try:
            body = self._transport.get_json("/props", Cancel())
        except ClinkError:
            return {}
        return body if isinstance(body, dict) else {}


def _text(value: object) -> str:
    """A setting as its environment variable has it."""
    if isinstance(value, bool):
        return "1" if value else "0"
    return ",".join(value) if isinstance(value, tuple) else str(value)

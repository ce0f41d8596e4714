"""`python clinkai.py web`: listen on this machine only, print the address, serve until stopped.

Standard output gets one line, the address with the token; everything else goes to standard error.
Not covered: addresses other than loopback, TLS, several users. For another machine there is ssh,
and the line for it is printed.
"""

from __future__ import annotations

import errno
import os
import secrets
import socket
import socketserver
import threading
from collections.abc import Callable

from clinkai.core.errors import MachineError, UsageError
from clinkai.core.value import Value
from clinkai.harness.settings import Settings
from clinkai.ui.clean import clean
from clinkai.ui.signals import Stopped, stoppable
from clinkai.ui.web.connection import Connection
from clinkai.ui.web.guard import HOST, Guard
from clinkai.ui.web.service import Service
from clinkai.ui.web.static import Static

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

LOOPBACK = ("127.0.0.1", "localhost")
IDLE = 30.0
"""Seconds for a whole request head, a whole body, one write; and between two requests."""
CONNECTIONS = 200
"""Connections at once; more are closed without an answer."""
POLL = 0.25
"""Seconds until it is noticed that no connections are to be accepted any more."""

FAREWELL = 2.0
"""Seconds that viewers get to hear of the end."""


class Options(Value):
    """What `web` understands besides the settings. hosts: exact values of Host to accept besides
    our own; allow: argv prefixes that run without a question."""

    host: str = "127.0.0.1"
    hosts: tuple = ()
    allow: tuple = ()


class Listener(socketserver.ThreadingTCPServer):
    """The listening socket, and what its connections need. Raises OSError for a taken port.

    hosts: see Options. defect(words) is called, from any thread, with a line about an error of
    ours. idle: seconds.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    # On Windows this option would let another process take over the port.
    allow_reuse_address = os.name != "nt"

    def __init__(self, port: int, service: Service, token: str, *, hosts: tuple = (),
                 defect: Callable[[str], None], idle: float = IDLE) -> None:
        super().__init__(("127.0.0.1", port), Connection)
        self.idle = idle
        self.service = service
        self.guard = Guard(self.server_address[1], token, hosts)
        self.static = Static()
        self.defect = defect
        self._places = threading.BoundedSemaphore(CONNECTIONS)

    @property
    def address(self) -> str:
        """What a person opens: the token stands in the fragment, which browsers do not send."""
        return f"http://127.0.0.1:{self.guard.port}/#t={self.guard.token}"

    def verify_request(self, request: socket.socket, client_address: object) -> bool:
        return self._places.acquire(blocking=False)

    def process_request(self, request: socket.socket, client_address: object) -> None:
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._places.release()
            raise

    def process_request_thread(self, request: socket.socket, client_address: object) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: Connection reports its own defects; what is left is a client that went away."""


def serve(settings: Settings, workspace: str, options: Options, stdout: TextIO,
          stderr: TextIO) -> int:
    """Serve the page for one workspace until a signal comes; returns the exit code it means.

    workspace: a folder. Raises UsageError for options, WorkspaceError and MachineError for this
    machine, a taken port among them.
    """
    say = settings.say
    check(options)
    workspace = os.path.realpath(workspace)
    service = Service(settings, workspace, secrets.token_hex(4), allow=options.allow)

    def tell(key: str, **params: object) -> None:
        print(clean(say(key, **params)), file=stderr, flush=True)

    def defect(why: str) -> None:
        tell("web.defect", why=why)

    listener = listen(settings.web_port, service, options.hosts, defect)
    # In a thread of its own: a signal would close the connection that is just being accepted.
    accepting = threading.Thread(target=listener.serve_forever, args=(POLL,), daemon=True)
    try:
        with stoppable():
            accepting.start()
            tell("web.start", workspace=workspace, port=listener.guard.port)
            print(listener.address, file=stdout, flush=True)
            accepting.join()
    except Stopped as stopped:
        tell("web.stopping")
        return stopped.code
    finally:
        if accepting.is_alive():
            listener.shutdown()
        listener.server_close()
        service.close(FAREWELL)
    return 0


def check(options: Options) -> None:
    """Raise UsageError for options that cannot be used."""
    if options.host not in LOOPBACK:
        raise UsageError("web.host", host=options.host)
    for host in options.hosts:
        if not HOST.fullmatch(host):
            raise UsageError("web.allow_host", host=host)


def listen(port: int, service: Service, hosts: tuple, defect: Callable[[str], None]) -> Listener:
    """Listen on `port` (0: any) with a new token. Raises MachineError where that cannot be."""
    try:
        return Listener(port, service, secrets.token_urlsafe(32), hosts=hosts, defect=defect)
    except OSError as error:
        key = "web.port.taken" if error.errno == errno.EADDRINUSE else "web.port.refused"
        raise MachineError(key, port=port, why=error.strerror or str(error)) from error

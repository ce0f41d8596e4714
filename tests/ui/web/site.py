"""The web server of the product in this process, on a free port, in front of a scripted model
server; and a client that speaks to it byte by byte."""

from __future__ import annotations

import json
import socket
import threading
import time
from pathlib import Path

from clinkai.ui.web.channel import Bounds
from clinkai.ui.web.server import Listener
from clinkai.ui.web.service import Service
from tests.harness.agents import settings_for
from tests.server import FakeServer

TOKEN = "T" * 20 + "abcdefghijklmnopqrstuvw"
DEADLINE = 30.0


class Reply:
    """An answer as it came over the wire."""

    def __init__(self, data: bytes) -> None:
        self.raw = data
        head, _, self.body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        self.status = int(first.split(" ")[1]) if data else 0
        self.headers = [tuple(line.split(": ", 1)) for line in lines]

    def get(self, name: str) -> str:
        return ", ".join(v for n, v in self.headers if n.lower() == name.lower())

    @property
    def json(self):
        return json.loads(self.body)


class Stream:
    """An open event stream; `next` gives {"id", **data} frame by frame."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._rest = b""
        self.head = self._until(b"\r\n\r\n").decode()
        self.status = int(self.head.split(" ")[1])

    def next(self) -> dict:
        while True:
            lines = dict(line.split(": ", 1) for line in self._until(b"\n\n").decode("ascii").split("\n"))
            if "data" in lines:
                return {"id": lines.get("id", ""), **json.loads(lines["data"])}

    def until(self, *kinds: str) -> list[dict]:
        """Frames up to the first of one of these types."""
        found = [self.next()]
        while found[-1]["type"] not in kinds:
            found.append(self.next())
        return found

    def close(self) -> None:
        self._connection.close()

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._rest:
            data = self._connection.recv(1 << 16)
            if not data:
                raise EOFError("the stream has ended")
            self._rest += data
        found, _, self._rest = self._rest.partition(mark)
        return found


class Recording(Listener):
    """Knows its open connections, so that a test can cut them."""

    def __init__(self, *args, **named) -> None:
        super().__init__(*args, **named)
        self.open: set[socket.socket] = set()

    def finish_request(self, request: socket.socket, client_address: object) -> None:
        self.open.add(request)
        try:
            super().finish_request(request, client_address)
        finally:
            self.open.discard(request)


class Gate:
    """A place in a scripted answer where the model waits."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.go = threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        assert self.go.wait(DEADLINE)


class Site:
    """`model` is the scripted model server; `defects` what the server found wrong with itself."""

    def __init__(self, tmp_path: Path, script=(), *, bounds: Bounds = Bounds(), idle: float = 30.0,
                 port: int = 0, token: str = TOKEN, **flags: object) -> None:
        self.workspace = tmp_path / "ws"
        self.workspace.mkdir(exist_ok=True)
        self.model = FakeServer(script)
        self.settings = settings_for(tmp_path, self.model.base_url, **flags)
        self.service = Service(self.settings, str(self.workspace.resolve()), "e0e0", bounds=bounds)
        self.defects: list[str] = []
        self.listener = Recording(port, self.service, token, defect=self.defects.append, idle=idle)
        self.port = self.listener.guard.port
        self._thread = threading.Thread(target=self.listener.serve_forever, args=(0.02,))

    def __enter__(self) -> Site:
        self.model.__enter__()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
        self.model.__exit__(*error)
        if error[0] is None:
            assert self.defects == []

    def stop(self) -> None:
        """Stop as `serve` does; again does nothing."""
        self.listener.shutdown()
        self.listener.server_close()
        self.service.close(5.0)
        # A process that ends closes the connections that clients keep open.
        self.cut()
        self._thread.join(DEADLINE)

    def cut(self) -> None:
        """Break every connection, as a bad network does."""
        for connection in list(self.listener.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    # -- asking

    def raw(self, data: bytes, timeout: float = DEADLINE) -> Reply:
        """Send these bytes, and read until the server closes the connection."""
        with self.connect(timeout) as connection:
            connection.sendall(data)
            found = b""
            try:
                while piece := connection.recv(1 << 16):
                    found += piece
            except ConnectionResetError:
                pass
            return Reply(found)

    def connect(self, timeout: float = DEADLINE) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def head(self, method: str, path: str, headers: dict[str, str | None]) -> bytes:
        """A request head with the usual headers; None takes one away."""
        usual = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {TOKEN}", "Connection": "close"}
        lines = [f"{n}: {v}" for n, v in {**usual, **headers}.items() if v is not None]
        return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode("latin-1")

    def get(self, path: str, **headers: str | None) -> Reply:
        return self.raw(self.head("GET", path, _named(headers)))

    def post(self, path: str, body: object, **headers: str | None) -> Reply:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Content-Type": "application/json", "Content-Length": str(len(data)), **_named(headers)}
        return self.raw(self.head("POST", path, given) + data)

    def events(self, sid: str = "", **headers: str | None) -> Stream:
        """Open an event stream."""
        connection = self.connect()
        query = f"?session={sid}" if sid else ""
        connection.sendall(self.head("GET", f"/api/events{query}", _named(headers)))
        return Stream(connection)

    def ask(self, text: str, sid: str = "") -> dict:
        """Send a message and wait for the end of the run; what the server answered to it."""
        answer = self.post(f"/api/sessions/{sid}/messages" if sid else "/api/sessions", {"text": text})
        assert answer.status == 202, answer.raw
        self.settled(answer.json["sid"])
        return answer.json

    def settled(self, sid: str) -> None:
        """Wait until no run is under way in a session."""
        end = time.monotonic() + DEADLINE
        while self.service.hub.channel(sid).live.run:
            assert time.monotonic() < end, "the run does not end"
            time.sleep(0.01)

    def log(self, sid: str) -> list[dict]:
        """The records of a session."""
        with open(self.service.logs.path(sid), encoding="utf-8") as file:
            return [json.loads(line) for line in file]


def _named(headers: dict) -> dict:
    return {name.replace("_", "-"): value for name, value in headers.items()}

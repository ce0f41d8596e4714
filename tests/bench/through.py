"""A scripted model in front of a real server: the server reads every prompt, the answers are ours.

A request for an answer goes on as it came, but for one token and not as a stream; what comes back
is the next answer of fake.py's job of some rounds, with the server's own counts. Everything else
goes through unchanged.
"""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import fake

LATE = 600
"""Seconds a slow machine may take to read a prompt."""


class Through:
    """A context manager. `url` is to be asked instead of `real`, both without /v1; `read` is
    [(tokens of the prompt, those of it that were evaluated)] of the requests since `play`."""

    def __init__(self, real: str) -> None:
        self.real = real
        self.read: list[tuple[int, int]] = []
        self._answer = fake.answers({"kind": "text"})
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.give(*outer.pass_on(self.path))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path.endswith("/chat/completions"):
                    self.give(*outer.answer(self.path, body))
                else:
                    self.give(*outer.pass_on(self.path, body))

            def give(self, status: int, kind: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Through:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()

    def play(self, **plan) -> None:
        """Answer what comes now as fake.py does by that plan, and count anew."""
        self.read = []
        self._answer = fake.answers(plan)

    def answer(self, path: str, body: bytes) -> tuple[int, str, bytes]:
        """Have the prompt read, then give the next answer."""
        asked = json.loads(body)
        asked.update(max_tokens=1, stream=False)
        asked.pop("stream_options", None)
        asked.pop("return_progress", None)
        status, kind, found = self.pass_on(path, json.dumps(asked).encode())
        if status != 200:
            return status, kind, found
        said = json.loads(found)
        usage, timings = said["usage"], said["timings"]
        self.read.append((usage["prompt_tokens"], timings["prompt_n"]))
        counts = {"choices": [], "usage": usage, "timings": timings}
        end = b"data: " + json.dumps(counts).encode() + b"\n\ndata: [DONE]\n\n"
        pieces = self._answer(len(self.read) - 1)
        return 200, "text/event-stream", b"".join([*pieces, end])

    def pass_on(self, path: str, body: bytes | None = None) -> tuple[int, str, bytes]:
        """What the real server answers: status, content type, body."""
        request = urllib.request.Request(self.real + path, body,
                                         {"Content-Type": "application/json"} if body else {})
        try:
            with urllib.request.urlopen(request, timeout=LATE) as answer:
                return answer.status, answer.headers["Content-Type"], answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers["Content-Type"] or "text/plain", error.read()

"""A model server that dies in the middle of a turn and comes back: the turn goes on, and no tool
that was finished runs again."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest

from clinkai.ai.openai import OpenAIClient
from clinkai.ai.patience import Times
from clinkai.ai.steady import Steady
from clinkai.ai.transport import Transport
from clinkai.core.events import Notice, Prefill, ToolEnd
from tests.harness.agents import Run
from tests.server import call_chunk, chunk

QUICK = Times(tick=0.02, back_off=(0.02, 0.02, 0.02))
CHATS = "chats.log"

SERVER = """
import json, os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

port, log, script = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])

class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_error(200 if self.path == "/health" else 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(log, "ab") as file:
            file.write(body + b"\\n")
        pieces, dies = script.pop(0)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write("".join(pieces).encode())
        if dies == "now":
            os._exit(1)
        self.close_connection = True
        self.server.over = dies == "after"

server = HTTPServer(("127.0.0.1", port), Handler)
server.over = False
print(server.server_address[1], flush=True)
while not server.over:
    server.handle_request()
"""

END = "data: [DONE]\n\n"
WRITE = [call_chunk(0, '{"path": "a.txt", "content": "x"}', id="c1", name="write"),
         chunk({}, "tool_calls"), END]
DONE = [chunk({"content": "All done."}), chunk({}, "stop"), END]
THINKS = [chunk({"reasoning_content": "let me see"})]
SPEAKS = [chunk({"content": "All "})]
CALLS = [call_chunk(0, '{"path": "b.txt", ', id="c2", name="write")]


class Server:
    """A process of its own for each life; the next one begins when the one before has ended."""

    def __init__(self, folder, *lives):
        self._log = folder / CHATS
        self._over = False
        self._running = self._start(0, lives[0])
        self.port = int(self._running.stdout.readline())
        self._thread = threading.Thread(target=self._revive, args=(lives[1:],))
        self._thread.start()

    def _start(self, port, script):
        command = [sys.executable, "-I", "-S", "-c", SERVER, str(port), str(self._log),
                   json.dumps(script)]
        return subprocess.Popen(command, stdout=subprocess.PIPE)

    def _revive(self, lives):
        for script in (*lives, None):
            self._running.wait()
            self._running.stdout.close()
            if script and not self._over:
                self._running = self._start(self.port, script)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self._over = kind is not None
        while self._over and self._thread.is_alive():
            self._running.kill()
            self._thread.join(0.1)
        self._thread.join()

    def bodies(self):
        """The requests for answers, once the server has ended."""
        self._thread.join()
        return self._log.read_bytes().splitlines()


def agent(tmp_path, server):
    client = OpenAIClient(Transport(f"http://127.0.0.1:{server.port}/v1", idle_timeout=20))
    return Run(tmp_path, provider=Steady(client, QUICK), mode="auto")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("lives", [
    pytest.param([[(WRITE, ""), ([], "now")], [(THINKS, "now")], [(DONE, "after")]], id="twice"),
    pytest.param([[(WRITE, "after")], [(DONE, "after")]], id="between rounds"),
    pytest.param([[(WRITE, ""), (CALLS, "now")], [(DONE, "after")]], id="in a call"),
    pytest.param([[(THINKS, "now")], [(WRITE, "after")], [(DONE, "after")]], id="first round"),
])
def test_the_turn_goes_on_with_the_same_request(tmp_path, lives):
    with Server(tmp_path, *lives) as server, agent(tmp_path, server) as run:
        end = run.say("write a file")
        assert (end.reason, end.exit) == ("done", 0)
        assert [event.ok for event in run.of(ToolEnd)] == [True]
        assert "down" in {event.phase for event in run.of(Prefill)}
        assert "notice.wait.down" in {event.key for event in run.of(Notice)}
        messages = run.agent.session.state.messages
        bodies = server.bodies()
    assert len(bodies) == sum(map(len, lives))
    assert len(set(bodies)) == 2
    assert [(m.role, m.content) for m in messages[1:]][-1] == ("assistant", "All done.")
    assert [m.role for m in messages] == ["user", "assistant", "tool", "assistant"]
    assert (tmp_path / "ws/a.txt").read_text() == "x"


@pytest.mark.slow
def test_the_turn_goes_on_after_text_that_was_shown(tmp_path):
    lives = [(WRITE, ""), (SPEAKS, "now")], [(DONE, "after")]
    with Server(tmp_path, *lives) as server, agent(tmp_path, server) as run:
        end = run.say("write a file")
        assert (end.reason, len(run.of(ToolEnd))) == ("done", 1)
        said = [(m.role, m.content) for m in run.agent.session.state.messages if m.role != "user"]
        bodies = server.bodies()
    assert said[2:] == [("assistant", "All "), ("assistant", "All done.")]
    assert bodies[2].startswith(bodies[1].removesuffix(b"]}"))

"""A fake model server on 127.0.0.1 for tests and benchmarks: a real http.server, real sockets.

    with FakeServer([reply("Hello"), reply(calls=[("read", {"path": "a.txt"})])]) as server:
        ...                                    # BASE_URL = server.base_url
    server.chats[0].json["messages"]           # every request: method, path, headers, body, json

The script answers POST .../chat/completions: a list of answers, one for each request, or a
callable(request body as dict) -> answer. A request after the end of a list gets a 500, and leaving
the `with` block raises AssertionError, so that no test passes by accident. Answers:

    reply(content, reasoning=, calls=, finish=, usage=)   a complete event stream, as llama-server
    error(status, body, headers)          a plain HTTP answer; body: bytes, str, or JSON as object
    raw(data, end="close")                the bytes of a whole HTTP answer (recordings)
    ollama_reply(content, ...)            the same as lines of JSON, as Ollama
    anthropic_reply(content, ...)         the same as the events of /v1/messages
    case(row)                             a row of cases/quirks.jsonl
    Answer(pieces, ...)                   anything else, see there

What `reply` says is told in the language of the path it is asked for at (WIRES), so that a script
serves the clients of all wires. ollama: the length the models were trained for; with it the server
is an Ollama (/api/chat, /api/show, /api/ps, /api/tags, /api/version), and `loaded` has the windows
of its models. sees: what the server says of images.

A piece is bytes, str, or a callable that runs between two writes: `entered.set`, `go.wait`.
`end` says what follows the last piece: "close"; "reset" (RST); "stall": nothing more until the
client hangs up, which sets `request.gone`. `chunked` answers keep the connection open afterwards.

GET /v1/models, /props and /health come from the attributes `models`, `n_ctx` and `health` (None:
404); `server.routes["GET /v1/models"] = answer` (or a callable(request) -> answer) replaces one.
`owner`: who owns the models, which says what kind of server it is ("llamacpp", "vllm", ...).
`slow_start`: no answer is given before `server.release.set()`. tls: an `ssl.SSLContext`.
"""

from __future__ import annotations

import base64
import json
import re
import selectors
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EVENT_STREAM = {"Content-Type": "text/event-stream"}
JSON_TYPE = {"Content-Type": "application/json; charset=utf-8"}


class Answer:
    """Pieces to write after the head; `status=None`: the pieces hold the head too."""

    def __init__(self, pieces=(), status=200, headers=None, *, end="close", chunked=False,
                 pause=0.0):
        self.pieces = [pieces] if isinstance(pieces, (bytes, str)) else list(pieces)
        self.status = status
        self.headers = dict(EVENT_STREAM if headers is None else headers)
        self.end = end
        self.chunked = chunked
        self.pause = pause
        """Seconds between two pieces: a paced stream."""
        self.usage = None
        """Call with (prompt, cached) token counts to get the pieces to add, or None."""
        self.told = None
        """What `reply` was called with, to be told in another language."""


class Recorded:
    """One request as it came in. arrived: time.perf_counter() after its head was read."""

    def __init__(self, method, path, headers, body, arrived):
        self.method, self.path, self.headers, self.body = method, path, headers, body
        self.arrived = arrived
        self.gone = threading.Event()
        """Set when the client hung up before the answer was complete."""

    @property
    def json(self):
        """The body as an object."""
        return json.loads(self.body)


def reply(content="", *, reasoning="", calls=(), finish=None, usage="auto",
          field="reasoning_content",
          pieces=None, pause=0.0):
    """A streamed chat answer. `calls`: (name, arguments as dict or str) each; `pieces`: the
    content, already cut. usage: "auto" (counted from the request, cached = what it has in common
    with the one before, four bytes a token), None, or an object to send."""
    out = [chunk({"role": "assistant", "content": None})]
    out += [chunk({field: part}) for part in words(reasoning)]
    out += [chunk({"content": part}) for part in (words(content) if pieces is None else pieces)]
    for index, (name, arguments) in enumerate(calls):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments,
                                                                       ensure_ascii=False)
        out.append(call_chunk(index, "", id=f"call_{index}_{name}", name=name))
        out += [call_chunk(index, text[at:at + 40]) for at in range(0, len(text), 40)]
    out.append(chunk({}, finish or ("tool_calls" if calls else "stop")))
    answer = Answer(out, chunked=True, pause=pause)
    made = len(out)

    def usage_pieces(prompt, cached):
        counts = usage if isinstance(usage, dict) else {
            "prompt_tokens": prompt, "completion_tokens": made, "total_tokens": prompt + made,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        last = [] if usage is None else [event({"choices": [], "usage": counts})]
        return [*last, "data: [DONE]\n\n"]

    answer.usage = usage_pieces
    answer.told = {"content": content, "reasoning": reasoning, "calls": calls, "finish": finish,
                   "usage": usage, "pieces": pieces, "pause": pause}
    return answer


def ollama_reply(content="", *, reasoning="", calls=(), finish=None, usage="auto", pieces=None,
                 pause=0.0):
    """The same as lines of JSON, in the manner of Ollama 0.34."""
    said = [{"thinking": part, "content": ""} for part in words(reasoning)]
    said += [{"content": part} for part in (words(content) if pieces is None else pieces)]
    for index, (name, arguments) in enumerate(calls):
        function = {"index": index, "name": name, "arguments": arguments}
        said.append({"content": "", "tool_calls": [{"id": f"call_{index}{name}",
                                                    "function": function}]})
    answer = Answer([line({"message": {"role": "assistant", **s}, "done": False}) for s in said],
                    headers={"Content-Type": "application/x-ndjson"}, chunked=True, pause=pause)

    def last_piece(prompt, cached):
        counts = {"prompt_eval_count": prompt, "prompt_eval_cached_count": cached,
                  "eval_count": len(said)}
        if isinstance(usage, dict):
            counts = {"prompt_eval_count": usage.get("prompt_tokens"),
                      "eval_count": usage.get("completion_tokens")}
        return [line({"message": {"role": "assistant", "content": ""}, "done": True,
                      "done_reason": finish or "stop", "total_duration": 5_000_000,
                      "load_duration": 1_000_000, **({} if usage is None else counts)})]

    answer.usage = last_piece
    return answer


def anthropic_reply(content="", *, reasoning="", calls=(), finish=None, usage="auto", pieces=None,
                    pause=0.0, signature=""):
    """The same as the events of `/v1/messages`, in the manner of llama-server: thinking has a
    signature, and that is empty."""
    blocks = []
    if reasoning or signature:
        deltas = [{"type": "thinking_delta", "thinking": part} for part in words(reasoning)]
        blocks.append(({"type": "thinking", "thinking": ""},
                       [*deltas, {"type": "signature_delta", "signature": signature}]))
    said = words(content) if pieces is None else pieces
    if said:
        blocks.append(({"type": "text", "text": ""},
                       [{"type": "text_delta", "text": part} for part in said]))
    for index, (name, arguments) in enumerate(calls):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments,
                                                                       ensure_ascii=False)
        cut = [text[at:at + 40] for at in range(0, len(text), 40)]
        blocks.append(({"type": "tool_use", "id": f"call_{index}_{name}", "name": name,
                        "input": {}},
                       [{"type": "input_json_delta", "partial_json": part} for part in cut]))
    out = []
    for index, (block, deltas) in enumerate(blocks):
        out.append(named("content_block_start", index=index, content_block=block))
        out += [named("content_block_delta", index=index, delta=delta) for delta in deltas]
        out.append(named("content_block_stop", index=index))
    labels = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
    label = labels.get(finish, finish) or ("tool_use" if calls else "end_turn")
    stop = {"stop_reason": label, "stop_sequence": None}
    answer = Answer(out, chunked=True, pause=pause)

    def counted(prompt, cached):
        counts = {"input_tokens": prompt - cached, "cache_read_input_tokens": cached,
                  "output_tokens": len(out)}
        if isinstance(usage, dict):
            details = usage.get("prompt_tokens_details") or {}
            cached = details.get("cached_tokens")
            counts = {"input_tokens": usage.get("prompt_tokens", 0) - (cached or 0),
                      "cache_read_input_tokens": cached,
                      "output_tokens": usage.get("completion_tokens")}
        counts = {} if usage is None else {"usage": counts}
        return [named("message_delta", delta=stop, **counts), named("message_stop")]

    answer.usage = counted
    return answer


def named(type, **fields):
    """An event of `/v1/messages`."""
    return f"event: {type}\n{event({'type': type, **fields})}"


def line(body, model="local"):
    """A line of `/api/chat`."""
    return json.dumps({"model": model, "created_at": "2026-01-01T00:00:00.1Z", **body},
                      ensure_ascii=False, separators=(",", ":")) + "\n"


def error(status, body, headers=None):
    """A complete answer with that status; an object is sent as JSON."""
    if not isinstance(body, (bytes, str)):
        body = json.dumps(body, ensure_ascii=False)
    data = body.encode() if isinstance(body, str) else body
    return Answer([data], status, {**JSON_TYPE, "Content-Length": str(len(data)),
                                   **(headers or {})})


def ok(body, headers=None):
    """A complete JSON answer with status 200."""
    return error(200, body, headers)


def raw(data, *, end="close", pieces=None, pause=0.0):
    """An answer given byte by byte as it is, head included (or cut into `pieces`)."""
    return Answer([data] if pieces is None else pieces, None, end=end, pause=pause)


def case(row, pause=0.002):
    """The answer of a row of quirks.jsonl."""
    pieces = [base64.b64decode(p["b64"]) if isinstance(p, dict) else p for p in row["body_chunks"]]
    headers = {**row["headers"], "Connection": "close"}
    return Answer(pieces, row["status"], headers, end=row["end"], pause=pause)


def event(body):
    """One event whose data is the object `body`."""
    return f"data: {json.dumps(body, ensure_ascii=False, separators=(',', ':'))}\n\n"


def chunk(delta, finish=None, **more):
    """A chat.completion.chunk event with one choice."""
    choice = {"finish_reason": finish, "index": 0, "delta": delta}
    return event({"choices": [choice], "created": 1, "id": "chatcmpl-1", "model": "local",
                  "object": "chat.completion.chunk", **more})


def call_chunk(index, arguments, *, id=None, name=None):
    """A chunk event with one piece of a tool call."""
    call = {"index": index, "function": {"arguments": arguments}}
    if id is not None:
        call.update(id=id, type="function")
    if name is not None:
        call["function"]["name"] = name
    return chunk({"tool_calls": [call]})


def words(text):
    """The text in pieces as a model would stream it: each word with the blanks before it."""
    return re.findall(r"\s*\S+\s*\Z|\s*\S+|\s+\Z", text)


WIRES = {"/chat/completions": None, "/api/chat": ollama_reply, "/v1/messages": anthropic_reply}
"""How paths end at which models answer, and what tells a `reply` there."""


class FakeServer:
    """See the module docstring. `requests`, `chats`: what came in, oldest first."""

    def __init__(self, script=(), *, models=("local",), n_ctx=16384, health="ok", slow_start=False,
                 tls=None, ollama=None, owner=None, sees=None):
        self.script = script if callable(script) else list(script)
        self.models, self.n_ctx, self.health = models, n_ctx, health
        self.ollama, self.loaded = ollama, {}
        self.sees = sees
        self.owner = owner if ollama is None else "library"
        self.routes = {}
        self.props = {}
        """What /props says besides."""
        self.requests = []
        self.problems = []
        self.release = threading.Event()
        if not slow_start:
            self.release.set()
        self._lock = threading.Lock()
        self._open = set()
        self._before = b""
        self._next = 0
        self._closed = False
        self._http = _Listener(("127.0.0.1", 0), _Handler, self)
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True,
                                                do_handshake_on_connect=False)
        self.port = self._http.server_address[1]
        self.base_url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}/v1"
        self._thread = threading.Thread(target=self._http.serve)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, *_):
        self.close()
        if kind is None:
            assert not self.problems, self.problems

    def close(self):
        """Stop as a killed server does: every open connection is cut. May be called twice."""
        self.release.set()
        if self._closed:
            return
        self._closed = True
        self._http.over.send(b"x")
        self._thread.join()
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            _cut(connection)
        self._http.server_close()
        for handler in self._http.handlers:
            handler.join(5)
            if handler.is_alive():
                self.problems.append("an answer was still being given")

    @property
    def chats(self):
        """The requests for answers of a model."""
        return [r for r in self.requests if self._wire(r.path)]

    def _wire(self, path):
        """The end of `path` in WIRES, or None."""
        if path == "/api/chat" and self.ollama is None:
            return None
        return next((end for end in WIRES if path.endswith(end)), None)

    def answer(self, request):
        """The answer to `request`, which is recorded."""
        route = self.routes.get(f"{request.method} {request.path}")
        with self._lock:
            self.requests.append(request)
        if route is not None:
            return route(request) if callable(route) else route
        if self._wire(request.path):
            return self._chat(request)
        if self.ollama is not None and request.path.startswith("/api/"):
            return self._ollama(request)
        return self._served(request)

    def _chat(self, request):
        with self._lock:
            number, self._next = self._next, self._next + 1
            before, self._before = self._before, request.body
        if callable(self.script):
            chosen = self.script(request.json)
        elif number < len(self.script):
            chosen = self.script[number]
        else:
            self.problems.append(f"request {number + 1} came after the end of the script")
            return error(500, {"error": {"message": self.problems[-1], "code": 500}})
        tell = WIRES[self._wire(request.path)]
        if tell and chosen.told:
            broken, chosen = chosen.end, tell(**chosen.told)
            if broken != "close":
                chosen.end, chosen.usage, chosen.chunked = broken, None, False
        if request.path == "/api/chat":
            self.loaded[request.json["model"]] = request.json["options"].get("num_ctx", 4096)
        if chosen.usage is None:
            return chosen
        last = chosen.usage(len(request.body) // 4, _common(before, request.body) // 4)
        return Answer([*chosen.pieces, *last], chosen.status, chosen.headers,
                      end=chosen.end, chunked=chosen.chunked, pause=chosen.pause)

    def _ollama(self, request):
        rows = [{"name": m, "model": m, "size": 1} for m in self.models]
        if request.path == "/api/version":
            return ok({"version": "0.34.0"})
        if request.path == "/api/tags":
            return ok({"models": rows})
        if request.path == "/api/ps":
            return ok({"models": [{**row, "context_length": self.loaded[row["name"]]}
                                  for row in rows if row["name"] in self.loaded]})
        if request.path == "/api/show" and request.json["model"] in self.models:
            return ok({"model_info": {"general.architecture": "qwen3",
                                      "qwen3.context_length": self.ollama},
                       "capabilities": ["completion", "tools", "thinking",
                                        *["vision"] * bool(self.sees)]})
        return error(404, {"error": "model not found"})

    def _served(self, request):
        path = request.path
        if path.endswith("/models") and self.models is not None:
            owner = {} if self.owner is None else {"owned_by": self.owner}
            return ok({"object": "list", "data": [{"id": m, "object": "model", **owner}
                                                  for m in self.models]})
        if path.partition("?")[0] == "/props" and self.n_ctx is not None and self.ollama is None:
            told = {} if self.sees is None else {"modalities": {"vision": self.sees}}
            if self.owner == "llamacpp":
                told["build_info"] = "b0-fake"
            return ok({"default_generation_settings": {"n_ctx": self.n_ctx}, "total_slots": 1,
                       **told, **self.props})
        if path == "/health" and self.health == "ok" and self.ollama is None:
            return ok({"status": "ok"})
        if path == "/health" and self.health == "loading":
            return error(503, {"error": {"message": "Loading model", "type": "unavailable_error",
                                         "code": 503}})
        return error(404, {"error": {"message": "File Not Found", "type": "not_found_error",
                                     "code": 404}})


class _Listener(ThreadingHTTPServer):
    """`serve` ends as soon as something is sent to `over`: one that looks for its end every few
    milliseconds has every test wait for that."""

    request_queue_size = 64
    block_on_close = False
    timeout = 0

    def __init__(self, address, handler, fake):
        super().__init__(address, handler)
        self.fake = fake
        self.handlers = []
        self.resets = set()
        self.over, self._told = socket.socketpair()

    def serve(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_READ)
            selector.register(self._told, selectors.EVENT_READ)
            while all(key.fileobj is not self._told for key, _ in selector.select()):
                self.handle_request()

    def server_close(self):
        super().server_close()
        self.over.close()
        self._told.close()

    def process_request_thread(self, request, client_address):
        self.handlers.append(threading.current_thread())
        super().process_request_thread(request, client_address)

    def shutdown_request(self, request):
        """Closing alone sends RST where SO_LINGER is 0; a shutdown before it would send FIN."""
        if request in self.resets:
            self.resets.discard(request)
            self.close_request(request)
        else:
            super().shutdown_request(request)

    def handle_error(self, request, client_address):
        """A client that hangs up is no defect; everything else fails the test."""
        problem = sys.exc_info()[1]
        if not isinstance(problem, OSError):
            self.fake.problems.append(repr(problem))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "fake"
    wbufsize = 0

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.server.fake._lock:
            self.server.fake._open.add(self.connection)

    def finish(self):
        with self.server.fake._lock:
            self.server.fake._open.discard(self.connection)
        super().finish()

    def log_message(self, *_):
        """Nothing: what came in is in `requests`."""

    def _any(self):
        arrived = time.perf_counter()
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Recorded(self.command, self.path, dict(self.headers.items()), body, arrived)
        fake = self.server.fake
        answer = fake.answer(request)
        fake.release.wait()
        try:
            self._play(answer, request)
        except OSError:
            request.gone.set()
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_HEAD = _any

    def _play(self, answer, request):
        if answer.status is not None:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.chunked:
                self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
        for number, piece in enumerate(answer.pieces):
            if callable(piece):
                piece()
                continue
            if answer.pause and number:
                time.sleep(answer.pause)
            data = piece.encode() if isinstance(piece, str) else piece
            if answer.chunked and data:
                data = b"%x\r\n%b\r\n" % (len(data), data)
            self.connection.sendall(data)
        if answer.chunked and answer.end == "close":
            self.connection.sendall(b"0\r\n\r\n")
        elif "Content-Length" not in answer.headers or answer.end != "close":
            self.close_connection = True
        self._end(answer.end, request)

    def _end(self, end, request):
        if end == "stall":
            if not self.connection.recv(1):
                request.gone.set()
        elif end == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.server.resets.add(self.connection)


def _cut(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _common(old, new):
    """How many leading bytes `old` and `new` share (binary search over slices)."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low

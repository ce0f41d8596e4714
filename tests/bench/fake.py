"""A model server for measuring: raw sockets, answers made beforehand, one connection a request.

    python fake.py '{"kind": "rounds", "rounds": 20}'     prints its port, serves, and when its
                                                          standard input ends prints what it saw

Kinds of answers to POST .../chat/completions:
    text      one short answer
    rounds    tool calls, alternately read in_N.txt and write out_N.txt with 800 bytes, then text
    stream    `tokens` pieces of text, one every `pause` seconds
    long      text of `size` characters in pieces of `piece`, as fast as it is read

What it saw: for each chat request {"first": when its first byte came, "last": when the last byte of
its answer was given to the kernel, "size": bytes of its body}, times of time.monotonic_ns(), which
all processes of this machine share. Everything else than chat requests gets a 404.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time

HEAD = (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
WRITTEN = ("0123456789abcdef" * 49 + "0123456789abcde\n")[:800]


def chunk(delta: dict, finish: str | None = None) -> bytes:
    body = {"choices": [{"index": 0, "finish_reason": finish, "delta": delta}], "created": 1,
            "id": "chatcmpl-1", "model": "bench", "object": "chat.completion.chunk"}
    return b"data: " + json.dumps(body, separators=(",", ":")).encode() + b"\n\n"


def usage(prompt: int, made: int) -> bytes:
    body = {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": made,
                                     "prompt_tokens_details": {"cached_tokens": prompt - 1}}}
    return b"data: " + json.dumps(body, separators=(",", ":")).encode() + b"\n\ndata: [DONE]\n\n"


def call(n: int) -> bytes:
    """The answer of round n, from 0: a tool call in the pieces llama-server makes."""
    name, arguments = ("read", {"path": f"in_{n}.txt"}) if n % 2 == 0 else (
        "write", {"path": f"out_{n}.txt", "content": WRITTEN})
    text = json.dumps(arguments)
    pieces = [chunk({"role": "assistant", "content": None}),
              chunk({"tool_calls": [{"index": 0, "id": f"call_{n}", "type": "function",
                                     "function": {"name": name, "arguments": ""}}]})]
    pieces += [chunk({"tool_calls": [{"index": 0, "function": {"arguments": text[at:at + 40]}}]})
               for at in range(0, len(text), 40)]
    return b"".join([*pieces, chunk({}, "tool_calls")])


def long(size: int, piece: int):
    """Writes of some events each: text of words that are all different."""
    words, number, events = "", 0, []
    for at in range(0, size, piece):
        while len(words) < piece:
            words += f"word {number} of the text and {number * 7919 % 104729}, "
            number += 1
        events.append(chunk({"content": words[:min(piece, size - at)]}))
        words = words[piece:]
        if len(events) * (piece + 200) > 60_000:
            yield b"".join(events)
            events = []
    yield b"".join([*events, chunk({}, "stop")])


def answers(plan: dict):
    """The answer of the n-th request as a list of writes, without head and usage."""
    last = [chunk({"role": "assistant", "content": "Done."}) + chunk({}, "stop")]
    if plan["kind"] == "rounds":
        made = [call(n) for n in range(plan["rounds"])]
        return lambda n: [made[n]] if n < len(made) else last
    if plan["kind"] == "long":
        return lambda n: long(plan["size"], plan["piece"])
    if plan["kind"] == "stream":
        words = [chunk({"content": f"word{n} "}) for n in range(plan["tokens"])]
        return lambda n: [*words, chunk({}, "stop")]
    return lambda n: last


class Server:
    """Serves until its standard input ends."""

    def __init__(self, plan: dict) -> None:
        self.answer = answers(plan)
        self.pause = plan.get("pause", 0)
        self.seen: list[dict] = []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                try:
                    self.one(connection)
                except OSError:
                    pass

    def one(self, connection: socket.socket) -> None:
        """One request and its answer."""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = connection.recv(1 << 20)
        first = time.monotonic_ns()
        if not data:
            return
        while b"\r\n\r\n" not in data:
            data += connection.recv(1 << 20)
        head, _, body = data.partition(b"\r\n\r\n")
        if not head.startswith(b"POST") or b"/chat/completions" not in head.split(b"\r\n", 1)[0]:
            connection.sendall(MISSING)
            return
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n")
                      if line.lower().startswith(b"content-length:"))
        parts = [body]
        size = len(body)
        while size < length:
            parts.append(connection.recv(1 << 20))
            size += len(parts[-1])
        entry = {"first": first, "last": 0, "size": length}
        self.seen.append(entry)
        pieces = self.answer(len(self.seen) - 1)
        end = usage(length // 4, len(pieces) if isinstance(pieces, list) else 0)
        if self.pause or not isinstance(pieces, list):
            connection.sendall(HEAD)
            for piece in pieces:
                connection.sendall(piece)
                if self.pause:
                    time.sleep(self.pause)
            connection.sendall(end)
        else:
            connection.sendall(b"".join([HEAD, *pieces, end]))
        entry["last"] = time.monotonic_ns()


def main() -> None:
    server = Server(json.loads(sys.argv[1]))
    threading.Thread(target=server.serve, daemon=True).start()
    print(server.port, flush=True)
    sys.stdin.read()
    print(json.dumps(server.seen), flush=True)


if __name__ == "__main__":
    main()

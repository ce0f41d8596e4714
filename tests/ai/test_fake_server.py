"""The fake server itself: what other tests rely on."""

from __future__ import annotations

import http.client
import json
import socket
import threading

import pytest

from tests import server as fake


def ask(server, body=b'{"messages":[]}', path="/v1/chat/completions"):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("POST" if body else "GET", path, body)
    answer = connection.getresponse()
    try:
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def data_of(text):
    return [line[6:] for line in text.split("\n") if line.startswith("data: ")]


def test_a_scripted_reply_is_a_complete_stream_with_the_counts_of_the_request():
    script = [fake.reply("Hello big world", reasoning="hm")]
    with fake.FakeServer(script) as server:
        status, text = ask(server, b'{"model":"m","messages":[]}')
        assert server.chats[0].json == {"model": "m", "messages": []}
    *chunks, usage, done = data_of(text)
    deltas = [json.loads(c)["choices"][0]["delta"] for c in chunks]
    assert (status, done) == (200, "[DONE]")
    assert deltas == [{"role": "assistant", "content": None}, {"reasoning_content": "hm"},
                      {"content": "Hello"}, {"content": " big"}, {"content": " world"}, {}]
    assert json.loads(usage)["usage"] == {
        "prompt_tokens": 6, "completion_tokens": 6, "total_tokens": 12,
        "prompt_tokens_details": {"cached_tokens": 0}}


def test_the_second_request_finds_the_prefix_of_the_first_cached():
    with fake.FakeServer([fake.reply("a"), fake.reply("b")]) as server:
        ask(server, b'{"messages":["0123456789"]}')
        text = ask(server, b'{"messages":["0123456789","more"]}')[1]
    assert json.loads(data_of(text)[-2])["usage"]["prompt_tokens_details"] == {"cached_tokens": 6}


def test_a_request_after_the_end_of_the_script_fails_the_test():
    with pytest.raises(AssertionError, match="request 1 came after the end"):
        with fake.FakeServer() as server:
            assert ask(server)[0] == 500


def test_a_row_of_the_quirks_is_played_as_written():
    row = {"status": 418, "headers": {"X-Tea": "yes"}, "end": "close",
           "body_chunks": ["data: 1\n\n", {"b64": "/w=="}]}
    with fake.FakeServer([fake.case(row)]) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("POST", "/v1/chat/completions", b"{}")
        answer = connection.getresponse()
        assert (answer.status, answer.headers["X-Tea"]) == (418, "yes")
        assert answer.read() == b"data: 1\n\n\xff"
        connection.close()


def test_a_reset_reaches_the_client_as_one():
    answer = fake.Answer(["data: 1\n\n"], end="reset")
    with fake.FakeServer([answer]) as server, pytest.raises(ConnectionResetError):
        ask(server)


def test_a_stalled_answer_notices_that_the_client_hung_up():
    written = threading.Event()
    with fake.FakeServer([fake.Answer(["data: 1\n\n", written.set], end="stall")]) as server:
        with socket.create_connection(("127.0.0.1", server.port), 30) as client:
            client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
            assert written.wait(30)
        assert server.chats[0].gone.wait(30)


def test_closing_the_server_cuts_an_answer_under_way():
    with fake.FakeServer([fake.Answer(["data: 1\n\n"], end="stall")]) as server:
        with socket.create_connection(("127.0.0.1", server.port), 30) as client:
            client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
            assert client.recv(1)
            server.close()
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", server.port), 30)


@pytest.mark.parametrize(("path", "change", "status", "part"), [
    ("/v1/models", {}, 200, '"id": "local"'),
    ("/v1/models", {"models": None}, 404, "File Not Found"),
    ("/props", {}, 200, '"n_ctx": 16384'),
    ("/props", {"n_ctx": None}, 404, "File Not Found"),
    ("/health", {}, 200, '"ok"'),
    ("/health", {"health": "loading"}, 503, "Loading model"),
    ("/health", {"health": None}, 404, "File Not Found"),
])
def test_what_it_serves_beside_chat_can_be_switched(path, change, status, part):
    with fake.FakeServer(**change) as server:
        got, text = ask(server, b"", path)
    assert got == status and part in text


def test_an_ollama_tells_the_same_reply_in_its_own_language():
    script = [fake.reply("Hello world", reasoning="hm", calls=[("read", {"path": "a"})])]
    with fake.FakeServer(script, ollama=8192) as server:
        body = b'{"model":"local","options":{"num_ctx":4096}}'
        lines = [json.loads(text) for text in ask(server, body, "/api/chat")[1].splitlines()]
        loaded = json.loads(ask(server, b"", "/api/ps")[1])["models"]
        shown = json.loads(ask(server, b'{"model":"local"}', "/api/show")[1])["model_info"]
        assert ask(server, b'{"model":"none"}', "/api/show")[0] == 404
    *said, last = [text["message"] for text in lines]
    assert [s.get("thinking") or s["content"] or s["tool_calls"][0]["function"] for s in said] == [
        "hm", "Hello", " world", {"index": 0, "name": "read", "arguments": {"path": "a"}}]
    assert (last["content"], lines[-1]["done_reason"], lines[-1]["prompt_eval_count"]) == (
        "", "stop", len(body) // 4)
    assert [row["context_length"] for row in loaded] == [4096]
    assert shown["qwen3.context_length"] == 8192


def test_another_server_has_no_path_of_ollama():
    with fake.FakeServer() as server:
        assert ask(server, b"{}", "/api/chat")[0] == 404

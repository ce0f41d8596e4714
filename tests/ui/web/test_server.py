"""The server itself: connections, static files, errors, start and stop."""

from __future__ import annotations

import json
import re
import signal
import socket
import threading

import pytest

from clinkai.core.catalogue import Strings
from clinkai.ui.web import answer, static
from tests.server import reply
from tests.source import TOP
from tests.ui.web.site import DEADLINE, TOKEN, Site, Stream

PAGE = sorted(path for path in (TOP / "web").rglob("*") if path.is_file())
SCRIPTS = [path for path in PAGE if path.suffix == ".js"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with Site(tmp_path_factory.mktemp("site"), lambda body: reply("Hello.")) as site:
        yield site


# -- connections

def test_a_connection_serves_one_request_after_the_other(shared):
    one = shared.head("GET", "/api/status", {"Connection": None})
    last = shared.head("GET", "/api/sessions", {})
    with shared.connect() as connection:
        connection.sendall(one + one)
        connection.sendall(last)
        found = b""
        while piece := connection.recv(1 << 16):
            found += piece
    assert [found.count(part) for part in (b"HTTP/1.1 200 OK", b'"epoch"', b'"sessions"')] == [3, 2, 1]


def test_a_request_may_come_byte_by_byte(shared):
    body = b'{"text":"hello"}'
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    with shared.connect() as connection:
        for byte in shared.head("POST", "/api/sessions", headers) + body:
            connection.sendall(bytes([byte]))
        assert connection.recv(12) == b"HTTP/1.1 202"


def test_a_client_that_waits_for_100_continue_gets_it(shared):
    body = b'{"text":"hello"}'
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Expect": "100-continue"}
    with shared.connect() as connection:
        connection.sendall(shared.head("POST", "/api/sessions", headers))
        assert connection.recv(1 << 16) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert connection.recv(12) == b"HTTP/1.1 202"


def test_a_refused_connection_is_closed_after_the_answer(shared):
    got = shared.raw(shared.head("GET", "/api/status", {"Host": "evil", "Connection": None}) + b"x" * 300_000)
    assert (got.status, got.get("Connection"), got.json["error"]["key"]) == (403, "close", "web.http.host")


@pytest.mark.parametrize("data", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_a_client_that_goes_away_leaves_nothing(shared, data):
    with shared.connect() as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    assert shared.defects == []


def test_a_body_that_never_comes_ends_with_408(tmp_path):
    with Site(tmp_path, idle=0.2) as site:
        headers = {"Content-Type": "application/json", "Content-Length": "100"}
        assert site.raw(site.head("POST", "/api/sessions", headers) + b"{").status == 408


@pytest.mark.parametrize(("method", "status"), [
    ("HEAD", 405), ("OPTIONS", 405), ("PUT", 405), ("PATCH", 405), ("DELETE", 405),
])
@pytest.mark.parametrize("path", ["/", "/api/sessions"])
def test_only_get_and_post_are_spoken(shared, method, status, path):
    got = shared.raw(shared.head(method, path, {}))
    assert (got.status, got.get("Allow")) == (status, "GET, POST")
    assert (got.body == b"") is (method == "HEAD")


@pytest.mark.parametrize(("method", "path", "status"), [
    ("POST", "/", 405), ("POST", "/app.js", 405), ("POST", "/nothing", 404), ("GET", "/nothing", 404),
    ("GET", "/api/nothing", 404), ("POST", "/api/status", 405), ("GET", "/api/runs/0123abcd-1/cancel", 405),
    ("GET", "/?x=1", 400), ("GET", "/api/status?x=1", 400), ("GET", "/api/events?session=xyz", 404),
    ("GET", "/api/events?session=01234567", 404), ("GET", "/api/sessions/01234567/items", 404),
    ("POST", "/api/sessions/01234567/messages", 404), ("POST", "/api/runs/01234567-1/cancel", 404),
    ("GET", "/api/sessions/01234567/items?limit=0", 400), ("GET", "/api/sessions/01234567/items?before=-1", 400),
    ("GET", "/api/sessions/01234567/items?limit=501", 400),
])
def test_every_other_path_is_an_error(shared, method, path, status):
    body = {"text": "hello"} if path.endswith("messages") else {}
    got = shared.get(path) if method == "GET" else shared.post(path, body)
    assert (got.status, got.get("Content-Type")) == (status, "application/json")
    assert got.json["error"]["text"]


@pytest.mark.parametrize(("body", "status", "key"), [
    ({"text": ""}, 400, "web.http.text"), ({"text": " \n"}, 400, "web.http.text"),
    ({"text": 1}, 400, "web.http.text"), ({}, 400, "web.http.text"),
    ({"text": "x", "workspace": "/"}, 400, "web.http.field"), ({"text": "x", "idem": 1}, 400, "web.http.field"),
    ({"text": "x", "idem": "short"}, 400, "web.http.field"), ({"text": "x" * 1_000_001}, 413, "web.http.large"),
    (b'{"text":"\\ud800"}', 400, "web.http.half"), (b'{"text":"x","text":"y"}', 400, "web.http.json"),
    (b'{"text":NaN}', 400, "web.http.json"), (b"[]", 400, "web.http.json"), (b"\xff", 400, "web.http.json"),
    (b"", 400, "web.http.json"), (b"[" * 100_000, 400, "web.http.json"),
])
def test_a_body_that_is_no_message_is_refused(shared, body, status, key):
    got = shared.post("/api/sessions", body)
    assert (got.status, got.json["error"]["key"]) == (status, key)


def test_a_long_message_is_taken_whole(shared):
    text = "é" * 999 + " " * 999_000 + "!"
    sid = shared.ask(text)["sid"]
    assert [r["content"] for r in shared.log(sid) if r["type"] == "user"] == [text]


def test_a_message_that_no_request_can_hold_is_refused_and_nothing_is_kept(shared):
    before = shared.get("/api/sessions").json
    got = shared.post("/api/sessions", {"text": "é" * 200_000})
    assert (got.status, got.json["error"]["key"]) == (409, "error.context.message")
    assert shared.get("/api/sessions").json == before


def test_a_stream_is_marked_as_one_and_says_who_may_not_keep_it(shared):
    stream = shared.events(X_Client="browser1.tab1")
    assert stream.status == 200
    for line in ("Content-Type: text/event-stream", "Cache-Control: no-store", "X-Accel-Buffering: no",
                 "Connection: close"):
        assert line in stream.head.split("\r\n")
    stream.close()
    assert shared.get("/api/events", X_Client="a b").status == 400


def test_more_streams_than_a_browser_may_have_push_out_the_oldest(shared):
    streams = [shared.events(X_Client=f"browser2.tab{n}") for n in range(5)]
    assert streams[0].until("bye")[-1]["reason"] == "evicted"
    assert [s.until("hb")[-1]["type"] for s in streams[1:]] == ["hb"] * 4
    for stream in streams:
        stream.close()


def test_a_defect_is_an_answer_and_a_line_without_the_token(tmp_path):
    with Site(tmp_path) as site:
        site.service.sessions = lambda: 1 / 0
        got = site.get("/api/sessions")
        assert (got.status, got.json["error"]["key"]) == (500, "web.http.defect")
        assert len(site.defects) == 1
        assert re.fullmatch(r"ZeroDivisionError: division by zero \(test_server\.py:\d+\)", site.defects.pop())


def test_no_header_can_hold_a_line_break():
    with pytest.raises(ValueError, match="line break in header X"):
        answer.encode(answer.Answer(200, "text/plain", b"", (("X", "a\r\nSet-Cookie: b"),)), close=True)


# -- files

def test_every_file_of_the_page_is_in_the_table_and_the_other_way_round():
    assert {path.relative_to(TOP / "web").as_posix() for path in PAGE} == {name for name, _ in static.FILES.values()}


@pytest.mark.parametrize("path", [*static.FILES, *static.STRINGS])
def test_a_file_is_served_without_a_token(shared, path):
    got = shared.get(path, Authorization=None)
    kind = static.FILES[path][1] if path in static.FILES else "application/json"
    assert (got.status, got.get("Content-Type")) == (200, kind)
    if path in static.FILES:
        assert got.body == (TOP / "web" / static.FILES[path][0]).read_bytes()


def test_the_page_is_small():
    assert sum(path.stat().st_size for path in PAGE) < 150_000


def test_the_strings_are_those_of_the_catalogue(shared):
    for lang in ("en", "zh"):
        say = Strings(lang)
        expected = {k: v for area in static.AREAS for k, v in say.area(area).items()}
        assert shared.get(f"/strings/{lang}.json").json == expected


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_build_nodes_from_text_only(path):
    source = path.read_text(encoding="utf-8")
    for name in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "srcdoc",
                 "DOMParser", "createContextualFragment", "setAttribute(\"on", "javascript:", "http://", "https://",
                 "import("):
        assert name not in source
    imported = re.findall(r'from "([^"]+)"', source)
    assert [name for name in imported if name not in static.FILES] == []


def test_the_page_itself_has_no_script_style_or_foreign_address():
    html = (TOP / "web" / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]* src=\"/app.js\"></script>)", html) == []
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=|javascript:", html) == []
    assert [url for url in re.findall(r'(?:src|href)="([^"]*)"', html) if url != "#" and url not in static.FILES] == []


def test_every_string_the_page_names_is_in_the_catalogue():
    say = Strings("en")
    sources = [path.read_text(encoding="utf-8") for path in PAGE if path.suffix in (".js", ".html")]
    named = {key for source in sources for key in re.findall(r'["\'`](web\.[a-z_.]+?)["\'`$]', source)}
    assert len(named) > 50
    known = say.area("web")
    assert sorted(key for key in named if key not in known and not any(k.startswith(key) for k in known)) == []
    source = "".join(sources) + "".join(p.read_text(encoding="utf-8") for p in TOP.glob("clinkai/ui/web/*.py"))
    built = ("web.end.", "web.spoken.", "web.work.", "web.state.")
    unused = [k for k in known if f'"{k}"' not in source and not k.endswith(".hint") and not k.startswith(built)]
    assert unused == []


# -- start and stop

def test_the_end_is_told_to_every_page(tmp_path):
    with Site(tmp_path, [reply("One.")]) as site:
        stream = site.events(site.ask("one")["sid"])
        stream.until("snapshot")
        stopping = threading.Thread(target=site.stop)
        stopping.start()
        assert stream.until("bye")[-1]["reason"] == "shutdown"
        stream.close()
        stopping.join(DEADLINE)
        assert not stopping.is_alive()


class Serving:
    """`web` in a process of its own; port and token as it printed them."""

    def __init__(self, program, *args: str) -> None:
        self.process = program.start("web", "--port", "0", *args)

    def __enter__(self) -> Serving:
        line = self.process.stdout.readline().decode().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#t=([\w-]{43})", line)
        if not match:
            self.__exit__()
            raise AssertionError(f"no address: {line!r}")
        self.port, self.token = int(match[1]), match[2]
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()

    def connect(self, path: str) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), DEADLINE)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost:{self.port}\r\nConnection: close\r\n"
                           f"Authorization: Bearer {self.token}\r\n\r\n".encode())
        return connection


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_web_prints_one_line_and_stops_on_a_signal(program, number, code):
    with Serving(program, "--provider", "demo") as serving, serving.connect("/api/events") as connection:
        stream = Stream(connection)
        stream.until("hb")
        serving.process.send_signal(number)
        assert stream.until("bye")[-1]["reason"] == "shutdown"
        out, err = serving.process.communicate(timeout=DEADLINE)
        assert (serving.process.returncode, out) == (code, b"")
        assert serving.token not in err.decode()
        assert f"ssh -N -L {serving.port}:127.0.0.1:{serving.port}" in err.decode()


def test_the_stand_in_is_named_as_one(program):
    with Serving(program, "--provider", "demo") as serving:
        with serving.connect("/api/status") as connection:
            found = b""
            while piece := connection.recv(1 << 16):
                found += piece
        status = json.loads(found.partition(b"\r\n\r\n")[2])
        assert {k: status[k] for k in ("scripted", "provider", "asks", "workspace", "lang")} == {
            "scripted": True, "provider": "demo", "asks": False, "workspace": str(program.workspace), "lang": "en",
        }


@pytest.mark.parametrize(("args", "words"), [
    (("--host", "0.0.0.0"), "on this machine only"),
    (("--allow-host", "http://x/"), "no host"),
    (("--workspace", "nowhere"), "nowhere"),
])
def test_options_that_cannot_be_used_are_explained(program, args, words):
    ended = program.run("web", "--port", "0", *args)
    assert ended.code == 2
    assert words in ended.err


def test_a_taken_port_is_an_error_that_says_what_to_do(program):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ended = program.run("web", "--port", str(taken.getsockname()[1]))
    assert (ended.code, ended.out) == (2, "")
    assert "--port 0" in ended.err


def test_the_token_is_not_in_any_answer(shared):
    for path in ("/", "/app.js", "/api/status", "/api/sessions"):
        assert TOKEN.encode() not in shared.get(path).raw

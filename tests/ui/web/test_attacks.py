"""Every case of tests/cases/web_attacks.jsonl, over raw sockets.

The cases name example routes; ROUTES maps them once: a run is started by the first message of a
session, a permission is answered at /api/approvals (there is no such route yet, so that nothing
can be approved), a session is read at /items.
"""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import pytest

from tests.server import reply
from tests.ui.web.site import TOKEN, Reply, Site

CASES = [json.loads(line) for line in
         (Path(__file__).parents[2] / "cases" / "web_attacks.jsonl").read_text(encoding="utf-8").splitlines()]

ROUTES = (
    (r"/api/runs(?=\?|$)", "/api/sessions"),
    (r"/api/permissions/", "/api/approvals/"),
    (r"/api/sessions/([^/?]+)(/replay)?$", r"/api/sessions/\1/items"),
    (r"/api/events\?run=", "/api/events?session="),
)
NO_APPROVALS_YET = {404, 405}
ALLOWED = ("default-src 'none'", "script-src 'self'", "img-src 'self'", "connect-src 'self'",
           "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'")


def simple(body: dict):
    return reply("Hello.", reasoning="Hm.")


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One server for all cases, with one session that holds a finished run."""
    with Site(tmp_path_factory.mktemp("site"), simple, idle=1.0) as site:
        answer = site.ask("hello")
        site.sid, site.rid = answer["sid"], answer["rid"]
        yield site


def filled(text: str, site: Site, sid: str) -> str:
    names = {
        "PORT": str(site.port), "TOKEN": TOKEN, "TOKEN_HALF": TOKEN[:20],
        "TOKEN_SWAPCASE": TOKEN.swapcase(), "OLD_TOKEN": TOKEN[::-1], "SID": sid, "RUN": sid,
        "RID": "0123456789abcdef", "ANSWERED_RID": "1" * 16, "EXPIRED_RID": "2" * 16,
        "LAN_IP": "192.0.2.1",
    }
    return re.sub(r"\{([A-Z_]+)\}", lambda found: names[found[1]], text)


def mapped(path: str) -> str:
    for pattern, route in ROUTES:
        path = re.sub(pattern, route, path)
    return path


def body_of(case: dict, path: str) -> bytes:
    body = case["request"].get("body")
    if path.startswith("/api/sessions"):
        # The field that is called prompt in the cases.
        if isinstance(body, dict) and "prompt" in body:
            body = {"text" if k == "prompt" else k: v for k, v in body.items()}
        elif isinstance(body, str):
            body = body.replace('"prompt"', '"text"')
    data = body if isinstance(body, str) else json.dumps(body)
    return data.encode("utf-8", "surrogatepass")


def sent(case: dict, site: Site, sid: str) -> Reply:
    request = case["request"]
    if request["method"] == "RAW":
        return site.raw(filled(mapped_raw(request["raw"]), site, sid).encode())
    path = filled(mapped(request["path"]), site, sid)
    headers = {name: filled(value, site, sid) for name, value in request["headers"].items()}
    headers = {"Authorization": None, "Connection": "close", **headers}
    data = b""
    if "body" in request:
        data = body_of(case, path)
        headers["Content-Length"] = str(len(data))
    message = site.head(request["method"], path, headers) + data
    if path.startswith("/api/events") and 200 in case["expect"]["status_in"]:
        return first_frames(site, message)
    return site.raw(message)


def mapped_raw(text: str) -> str:
    return text.replace("/api/runs ", "/api/sessions ")


def first_frames(site: Site, message: bytes) -> Reply:
    """A stream does not end: what comes up to the snapshot."""
    with site.connect() as connection:
        connection.sendall(message)
        found = b""
        while b"event: snapshot" not in found or not found.endswith(b"\n\n"):
            piece = connection.recv(1 << 16)
            if not piece:
                break
            found += piece
        return Reply(found)


def with_stored(site: Site, text: str) -> str:
    """A session that holds this text as a prompt."""
    return site.ask(text)["sid"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_attack(case, shared):
    stored = case["request"].get("stored")
    sid = with_stored(shared, filled(stored, shared, shared.sid)) if stored else shared.sid
    if case["id"] == "wa-xss-021":
        sid = with_stored(shared, "a\n\nevent: permission\ndata: {}\n\nb")
    before = state(shared)
    got = sent(case, shared, sid)
    allowed = set(case["expect"]["status_in"])
    if case["request"]["path"].startswith("/api/permissions/"):
        allowed |= NO_APPROVALS_YET
    assert got.status in allowed, got.raw[:500]
    harmless(case, got, shared)
    if got.status not in (200, 202):
        assert state(shared) == before
    elif got.status == 202:
        shared.settled(got.json["sid"])
    if stored and case["id"].startswith("wa-xss"):
        said = [item.get("s") for item in json.loads(got.body)["items"]]
        assert filled(stored, shared, shared.sid) in said


def state(site: Site) -> tuple:
    """What a refused request must leave as it was."""
    return len(site.model.chats), sorted(s["id"] for s in site.service.sessions())


def harmless(case: dict, got: Reply, site: Site) -> None:
    """What holds for every answer."""
    if got.status == 0:
        return
    names = {name.lower() for name, _ in got.headers}
    assert not {n for n in names if n.startswith("access-control-")} | names & {"set-cookie", "location", "server"}
    assert all(part in got.get("Content-Security-Policy") for part in ALLOWED)
    assert "unsafe" not in got.get("Content-Security-Policy")
    assert [got.get(n) for n in ("Cache-Control", "X-Content-Type-Options", "Referrer-Policy")] == [
        "no-store", "nosniff", "no-referrer"]
    assert TOKEN.encode() not in got.raw
    if got.get("Content-Type") == "text/event-stream":
        lines = got.body.split(b"\n")
        assert all(line.split(b":")[0] in (b"", b"id", b"event", b"data", b"retry") for line in lines)
        assert b"event: permission" not in lines
        assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f-\xff]", got.body)
        return
    assert len(got.body) == int(got.get("Content-Length"))
    if case["request"]["path"] != "/" or got.status != 200:
        assert not got.get("Content-Type").startswith("text/html")
    else:
        assert str(site.workspace).encode() not in got.body


def test_only_this_machine_can_connect(shared):
    address = shared.listener.socket.getsockname()
    assert (shared.listener.socket.family, address[0]) == (socket.AF_INET, "127.0.0.1")

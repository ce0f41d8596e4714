"""Which servers the real program contacts: every connection of a run is recorded.

What it takes for the usual address and ports is replaced in the child, so that nothing depends on
what listens on this machine.
"""

from __future__ import annotations

import json
import sys

import pytest

from tests.server import FakeServer, reply
from tests.ui.program import TOP, Program
from tests.ui.screen import Terminal

CHILD = """
import json, os, runpy, sys
program = sys.argv.pop(1)
sys.path.insert(0, os.path.dirname(program))
log = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
usual, ports = json.loads(sys.argv.pop(1))

def hook(event, args):
    if event == "socket.sendmsg" and args[1] is None:
        pass  # to whom it was connected before, or to a process of its own
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        os.write(log, (json.dumps([event, args[1]]) + "\\n").encode())
    elif event.startswith("socket.get"):
        os.write(log, (json.dumps([event, os.fsdecode(args[0] or "")]) + "\\n").encode())

sys.addaudithook(hook)
from clinkai.core.value import replace
from clinkai.harness import reach, settings
settings.TABLE = tuple(replace(setting, default=usual) if setting.name == "BASE_URL" else setting
                       for setting in settings.TABLE)
reach.PORTS = tuple(ports)
runpy.run_path(program, run_name="__main__")
"""


class Watched(Program):
    """The program, with the usual address and ports as given; `contacts` is what it contacted."""

    def __init__(self, folder, usual: str, *servers: FakeServer) -> None:
        super().__init__(folder)
        self._log = folder / "contacts"
        self._usual = json.dumps([usual, [server.port for server in servers]])

    def argv(self, *args: str) -> list[str]:
        return [sys.executable, "-S", "-c", CHILD, str(TOP / "clinkai.py"), str(self._log), self._usual, *args]

    @property
    def contacts(self) -> set[tuple]:
        """(event, host and port) each; for look-ups the name."""
        found = map(json.loads, self._log.read_text().splitlines())
        return {(event, ":".join(map(str, to[:2])) if isinstance(to, list) else to)
                for event, to in found}


def connected(*servers) -> set[tuple]:
    """Connections to these, and nothing else."""
    return {("socket.connect", f"127.0.0.1:{server.port}") for server in servers}


@pytest.fixture
def gone():
    """A server that is no more."""
    with FakeServer() as server:
        pass
    return server


def a_day_of_work() -> list:
    """Answers that read, search, write and run something."""
    return [reply("", calls=[("write", {"path": "a.txt", "content": "see http://example.org/"})]),
            reply("", calls=[("read", {"path": "a.txt"}), ("grep", {"pattern": "http"})]),
            reply("", calls=[("bash", {"command": "cat a.txt"})]), reply("Done.")]


@pytest.mark.parametrize(("owner", "provider"), [
    ("llamacpp", "auto"),
    *(pytest.param(*which, marks=pytest.mark.slow)
      for which in ((None, "auto"), ("vllm", "openai"), ("koboldcpp", "auto"))),
])
def test_a_full_run_contacts_the_address_that_was_set_and_nothing_else(
        tmp_path, gone, owner, provider):
    with FakeServer(a_day_of_work(), owner=owner) as server, FakeServer() as other:
        program = Watched(tmp_path, gone.base_url, other)
        (program.workspace / "AGENTS.md").write_text("Look at http://example.org first.\n")
        program.setting(BASE_URL=server.base_url, PROVIDER=provider)
        ended = program.run("work")
        assert ended.code == 0 and "Done." in ended.out
        assert program.contacts == connected(server)
        assert other.requests == []


@pytest.mark.slow
def test_a_name_is_looked_up_where_the_address_has_one_and_no_other(tmp_path, gone):
    with FakeServer([reply("Hello.")]) as server:
        program = Watched(tmp_path, gone.base_url)
        program.setting(BASE_URL=server.base_url.replace("127.0.0.1", "localhost"), MODEL="local")
        assert program.run("hello").code == 0
        assert program.contacts - {("socket.connect", f"::1:{server.port}")} == {
            ("socket.getaddrinfo", "localhost"), *connected(server)}


@pytest.mark.slow
@pytest.mark.parametrize("command", [("doctor",), ("probe",), ("probe", "--models")])
def test_so_do_the_commands_that_look_at_a_server(tmp_path, gone, command):
    with FakeServer(lambda body: reply("ready"), owner="vllm") as server, FakeServer() as other:
        program = Watched(tmp_path, gone.base_url, other)
        program.setting(BASE_URL=server.base_url, MODEL="local").run(*command)
        assert program.contacts == connected(server)
        if command == ("doctor",):
            assert "vLLM" in program.run("doctor").out


def test_an_address_that_was_set_and_does_not_answer_is_error_3(tmp_path, gone):
    with FakeServer() as other:
        program = Watched(tmp_path, other.base_url, other)
        for task in (("hello",), ("hello", "--model", "local")):
            ended = program.setting(BASE_URL=gone.base_url).run(*task)
            assert ended.code == 3 and f"127.0.0.1:{gone.port}" in ended.err
        assert program.contacts == connected(gone)
        assert other.requests == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_server_on_this_machine_is_used_and_named(tmp_path, gone, lang):
    with FakeServer([reply("Hello.")], owner="vllm") as server:
        program = Watched(tmp_path, gone.base_url, gone, server).setting(LANG=lang)
        ended = program.run("hello")
        assert ended.code == 0 and "Hello." in ended.out
        assert gone.base_url in ended.err and f"CLINKAI_BASE_URL={server.base_url}" in ended.err
        assert f"{server.base_url} (vLLM)" in ended.err
        assert program.contacts == connected(gone, server)
        [path] = program.sessions
        assert json.loads(path.read_text().splitlines()[0])["provider"] == "openai"


@pytest.mark.slow
def test_the_notice_is_an_event(tmp_path, gone):
    with FakeServer([reply("Hello.")], owner="vllm") as server:
        ended = Watched(tmp_path, gone.base_url, server).run("hello", "--json")
    first = json.loads(ended.out.splitlines()[0])
    assert (first["type"], first["key"]) == ("notice", "notice.server.found")


def test_no_server_on_this_machine_is_error_3_that_says_where_was_looked(tmp_path, gone):
    program = Watched(tmp_path, gone.base_url, gone)
    for task in (("hello",), ("hello", "--model", "local")):
        ended = program.run(*task)
        assert ended.code == 3 and gone.base_url in ended.err
        assert f"ports {gone.port}" in ended.err and "CLINKAI_BASE_URL" in ended.err
    assert program.contacts == connected(gone)
    assert program.sessions == []


@pytest.mark.slow
def test_doctor_looks_at_the_server_that_a_run_would_use(tmp_path, gone):
    with FakeServer(lambda body: reply("ready"), owner="vllm") as server:
        program = Watched(tmp_path, gone.base_url, gone, server)
        [found] = [check for check in json.loads(program.run("doctor", "--json").out)["checks"]
                   if check["id"] == "server"]
        assert found["status"] == "warn" and f"CLINKAI_BASE_URL={server.base_url}" in found["hint"]
        assert server.base_url in found["detail"] and "vLLM" in found["detail"]
    [found] = [check for check in json.loads(program.run("doctor", "--json").out)["checks"]
               if check["id"] == "server"]
    assert found["status"] == "fail" and f"ports {gone.port}, {server.port}" in found["hint"]


@pytest.mark.slow
def test_of_several_servers_a_person_chooses_one_for_good(tmp_path, gone):
    with FakeServer(owner="vllm") as one, FakeServer([reply("one"), reply("two")]) as two:
        program = Watched(tmp_path, gone.base_url, one, two)
        with Terminal(program, "hello") as terminal:
            terminal.expect("Which model server?", "(vLLM)  local", f"{two.port}/v1  local",
                            "Enter for none:")
            terminal.type("2\r")
            terminal.expect("one")
        ended = program.run("again")
        assert ended.code == 0 and f"{one.base_url} (vLLM)" in ended.err


@pytest.mark.slow
def test_ollama_is_spoken_with_in_its_own_way(tmp_path, gone):
    with FakeServer([reply("Hello.")], ollama=32768) as server:
        program = Watched(tmp_path, gone.base_url, server)
        ended = program.run("hello", "--model", "local")
        assert ended.code == 0 and "Hello." in ended.out
        assert [r.path for r in server.requests if r.method == "POST"][-1] == "/api/chat"
        assert program.contacts == connected(gone, server)
        [path] = program.sessions
        assert json.loads(path.read_text().splitlines()[0])["provider"] == "ollama"

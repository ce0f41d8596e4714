from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from clinkai.core.errors import ClinkError, UsageError
from eval.run import main
from eval.suite import load
from tests.eval.perfect import perfect
from tests.eval.test_suite import GOOD
from tests.server import Answer, FakeServer, error, reply
from tests.source import TOP

CORE = ("answer-about-file", "change-function", "create-file", "find-across-files", "run-command")


class Ran:
    """What a run left: exit code, what it printed, results.json."""

    def __init__(self, out, code: int, stdout: str, stderr: str) -> None:
        self.out, self.code, self.stdout, self.stderr = out, code, stdout, stderr
        self.results = json.loads((out / "results.json").read_text(encoding="utf-8"))

    @property
    def statuses(self) -> dict[str, list[str]]:
        return {task["id"]: [t["status"] for t in task["trials"]] for task in self.results["tasks"]}


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Run `eval` with a home of its own: play(server or None, *words) -> Ran."""
    monkeypatch.setenv("CLINKAI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLINKAI_LANG", "en")

    def run(server: FakeServer | None, *words: str) -> Ran:
        given = [f"--base-url={server.base_url}"] if server else []
        stdout, stderr = io.StringIO(), io.StringIO()
        out = tmp_path / "out"
        code = main([*words, *given, f"--out={out}"], stdout=stdout, stderr=stderr)
        return Ran(out, code, stdout.getvalue(), stderr.getvalue())

    return run


def own_task(tmp_path, **changes: str):
    """A folder with one task that wants nothing but an answer."""
    folder = tmp_path / "tasks/t"
    (folder / "workspace").mkdir(parents=True)
    text = GOOD.decode()
    for field, value in changes.items():
        lines = [f"{field} = {value}" if line.startswith(f"{field} =") else line
                 for line in text.split("\n")]
        text = "\n".join(lines)
    (folder / "task.toml").write_text(text, encoding="utf-8")
    return f"--tasks={tmp_path / 'tasks'}"


@pytest.mark.slow
def test_a_perfect_model_passes_every_task(play):
    with FakeServer(perfect(load())) as server:
        ran = play(server, "--repeat", "2", "--jobs", "2")
    assert ran.code == 0, ran.stderr
    assert ran.statuses == {task: ["pass", "pass"] for task in CORE}
    totals = ran.results["totals"]
    assert (totals["n"], totals["passed"], totals["pass_at_1"], totals["pass_hat_k"]) == (
        10, 10, 1.0, 1.0)
    assert ran.results["invalid"] is False
    assert ran.results["model"]["id"] == "local"
    assert ran.results["model"]["base_url_kind"] == "loopback"
    assert ran.results["model"]["n_ctx"] == 16384
    assert len(ran.results["agent"]["prompt_sha"]) == 64
    assert "10 of 10 trials passed" in ran.stdout


@pytest.mark.slow
def test_a_trial_keeps_what_happened(play):
    with FakeServer(perfect(load())) as server:
        ran = play(server, "--only", "change", "--repeat", "1")
    unit = ran.out / "units/change-function/1"
    assert sorted(os.listdir(unit)) == ["diff.patch", "events.jsonl", "result.json",
                                        "session.jsonl", "stderr", "stdout"]
    kept = json.loads((unit / "result.json").read_text())
    [trial] = ran.results["tasks"][0]["trials"]
    assert {k: v for k, v in kept.items() if k != "unit_digest"} == trial
    events = [json.loads(line) for line in (unit / "events.jsonl").read_text().splitlines()]
    assert (events[0]["type"], events[-1]["type"]) == ("run.start", "run.end")
    assert (unit / "diff.patch").read_text().startswith("--- a/src/names.py\n+++ b/src/names.py\n")
    assert trial["rounds"] == 3
    assert trial["tool_calls"] == {"edit": 1, "read": 1}
    assert (trial["tool_errors"], trial["denied"], trial["breakers"]) == (0, 0, [])
    assert (trial["changed_files"], trial["lines_added"], trial["lines_removed"]) == (
        ["src/names.py"], 2, 1)
    assert 0 < trial["cache_hit"] < 1
    assert trial["reprocessed"] == trial["usage"]["prompt"] - trial["usage"]["cached"]


@pytest.mark.slow
def test_a_model_that_only_talks_fails_and_the_run_is_valid(play):
    with FakeServer(lambda body: reply("I would rather not.")) as server:
        ran = play(server, "--repeat", "1", "--only", "answer|create")
    assert ran.code == 0
    assert ran.statuses == {"answer-about-file": ["fail"], "create-file": ["fail"]}
    assert "FAIL" in ran.stderr and "the answer does not match: I would rather not." in ran.stderr


@pytest.mark.slow
def test_the_demo_provider_shows_that_the_machinery_runs(play):
    ran = play(None, "--provider", "demo", "--repeat", "1")
    assert ran.code == 0, ran.stderr
    assert {s for row in ran.statuses.values() for s in row} <= {"pass", "fail"}
    assert ran.results["model"]["base_url_kind"] is None
    assert "scripted stand-in" in ran.stderr


@pytest.mark.slow
def test_tasks_can_be_asked_in_chinese(play):
    with FakeServer(perfect(load())) as server:
        ran = play(server, "--lang", "zh", "--only", "create", "--repeat", "1")
        prompt = server.chats[0].json["messages"][1]["content"]
    assert ran.statuses == {"create-file": ["pass"]}
    assert prompt.startswith("请创建文件")
    assert "1 次试验通过 1 次" in ran.stdout


@pytest.mark.slow
def test_a_second_turn_resumes_the_session(play, tmp_path):
    tasks = own_task(
        tmp_path, turn='[{en = "one", zh = "one"}, {en = "two", zh = "two"}]',
        solution='[{calls = [], text = "first"}, {calls = [], text = "second"}]',
        check='[{kind = "final_text", regex = "^second$"}]')
    with FakeServer([reply("first"), reply("second")]) as server:
        ran = play(server, tasks, "--repeat", "1")
        roles = [m["role"] for m in server.chats[1].json["messages"]]
    assert ran.statuses == {"t": ["pass"]}
    assert roles == ["system", "user", "assistant", "user"]


@pytest.mark.slow
def test_the_time_limit_of_a_task_is_a_failure_of_the_model(play, tmp_path):
    with FakeServer([Answer([": wait\n\n"], end="stall")]) as server:
        ran = play(server, own_task(tmp_path, seconds="5"), "--repeat", "1")
        assert server.chats[0].gone.wait(10)
    assert (ran.code, ran.statuses) == (0, {"t": ["timeout"]})
    assert ran.results["tasks"][0]["pass_at_1"] == 0.0
    assert ran.results["tasks"][0]["trials"][0]["exit_code"] is None


@pytest.mark.slow
def test_a_server_that_dies_breaks_the_run_off(play, tmp_path):
    dead = threading.Event()

    def answer(body: dict) -> object:
        if len(server.chats) == 2:
            threading.Thread(target=lambda: (server.close(), dead.set())).start()
            return Answer([": wait\n\n"], end="stall")
        return reply("done")

    with FakeServer(answer) as server:
        ran = play(server, own_task(tmp_path), "--repeat", "4")
        assert dead.wait(10)
    assert ran.code == 3
    assert ran.statuses == {"t": ["pass", "error"]}
    assert (ran.results["invalid"], ran.results["totals"]["n"]) == (True, 1)
    assert "no longer answers" in ran.stderr


@pytest.mark.slow
def test_errors_of_the_server_are_not_the_models(play, tmp_path):
    answers = [reply("done"), error(401, {"error": {"message": "no key"}}), reply("done")]
    with FakeServer(answers) as server:
        ran = play(server, own_task(tmp_path), "--repeat", "3")
    assert ran.statuses == {"t": ["pass", "error", "pass"]}
    assert (ran.code, ran.results["invalid"]) == (3, True)
    assert ran.results["tasks"][0]["n"] == 2


def test_a_task_that_needs_a_larger_window_is_skipped(play, tmp_path):
    with FakeServer([], n_ctx=4096) as server:
        ran = play(server, own_task(tmp_path, context_needed="8000"), "--repeat", "1")
    assert ran.statuses == {"t": ["skipped"]}
    assert "needs a context of 8000 tokens, the server has 4096" in ran.stderr
    assert ran.results["invalid"] is True


def test_a_server_that_is_not_there_is_an_error_at_once(play):
    with FakeServer() as server:
        pass
    with pytest.raises(ClinkError) as caught:
        play(server)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(("words", "key"), [
    (["--repeat", "0"], "eval.error.number"), (["--repeat=x"], "eval.error.number"),
    (["--only", "("], "eval.error.regex"), (["--only", "zzz"], "eval.error.nothing"),
    (["--jobs"], "eval.error.value"), (["--bogus"], "eval.error.option"),
    (["walk"], "eval.error.option"), (["--verbose=1"], "eval.error.option"),
])
def test_a_wrong_command_line_is_refused(play, words, key):
    with pytest.raises(UsageError) as caught:
        play(None, "--provider", "demo", *words)
    assert caught.value.key == key


def test_results_of_an_earlier_run_are_never_written_over(play, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/results.json").write_text("mine")
    with pytest.raises(UsageError) as caught:
        play(None, "--provider", "demo")
    assert caught.value.key == "eval.error.out"
    assert (tmp_path / "out/results.json").read_text() == "mine"


@pytest.mark.slow
def test_without_out_results_go_to_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CLINKAI_HOME", str(tmp_path / "home"))
    stdout = io.StringIO()
    code = main(["--provider", "demo", "--only", "create", "--repeat", "1", "--lang", "en"],
                stdout=stdout, stderr=io.StringIO())
    [folder] = (tmp_path / "home/eval").iterdir()
    assert code == 0
    assert f"Results: {folder / 'results.json'}" in stdout.getvalue()


def test_as_json_the_results_are_all_of_the_output(tmp_path):
    stdout, stderr = io.StringIO(), io.StringIO()
    code = main(["--provider=demo", "--only=create", "--repeat=1", "--lang=zh", "--json",
                 f"--out={tmp_path}"], stdout=stdout, stderr=stderr)
    assert code == 0 and stdout.getvalue().isascii()
    assert json.loads(stdout.getvalue()) == json.loads((tmp_path / "results.json").read_text())
    assert str(tmp_path / "results.json") in stderr.getvalue()


def test_the_list_and_the_check_come_as_json_too():
    found = []
    for words in (["--list"], ["check"]):
        stdout = io.StringIO()
        assert main([*words, "--json", "--only=create", "--lang=zh"], stdout=stdout,
                    stderr=io.StringIO()) == 0
        assert stdout.getvalue().isascii()
        found += json.loads(stdout.getvalue())["tasks"]
    assert found == [{"name": "core/create-file", "level": 1, "policy": "usually",
                      "title": "创建一个文件"}, {"name": "core/create-file", "problems": []}]


def test_the_tasks_can_be_listed(capsys):
    stdout = io.StringIO()
    assert main(["--list", "--lang=en"], stdout=stdout, stderr=io.StringIO()) == 0
    assert stdout.getvalue().splitlines()[0] == (
        "core/answer-about-file  level 1, usually: Answer a question about a file")


@pytest.mark.slow
def test_two_signals_stop_a_run_and_what_is_done_is_kept(tmp_path):
    stalled = threading.Event()
    answers = [reply("done"), Answer([stalled.set, ": wait\n\n"], end="stall")]
    with FakeServer(answers) as server:
        words = [f"--base-url={server.base_url}", own_task(tmp_path), f"--out={tmp_path / 'out'}"]
        child = subprocess.Popen(
            [sys.executable, str(TOP / "clinkai.py"), "eval", *words], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "CLINKAI_HOME": str(tmp_path / "home"), "CLINKAI_LANG": "en"})
        assert stalled.wait(60)
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGINT)
        stdout, _ = child.communicate(timeout=60)
    ran = Ran(tmp_path / "out", child.returncode, stdout, "")
    assert ran.code in (130, 143)
    assert (ran.statuses, ran.results["invalid"]) == ({"t": ["pass"]}, True)
    assert "1 of 1 trials passed" in ran.stdout


@pytest.mark.slow
def test_the_suite_runs_from_a_single_file_in_another_folder(tmp_path):
    built = tmp_path / "clinkai.pyz"
    env = {**os.environ, "CLINKAI_HOME": str(tmp_path / "home"), "CLINKAI_LANG": "en"}
    subprocess.run([sys.executable, str(TOP / "clinkai.py"), "build", "-o", str(built)], env=env,
                   check=True, stdout=subprocess.DEVNULL)
    with FakeServer(perfect(load())) as server:
        done = subprocess.run(
            [sys.executable, str(built), "eval", "--only", "change", "--repeat", "1",
             f"--base-url={server.base_url}", f"--out={tmp_path / 'out'}"],
            env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "1 of 1 trials passed" in done.stdout

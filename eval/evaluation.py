"""One run of the suite: its trials in threads, results.json, the summary.

Covered: trials at the same time in folders of their own, a server that goes away (the run is
broken off at once), Ctrl+C (what is done is kept).
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clinkai.core.cancel import Cancel
from clinkai.core.errors import DEFECT, SERVER, USAGE, MachineError, UsageError
from clinkai.core.text import duration, first_line
from clinkai.core.value import Value
from clinkai.harness.home import absolute
from clinkai.ui.signals import CODES
from eval import facts, report, trial, world

if TYPE_CHECKING:
    from queue import SimpleQueue
    from typing import TextIO

    from eval.options import Options
    from eval.suite import Task

DEMO_MODEL = "demo"


class Unit(Value):
    """The k-th trial of a task, from 1."""

    task: Task
    k: int

    @property
    def key(self) -> str:
        """task#k."""
        return f"{self.task.id}#{self.k}"


class Evaluation:
    """See the module. settings: of the agent under test; stderr: for progress."""

    def __init__(self, tasks: tuple, options: Options, settings: object, stderr: TextIO) -> None:
        self.tasks = tasks
        self.options = options
        self.settings = settings
        self.say = settings.say
        self.stderr = stderr
        self.server = None if settings.provider == "demo" else world.Server(settings)
        self.trials: dict[str, list[dict]] = {task.id: [] for task in tasks}
        self.cancel = Cancel()
        self.n_ctx: int | None = None
        self.gone = False
        self.stopped = 0
        """The exit code of the signal that stopped the run."""

    def run(self, stdout: TextIO) -> int:
        """Play all trials, write results.json, print the summary; the exit code. Raises members
        of the error tree for what prevents a start."""
        settings = self.settings
        model = self.server.choose_model(settings) if self.server else DEMO_MODEL
        about = facts.model(settings, model, self.server)
        self.n_ctx = about["n_ctx"]
        made = report.Facts(facts.agent(settings), about, facts.machine(), _now())
        selection = facts.digest(settings.lang, *((task.id, task.digest) for task in self.tasks))
        source = facts.digest(facts.source_digest(), made.agent, about, settings.lang)
        out = new_folder(self.options.out, settings.home)
        own_cap = settings.sources["max_rounds"] != "default"
        plan = trial.Plan(
            agent=world.agent_command(), env=world.agent_env(settings, model), out=out,
            rounds=settings.max_rounds if own_cap else None, lang=settings.lang,
            digest=lambda task: facts.digest(source, task.digest), alive=self.alive,
        )
        self.announce(model, out, about["slots"])
        self.play(plan)
        made.agent["prompt_sha"] = facts.prompt_sha(out)
        digests = (facts.digest(selection, source, self.options.repeat), selection)
        body = report.results(
            report.Run(self.tasks, self.trials, self.options.repeat, digests), made)
        path = os.path.join(out, "results.json")
        with writing():
            trial.replace_file(path, json.dumps(body, ensure_ascii=False, indent=1) + "\n")
        told = self.stderr if self.options.json else stdout
        told.write(report.table(body, self.say))
        told.write(self.say("eval.run.results", path=path) + "\n")
        if self.options.json:
            stdout.write(json.dumps(body) + "\n")
        return self.verdict(body, out)

    def announce(self, model: str, out: str, slots: int | None) -> None:
        """Say what is about to happen."""
        self.tell("eval.run.start", tasks=len(self.tasks), repeat=self.options.repeat, model=model,
                  out=out)
        if self.server is None:
            self.tell("eval.run.demo")
        if slots and slots < self.options.jobs:
            self.tell("eval.run.jobs", slots=slots, jobs=self.options.jobs)

    def play(self, plan: trial.Plan) -> None:
        """Run every unit, `--jobs` at a time; results go to `trials`. The main thread only waits
        for news: a finished trial, or the exit code of a signal that wants us to stop."""
        from concurrent.futures import ThreadPoolExecutor
        from queue import SimpleQueue

        units = [Unit(task, k) for task in self.tasks for k in range(1, self.options.repeat + 1)]
        news: SimpleQueue = SimpleQueue()
        slots: SimpleQueue = SimpleQueue()
        with temporary_folder() as top, signals_to(news):
            for number in range(self.options.jobs):
                slots.put(os.path.join(top, str(number)))
            with ThreadPoolExecutor(self.options.jobs) as pool:
                for unit in units:
                    pool.submit(self.one, unit, slots, plan).add_done_callback(news.put)
                try:
                    for number in range(1, len(units) + 1):
                        self.take(news, f"{number}/{len(units)}", plan)
                        if self.gone or self.stopped:
                            self.tell("eval.run.stopped" if self.stopped else "eval.run.gone")
                            break
                finally:
                    self.cancel.set()
                    pool.shutdown(wait=False, cancel_futures=True)

    def take(self, news: SimpleQueue, number: str, plan: trial.Plan) -> None:
        """Wait for the next news and act on it. Raises MachineError where a trial could not be
        kept on disk."""
        found = wait_for(news)
        if isinstance(found, int):
            self.stopped = found
        else:
            unit, entry = found.result()
            self.finish(unit, entry, number, plan)

    def one(self, unit: Unit, slots: SimpleQueue, plan: trial.Plan) -> tuple[Unit, dict]:
        """One unit, in a worker thread, and its entry."""
        if self.n_ctx and self.n_ctx < unit.task.context_needed:
            return unit, trial.skipped(unit.k)
        slot = slots.get()
        try:
            with writing():
                return unit, trial.run_trial(unit.task, unit.k, slot, plan, self.cancel)
        finally:
            slots.put(slot)

    def finish(self, unit: Unit, entry: dict, number: str, plan: trial.Plan) -> None:
        """Keep one entry and say how it went."""
        self.trials[unit.task.id].append(entry)
        why = ""
        if entry["status"] == trial.SKIPPED:
            why = self.say("eval.why.skipped", needed=unit.task.context_needed, n_ctx=self.n_ctx)
        elif entry["status"] == trial.ERROR:
            self.gone = entry["exit_code"] in (SERVER, None) and not self.alive()
            last = _last_words(os.path.join(plan.out, "units", unit.task.id, str(unit.k), "stderr"))
            why = self.say("eval.why.gone") if self.gone else self.say(
                "eval.why.exit", code=entry["exit_code"], last=last)
        else:
            why = "; ".join(c["detail"] for c in entry["checks"] if not c["ok"])
        self.tell("eval.run.trial", number=number, unit=unit.key, why=f"  {why}" if why else "",
                  status=self.say(f"eval.status.{entry['status']}"),
                  time=duration(entry["seconds"] * 1000))

    def alive(self) -> bool:
        """False where the model server is gone."""
        return self.server is None or self.server.alive()

    def verdict(self, body: dict, out: str) -> int:
        """The exit code of a run; says so where it is not valid."""
        if self.stopped:
            return self.stopped
        if not body["invalid"]:
            return 0
        planned = len(self.tasks) * self.options.repeat
        total = body["totals"]
        self.tell("eval.run.invalid", errors=total["errors"], planned=planned, out=out,
                  missing=planned - total["trials"])
        codes = {t["exit_code"] for task in body["tasks"] for t in task["trials"]
                 if t["status"] == trial.ERROR}
        if self.gone or codes == {SERVER}:
            return SERVER
        return USAGE if codes <= {USAGE, SERVER} else DEFECT

    def tell(self, key: str, **params: object) -> None:
        """One line of progress."""
        self.stderr.write(self.say(key, **params) + "\n")
        self.stderr.flush()


@contextmanager
def signals_to(news: SimpleQueue) -> Iterator[None]:
    """Within the block a signal to stop is news instead of an exception. Often two come at once
    (`timeout` sends one to us and one to our group); an exception could then interrupt the very
    lines that end the trials."""
    import signal
    import threading

    before = {}
    if threading.current_thread() is threading.main_thread():
        for name, code in CODES.items():
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, lambda *_, code=code: news.put(code))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def wait_for(news: SimpleQueue) -> object:
    """The next news. Looks up now and then: on Windows a waiting thread sees no Ctrl+C."""
    from queue import Empty

    while True:
        try:
            return news.get(timeout=1.0)
        except Empty:
            continue


def new_folder(wanted: str, home: str) -> str:
    """The output folder, made: `wanted` (empty or new), else a new one below the home folder.
    Raises UsageError, MachineError."""
    if wanted:
        path = absolute(wanted)
        with writing():
            os.makedirs(path, exist_ok=True)
            if os.listdir(path):
                raise UsageError("eval.error.out", path=path)
        return path
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    top = os.path.join(home, "eval")
    with writing():
        os.makedirs(top, exist_ok=True)
        return tempfile.mkdtemp(prefix=stamp + "-", dir=top)


@contextmanager
def writing() -> Iterator[None]:
    """What the disk refuses becomes a MachineError."""
    try:
        yield
    except OSError as error:
        raise MachineError("eval.error.write", why=str(error)) from error


@contextmanager
def temporary_folder() -> Iterator[str]:
    """A folder by its real path, gone afterwards."""
    with writing():
        path = os.path.realpath(tempfile.mkdtemp(prefix="clinkai-eval-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _last_words(path: str) -> str:
    """The end of what the agent said on standard error: an error and what to do about it."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file.read()[-4096:].splitlines() if line.strip()]
    except OSError:
        return ""
    return first_line(" ".join(lines[-2:]), 300)

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
from clinkai.core.errors import DEFECT, INTERRUPTED, SERVER, USAGE, MachineError, UsageError
from clinkai.core.text import duration, first_line
from clinkai.core.value import Value
from clinkai.ui.signals import Stopped
from eval import facts, report, trial, world

if TYPE_CHECKING:
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
        stdout.write(report.table(body, self.say))
        stdout.write(self.say("eval.run.results", path=path) + "\n")
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
        """Run every unit, `--jobs` at a time; results go to `trials`."""
        from concurrent.futures import ThreadPoolExecutor, as_completed
        from queue import SimpleQueue

        units = [Unit(task, k) for task in self.tasks for k in range(1, self.options.repeat + 1)]
        slots: SimpleQueue[str] = SimpleQueue()
        with temporary_folder() as top:
            for number in range(self.options.jobs):
                slots.put(os.path.join(top, str(number)))
            pool = ThreadPoolExecutor(self.options.jobs)
            waiting = {pool.submit(self.one, unit, slots, plan): unit for unit in units}
            try:
                for number, future in enumerate(as_completed(waiting), 1):
                    self.finish(waiting[future], future.result(), f"{number}/{len(units)}", plan)
                    if self.gone:
                        self.tell("eval.run.gone")
                        break
            except (KeyboardInterrupt, Stopped) as stop:
                self.stopped = getattr(stop, "code", INTERRUPTED)
                self.tell("eval.run.stopped")
            finally:
                self.cancel.set()
                pool.shutdown(wait=True, cancel_futures=True)

    def one(self, unit: Unit, slots: object, plan: trial.Plan) -> dict:
        """One unit, in a worker thread."""
        if self.n_ctx and self.n_ctx < unit.task.context_needed:
            return trial.skipped(unit.k)
        slot = slots.get()
        try:
            with writing():
                return trial.run_trial(unit.task, unit.k, slot, plan, self.cancel)
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


def new_folder(wanted: str, home: str) -> str:
    """The output folder, made: `wanted` (empty or new), else a new one below the home folder.
    Raises UsageError, MachineError."""
    if wanted:
        path = os.path.abspath(wanted)
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

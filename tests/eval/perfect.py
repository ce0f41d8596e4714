"""A model that solves the tasks: answers each request as the task's own solution says."""

from __future__ import annotations

from collections.abc import Callable

from eval.suite import Task
from tests.server import reply


def perfect(tasks: list[Task]) -> Callable[[dict], object]:
    """A script for FakeServer. It knows a task by its prompt, and where it stands by the messages
    after the newest prompt; so it may serve several trials at once."""
    steps = {turn[lang]: (task, number) for task in tasks for number, turn in enumerate(task.turns)
             for lang in turn}

    def answer(body: dict) -> object:
        messages = body["messages"]
        asked = max(i for i, m in enumerate(messages) if m["role"] == "user")
        task, number = next(steps[p] for p in steps if messages[asked]["content"].startswith(p))
        step = task.solution[number]
        done = sum(m["role"] == "tool" for m in messages[asked:])
        if done < len(step.calls):
            return reply(calls=[step.calls[done]])
        return reply(step.text)

    return answer

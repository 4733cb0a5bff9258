"""The filter of tasks that holds on every page: words that name, operator or shapes have to contain."""

from __future__ import annotations

from collections.abc import Sequence

from pruner_engine import units
from pruner_engine.store.reader import Row


def arguments(task: Row) -> str:
    """Shapes of a kernel's arguments, output last."""
    *inputs, output = [units.shape(spec["shape"]) for spec in task["shapes"]] or [""]
    return f"{', '.join(inputs)} → {output}"


def matches(task: Row, words: str) -> bool:
    """Whether name, operator or shapes of a task hold every word."""
    searched = f"{task['name']} {task['op']} {arguments(task)}".lower()
    return all(word in searched for word in words.lower().split())


def narrowed(tasks: Sequence[Row], words: str) -> list[Row]:
    """The tasks that hold every word; all without any."""
    return [task for task in tasks if matches(task, words)] if words.strip() else list(tasks)

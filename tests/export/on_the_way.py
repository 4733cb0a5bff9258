"""A model on its way into a bundle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pruner_engine.export import export_bundle
from pruner_engine.export.tuned import TunedModel
from pruner_engine.frontends import LoadedModel, load_model
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.task import TuningTask
from schedules import CPU, database_with


@dataclass
class Work:
    """A model on its way into a bundle."""

    model: LoadedModel
    prepared: Any
    tasks: list[TuningTask]
    database: Any

    def tuned(self, database: Any = None, untuned: dict[str, float] | None = None) -> TunedModel:
        database = self.database if database is None else database
        return TunedModel(self.model, self.prepared, CPU, self.tasks, database, untuned or {}, own_threads=2)

    def partly_tuned(self) -> TunedModel:
        """The first task has no record, that of the second is slower than the untuned kernel."""
        untuned = {task.hash: 1e-9 if task is self.tasks[1] else 1.0 for task in self.tasks}
        return self.tuned(database_with(self.tasks[1:]), untuned)

    def export(self, out: Path, database: Any = None, *, on_phase: Any = lambda *_: None) -> dict[str, Any]:
        return export_bundle(self.tuned(database), out, {"run": 7}, on_phase, repeats=2)


def work_on(path: Path) -> Work:
    """A model file on its way, with a random schedule of each task."""
    model = load_model(str(path))
    prepared = prepare(model.mod, CPU)
    tasks = extract_tasks(prepared, CPU)
    return Work(model, prepared, tasks, database_with(tasks))

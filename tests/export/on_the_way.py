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

    def export(
        self, out: Path, *of: Any, on_phase: Any = lambda *_: None, weights_beside: bool = False, **more: Any
    ) -> dict[str, Any]:
        tuned = self.tuned(*of, **more)
        return export_bundle(tuned, out, {"run": 7}, on_phase, weights_beside=weights_beside, repeats=2)


def work_on(path: Path) -> Work:
    """A model file on its way, with a random schedule of each task."""
    model = load_model(str(path))
    prepared = prepare(model.mod, CPU)
    tasks = extract_tasks(prepared, CPU)
    return Work(model, prepared, tasks, database_with(tasks))

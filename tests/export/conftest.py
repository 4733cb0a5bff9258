"""A bundle to look at, written once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from models import write_onnx

from pruner_engine.export import export_bundle
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

    def export(self, out: Path, database: Any = None, **options: Any) -> dict[str, Any]:
        return export_bundle(
            self.model,
            self.prepared,
            CPU,
            self.tasks,
            database or self.database,
            out,
            {"run": 7},
            threads=2,
            repeats=2,
            **options,
        )


@pytest.fixture(scope="session")
def work(tmp_path_factory) -> Work:
    model = load_model(str(write_onnx(tmp_path_factory.mktemp("model") / "classifier.onnx")))
    prepared = prepare(model.mod, CPU)
    tasks = extract_tasks(prepared, CPU)
    return Work(model, prepared, tasks, database_with(tasks))


@pytest.fixture(scope="session")
def bundle(work, tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    """A folder and its metadata; not to be written to."""
    out = tmp_path_factory.mktemp("out") / "bundle"
    return out, work.export(out)

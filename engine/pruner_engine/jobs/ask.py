"""Short questions to the engine: what a model wants, what a schedule looks like, what if a decision were another."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from pruner_engine.draft import analyzer_for
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.errors import UserError
from pruner_engine.frontends import check_model as look_at
from pruner_engine.inspect import texts_of
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.messages import CheckModel, Inspect, Inspected, WhatIf, WhatIfScore
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.store.reader import ProjectReader
from pruner_engine.store.work import task_of
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.task import TuningTask

_BEST = (
    "SELECT candidate_id AS id FROM measurements WHERE task_id = ? AND stage = 'ok' AND censored = 0"
    " ORDER BY seconds LIMIT 1"
)


def check_model(command: CheckModel, job: JobContext) -> None:
    job.emit(look_at(command.model, allow_code=command.allow_code))


def _task(reader: ProjectReader, task_id: int) -> tuple[dict[str, Any], TuningTask]:
    row = reader.one(
        "SELECT k.*, t.text AS target, t.profile FROM tasks k JOIN targets t ON t.id = k.target_id WHERE k.id = ?",
        (task_id,),
    )
    if row is None:
        raise UserError(f"The project holds no task {task_id}.", "`pruner tasks` lists them.")
    return row, task_of({**row, "shapes": json.dumps(row["shapes"])})


def inspect(command: Inspect, job: JobContext) -> None:
    """Texts of a candidate; of the task's best when none is named, of the untuned kernel when there is no best."""
    with ProjectReader(command.project) as reader:
        row, task = _task(reader, command.task_id)
        candidate_id = command.candidate_id
        if candidate_id is None:
            best = reader.one(_BEST, (command.task_id,))
            candidate_id = None if best is None else best["id"]
        trace = None
        if candidate_id is not None:
            trace = _trace_of(reader, command.task_id, candidate_id)
    target = resolve_target(row["target"])
    texts = texts_of(task, target, trace, command.forms)
    job.emit(Inspected(request=command.request, candidate_id=candidate_id, texts=texts))


def _trace_of(reader: ProjectReader, task_id: int, candidate_id: int) -> str:
    row = reader.candidate(candidate_id)
    if row is None or row["task_id"] != task_id:
        hint = "`pruner inspect` without --candidate shows the best."
        raise UserError(f"The task has no candidate {candidate_id}.", hint)
    trace = reader.trace(candidate_id)
    if trace is None:
        raise UserError(f"The trace of candidate {candidate_id} was not kept.", "Choose a measured candidate.")
    return trace


class _WhatIfCache:
    """The design space and analyzer of the task that a user plays with: an answer must follow a slider."""

    def __init__(self) -> None:
        self.key: tuple[str, int] | None = None
        self.space: DesignSpace | None = None
        self.analyzer: Analyzer | None = None
        self.sketches: dict[int, str] = {}

    def load(self, project: str, task_id: int) -> None:
        if self.key == (project, task_id):
            return
        with ProjectReader(project) as reader:
            row, task = _task(reader, task_id)
            self.sketches = {s["id"]: s["hash"] for s in reader.sketches(task_id)}
        self.space = DesignSpace.generate(task, resolve_target(row["target"]))
        self.analyzer = analyzer_for(self.space, DeviceProfile.from_json(row["profile"]))
        self.key = (project, task_id)


_cache = _WhatIfCache()


def what_if(command: WhatIf, job: JobContext) -> None:
    """Score of one edited row of decisions, with its parts."""
    _cache.load(command.project, command.task_id)
    assert _cache.space is not None and _cache.analyzer is not None
    digest = _cache.sketches.get(command.sketch_id)
    sketch = next((s for s in _cache.space.sketches if s.hash == digest), None)
    if sketch is None:
        raise UserError(f"The task has no sketch {command.sketch_id}.", "Open the project again.")
    try:
        row = sketch.from_json(command.decisions)
    except (ValueError, IndexError, TypeError) as error:
        raise UserError(
            f"These decisions do not fit the sketch: {error}.", "Tile factors must multiply to the loop's extent."
        ) from error
    found = _cache.analyzer.explain(sketch.index, row)
    valid = bool(found.valid and np.isfinite(found.latency_s))
    job.emit(
        WhatIfScore(
            request=command.request,
            score=-float(np.log2(found.latency_s)) if valid else 0.0,
            latency_s=float(found.latency_s) if valid else 0.0,
            valid=valid,
            symbols=found.symbols,
            penalties=found.penalties,
            times=found.times,
        )
    )

"""Ranks one row of decisions by the learned model of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.workbench import Workbench, workbench
from pruner_engine.protocol import Phase, Verified, Verify
from pruner_engine.search.plugin_values import features_of, scores_of
from pruner_engine.search.settings import SearchSettings
from pruner_engine.space.candidate import Candidate
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.queries.lookups import model_checkpoint
from pruner_engine.store.reader import ProjectReader
from pruner_engine.verify import create_model
from pruner_engine.verify.model import CostModel, Features

_COMPARED = 96  # measured candidates that the row is put among: each costs up to 20 ms to apply and featurise
_LEAST = 8  # of them that a model can be trained on here
_NEIGHBOURS = 5  # whose latencies tell what such a score is worth
_UNFIT = ("random",)  # models whose score says nothing of a candidate


def verify(command: Verify, job: JobContext) -> None:
    """The row's place among the run's measured candidates in the order of its model."""
    job.emit(Phase(name="verify"))
    bench = workbench(command.project, command.task_id)
    mine = bench.candidate(command.sketch_id, command.decisions)
    bench.apply(mine)
    with ProjectReader(command.project) as reader:
        run = reader.run(command.run_id)
        stored = model_checkpoint(reader, run["id"])
        rows = [row for row in reader.candidates(run["id"], command.task_id, measured=True) if _counts(row, mine)]
        rows = [row for row in rows if bench.holds(row["sketch_id"])]
    with making_sense(Path(command.project)):
        candidates, seconds = _compared(bench, rows)
        model, kept = _model(run, stored)
    features = features_of(model, bench.space, candidates) if candidates else []
    if kept is None:
        _train(model, bench, features, seconds)
    here = f"{len(features)} measurements of this task, just now"
    known = f"{kept['samples']} measurements of run {run['id']}" if kept and kept["samples"] else f"run {run['id']}"
    source = here if kept is None else known
    own = float(scores_of(model, features_of(model, bench.space, [mine]))[0])
    if not np.isfinite(own):
        raise UserError(
            f'The score that the cost model "{model.kind}" gives this schedule is no number.',
            "Ask with --run for the model of another run.",
        )
    scores = scores_of(model, features) if candidates else np.zeros(0)
    nearest = np.argsort(np.abs(scores - own), kind="stable")[:_NEIGHBOURS]
    job.emit(
        Verified(
            model=model.kind,
            learned_from=source,
            score=own,
            place=1 + int((scores > own).sum()),
            of=len(scores) + 1,
            like_s=float(np.median(seconds[nearest])) if len(nearest) else None,
        )
    )


def _counts(row: dict[str, Any], mine: Candidate) -> bool:
    return row["stage"] == "ok" and not row["censored"] and row["sketch_id"] is not None and row["hash"] != mine.hash


def _compared(bench: Workbench, rows: list[dict[str, Any]]) -> tuple[list[Candidate], np.ndarray]:
    """Measured candidates with their schedules, picked evenly over the range of latencies, and their seconds a call."""
    rows = sorted(rows, key=lambda row: row["seconds"])
    seconds: dict[str, float] = {}
    candidates = []
    for row in rows[:: max(1, -(-len(rows) // _COMPARED))]:
        candidate = bench.candidate(row["sketch_id"], row["decisions"])
        seconds[candidate.hash] = row["seconds"]
        candidates.append(candidate)
    valid = bench.space.materialise(candidates)
    return valid, np.array([seconds[candidate.hash] for candidate in valid], dtype=float)


def _model(run: dict[str, Any], stored: dict[str, Any] | None) -> tuple[CostModel, dict[str, Any] | None]:
    """The run's own model and how it was kept; a fresh default model and None where the run kept none of use."""
    if stored is None or stored["kind"] in _UNFIT:
        return create_model(SearchSettings().model, run["seed"]), None
    model = create_model(stored["kind"], run["seed"])
    model.from_bytes(stored["data"])
    return model, stored


def _train(model: CostModel, bench: Workbench, features: list[Features], seconds: np.ndarray) -> None:
    if len(features) < _LEAST:
        raise UserError(
            f"The run kept no model, and measured too few candidates of this task to train one on: {len(features)}.",
            f"Measure at least {_LEAST}.",
        )
    model.update({bench.task.hash: (features, seconds, np.zeros(len(features), dtype=bool))})

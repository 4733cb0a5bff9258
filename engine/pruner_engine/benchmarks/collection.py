"""Data sets of measured candidates: random ones and what the search finds, over models and targets, with features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from pruner_engine.benchmarks.series import WantedRun
from pruner_engine.benchmarks.workloads import Subject
from pruner_engine.jobs.runs.stored import stored_tasks
from pruner_engine.search.restore import trial_from_row
from pruner_engine.search.task_state import TaskState, Trial
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.store.file.read_only import Row
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.project import Project
from pruner_engine.targets.target import resolve_target, target_json, threads_of
from pruner_engine.verify import create_model
from pruner_engine.verify.dataset import DataSet, Record
from pruner_engine.verify.model import Features

# chance shows what is slow and why, the search what is fast: a model that ranks both needs both
STRATEGIES = ("random", "pruner")


def wanted_runs(
    project: Path,
    subjects: Sequence[Subject],
    targets: Sequence[str],
    *,
    trials_per_task: int,
    seed: int,
    settings: dict[str, Any],
    plugins: Sequence[str] = (),
) -> list[WantedRun]:
    """The runs that a data set is made of: for every model and target half of the trials by each strategy."""
    texts = [target_json(resolve_target(text)) for text in targets]
    share = {"trials_per_task": max(1, trials_per_task // len(STRATEGIES))}
    return [
        WantedRun(project, subject, text, strategy, seed, settings={**settings, **share}, plugins=tuple(plugins))
        for subject, text, strategy in product(subjects, texts, STRATEGIES)
    ]


def featurise(project: Project, on_task: Callable[[str, int, int], None]) -> DataSet:
    """A record per task and target of everything valid that the project's runs measured.

    Args:
        project: open; its sketches may be added to.
        on_task: called with a task's name, its place from 1, and how many there are.
    """
    rows = project.query(
        "SELECT k.*, t.text AS target, t.fingerprint FROM tasks k JOIN targets t ON t.id = k.target_id"
        " WHERE k.id IN (SELECT task_id FROM measurements WHERE stage = 'ok') ORDER BY k.id"
    )
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(f"{row['hash']} {row['fingerprint']} {row['target']}", []).append(row)
    data = DataSet()
    for place, (key, same) in enumerate(groups.items(), 1):
        on_task(str(same[0]["name"]), place, len(groups))
        record = _record(project, key, same)
        if len(record.group[0]):  # else nothing that was measured of it can be applied any more
            data.add(record)
    return data


def _record(project: Project, key: str, rows: Sequence[Row]) -> Record:
    """The record of one kernel, which may be a task of several models."""
    row = rows[0]
    (task,) = stored_tasks(project.path, [row])
    with making_sense(project.path):
        target = resolve_target(row["target"])
    space = DesignSpace.generate(task, target)
    state = TaskState(task, row["id"], space=space)
    trials: dict[str, Trial] = {}
    for same in rows:
        state.sketch_ids = project.work.add_sketches(same["id"], space.sketches)
        with making_sense(project.path):
            for trial in _valid_trials(project, same["id"], state):
                before = trials.get(trial.candidate.hash)
                if before is None or (before.result.censored and not trial.result.censored):
                    trials[trial.candidate.hash] = trial
    found, features = [], []
    models = create_model("pacm-draft"), create_model("tlp")
    for applied in space.materialise_in_batches([trial.candidate for trial in trials.values()], threads_of(target)):
        parts = [model.featurize(space, applied) for model in models] if applied else [[], []]
        features += [_joined(pacm, tlp) for pacm, tlp in zip(*parts, strict=True)]
        found += [trials[candidate.hash] for candidate in applied]
    seconds = np.array([trial.seconds for trial in found], np.float64)
    censored = np.array([trial.result.censored for trial in found], bool)
    return Record(key, task.name, task.op, row["target"], (features, seconds, censored))


def _valid_trials(project: Project, task_id: int, state: TaskState) -> Iterator[Trial]:
    runs = project.query("SELECT DISTINCT run_id FROM measurements WHERE task_id = ? ORDER BY run_id", (task_id,))
    for run in runs:
        for row in project.trials.measured(int(run["run_id"]), task_id):
            if row["stage"] == "ok":
                yield trial_from_row(row, state)


def _joined(pacm: Features, tlp: Features) -> Features:
    """Everything that any kind of model reads."""
    return replace(pacm, primitives=tlp.primitives)

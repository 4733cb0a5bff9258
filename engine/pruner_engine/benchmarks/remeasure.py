"""The candidates that were best at some point of a comparison's runs, timed again side by side.

A run keeps what looked fastest when it was measured. One run had a calm minute, another a busy one, and on a shared
machine that alone makes a fifth of a latency. So whatever was best at some point of a run is timed again together with
those of the other runs, turn by turn, and counts with its median.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from pruner_engine.benchmarks.again import Timed, read_timed, write_timed
from pruner_engine.benchmarks.curve import finished_runs
from pruner_engine.caches import Caches, caches_of
from pruner_engine.jobs.runs.measuring import measurer_for
from pruner_engine.jobs.workbench import stored_task
from pruner_engine.measure.types import MeasureInput
from pruner_engine.search.settings import SearchSettings, settings_from
from pruner_engine.space.schedule import schedule_of
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.reader import ProjectReader, Row
from pruner_engine.tasks.task import TuningTask


def time_again(project: Path, turns: int, on_phase: Callable[[str], None] = lambda text: None) -> None:
    """Time what was best at some point of the project's finished runs, unless that was done; written beside the file.

    Args:
        turns: in each all candidates of a task are timed once, in an order that changes.

    Raises:
        UserError: the candidates cannot be measured here.
    """
    with ProjectReader(project) as reader, making_sense(project):
        runs = finished_runs(reader)
        wanted = {key: trace for run in runs for key, trace in _bests(reader, run["id"]).items()}
        before = read_timed(project)
        if not wanted or (before and before.covers(turns, set(wanted))):
            return
        chosen = _by_settings(reader, runs, {task_id for task_id, _ in wanted})
        target = stored_task(reader, next(iter(wanted))[0])[2]  # of finished runs that compare it is the same
    timed: list[tuple[int, str, list[float]]] = []
    of, place = sum(len(tasks) for _, tasks in chosen), 0
    for settings, tasks in chosen:
        with measurer_for(target, settings) as measurer:
            for task_id, task in tasks.items():
                on_phase(f"{project.stem}: the best once more, task {(place := place + 1)} of {of}")
                keys = [key for of_task, key in wanted if of_task == task_id]
                inputs = [MeasureInput(key, schedule_of(task, target, wanted[task_id, key]).mod) for key in keys]
                found = measurer.in_turns(task, inputs, turns)
                timed += [(task_id, key, found.get(key, [])) for key in keys]
    write_timed(project, Timed(turns, timed))


def _by_settings(
    reader: ProjectReader, runs: Sequence[Row], wanted: set[int]
) -> list[tuple[SearchSettings, dict[int, TuningTask]]]:
    """The wanted tasks by id, each with the settings of the first run that has it.

    Caches are the same for all, or their latencies would not compare: where those of the runs differ, as in a network.
    """
    caches = {caches_of(run) for run in runs}
    same: Caches = caches.pop() if len(caches) == 1 else "network"
    left, found = set(wanted), []
    for run in runs:
        if ids := [task_id for task_id in reader.task_names(run["id"]) if task_id in left]:
            settings = settings_from(json.dumps(run["settings"]))
            settings = msgspec.structs.replace(settings, check="none", caches=same)
            found.append((settings, {task_id: stored_task(reader, task_id)[1] for task_id in ids}))
            left.difference_update(ids)
    return found


def _bests(reader: ProjectReader, run_id: int) -> dict[tuple[int, str], str]:
    """Traces of the candidates that were the fastest of their task when they were measured, by task and hash."""
    rows = reader.rows(
        "SELECT x.task_id, x.seconds, c.hash, c.trace FROM measurements x JOIN candidates c ON c.id = x.candidate_id"
        " WHERE x.run_id = ? AND x.stage = 'ok' AND x.censored = 0 ORDER BY x.id",
        (run_id,),
    )
    best: dict[int, float] = {}
    found = {}
    for row in rows:
        if row["seconds"] < best.get(row["task_id"], math.inf):
            best[row["task_id"]] = row["seconds"]
            found[row["task_id"], row["hash"]] = row["trace"]
    return found

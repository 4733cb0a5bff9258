"""The candidates that were best at some point of a comparison's runs, timed again side by side.

A run keeps what looked fastest when it was measured. One run had a calm minute, another a busy one, and on a shared
machine that alone makes a fifth of a latency. So whatever was best at some point of a run is timed again together with
those of the other runs, turn by turn, and counts with its median.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import msgspec

from pruner_engine.benchmarks.again import Timed, read_timed, write_timed
from pruner_engine.benchmarks.curve import finished_runs
from pruner_engine.jobs.measuring import measurer_for
from pruner_engine.jobs.workbench import stored_task
from pruner_engine.measure.types import MeasureInput
from pruner_engine.search.settings import settings_from
from pruner_engine.space.schedule import schedule_of
from pruner_engine.store.reader import ProjectReader
from pruner_engine.store.reading import making_sense


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
        tasks = {task_id: stored_task(reader, task_id) for task_id, _ in wanted}
    target = next(iter(tasks.values()))[2]  # of finished runs that compare it is the same
    settings = msgspec.structs.replace(settings_from(json.dumps(runs[0]["settings"])), check="none")
    inputs: dict[int, list[MeasureInput]] = defaultdict(list)
    for (task_id, key), trace in wanted.items():
        inputs[task_id].append(MeasureInput(key, schedule_of(tasks[task_id][1], target, trace).mod))
    timed: list[tuple[int, str, list[float]]] = []
    with measurer_for(target, settings, [task for _, task, _ in tasks.values()]) as measurer:
        for place, (task_id, candidates) in enumerate(inputs.items(), 1):
            on_phase(f"{project.stem}: the best once more, task {place} of {len(inputs)}")
            found = measurer.in_turns(tasks[task_id][1], candidates, turns)
            timed += [(task_id, item.key, found.get(item.key, [])) for item in candidates]
    write_timed(project, Timed(turns, timed))


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
